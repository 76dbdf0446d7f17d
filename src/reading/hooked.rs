//! Hooks, start-up files and settings that a line writes: git, shells and others run them, and what they are is not looked into.

use super::builtins::is_builtin;
use super::carry::SHELLS;
use super::plan::PlannedCommand;
use super::walk::Walker;
use crate::model::{Effect, EffectKind, PathClass, Target};

impl Walker<'_> {
    /// Adds to what git does in a line that it runs the hooks which the line writes, or what it is set to run.
    pub(super) fn run_written_hooks(&mut self) {
        let commands = &mut self.plan.commands;
        let is_git = |program: &str| program == "git";
        if !commands.iter().any(|command| is_git(&command.interpretation.program)) {
            return;
        }
        let effects = commands.iter().flat_map(|command| &command.effects);
        let mut hooks: Vec<Target> = Vec::new();
        for effect in effects.filter(|effect| makes(effect.kind)) {
            if holds_hooks(&effect.target) && !hooks.contains(&effect.target) {
                hooks.push(effect.target.clone());
            }
        }
        if commands.iter().any(sets_what_is_not_known) {
            hooks.push(Target::Path { path: None, class: PathClass::Unknown });
        }
        for command in commands.iter_mut() {
            if is_git(&command.interpretation.program) {
                let run = hooks.iter().cloned();
                command
                    .effects
                    .extend(run.map(|target| Effect { kind: EffectKind::Execute, target }));
            }
        }
    }
}

impl Walker<'_> {
    /// Adds to what shells and others do in a line that they run the start-up files and settings of theirs which the line writes.
    pub(super) fn run_written_startup(&mut self) {
        let effects = self.plan.commands.iter().flat_map(|command| &command.effects);
        let mut written: Vec<(String, Target)> = Vec::new();
        for effect in effects.filter(|effect| makes(effect.kind)) {
            match &effect.target {
                Target::Path { path: Some(path), class: PathClass::Startup }
                    if !written.iter().any(|(known, _)| known == path) =>
                {
                    written.push((path.clone(), effect.target.clone()));
                }
                _ => {}
            }
        }
        if written.is_empty() {
            return;
        }
        written.truncate(LOOKED_AT);
        for command in &mut self.plan.commands {
            let program = command.interpretation.program.as_str();
            if program.is_empty() || is_builtin(program) {
                continue;
            }
            let starts_shells = SHELLS.contains(&program) || STARTERS.contains(&program);
            let run = written.iter().filter(|(path, _)| starts_shells || path.contains(program));
            let run = run.map(|(_, target)| target.clone());
            command.effects.extend(run.map(|target| Effect { kind: EffectKind::Execute, target }));
        }
    }
}

/// So many start-up files that a line writes are noted with what may run them: with one, it is asked about.
const LOOKED_AT: usize = 16;

/// Programs that start the shell of a person, who has start-up files.
const STARTERS: &[&str] =
    &["login", "newgrp", "runuser", "screen", "script", "ssh", "su", "sudo", "tmux"];

/// Whether a command sets something in git's configuration that may name a program (`core.hooksPath`, `core.pager`), or makes a
/// repository after a template, which may hold hooks.
fn sets_what_is_not_known(command: &PlannedCommand) -> bool {
    let interpretation = &command.interpretation;
    if interpretation.program != "git" {
        return false;
    }
    match interpretation.subcommand.first().map(String::as_str) {
        Some("config") => !interpretation.unknown.is_empty(),
        Some("init" | "clone") => interpretation.gives(&["--template"]),
        _ => false,
    }
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
    match target {
        Target::Path { path: Some(path), class: PathClass::Hooks } => {
            let path = format!("{path}/");
            PLACES.iter().any(|place| path.contains(place))
        }
        Target::Path { .. } | Target::None | Target::Host { .. } | Target::Text { .. } => false,
    }
}
