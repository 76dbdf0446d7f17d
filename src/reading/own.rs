//! What a frame does itself in the shell of the command that it carries. Its text is known and harmless as long as its words
//! mean what they mean: a command that makes a function of `pwd` has its frame call that.

use super::Circumstances;
use super::input::Input;
use super::walk::Walker;
use crate::syntax::Script;

/// A frame's own text around a command.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// What it runs in front of the command, behind everything that runs before.
    pub setup: &'a Script,
    /// What it runs behind the command.
    pub closing: &'a Script,
    /// Whether the command gets nothing on standard input, whatever the frame's shell has there.
    pub closes_input: bool,
}

impl<'a> Walker<'a> {
    /// Plans a script in its frame, whose own text leaves no trace as long as nothing changed what it does.
    pub(super) fn framed(
        &mut self,
        script: &Script,
        around: Around<'_>,
        circumstances: &Circumstances<'a>,
    ) {
        let mut alone = Walker::new(circumstances);
        self.own(around.setup, &mut alone);
        let closed = around.closes_input.then(Input::nothing);
        let outer = closed.map(|closed| std::mem::replace(&mut self.input, closed));
        self.script(script);
        self.input = outer.unwrap_or_else(|| self.input.clone());
        self.own(around.closing, &mut alone);
    }

    /// Plans a frame's own text here and where nothing else runs; forgets it if it does the same in both places.
    fn own(&mut self, script: &Script, alone: &mut Walker<'_>) {
        let (mark, opaque, traps) = (self.mark(), self.plan.opaque.len(), self.traps.len());
        let commands_alone = alone.plan.commands.len();
        self.first(script);
        alone.first(script);
        let here = &self.plan.commands[mark.commands()..];
        let there = &alone.plan.commands[commands_alone..];
        let is_same = here.len() == there.len()
            && here.iter().zip(there).all(|(here, there)| {
                here.argv == there.argv && here.effects == there.effects && here.via == there.via
            });
        // A trap runs behind the command that is carried, which may change what it does.
        if is_same && self.plan.opaque.len() == opaque && self.traps.len() == traps {
            self.rewind(mark);
            self.state.drop_origins(mark.commands());
        }
    }
}
