//! What is answered, before it is in any agent's words, and what an adapter makes of it.

use serde_json::Value;

/// An answer to an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Whether it may happen.
    pub opinion: Opinion,
    /// What the agent is told beside it.
    pub context: Option<String>,
    /// What the tool gets in place of what it was given, where it may happen.
    pub input: Option<Value>,
}

/// Whether what an event announces may happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Opinion {
    /// Nothing is said: the client does what it would do without us.
    #[default]
    None,
    /// It may, for this reason.
    Allow(&'static str),
    /// The client is to ask its person, for this reason.
    Ask(String),
    /// It may not, for this reason.
    Deny(String),
}

/// What the model is told of a line that a person changed, before the line that runs in its place.
pub const CHANGED: &str = "guarded-sh: a person changed this line; what runs in its place:";

/// What the model is told of a line that runs contained, by a call of guarded-sh in its place.
pub const CONTAINED: &str = "guarded-sh: not all of this line is known, so it runs contained: without a network, able to write in the workspace \
    and temporary directories alone, without secrets of the home";

/// What the hook's process leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What it prints.
    pub stdout: String,
    /// What it says on stderr.
    pub stderr: String,
    /// Its exit status.
    pub status: u8,
}

/// Returns a reason as it stands in agents' JSON: with who says it before it, so it is never empty.
pub(super) fn said(reason: &str) -> String {
    format!("guarded-sh: {reason}")
}

impl Reply {
    /// Returns a reply that says nothing.
    #[must_use]
    pub const fn silent() -> Self {
        Self { stdout: String::new(), stderr: String::new(), status: 0 }
    }

    /// Returns a reply that prints this JSON.
    #[must_use]
    pub fn json(value: &Value) -> Self {
        Self { stdout: format!("{value}\n"), ..Self::silent() }
    }

    /// Returns the one refusal that all clients understand: status 2, and the reason on stderr.
    #[must_use]
    pub fn refusal(reason: &str) -> Self {
        Self {
            stdout: String::new(),
            stderr: format!("guarded-sh: refused: {reason}\n"),
            status: 2,
        }
    }

    /// Returns the word that something went wrong where nothing waits for an answer. It is no refusal: that would send the agent round
    /// again, or throw away what a person typed.
    #[must_use]
    pub fn complaint(reason: &str) -> Self {
        Self { stdout: String::new(), stderr: format!("guarded-sh: {reason}\n"), status: 1 }
    }
}
