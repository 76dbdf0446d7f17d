//! `ask` and `deny`: which commands a person wants to be asked about or refused, as a rule in the owner's file.

use super::always::{Place, Validity, field, list, name, string};
use super::{Judgement, Request, Stop, World, load_request};
use crate::audit;
use crate::config::approved::{Book, Draft};
use crate::config::{self, LoadRequest};
use crate::model::Action;
use crate::rules::{RuleSet, glob};

/// What becomes of the commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// A person is asked each time.
    Ask,
    /// They are refused, and nobody is asked.
    Deny,
}

impl Verb {
    /// Returns the word that people say, and that rules have.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Returns the action of a command that a rule of this verb is about.
    const fn action(self) -> Action {
        match self {
            Self::Ask => Action::Ask,
            Self::Deny => Action::Deny,
        }
    }
}

/// Why there is no such rule.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    /// The pattern cannot be split into words.
    #[error("its quotes do not end")]
    Quotes,
    /// It names no program.
    #[error("its first word names a program, in letters: `make *`, `git push * main`")]
    Program,
    /// It does not do what it is for.
    #[error("a rule for it would not be about `{line}`")]
    Missed {
        /// The line that it would have to be about.
        line: String,
    },
    /// Settings or rules cannot be read, checked or written.
    #[error("{0}")]
    Config(#[from] config::Error),
    /// It cannot be judged.
    #[error("{0}")]
    Stop(#[from] Stop),
}

/// Such a rule: made and checked, not yet written.
pub struct Stricter {
    draft: Draft,
    world: World,
    /// A line that it is about.
    example: String,
}

impl Stricter {
    /// Makes a rule about commands that have the words of a pattern, in which `*` and `?` stand for any text and any character.
    pub fn said(
        mut world: World,
        verb: Verb,
        pattern: &str,
        reason: Option<&str>,
        validity: &Validity,
    ) -> Result<Self, Why> {
        let words = shell_words::split(pattern).map_err(|_| Why::Quotes)?;
        let program = words.first().filter(|program| !program.is_empty() && !is_glob(program));
        let program = program.ok_or(Why::Program)?;
        // Each pattern fits itself.
        let example = shell_words::join(&words);
        let judgement = world.judge(&Request::about(example.as_bytes()))?;
        let subcommands = subcommands(&judgement, &words);
        let (command, rest) = words.split_at(1 + subcommands);
        let (options, operands): (Vec<&String>, Vec<&String>) =
            rest.iter().filter(|word| *word != "*").partition(|word| word.starts_with('-'));
        let facts = &world.judge.facts;
        let directory = facts.cwd.as_deref().unwrap_or("/");
        let there = match &validity.place {
            Place::Below(root) => root.as_str(),
            Place::There | Place::Anywhere => directory,
        };
        let text = |id: &str| {
            let day = audit::now().strftime("%Y-%m-%d").to_string();
            let said = crate::config::approved::SAID;
            let mut text = format!("# {day}{said}{}, in {directory}.\n[[rule]]\n", verb.name());
            let mut put = |name: &str, value: String| field(&mut text, name, &value);
            put("id", string(id));
            put("command", list(command.iter().map(|word| glob::escape(word))));
            for (name, words) in [("options", &options), ("operands", &operands)] {
                if !words.is_empty() {
                    put(
                        name,
                        format!("{{ all = {} }}", list(words.iter().map(|word| plain(word)))),
                    );
                }
            }
            let when = validity.when(there);
            if !when.is_empty() {
                put("when", format!("{{ {when} }}"));
            }
            put("action", string(verb.name()));
            let usual = match verb {
                Verb::Ask => "the owner wants to be asked",
                Verb::Deny => "the owner does not want it",
            };
            put("reason", string(reason.unwrap_or(usual)));
            let place = if validity.place == Place::Anywhere {
                String::new()
            } else {
                format!("cd {} && ", shell_words::quote(there))
            };
            put("matches", list([format!("{place}{example}")]));
            put("passes", list([if program == "true" { "echo" } else { "true" }]));
            text
        };
        let load = load_request(&world.places, facts);
        let mut draft = Draft::new(&load, Book::Stricter, &name(command), text)?;
        let rules = std::mem::replace(&mut world.judge.rules, RuleSet::none());
        world.judge.rules = rules.with_layer(draft.take_layer());
        let judged = world.judge(&Request::about(example.as_bytes()))?;
        if judged.assessment.findings.iter().all(|finding| finding.action < verb.action()) {
            return Err(Why::Missed { line: example });
        }
        Ok(Self { draft, world, example })
    }

    /// Returns the text of the rule, with the comment above it.
    #[must_use]
    pub fn text(&self) -> &str {
        self.draft.text()
    }

    /// Returns the file that it will be in.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        self.draft.path()
    }

    /// Returns a line that it is about.
    #[must_use]
    pub fn example(&self) -> &str {
        &self.example
    }

    /// Returns the rules as they will be with this one.
    #[must_use]
    pub const fn rules(&self) -> &RuleSet {
        &self.world.judge.rules
    }

    /// Writes the rule. If its file changed since it was shown, nothing is written.
    pub fn write(self) -> Result<(), Why> {
        let load: LoadRequest<'_> = load_request(&self.world.places, &self.world.judge.facts);
        Ok(self.draft.keep(&load)?)
    }
}

fn is_glob(word: &str) -> bool {
    word.contains(['*', '?'])
}

/// Returns a word in which only `*` and `?` stand for something else.
fn plain(word: &str) -> String {
    let escaped = glob::escape(word);
    escaped.replace("\\*", "*").replace("\\?", "?")
}

/// Returns how many words after the program name its subcommands, none of them a pattern.
fn subcommands(judgement: &Judgement, words: &[String]) -> usize {
    let Some(command) = judgement.plan.commands.first() else { return 0 };
    let known = command.interpretation.subcommand.iter();
    let named = words.iter().skip(1).zip(known);
    named.take_while(|(word, known)| word == known && !is_glob(word)).count()
}
