//! Asks a person, and takes nothing but a clear yes for one.
//! Decides neither whether to ask nor whom: `observe` finds the terminal, `decision` makes the question.

use std::os::fd::BorrowedFd;
use std::time::Instant;

use crate::model::{Heard, Trial, Trying};

pub mod letters;
pub mod line;
pub mod others;
pub mod page;
mod terminal;
pub mod text;
mod visible;
pub mod words;

pub use terminal::Terminal;
pub use visible::{visible, visible_name};

/// What stands behind a question that a person is asked: what else is said of it, and what only whoever asks can do.
pub trait Behind {
    /// Returns what becomes readable when something is said, and when that is given up, if it is.
    fn awaited(&self) -> (Vec<BorrowedFd<'_>>, Option<Instant>);

    /// Returns what was said. Waits for nothing.
    fn take(&mut self) -> Option<Word>;

    /// Returns the page of `explain` about the line, for so many columns. Of escape sequences in it only colours count.
    fn explain(&mut self, columns: usize) -> String;

    /// Begins to try the line, which is over once [`Word::Tried`] is said; returns how it stands where it cannot be begun.
    fn attempt(&mut self) -> Option<Trying>;

    /// Returns the page about what came of a trial. Of escape sequences in it only colours count.
    fn tried(&mut self, trial: &Trial) -> String;

    /// Writes the rule of a yes for good that was offered; or says why there is none.
    fn write(&mut self) -> Result<(), String>;
}

/// What is said beside a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// A model says this of the line.
    Heard(Heard),
    /// This came of trying it.
    Tried(Trying),
    /// Nobody needs to answer any more.
    Enough,
}

/// Why a person could not be asked. The line then does not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal could not be used.
    #[error("cannot ask at the terminal")]
    Terminal(#[source] std::io::Error),
}
