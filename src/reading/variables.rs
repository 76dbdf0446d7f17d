//! Environment variables that make a program run another, load code, or look elsewhere: `rules/variables.toml`.

use fast_glob::glob_match;

use crate::model::Arg;

struct Row {
    name: &'static str,
    meaning: Meaning,
    harmless: &'static [&'static str],
}

/// What a variable does to programs that get it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each is named by the table as its rows need it")]
pub(super) enum Meaning {
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
    /// Nothing of that kind.
    Inert,
}

mod table {
    use super::{Meaning, Row};
    include!(concat!(env!("OUT_DIR"), "/variables.rs"));
}

/// Returns what setting `name` to `value` means. Names that no row fits are inert.
pub(super) fn meaning(name: &str, value: &Arg) -> Meaning {
    match row(name) {
        Some(row) if row.meaning == Meaning::CommandAppended || !row.is_harmless(value) => {
            row.meaning
        }
        _ => Meaning::Inert,
    }
}

/// Returns whether a value of a variable is known to be harmless, whatever words are put behind it.
pub(super) fn is_harmless(name: &str, value: &Arg) -> bool {
    row(name).is_some_and(|row| row.is_harmless(value))
}

/// Stands among harmless values of which there may be several, with blanks between.
const WORDS: &str = "...";

impl Row {
    fn is_harmless(&self, value: &Arg) -> bool {
        let fits = |value: &str| self.harmless.iter().any(|pattern| glob_match(pattern, value));
        let by_words = self.harmless.contains(&WORDS);
        value.known().is_some_and(|value| {
            if by_words { value.split_ascii_whitespace().all(fits) } else { fits(value) }
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
