//! Going back: what was planned from a mark on is taken out again, with all that holds places in it. What is only counted stays, and
//! what is known of the shell goes with [`State`](super::state::State).

use super::walk::Walker;

/// A place in the plan, and in each list of places in it.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    commands: usize,
    flows: usize,
    opaque: usize,
    patches: usize,
    followed: usize,
    sources: usize,
    jumps: usize,
    traps: usize,
}

impl Mark {
    /// Returns how many commands were planned before it.
    pub(super) const fn commands(self) -> usize {
        self.commands
    }
}

impl Walker<'_> {
    /// Returns the place to which [`Self::rewind`] goes back.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            commands: self.plan.commands.len(),
            flows: self.plan.flows.len(),
            opaque: self.plan.opaque.len(),
            patches: self.patches.count(),
            followed: self.followed.len(),
            sources: self.sources.len(),
            jumps: self.jumps.len(),
            traps: self.traps.len(),
        }
    }

    /// Takes out what was planned behind a mark. The state is not touched: who keeps it says what its variables hold then, see
    /// [`State::drop_origins`](super::state::State::drop_origins).
    pub(super) fn rewind(&mut self, mark: Mark) {
        self.plan.commands.truncate(mark.commands);
        self.plan.flows.truncate(mark.flows);
        self.plan.opaque.truncate(mark.opaque);
        self.patches.truncate(mark.patches);
        self.followed.truncate(mark.followed);
        self.sources.truncate(mark.sources);
        self.jumps.truncate(mark.jumps);
        self.traps.truncate(mark.traps);
    }

    /// Returns what `work` finds, which leaves no trace: it is planned once more elsewhere.
    pub(super) fn tried<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let (mark, state) = (self.mark(), self.state.clone());
        let (exits, given_up) = (self.exits.clone(), self.given_up.clone());
        let found = work(self);
        self.rewind(mark);
        (self.state, self.exits, self.given_up) = (state, exits, given_up);
        found
    }
}
