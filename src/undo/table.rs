//! What `rules/undo.toml` says of programs, rules and subcommands of git. Read when a line has something at stake.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::model::EffectKind;
use crate::reading::PlannedCommand;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    unlinks: Vec<String>,
    links: Vec<String>,
    rules: Vec<String>,
    git: Git,
    whole: Whole,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Git {
    moves: Vec<String>,
    refs: Vec<String>,
    files: Vec<String>,
    nested: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    effects: Vec<EffectKind>,
    settings: Vec<String>,
    attributes: Vec<String>,
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

/// Returns whether a command that does this may write what its plan does not say.
pub(super) fn writes_unsaid(kind: EffectKind) -> bool {
    TABLE.whole.effects.contains(&kind)
}

/// Returns whether settings of git, in small letters, may have it change the bytes of files.
pub(super) fn may_change_bytes(settings: &str) -> bool {
    TABLE.whole.settings.iter().any(|word| settings.contains(word))
}

/// Returns whether a word of git's attributes, in small letters, has it change the bytes of files.
pub(super) fn changes_bytes(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    holds(&TABLE.whole.attributes, name)
}

/// Returns what a command of git changes where it loses work; none where that is not known.
pub(super) fn loses(command: &PlannedCommand) -> Option<Loses> {
    let words = &command.interpretation.subcommand;
    let two = words.iter().take(2).cloned().collect::<Vec<_>>().join(" ");
    let git = &TABLE.git;
    let by_name = |name: &str| {
        let lists =
            [(&git.nested, Loses::Nested), (&git.files, Loses::Files), (&git.refs, Loses::Refs)];
        lists.into_iter().find_map(|(list, loses)| holds(list, name).then_some(loses))
    };
    by_name(&two).or_else(|| by_name(words.first()?))
}

/// Returns what a command of git changes where it moves refs and files, and loses nothing.
pub(super) fn moves(command: &PlannedCommand) -> Option<Loses> {
    let one = command.interpretation.subcommand.first()?;
    holds(&TABLE.git.moves, one).then(|| loses(command))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        assert!(unlinks("rm") && !unlinks("shred"));
        assert!(writes_unsaid(EffectKind::Build) && changes_bytes("eol=lf"));
        assert!(links("ln") && is_about_loss("git.reset.hard"));
    }
}
