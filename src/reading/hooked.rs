//! Hooks that a line writes, and settings that it makes: git runs them, and what they are is not looked into.

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
const fn makes(kind: EffectKind) -> bool {
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
