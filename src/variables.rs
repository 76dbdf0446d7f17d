//! Environment variables that make a program run another, load code, or look elsewhere: `rules/variables.toml`.
#![forbid(unsafe_code, clippy::disallowed_methods)]

use fast_glob::glob_match;

use crate::catalog::{Interpretation, interpret};
use crate::model::{Arg, Facts, PathClass};
use crate::paths::{classify, holds_workspace_tools};

struct Row {
    name: &'static str,
    meaning: Meaning,
    harmless: &'static [&'static str],
}

/// Settings of a program that pairs of variables hold: the name of one in the one, its value in the other, with the same number behind both
/// names (git-config(1), `GIT_CONFIG_COUNT`).
pub struct Setting {
    key: &'static str,
    value: &'static str,
    /// The program and its option that set the same, with `NAME=VALUE` behind them.
    option: &'static [&'static str],
    /// Settings by which callers give the program a command of their own.
    own: &'static [&'static str],
}

/// What a variable does to programs that get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each is named by the table as its rows need it")]
pub enum Meaning {
    /// Its value is a command line that is run.
    Command,
    /// The same, and the program adds words of its own: the file that an editor opens.
    CommandAppended,
    /// It is expanded when the shell shows it: what it substitutes runs.
    Prompt,
    /// It names code that is loaded.
    Code,
    /// It decides which program a name means.
    Path,
    /// Programs write the file that it names.
    Write,
    /// Programs ask the host that it names.
    Host,
    /// Nothing of that kind.
    Inert,
}

mod table {
    use super::{Meaning, Row, Setting};
    include!(concat!(env!("OUT_DIR"), "/variables.rs"));
}

/// Returns what setting `name` to `value` means. Names that no row fits are inert.
#[must_use]
pub fn meaning(name: &str, value: &Arg) -> Meaning {
    match row(name) {
        Some(row) if row.meaning == Meaning::CommandAppended || !row.is_harmless(value) => {
            row.meaning
        }
        _ => Meaning::Inert,
    }
}

/// Returns whether a row says what a variable of this name means.
#[must_use]
pub fn is_known(name: &str) -> bool {
    row(name).is_some()
}

/// Returns the settings that a variable holds a part of, and the names of both variables of its pair: that of the name, and that of the value.
#[must_use]
pub fn setting(name: &str) -> Option<(&'static Setting, String, String)> {
    table::SETTINGS.iter().find_map(|setting| {
        let rest = [setting.key, setting.value].into_iter().find_map(|one| name.strip_prefix(one));
        let number = rest.filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))?;
        let [key, value] = [setting.key, setting.value].map(|one| format!("{one}{number}"));
        Some((setting, key, value))
    })
}

impl Setting {
    /// Returns the words that set the same.
    #[must_use]
    pub fn argv(&self, key: &Arg, value: &Arg) -> Vec<Arg> {
        let set = match (key.known(), value.known()) {
            (Some(key), Some(value)) => Arg::Known(format!("{key}={value}")),
            (Some(key), None) => Arg::Prefix(format!("{key}=")),
            (None, _) => Arg::Unknown,
        };
        self.option.iter().map(|word| Arg::Known((*word).to_owned())).chain([set]).collect()
    }

    /// Whether a setting that a caller made is the line's: the catalog does not know it as harmless, and it is none by which callers give
    /// the program a command of their own.
    fn is_foreign(&self, key: &str, value: &str, facts: &Facts) -> bool {
        // Nothing is run by an empty value: clients take settings of the person away so.
        if value.is_empty() {
            return false;
        }
        let is_own = self.own.iter().any(|own| own.eq_ignore_ascii_case(key));
        let argv = self.argv(&Arg::Known(key.to_owned()), &Arg::Known(value.to_owned()));
        let set = interpret(&argv, &[]);
        !is_harmless_setting(&set) && (!is_own || leads(key, value, facts))
    }
}

/// Returns whether a setting names no program, no file that is run and no other server, as the catalog says.
#[must_use]
pub fn is_harmless_setting(set: &Interpretation) -> bool {
    set.unknown.is_empty() && set.carried.is_empty() && set.touches.is_empty()
}

/// Returns whether a value of a variable is known to be harmless, whatever words are put behind it.
#[must_use]
pub fn is_harmless(name: &str, value: &Arg) -> bool {
    row(name).is_some_and(|row| row.is_harmless(value))
}

/// Returns the variables that name what a command empties or deletes: `cargo clean`, the build directory.
pub fn emptied_by(done: &Interpretation) -> impl Iterator<Item = &'static str> {
    let is_done = |(command, _): &&(&str, &[&str])| {
        let mut words = command.split(' ');
        let mut own = done.subcommand.iter();
        words.next() == Some(&done.program)
            && words.all(|word| {
                let is_option = word.starts_with('-');
                if is_option {
                    done.gives(&[word])
                } else {
                    own.next().is_some_and(|own| own == word)
                }
            })
    };
    table::EMPTIED.iter().filter(is_done).flat_map(|(_, names)| *names).copied()
}

/// Stands among harmless values of which there may be several, with blanks between.
const WORDS: &str = "...";

impl Row {
    fn is_harmless(&self, value: &Arg) -> bool {
        let fits = |value: &str| self.harmless.iter().any(|pattern| glob_match(pattern, value));
        let by_words = self.harmless.contains(&WORDS);
        value.known().is_some_and(|value| {
            if !by_words {
                return fits(value);
            }
            // `-Wl,-rpath,DIR` hands each part on as a word.
            let value = value.replace('/', "_");
            let mut words = value.split([' ', '\t', '\n', ',']).filter(|word| !word.is_empty());
            words.all(fits)
        })
    }
}

/// Returns the first row with a name that fits.
fn row(name: &str) -> Option<&'static Row> {
    let row = |at: &u16| &table::MEANINGS[usize::from(*at)];
    let exact = table::EXACT.binary_search_by(|at| row(at).name.cmp(name)).ok();
    let exact = exact.map(|at| table::EXACT[at]);
    let earlier = table::OPEN.iter().take_while(|at| exact.is_none_or(|exact| **at < exact));
    earlier.map(row).find(|row| fits(row.name, name)).or_else(|| exact.as_ref().map(row))
}

/// Returns whether the variable holds a secret, by its name.
#[must_use]
pub fn holds_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    table::SECRETS.iter().any(|pattern| fits(pattern, &name))
}

/// Returns whether a program prints none of the words that it is given, also where it fails.
#[must_use]
pub fn prints_no_words(program: &str) -> bool {
    table::KEEPERS.contains(&program)
}

/// Returns the variables of the caller that count as if the line had exported them, with their values: what they make programs run is the
/// workspace's, or anyone's, or a command that is not the owner's editor, pager or the like. Of `PATH`, each such directory.
#[must_use]
pub fn inherited(facts: &Facts) -> Vec<(&str, &str)> {
    let given = |name: &'static str| Some((name, facts.environment.get(name)?.as_str()));
    let given = table::INHERITED.iter().filter_map(|name| given(name));
    let single = |(name, value): (_, _)| match name {
        "PATH" => str::split(value, ':').map(|entry| (name, entry)).collect(),
        name => vec![(name, value)],
    };
    let given = given.filter(|(_, value)| !value.is_empty()).flat_map(single);
    let foreign = given.filter(|(name, value)| is_foreign(name, value, facts));
    let home = facts.environment.get("HOME").filter(|_| facts.is_home_moved);
    let home = home.map(|home| ("HOME", home.as_str()));
    foreign.chain(home).chain(inherited_settings(facts)).collect()
}

/// Returns the pairs of variables of the caller that hold settings which count as the line's.
fn inherited_settings(facts: &Facts) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (name, key) in facts.environment.iter() {
        let Some((setting, of_key, of_value)) = setting(name) else { continue };
        let value = facts.environment.get_key_value(&of_value).filter(|_| *name == of_key);
        if let Some((other, value)) =
            value.filter(|(_, value)| setting.is_foreign(key, value, facts))
        {
            found.extend([(name.as_str(), key.as_str()), (other.as_str(), value.as_str())]);
        }
    }
    found.sort_unstable();
    found
}

/// Whether a piece of a value leads to where not only the owner writes.
fn leads(name: &str, value: &str, facts: &Facts) -> bool {
    let ends = |c: char| c.is_ascii_whitespace() || ":=,;|!'\"".contains(c);
    value.split(ends).any(|piece| is_nobodys(piece, name, facts))
}

fn is_foreign(name: &str, value: &str, facts: &Facts) -> bool {
    let leads = || leads(name, value, facts);
    match meaning(name, &Arg::Known(value.to_owned())) {
        Meaning::Inert | Meaning::Host => false,
        Meaning::Path => {
            !value.starts_with('/') || (leads() && !holds_workspace_tools(value, facts))
        }
        Meaning::Code => leads(),
        Meaning::Write => leads() || is_guarded(value, facts),
        Meaning::Command | Meaning::CommandAppended | Meaning::Prompt => {
            !is_harmless(name, &Arg::Known(value.to_owned())) && (leads() || !is_owners(value))
        }
    }
}

/// Whether a piece of a value is a path below which not only the owner writes.
fn is_nobodys(piece: &str, name: &str, facts: &Facts) -> bool {
    let path = piece.trim_start_matches(|c: char| c == '-' || c.is_ascii_alphanumeric());
    let path = if piece.starts_with('-') { path } else { piece };
    if !path.starts_with('/') {
        return path.starts_with("./") || path.starts_with("../");
    }
    // What writes there asks.
    if path.contains("/.git/") || path.ends_with("/.git") {
        return false;
    }
    match classify(&format!("{}/x", path.trim_end_matches('/')), facts) {
        PathClass::Workspace | PathClass::BuildOutput | PathClass::Inside | PathClass::Hooks => {
            true
        }
        // Agents and tests keep programs of their own there, and put them on PATH.
        PathClass::Temporary | PathClass::Made => name != "PATH",
        _ => false,
    }
}

/// Whether a path names what no program should write because a variable says so.
fn is_guarded(path: &str, facts: &Facts) -> bool {
    let class = path.starts_with('/').then(|| classify(path, facts));
    matches!(
        class,
        Some(PathClass::Startup | PathClass::Secret | PathClass::Guard | PathClass::Hooks)
    )
}

/// Whether a command is one of those that owners have programs start, and nothing else.
fn is_owners(command: &str) -> bool {
    let command = command.trim_start_matches(['|', '-', ' ']);
    let program = command.split_ascii_whitespace().next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    let is_known = || !interpret(&[Arg::Known(name.to_owned())], &[]).program.is_empty();
    !command.contains([';', '&', '|', '<', '>', '(', ')', '$', '`', '\n'])
        && (table::OWNERS.contains(&name) || (program.starts_with('/') && !is_known()))
}

fn fits(pattern: &str, name: &str) -> bool {
    if !pattern.contains('*') {
        return pattern == name;
    }
    let head = pattern.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
    name.starts_with(head) && glob_match(pattern, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_empties_a_place_that_a_variable_names_is_a_command_of_the_catalog() {
        for (command, names) in table::EMPTIED {
            let argv: Vec<Arg> = command.split(' ').map(|word| Arg::Known(word.into())).collect();
            let done = interpret(&argv, &[]);
            assert!(done.unknown.is_empty(), "{command}");
            assert!(
                names.iter().all(|name| emptied_by(&done).any(|own| own == *name)),
                "{command}"
            );
            let names_a_place = |name: &&str| {
                let meaning = meaning(name, &Arg::Known("x".into()));
                matches!(meaning, Meaning::Write | Meaning::Path)
            };
            assert!(names.iter().all(names_a_place), "{command}");
        }
    }

    #[test]
    fn the_first_row_that_fits_counts() {
        for row in table::MEANINGS {
            for filling in ["", "X", "_A_B"] {
                let name = row.name.replace('*', filling);
                let first = table::MEANINGS.iter().find(|row| fits(row.name, &name));
                let found = super::row(&name).map(|row| row.name);
                assert_eq!(found, first.map(|row| row.name), "{name}");
            }
        }
        assert!(super::row("a_name_of_no_row").is_none());
    }
}
