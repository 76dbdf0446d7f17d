//! The file of rules that a list of permissions becomes. Each rule is checked with its examples before it is taken.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::entry::{Entry, Prefix, Says};
use crate::approval::visible;
use crate::config;
use crate::install::Agent;
use crate::pipeline::examples;
use crate::subcommand::failure::Failure;
use crate::subcommand::install::Site;
use crate::subcommand::scratch::Scratch;

/// What came of a list.
pub(super) struct Draft {
    /// The file.
    pub(super) text: String,
    /// How many rules it has.
    pub(super) rules: usize,
    taken: Vec<Entry>,
    dropped: Vec<(Entry, String)>,
}

/// Writes the rules of entries.
pub(super) fn write(agent: &Agent, entries: Vec<Entry>) -> Result<Draft, Failure> {
    let pack = format!("imported-{}", agent.name);
    let mut text = format!(
        "# {}'s own list of permissions, as `guarded-sh rules import {}` read it. Whoever owns this file may change or remove rules.\npack = \"{pack}\"\nsummary = \"What {} was told to allow, to ask and to refuse\"\n",
        agent.title, agent.name, agent.title,
    );
    let header = text.clone();
    let mut draft = Draft { text: String::new(), rules: 0, taken: Vec::new(), dropped: Vec::new() };
    let (mut ids, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let checker = Checker::make()?;
    let mut entries = entries;
    // Within a pack the first rule that fits wins, so what is stricter comes first.
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.says));
    for entry in entries {
        let rule = match &entry.about {
            Err(why) => Err(why.clone()),
            Ok(prefix) if !seen.insert((prefix.words.clone(), prefix.whole)) => {
                Err("there is a rule for it already, as strict or stricter".to_owned())
            }
            Ok(prefix) => allowed(&entry, prefix).and_then(|()| {
                let id = id(&pack, prefix, &mut ids);
                let checked = |rest| {
                    let rule = rule(agent, &id, &entry, prefix, rest);
                    checker.check(&format!("{header}{rule}")).map(|()| rule)
                };
                if !prefix.whole || entry.says != Says::Allow {
                    return checked(Rest::Any);
                }
                // To a program of the catalog subcommands are no operands, to another one they are.
                checked(Rest::Operands(0))
                    .or_else(|_| checked(Rest::Operands(prefix.words.len() - 1)))
            }),
        };
        match rule {
            Ok(rule) => {
                text.push_str(&rule);
                draft.rules += 1;
                draft.taken.push(entry);
            }
            Err(why) => draft.dropped.push((entry, why)),
        }
    }
    draft.text = text;
    Ok(draft)
}

/// What may stand behind the words of a rule.
#[derive(Clone, Copy)]
enum Rest {
    /// Anything.
    Any,
    /// No options, and so many operands.
    Operands(usize),
}

/// Says why an entry must be no rule.
fn allowed(entry: &Entry, prefix: &Prefix) -> Result<(), String> {
    if let (Says::Allow, Some(why)) = (entry.says, prefix.danger()) {
        return Err(why);
    }
    if prefix.words[0] == "guarded-sh" {
        return Err("what may be asked of the guard is not for lists to say".to_owned());
    }
    if prefix.whole && entry.says == Says::Allow && !prefix.parts().1.is_empty() {
        return Err("one whole command with options: a rule would allow more than that".to_owned());
    }
    Ok(())
}

/// One rule, with the entry that it comes from.
fn rule(agent: &Agent, id: &str, entry: &Entry, prefix: &Prefix, rest: Rest) -> String {
    let (command, options) = prefix.parts();
    let list = |words: &[String]| {
        let quoted: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        format!("[{}]", quoted.join(", "))
    };
    let (severity, says, verb) = match entry.says {
        Says::Allow => ("low", "recommend = \"approve\"\n", "allowed"),
        Says::Ask => ("medium", "recommend = \"reject\"\n", "asked about"),
        Says::Deny => ("high", "deny      = true\n", "refused"),
    };
    let line = prefix.line();
    // The words of an entry come from a file of settings: no line of it may end the comment.
    let source: String = entry.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut text = format!("\n# {source}\n[[rule]]\nid        = \"{id}\"\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "command   = {}", list(command));
    if !options.is_empty() {
        let _ = writeln!(text, "options   = {{ all = {} }}", list(options));
    }
    let mut passes = vec![if command[0] == "true" { "pwd" } else { "true" }.to_owned()];
    if let Rest::Operands(count) = rest {
        let _ = writeln!(
            text,
            "options   = {{ none = [\"-*\", \"--*\"] }}\noperands  = {{ count = {count} }}"
        );
        passes.extend([format!("{line} other"), format!("{line} --other")]);
    }
    let _ = writeln!(
        text,
        "severity  = \"{severity}\"\n{says}reason    = \"{verb} in {}'s own list\"",
        agent.title
    );
    let _ = writeln!(text, "matches   = [{line:?}]\npasses    = {}", list(&passes));
    text
}

/// A name that no other rule of the file has.
fn id(pack: &str, prefix: &Prefix, ids: &mut BTreeSet<String>) -> String {
    let letters = prefix.words.join("-").to_lowercase();
    let parts = letters.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let name = parts.collect::<Vec<_>>().join("-");
    let base = format!("{pack}.{}", if name.is_empty() { "rule" } else { &name });
    let mut id = base.clone();
    let mut number = 2;
    while !ids.insert(id.clone()) {
        id = format!("{base}.{number}");
        number += 1;
    }
    id
}

/// Checks rules as they are when they are loaded.
struct Checker {
    directory: Scratch,
}

impl Checker {
    fn make() -> Result<Self, Failure> {
        Ok(Self { directory: Scratch::make()? })
    }

    fn check(&self, text: &str) -> Result<(), String> {
        let path = self.directory.path().join("rule.toml");
        std::fs::write(&path, text).map_err(|error| format!("it could not be checked: {error}"))?;
        let (_, errors) = config::lint(&[path], &examples::check);
        match errors.into_iter().next() {
            None => Ok(()),
            Some(config::Error::Invalid(invalid)) => {
                let what = invalid.problems.first().map(|problem| problem.message.clone());
                Err(format!("a rule would not say the same: {}", what.unwrap_or_default()))
            }
            Some(error) => Err(format!("a rule would not say the same: {error}")),
        }
    }
}

impl Draft {
    /// What was taken, what was dropped and why.
    pub(super) fn report(&self, site: &Site) -> String {
        let mut text = String::new();
        for entry in &self.taken {
            let verb = match entry.says {
                Says::Allow => "allows",
                Says::Ask => "asks",
                Says::Deny => "refuses",
            };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{verb:<8} {}", visible(&entry.text));
        }
        for (entry, why) in &self.dropped {
            let place = site.output.dim(&site.short(&entry.file));
            let _ = writeln!(
                text,
                "dropped  {}  {place}\n         {}",
                visible(&entry.text),
                visible(why)
            );
        }
        text
    }
}
