//! What changed since something was arranged that may run at any time: a trap sees what was changed and changed back, and what was only
//! so in a subshell or a function. All ways that lead on from one place write in the same journal.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

/// What changed, once somebody wants to know. Clones write in the same one.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal(Rc<RefCell<Option<Changes>>>);

/// What changed.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is something else that changed")]
pub(super) struct Changes {
    /// Variables that were set, or are not there any more.
    pub(super) variables: HashSet<Rc<str>>,
    /// Any variable may have been.
    pub(super) all: bool,
    /// The directory.
    pub(super) directory: bool,
    /// Functions came or went.
    pub(super) functions: bool,
    /// What runs at any time may end the shell.
    pub(super) ends: bool,
    /// It may read from standard input.
    pub(super) reads: bool,
}

impl Journal {
    /// Returns one with the same in it, in which what happens here is not noted.
    pub(super) fn apart(&self) -> Self {
        Self(Rc::new(RefCell::new(self.changes())))
    }

    /// From here on all is noted.
    pub(super) fn begin(&self) {
        self.0.borrow_mut().get_or_insert_default();
    }

    /// Returns whether anything that runs at any time was arranged.
    pub(super) fn is_begun(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Returns whether what runs at any time may read from standard input.
    pub(super) fn reads(&self) -> bool {
        self.0.borrow().as_ref().is_some_and(|changes| changes.reads)
    }

    /// Returns what was noted; none if nobody wanted to know.
    pub(super) fn changes(&self) -> Option<Changes> {
        self.0.borrow().clone()
    }

    /// Notes that a variable is set, or is not there any more.
    pub(super) fn note_variable(&self, name: &str) {
        self.note(|changes| {
            changes.variables.insert(Rc::from(name));
        });
    }

    /// Notes something.
    pub(super) fn note(&self, change: impl FnOnce(&mut Changes)) {
        if let Some(changes) = &mut *self.0.borrow_mut() {
            change(changes);
        }
    }
}
