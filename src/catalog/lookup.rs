//! Which option a word names, in each style of spelling.

use super::compiled::{Choice, Choices, Takes, matches};
use super::schema::Style;
use super::walk::Walk;
use crate::model::Arg;

/// Whether a word is known to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It is.
    Known,
    /// It goes on with what is not known, or with nothing.
    Open,
    /// It is a pattern: it stands for words that are alike up to its first `*`, `?` or `[`.
    Pattern,
}

/// Whether a word surely is the option that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// It is.
    Sure,
    /// It may be another that the catalog does not list.
    Guess,
}

/// An option that a word names, with the value that the word holds.
pub(super) type Found<'c> = (Choice<'c>, Option<Arg>);

impl<'c> Walk<'c, '_> {
    /// The options that may stand here: of the command, and what it and those above it share.
    fn tables(&self) -> impl Iterator<Item = &Choices<'c>> {
        let shared = self.levels.iter().rev().map(|level| &level.shared);
        std::iter::once(&self.current().options).chain(shared)
    }

    /// Finds the option that is spelled exactly so.
    pub(super) fn exactly(&self, spelling: &str) -> Option<Choice<'c>> {
        let at = self.tables().find_map(|table| self.blob.find(table.names, spelling))?;
        self.blob.choice(at)
    }

    /// Finds the one option that a cut long spelling stands for.
    fn abbreviated(&self, spelling: &str) -> Option<(Choice<'c>, Trust)> {
        if self.current().exact || spelling.len() < 3 {
            return None;
        }
        let mut found = None;
        let mut trust = Trust::Sure;
        for table in self.tables() {
            let names = self.blob.from(table.names, spelling);
            for (name, at) in names.take_while(|(name, _)| name.starts_with(spelling)) {
                if found.is_some_and(|other| other != at) {
                    return None;
                }
                // `--output` is not short for `--output-format`: programs have both, the catalog perhaps one.
                if found.is_some() || name[spelling.len()..].starts_with('-') {
                    trust = Trust::Guess;
                }
                found = Some(at);
            }
        }
        Some((self.blob.choice(found?)?, trust))
    }

    /// Finds an option by a spelling with `*`.
    fn by_pattern(&self, text: &str, ending: Ending) -> Option<Found<'c>> {
        let patterns = self.tables().flat_map(|table| &table.globs);
        for (pattern, at) in patterns {
            let head = pattern.strip_suffix('*').filter(|head| !head.contains('*'));
            let holds_value = !pattern.starts_with("--") && head.is_some();
            let head = head.unwrap_or_default();
            let fits = match ending {
                Ending::Known => matches(pattern, text),
                Ending::Open | Ending::Pattern => holds_value && text.starts_with(head),
            };
            if !fits {
                continue;
            }
            let choice = self.blob.choice(*at)?;
            let rest =
                text.get(head.len()..).filter(|rest| ending != Ending::Known || !rest.is_empty());
            let takes_none = choice.takes == Takes::Flag;
            let value =
                rest.filter(|_| holds_value && !takes_none).map(|rest| partly(rest, ending));
            return Some((choice, value));
        }
        None
    }

    /// Finds `-NUM` or `+NUM`.
    fn number(&self, text: &str) -> Option<Found<'c>> {
        let digits = &text[1..];
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let at = self.tables().find_map(|table| {
            if text.starts_with('-') { table.minus_number } else { table.plus_number }
        })?;
        let choice = self.blob.choice(at)?;
        let value = (choice.takes != Takes::Flag).then(|| Arg::Known(digits.to_owned()));
        Some((choice, value))
    }

    /// Finds an option that is a word without dash: `(`, `!`, `+%F`, `-` alone.
    pub(super) fn undashed(&self, text: &str, ending: Ending) -> Option<Found<'c>> {
        // Single letters of `bundled` are letters of the first word only.
        let is_letter = self.current().style == Style::Bundled && text != "-" && text.len() == 1;
        if text.is_empty() || is_letter {
            return None;
        }
        if ending == Ending::Known {
            let whole = self.exactly(text).map(|choice| (choice, None));
            let number = || if text.starts_with('+') { self.number(text) } else { None };
            if let Some(found) = whole.or_else(number) {
                return Some(found);
            }
        }
        self.by_pattern(text, ending)
    }

    /// `--name`, `--name=VALUE`, and cut names.
    pub(super) fn long(&self, text: &str, ending: Ending) -> Option<(Found<'c>, Trust)> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if !is_pattern(name, ending) => (name, Some(partly(value, ending))),
            None if ending == Ending::Known => (text, None),
            _ => return None,
        };
        let listed = self
            .exactly(name)
            .or_else(|| self.by_pattern(name, Ending::Known).map(|(choice, _)| choice))
            .map(|choice| (choice, Trust::Sure));
        let (choice, trust) = listed.or_else(|| self.abbreviated(name))?;
        Some(((choice, value), trust))
    }

    /// `-name`, `-name=VALUE`, `-20`, `-Wname`.
    pub(super) fn single_dash(&self, text: &str, ending: Ending) -> Option<Found<'c>> {
        if ending == Ending::Known {
            let whole = self.exactly(text).map(|choice| (choice, None));
            if let Some(found) = whole.or_else(|| self.number(text)) {
                return Some(found);
            }
        }
        let parts = text.split_once('=').filter(|(name, _)| !is_pattern(name, ending));
        let parts = parts.map(|(name, value)| (name, partly(value, ending)));
        if let Some((name, value)) = &parts
            && let Some(choice) = self.exactly(name)
        {
            return Some((choice, Some(value.clone())));
        }
        self.by_pattern(text, ending).or_else(|| {
            let (name, value) = parts?;
            let (choice, _) = self.by_pattern(name, Ending::Known)?;
            Some((choice, Some(value)))
        })
    }

    /// One-dash words that are no group of letters.
    pub(super) fn whole_short(&self, text: &str, ending: Ending) -> Option<Found<'c>> {
        // `-o=x` of an option that is one letter is left to the group, where `=` may belong to the value.
        let is_letter = |name: &str| name.chars().count() == 2;
        match text.split_once('=') {
            Some((name, _)) if is_letter(name) => self.by_pattern(text, ending),
            _ => self.single_dash(text, ending),
        }
    }
}

/// Go's flag package and its like take `--name` for `-name`.
pub(super) fn one_dash(text: &str) -> &str {
    if text.starts_with("--") { &text[1..] } else { text }
}

fn is_pattern(text: &str, ending: Ending) -> bool {
    ending == Ending::Pattern && text.contains(['*', '?', '['])
}

/// Returns the text behind the known part of a word as a value.
pub(super) fn partly(rest: &str, ending: Ending) -> Arg {
    match ending {
        Ending::Known => Arg::Known(rest.to_owned()),
        Ending::Open if rest.is_empty() => Arg::Unknown,
        Ending::Open => Arg::Prefix(rest.to_owned()),
        Ending::Pattern => Arg::Glob(rest.to_owned()),
    }
}
