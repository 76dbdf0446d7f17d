//! An entry of a list of permissions, and whether it can be said as a rule.

use std::path::PathBuf;

use crate::catalog::{self, Carried};
use crate::model::Arg;

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// As it stands in the list.
    pub(super) text: String,
    /// The file that it stands in.
    pub(super) file: PathBuf,
    /// What it says.
    pub(super) says: Says,
    /// What it is about, or why it is no command that can be known.
    pub(super) about: Result<Prefix, String>,
}

/// What an entry says of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Says {
    Allow,
    Ask,
    Deny,
}

/// The first words of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    /// The words.
    pub(super) words: Vec<String>,
    /// Whether nothing may stand behind them.
    pub(super) whole: bool,
}

/// What only a shell understands: an entry with it is no list of words.
const SYNTAX: &[char] =
    &['$', '`', ';', '&', '|', '<', '>', '(', ')', '{', '}', '\n', '#', '~', '!'];

impl Entry {
    pub(super) fn new(text: impl Into<String>, says: Says, about: Result<Prefix, String>) -> Self {
        Self { text: text.into(), file: PathBuf::new(), says, about }
    }
}

impl Prefix {
    /// Reads the text of a prefix; the error says why it is none.
    pub(super) fn read(text: &str, whole: bool) -> Result<Self, String> {
        if text.contains(SYNTAX) {
            return Err("more than plain words: what a shell makes of it cannot be said as a rule"
                .to_owned());
        }
        if text.contains(['*', '?', '[']) {
            return Err(
                "a pattern inside of words: only the first words of a command can be a rule"
                    .to_owned(),
            );
        }
        let words = shell_words::split(text).map_err(|_| "its quotes do not end".to_owned())?;
        Self::of(words, whole)
    }

    /// Takes words for a prefix; the error says why they are none.
    pub(super) fn of(words: Vec<String>, whole: bool) -> Result<Self, String> {
        let Some(program) = words.first().filter(|program| !program.is_empty()) else {
            return Err("every command: that is no rule, but no guard".to_owned());
        };
        if program.contains(['/', '=']) {
            return Err("a path or a variable in the place of the program".to_owned());
        }
        let options = words.iter().skip(1).skip_while(|word| !word.starts_with('-'));
        if options.clone().any(|word| !word.starts_with('-')) {
            return Err(
                "an option before other words: what belongs to it is not known here".to_owned()
            );
        }
        if words.iter().any(|word| word.contains(['*', '?', '[', '|', '{', '\\', '"'])) {
            return Err("a character that means something else in rules".to_owned());
        }
        Ok(Self { words, whole })
    }

    /// Returns why it must not be allowed, if so: it runs whatever stands behind it.
    pub(super) fn danger(&self) -> Option<String> {
        let tails: [&[&str]; 6] =
            [&[], &["x", "y"], &["-c", "x"], &["-e", "x"], &["-exec", "x", ";"], &["--", "x"]];
        let runs = tails.iter().filter(|tail| !self.whole || tail.is_empty()).any(|tail| {
            let words = self.words.iter().map(String::as_str).chain(tail.iter().copied());
            let argv: Vec<Arg> = words.map(|word| Arg::Known(word.to_owned())).collect();
            // What a task of the workspace runs is read and judged by itself.
            let others = |carried: &Carried| !matches!(carried, Carried::Task { .. });
            catalog::interpret(&argv, &[]).carried.iter().any(others)
        });
        let name = &self.words[0];
        runs.then(|| format!("`{name}` runs what stands behind it: this would allow everything"))
    }

    /// The words before the first option, and the options.
    pub(super) fn parts(&self) -> (&[String], &[String]) {
        let end = self.words.iter().skip(1).position(|word| word.starts_with('-'));
        self.words.split_at(end.map_or(self.words.len(), |end| end + 1))
    }

    /// Returns the command line.
    pub(super) fn line(&self) -> String {
        shell_words::join(&self.words)
    }
}
