//! The repository that a command of git is about: where it is, as git itself calls it, and which words name something of it.

use super::paths::absolute;
use super::plan::PlannedCommand;
use super::scripts::changes;
use super::walk::Walker;
use crate::catalog::{Interpretation, Named, Place, Touch};
use crate::model::{Arg, Repository};

/// Variables by which git is told where something of a repository is (git(1), ENVIRONMENT VARIABLES).
const TOLD: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// Options that tell it.
const TELLING: &[&str] = &["--git-dir", "--work-tree", "--separate-git-dir", "--bare"];

/// How much of what stands before a command is looked at: behind more, it is not known.
const BEFORE: usize = 4096;

impl Walker<'_> {
    /// Returns the repository that command `index` is about; none if that is not known.
    pub(super) fn repository(&self, index: usize) -> Option<Repository> {
        let command = &self.plan.commands[index];
        let is_told = |name: &&str| {
            self.state.variable(name).is_some() || self.facts.environment.contains_key(*name)
        };
        if command.place != Place::Here || tells(command) || TOLD.iter().any(is_told) {
            return None;
        }
        let entered = self.entered(&command.interpretation);
        let [Some(directory)] = entered.as_slice() else { return None };
        let before = &self.plan.commands[..index];
        if before.iter().map(|other| 1 + other.effects.len()).sum::<usize>() > BEFORE {
            return None;
        }
        let mut is_made = false;
        for other in before.iter().filter(|other| other.interpretation.program == "git") {
            let mut words = other.interpretation.subcommand.iter().map(String::as_str);
            match (words.next(), words.next()) {
                (Some("init"), _)
                    if other.interpretation.operands.is_empty()
                        && other.directories == entered
                        && !tells(other) =>
                {
                    is_made = true;
                }
                (Some("init" | "clone"), _)
                | (Some("worktree" | "submodule"), Some("add" | "init" | "update")) => return None,
                _ => {}
            }
        }
        let made = || {
            let real = self.scripts.real(directory);
            let git = absolute(real.as_deref().unwrap_or(directory), ".git");
            Repository { directory: git.clone(), common: git }
        };
        let found = match self.scripts.repository(directory) {
            // It is made anew, with what is there already.
            Some(found) if is_made && found.directory != made().directory => return None,
            Some(found) => found,
            None if is_made => made(),
            None => return None,
        };
        let nearest = absolute(directory, ".git");
        let moves = |other: &PlannedCommand| {
            other.interpretation.program != "git"
                && other
                    .effects
                    .iter()
                    .any(|effect| changes(effect, &found.directory) || changes(effect, &nearest))
        };
        (!before.iter().any(moves)).then_some(found)
    }
}

impl Walker<'_> {
    /// Whether what may be done to a word is done: what is there decides, or what stands beside it.
    pub(super) fn is_meant(
        &self,
        touch: &Touch,
        interpretation: &Interpretation,
        argv: &[Arg],
        directories: &[Option<String>],
    ) -> bool {
        let named = interpretation.named.iter().find(|(index, _)| Some(*index) == touch.index);
        match (named, &touch.target) {
            (None, _) => true,
            (Some((_, Named::Compared)), _) => may_be_two(interpretation, argv),
            (Some((_, Named::RevisionOrPath)), Some(Arg::Known(name))) => {
                name.starts_with(':')
                    || name.contains(['*', '?', '['])
                    || directories.iter().any(|from| self.is_path_of(from.as_deref(), name))
            }
            // What a pattern stands for is there. Other words that are not known may be options, and count as such.
            (Some((_, Named::RevisionOrPath)), target) => matches!(target, Some(Arg::Glob(_))),
        }
    }

    /// Whether a word names a path that is there, and no branch or tag (git-checkout(1), "DISAMBIGUATION").
    fn is_path_of(&self, directory: Option<&str>, name: &str) -> bool {
        let Some(directory) = directory else { return false };
        if !self.scripts.exists(&absolute(directory, name)) {
            return false;
        }
        let Some(Repository { common, .. }) = self.scripts.repository(directory) else {
            return true;
        };
        let packed = || self.scripts.text(&absolute(&common, "packed-refs")).unwrap_or_default();
        let is_ref = |kind| {
            let full = format!("refs/{kind}/{name}");
            self.scripts.exists(&absolute(&common, &full))
                || packed().lines().any(|line| line.ends_with(&format!(" {full}")))
        };
        !["heads", "tags"].into_iter().any(is_ref)
    }
}

/// Whether the operands of a command may be two that no `--` stands between.
fn may_be_two(interpretation: &Interpretation, argv: &[Arg]) -> bool {
    let mut operands = interpretation.operands.iter().map(|(index, _)| *index).collect::<Vec<_>>();
    operands.sort_unstable();
    operands.dedup();
    let first = operands.first().copied().unwrap_or_default();
    let is_many = |index: &usize| matches!(argv.get(*index), Some(Arg::Many | Arg::Glob(_)));
    let is_split = argv.iter().skip(first).any(|word| word.known() == Some("--"));
    !is_split && (operands.len() == 2 || operands.len() < 2 && operands.iter().any(is_many))
}

/// Whether a command is told where something of its repository is.
fn tells(command: &PlannedCommand) -> bool {
    let names = command.environment.iter().map(|(name, _)| name.as_str());
    command.interpretation.gives(TELLING) || names.into_iter().any(|name| TOLD.contains(&name))
}
