//! What `rules/undo.toml` says of programs, rules and subcommands of git. Read when a line has something at stake.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::reading::PlannedCommand;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    unlinks: Vec<String>,
    links: Vec<String>,
    rules: Vec<String>,
    git: Git,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Git {
    refs: Vec<String>,
    files: Vec<String>,
    nested: Vec<String>,
}

/// What a subcommand of git changes where it loses work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loses {
    /// Refs and what else git notes.
    Refs,
    /// Files as well.
    Files,
    /// Files of nested repositories as well.
    Nested,
}

/// A test holds that it is read; where it were not, nothing would be known of programs.
static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("../../rules/undo.toml")).unwrap_or_default());

fn holds(list: &[String], name: &str) -> bool {
    list.iter().any(|known| known == name)
}

/// Returns whether a program takes away names of files, and never writes in one.
pub(super) fn unlinks(program: &str) -> bool {
    holds(&TABLE.unlinks, program)
}

/// Returns whether a program may make second names of files.
pub(super) fn links(program: &str) -> bool {
    holds(&TABLE.links, program)
}

/// Returns whether what a rule finds is lost can be taken back.
pub(super) fn is_about_loss(rule: &str) -> bool {
    holds(&TABLE.rules, rule)
}

/// Returns what a command of git changes where it loses work; none where that is not known.
pub(super) fn loses(command: &PlannedCommand) -> Option<Loses> {
    let words = &command.interpretation.subcommand;
    let (one, two) = (words.first()?, words.iter().take(2).cloned().collect::<Vec<_>>().join(" "));
    let git = &TABLE.git;
    let is_in = |list: &[String]| holds(list, one) || holds(list, &two);
    if is_in(&git.nested) {
        Some(Loses::Nested)
    } else if is_in(&git.files) {
        Some(Loses::Files)
    } else if is_in(&git.refs) {
        Some(Loses::Refs)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        assert!(unlinks("rm") && !unlinks("shred"));
        assert!(links("ln") && is_about_loss("git.reset.hard"));
    }
}
