//! The agents whose hooks are known: a row each. What a row does stands in the agent's own file.

use serde_json::Value;

use super::answer::{Answer, Reply};
use super::event::{Event, Moment, Unread};
use super::printed::printed;
use super::{claude, codex, copilot, gemini, opencode};
use crate::model::Shell;

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
    /// How its client finds the shell that runs lines.
    pub shell: ShellChoice,
    /// Reads an event, but for what a tool printed.
    pub(super) read: fn(Value) -> Result<Event, Unread>,
    /// Whether the client asks its person when the answer to this event is [`Opinion::Ask`](super::Opinion::Ask).
    pub asks: fn(&Event) -> bool,
    /// Whether the client takes another input for the tool from the answer to this event.
    pub changes: fn(&Event) -> bool,
    /// Writes an answer.
    pub answer: fn(&Event, &Answer) -> Reply,
}

/// How a client finds the shell that runs lines.
#[derive(Clone, Copy, Debug)]
pub struct ShellChoice {
    /// What names it.
    pub from: ShellSource,
    /// Whether the client takes a shell of this path.
    pub takes: fn(&str) -> bool,
    /// The shell where nothing names one that it takes; none where that depends on the machine.
    pub otherwise: Option<Shell>,
    /// Whether settings of the client, or its model, may choose another shell without a word of that in an event.
    pub may_be_another: bool,
}

/// What names the shell of a client.
#[derive(Clone, Copy, Debug)]
pub enum ShellSource {
    /// The first of these variables that is set.
    Variables(&'static [&'static str]),
    /// The user database.
    Login,
}

impl ShellChoice {
    /// The choice of a client that runs lines in bash, but where one of these variables names another shell.
    pub(super) const fn bash_unless(variables: &'static [&'static str]) -> Self {
        Self {
            from: ShellSource::Variables(variables),
            takes: |_| true,
            otherwise: Some(Shell::Bash),
            may_be_another: false,
        }
    }
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
