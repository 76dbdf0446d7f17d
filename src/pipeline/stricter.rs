//! `ask` and `deny`: which commands a person wants to be asked about or refused, as a rule in the owner's file.

use super::own_rule::{self, OwnRule, Place, Validity, field, list, string};
use super::{Judgement, Request, Stop, World};
use crate::config;
use crate::config::approved::Book;
use crate::model::Action;
use crate::rules::glob;

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

    /// Returns the reason of a rule where its owner gives none.
    const fn usual_reason(self) -> &'static str {
        match self {
            Self::Ask => "the owner wants to be asked",
            Self::Deny => "the owner does not want it",
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

impl OwnRule {
    /// Makes a rule about commands that have the words of a pattern, in which `*` and `?` stand for any text and any character.
    pub fn stricter(
        world: World,
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
        let directory = world.judge.facts.cwd.clone().unwrap_or_else(|| "/".to_owned());
        let there = match &validity.place {
            Place::Below(root) => root,
            Place::There | Place::Anywhere => &directory,
        };
        let text = |id: &str| {
            let mut text = own_rule::head(verb.name(), &directory);
            text.push_str("[[rule]]\n");
            let mut put = |name: &str, value: String| field(&mut text, name, &value);
            put("id", string(id));
            put("command", list(command.iter().map(|word| glob::escape(word))));
            for (name, words) in [("options", &options), ("operands", &operands)] {
                if !words.is_empty() {
                    let words = list(words.iter().map(|word| plain(word)));
                    put(name, format!("{{ all = {words} }}"));
                }
            }
            let when = validity.when(there);
            if !when.is_empty() {
                put("when", format!("{{ {when} }}"));
            }
            put("action", string(verb.name()));
            put("reason", string(reason.unwrap_or_else(|| verb.usual_reason())));
            let place = match &validity.place {
                Place::Anywhere => String::new(),
                Place::There | Place::Below(_) => format!("cd {} && ", shell_words::quote(there)),
            };
            put("matches", list([format!("{place}{example}")]));
            put("passes", list([if program == "true" { "echo" } else { "true" }]));
            text
        };
        let said = Self::drafted(world, Book::Stricter, command, text)?;
        let judged = said.judge(&Request::about(example.as_bytes()))?;
        if judged.assessment.findings.iter().all(|finding| finding.action < verb.action()) {
            return Err(Why::Missed { line: example });
        }
        Ok(said)
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
