//! What `trap` arranges: it is planned where it is set, and once more when it runs.

use super::input::Input;
use super::state::State;
use super::walk::{COMMANDS, Mapping, Walker};
use crate::model::Span;

/// What `trap` was given.
pub(super) struct Trap {
    pub(super) text: String,
    /// The `trap` itself.
    pub(super) command: usize,
    pub(super) span: Span,
    pub(super) mapping: Mapping,
    /// What was known where it was set.
    pub(super) state: State,
    /// Whether it runs at the end alone.
    pub(super) at_end: bool,
}

/// Builtins that change what the shell does from there on, whatever it did before: where that is not known, or is the same,
/// nothing in the state tells that they ran.
const CHANGING: &[&str] =
    &["cd", "pushd", "popd", "set", "shopt", "alias", "unalias", "hash", "enable"];

impl Walker<'_> {
    /// Whether a command from `first` on changes the shell, and not only variables of it.
    pub(super) fn changes_shell(&self, first: usize) -> bool {
        let commands = self.plan.commands.get(first..).unwrap_or_default();
        commands
            .iter()
            .any(|command| command.program().is_some_and(|program| CHANGING.contains(&program)))
    }

    /// Plans once more what the traps from `first` on run, now that it is known what has changed since they were set.
    pub(super) fn run_traps(&mut self, first: usize) {
        if self.traps.len() == first {
            return;
        }
        let end = self.state.clone();
        for trap in self.traps.split_off(first) {
            self.state.dead = false;
            self.state.merge(&trap.state);
            if let Some(exits) = &self.exits {
                self.state.merge(exits);
            }
            let changed = !self.state.same(&trap.state);
            if changed && !trap.at_end {
                // It may run anywhere in between.
                self.state.taint();
            }
            if changed && self.plan.commands.len() <= COMMANDS {
                let input = std::mem::replace(&mut self.input, Input::Unknown);
                let mapping = std::mem::replace(&mut self.mapping, trap.mapping);
                if trap.command < self.plan.commands.len() {
                    self.carried_by(trap.command, "trap", |walker| {
                        walker.subshell(|walker| walker.shell_text(&trap.text, trap.span));
                    });
                }
                (self.mapping, self.input) = (mapping, input);
            }
            self.state = end.clone();
        }
    }
}
