//! Hooks, start-up files and settings that a line writes: git, shells and others run them, and what they are is not looked into.

use super::builtins::is_builtin;
use super::carry::SHELLS;
use super::plan::PlannedCommand;
use super::walk::Walker;
use crate::model::{Effect, EffectKind, PathClass, ProgramTrait, Target};

impl Walker<'_> {
    /// Adds to what git does in a line that it runs the hooks which the line writes, or what it is set to run.
    pub(super) fn run_written_hooks(&mut self) {
        let commands = &mut self.plan.commands;
        if !commands.iter().any(|command| command.interpretation.in_repository) {
            return;
        }
        let mut hooks = some_of(written(commands).filter(|target| holds_hooks(target)));
        let makes_one =
            commands.iter().any(makes_elsewhere) && written(commands).any(is_part_of_one);
        if makes_one || commands.iter().any(sets_what_is_not_known) {
            hooks.push(Target::ANYWHERE);
        }
        for command in commands.iter_mut().filter(|one| one.interpretation.in_repository) {
            let run = hooks.iter().cloned();
            command.effects.extend(run.map(|target| Effect { kind: EffectKind::Execute, target }));
        }
    }

    /// Adds to what shells and others do in a line that they run the start-up files and settings of theirs which the line writes.
    pub(super) fn run_written_startup(&mut self) {
        let is_startup = |target: &&Target| {
            target.class() == Some(PathClass::Startup) && target.path().is_some()
        };
        let written = some_of(written(&self.plan.commands).filter(is_startup));
        if written.is_empty() {
            return;
        }
        for command in &mut self.plan.commands {
            let program = command.interpretation.program.as_str();
            if program.is_empty() || is_builtin(program) {
                continue;
            }
            let starts_shells =
                SHELLS.contains(&program) || command.interpretation.is(ProgramTrait::StartsShell);
            // What belongs to a program is called after it: `~/.gitconfig`, `~/.config/pip`.
            let is_its_own =
                |target: &&Target| target.path().is_some_and(|path| path.contains(program));
            let run = written.iter().filter(|target| starts_shells || is_its_own(target)).cloned();
            command.effects.extend(run.map(|target| Effect { kind: EffectKind::Execute, target }));
        }
    }
}

/// So many of what a line writes are noted with what may run them: with one, it is asked about.
const LOOKED_AT: usize = 16;

/// Returns what a line may put somewhere, or make one that runs.
fn written(commands: &[PlannedCommand]) -> impl Iterator<Item = &Target> {
    let effects = commands.iter().flat_map(|command| &command.effects);
    effects.filter(|effect| makes(effect.kind)).map(|effect| &effect.target)
}

/// Returns some of these, each once.
fn some_of<'t>(targets: impl Iterator<Item = &'t Target>) -> Vec<Target> {
    let mut some: Vec<Target> = Vec::new();
    for target in targets {
        if some.len() == LOOKED_AT {
            break;
        }
        if !some.contains(target) {
            some.push(target.clone());
        }
    }
    some
}

/// Whether a command sets something of a repository that may name a program (`core.hooksPath`, `core.pager`), or makes one after a
/// template, which may hold hooks.
fn sets_what_is_not_known(command: &PlannedCommand) -> bool {
    let interpretation = &command.interpretation;
    interpretation.is(ProgramTrait::SetsRepository) && !interpretation.unknown.is_empty()
}

/// Whether a command makes a repository that is not called `.git`. One that is put together is seen where git works in it.
fn makes_elsewhere(command: &PlannedCommand) -> bool {
    command.interpretation.in_repository
        && command.interpretation.gives(&["--bare", "--mirror", "--separate-git-dir"])
}

/// Whether there may be the settings of a repository, or a hook.
fn is_part_of_one(target: &Target) -> bool {
    target.path().is_some_and(|path| path.ends_with("/config") || path.contains("/hooks"))
}

/// Whether an effect may put a file there, or make it one that runs.
pub(super) const fn makes(kind: EffectKind) -> bool {
    matches!(
        kind,
        EffectKind::Write
            | EffectKind::Append
            | EffectKind::Permission
            | EffectKind::PermissionTree
    )
}

/// Whether git may look there for hooks, or for what says where they are.
fn holds_hooks(target: &Target) -> bool {
    const PLACES: [&str; 4] = ["/.git/", "/.githooks/", "/.husky/", "/.lefthook/"];
    target.class() == Some(PathClass::Hooks)
        && target.path().is_some_and(|path| {
            let path = format!("{path}/");
            PLACES.iter().any(|place| path.contains(place))
        })
}
