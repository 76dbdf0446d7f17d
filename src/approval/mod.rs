//! Asks a person, and takes nothing but a clear yes for one.
//! Decides neither whether to ask nor whom: `observe` finds the terminal, `decision` makes the question.

use std::os::fd::BorrowedFd;
use std::time::Instant;

mod choosing;
pub mod line;
pub mod others;
pub mod page;
mod terminal;
pub mod text;
mod visible;
pub mod words;

pub use terminal::Terminal;
pub use visible::visible;

/// What is waited for beside a person, who sees what it says.
pub trait Beside {
    /// Returns what becomes readable when something is said, and when that is given up; none where nothing is awaited any more.
    fn awaited(&self) -> Option<(BorrowedFd<'_>, Instant)>;

    /// Returns what was said. Waits for nothing.
    fn take(&mut self) -> Option<Word>;
}

/// Nothing is waited for.
impl Beside for () {
    fn awaited(&self) -> Option<(BorrowedFd<'_>, Instant)> {
        None
    }

    fn take(&mut self) -> Option<Word> {
        None
    }
}

/// What is said beside a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// This is to be shown.
    Show(String),
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
