//! Going back: what was planned from a mark on is taken out again, with all that holds places in it. What is only counted stays, and
//! what is known of the shell goes with [`State`](super::state::State).

use super::walk::Walker;

/// How many lists there are: the plan's, and those of places in it.
const LISTS: usize = 9;

/// A place in the plan, and in each list of places in it.
#[derive(Clone, Copy)]
pub(super) struct Mark([usize; LISTS]);

/// A list that grows while something is planned.
trait List {
    fn count(&self) -> usize;
    fn cut(&mut self, count: usize);
}

impl<T> List for Vec<T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn cut(&mut self, count: usize) {
        self.truncate(count);
    }
}

impl Mark {
    /// Returns how many commands were planned before it.
    pub(super) const fn commands(self) -> usize {
        self.0[0]
    }
}

impl Walker<'_> {
    /// The lists, that of the commands first. Of patches, the names that they write are kept: more of them are only stricter.
    fn lists(&mut self) -> [&mut dyn List; LISTS] {
        let plan = &mut self.plan;
        [
            &mut plan.commands,
            &mut plan.flows,
            &mut plan.opaque,
            &mut self.patches.read,
            &mut self.followed,
            &mut self.written,
            &mut self.sources,
            &mut self.jumps,
            &mut self.traps,
        ]
    }

    /// Returns the place to which [`Self::rewind`] goes back.
    pub(super) fn mark(&mut self) -> Mark {
        Mark(self.lists().map(|list| list.count()))
    }

    /// Takes out what was planned behind a mark. The state is not touched: who keeps it says what its variables hold then, see
    /// [`State::drop_origins`](super::state::State::drop_origins).
    pub(super) fn rewind(&mut self, mark: Mark) {
        self.lists().into_iter().zip(mark.0).for_each(|(list, count)| list.cut(count));
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
