//! Asks a person, and takes nothing but a clear yes for one.
//! Decides neither whether to ask nor whom: `observe` finds the terminal, `decision` makes the question.

use crate::model::Answer;

mod terminal;
mod visible;

pub use terminal::Terminal;
pub use visible::visible;

/// A question to a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What is shown: lines of text. What comes from the command line in it must have gone through [`visible`].
    pub text: String,
}

/// Whoever brings a question to a person: the terminal here, and the host of a session in its place where there is one.
pub trait Ask {
    /// Asks, and waits for the answer. What is not a clear yes is [`Answer::Deny`].
    fn ask(&mut self, question: &Question) -> Result<Answer, Error>;
}

/// Why a person could not be asked. The line then does not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal could not be used.
    #[error("cannot ask at the terminal")]
    Terminal(#[source] std::io::Error),
}
