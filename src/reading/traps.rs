//! What `trap` arranges: it is planned where it is set, and once more when it runs.

use std::rc::Rc;

use super::builtins::{is_builtin, keeps_input, table};
use super::journal::Changes;
use super::plan::PlannedCommand;
use super::state::{State, Value};
use super::walk::{COMMANDS, Mapping, Walker};
use crate::model::{Arg, Reason, Span};

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

impl Walker<'_> {
    /// Notes that the text of a command runs later: at the end, or at any time.
    pub(super) fn arrange(&mut self, command: usize, text: String, at_end: bool, span: Span) {
        if !at_end {
            self.state.journal.begin();
        }
        let (mapping, state) = (self.mapping, self.state.clone());
        self.traps.push(Trap { text, command, span, mapping, state, at_end });
    }

    /// Forgets what changed at some time; returns whether anything did.
    fn between(&mut self, changes: &Changes, span: Span) -> bool {
        for name in &changes.variables {
            self.state.set(name, Value::Unknown);
        }
        if changes.all {
            self.state.taint();
        }
        if changes.directory {
            self.state.lose_directory();
        }
        if changes.functions {
            self.opaque(Reason::DynamicCode, span);
        }
        !changes.variables.is_empty() || changes.all || changes.directory || changes.functions
    }

    /// Notes what the text of a trap that runs at any time does to what is behind it: the commands from `first` on, which lead from
    /// `before` to `after`.
    pub(super) fn runs_at_any_time(
        &mut self,
        before: &State,
        after: &State,
        first: usize,
        span: Span,
    ) {
        let programs = self.plan.commands.get(first..).unwrap_or_default();
        let reads = programs.iter().any(may_read);
        let programs = programs.iter().filter_map(PlannedCommand::program);
        let (mut leaves, mut ends, mut changes) = (false, false, false);
        for program in programs {
            // Any command may be the last one of a loop or function then.
            leaves |= matches!(program, "break" | "continue" | "return");
            ends |= program == "exit";
            // Where what it does is not known, or is the same, nothing in the state tells that it ran.
            changes |= table::CHANGING.contains(&program);
        }
        self.state.journal.note(|changes| {
            changes.ends |= ends;
            changes.reads |= reads;
        });
        if !self.state.changes_at_any_time(before, after) || leaves || changes {
            self.opaque(Reason::DynamicCode, span);
        }
    }

    /// Plans once more what the traps from `first` on run, now that it is known what has changed since they were set.
    pub(super) fn run_traps(&mut self, first: usize) {
        if self.traps.len() == first {
            return;
        }
        let end = self.state.clone();
        let changes = self.state.journal.changes();
        for trap in self.traps.split_off(first) {
            self.state.dead = false;
            self.state.merge(&trap.state);
            if let Some(exits) = &self.exits {
                self.state.merge(exits);
            }
            let mut changed = !self.state.same(&trap.state);
            // It may run anywhere in between.
            if let Some(changes) = changes.as_ref().filter(|it| !trap.at_end || it.ends) {
                changed |= self.between(changes, trap.span);
            }
            if !trap.at_end {
                self.state.positional = Some(Rc::from([Arg::Many]));
            }
            if changed && self.plan.commands.len() <= COMMANDS {
                let run = |walker: &mut Self| {
                    walker.subshell(|walker| walker.shell_text(&trap.text, trap.span));
                };
                if trap.command < self.plan.commands.len() {
                    self.with_any_input(|walker| {
                        walker.with(
                            |walker| &mut walker.mapping,
                            trap.mapping,
                            |walker| {
                                walker.carried_by(trap.command, "trap", run);
                            },
                        );
                    });
                }
            }
            self.state = end.clone();
        }
    }
}

/// Whether a command may read from standard input.
fn may_read(command: &PlannedCommand) -> bool {
    match command.program() {
        Some(program) if is_builtin(program) => !keeps_input(program),
        Some(_) => command.interpretation.reads_input || !command.unknown.is_empty(),
        // A redirection or an assignment alone reads nothing.
        None => !command.argv.is_empty(),
    }
}
