//! What an agent says through its hook, in words of our own.
//! Holds what was said as it was said: what a tool call would do is `tool`'s to say.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// An event of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its name, as the agent spells it; where the agent does not say it, as its settings do.
    pub name: String,
    /// What it is.
    pub moment: Moment,
    /// The id of the conversation.
    pub session: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The shell that the client's settings name, where the event says that: empty where they name none.
    pub shell: Option<String>,
    /// The call of a tool that it is about.
    pub call: Option<Call>,
    /// What a person typed, or what the event says of itself.
    pub text: Option<String>,
    /// What the tool printed, after its call, as far as the event says.
    pub printed: Option<String>,
    /// Whether a person is there, as far as the event says.
    pub presence: Presence,
    /// What the agent is about.
    pub stage: Stage,
    /// Whom its client asks.
    pub dialog: Dialog,
}

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A tool is about to be called: it waits for an answer.
    BeforeTool,
    /// The client is about to ask its person: it waits for an answer.
    Permission,
    /// A tool was called.
    AfterTool(Outcome),
    /// A person typed something.
    Prompt,
    /// A conversation begins.
    SessionStart,
    /// A conversation ends.
    SessionEnd,
    /// Anything else, also what is not known.
    Other,
}

impl Moment {
    /// Returns whether what happens next depends on the answer.
    #[must_use]
    pub const fn decides(self) -> bool {
        matches!(self, Self::BeforeTool | Self::Permission)
    }
}

impl Event {
    /// Returns whether the agent has done with what it was asked before: what its client asked a person is no longer open.
    #[must_use]
    pub fn ends_turn(&self) -> bool {
        const ENDS: &[&str] =
            &["Stop", "StopFailure", "UserPromptExpansion", "agentStop", "AfterAgent"];
        self.moment == Moment::Prompt || ENDS.contains(&self.name.as_str())
    }
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// It failed.
    Failed,
    /// A person stopped it.
    Interrupted,
}

/// What the agent is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// It makes a plan, and its client keeps it from changing anything: saying that something may be done would undo that.
    Plans,
    /// It works.
    #[default]
    Works,
}

/// Whom a client asks where it is told to ask, as far as was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialog {
    /// Its person, or nobody: what it then runs, the person permitted.
    Person,
    /// That is not known: it may be a model that answers.
    #[default]
    Unseen,
}

/// Whether a person is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Nobody is: what asks is refused by the client.
    Nobody,
    /// One looks at the screen that the client draws.
    Sees,
    /// It is not said.
    #[default]
    Unsaid,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The server that the tool is one of, where the agent says it.
    pub server: Option<String>,
    /// The id of the call.
    pub id: Option<String>,
    /// What the tool gets.
    pub input: Value,
}

/// Why an event cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// A field is missing, or is not what it must be.
    #[error("{agent} sent an event that is not one: {what}")]
    Field {
        /// The agent.
        agent: &'static str,
        /// What is wrong.
        what: String,
    },
    /// It is no agent's.
    #[error("no known agent sends such an event")]
    Nobodys,
}

/// Reads a text that nothing is decided by: what is none there is as if it were not there, so that another version's events are still
/// understood where it counts.
pub(super) fn lenient<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    })
}
