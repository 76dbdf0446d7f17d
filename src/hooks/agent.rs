//! The agents whose hooks are known: a row each. What a row does stands in the agent's own file.

use serde_json::Value;

use super::answer::{Answer, Reply};
use super::event::{Event, Moment, Unread};
use super::printed::printed;
use super::{claude, codex, copilot, gemini, opencode};

/// An agent, as far as its hooks go.
#[derive(Debug)]
pub struct Agent {
    /// Its name, as in `Caller::Agent`.
    pub name: &'static str,
    /// Variables that tell that no person is there: name, and how its value begins.
    pub unattended: &'static [(&'static str, &'static str)],
    /// Whether its hooks run in its own session, and can open the terminal wherever a person can be asked. What its model runs is in
    /// other sessions.
    pub shares_terminal: bool,
    /// Variables that name the shell in which it runs lines, the first that is set; it is bash where none is.
    pub shell: &'static [&'static str],
    /// Reads an event, but for what a tool printed.
    pub(super) read: fn(Value) -> Result<Event, Unread>,
    /// Whether the client asks its person when the answer to this event is [`Opinion::Ask`](super::Opinion::Ask).
    pub asks: fn(&Event) -> bool,
    /// Whether the client takes another input for the tool from the answer to this event.
    pub changes: fn(&Event) -> bool,
    /// Writes an answer.
    pub answer: fn(&Event, &Answer) -> Reply,
}

impl Agent {
    /// Reads an event.
    pub fn event(&self, value: Value) -> Result<Event, Unread> {
        let printed = printed(&value);
        let event = (self.read)(value)?;
        let is_after = matches!(event.moment, Moment::AfterTool(_));
        Ok(Event { printed: printed.filter(|_| is_after), ..event })
    }
}

/// Every agent.
pub static AGENTS: [&Agent; 5] =
    [&claude::AGENT, &copilot::AGENT, &codex::AGENT, &gemini::AGENT, &opencode::AGENT];

/// Returns the agent of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().copied().find(|agent| agent.name == name)
}
