//! Asks a person, and takes nothing but a clear yes for one.
//! Decides neither whether to ask nor whom: `observe` finds the terminal, `decision` makes the question.

use crate::model::{Answer, Question};

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

/// Whoever brings a question to a person: the terminal here, and the host of a session in its place where there is one.
pub trait Ask {
    /// Asks, and waits for the answer. What is not a clear yes is a no.
    fn ask(&mut self, question: &Question) -> Result<Answer, Error>;
}

/// Why a person could not be asked. The line then does not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal could not be used.
    #[error("cannot ask at the terminal")]
    Terminal(#[source] std::io::Error),
}
