//! Frames: the text that an agent wraps around the command that its model wrote, and what it runs for itself when it starts.
//! A frame is recognised only where every byte of it is as the agent writes it; anything else is judged whole.
//! What a frame carries is judged; what it says for itself is known here, to the byte. Whose text it is says the process that
//! called, never a variable: of anyone else's frame what it runs from files is judged too, and nothing of it is a start.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod claude;
mod codex;
mod copilot;
mod gemini;
mod measured;
mod template;
mod texts;

use self::template::{Cursor, Piece};
use crate::model::{Facts, Span};
use crate::reading::Scripts;

/// A recognised frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The agent that writes it.
    pub agent: &'static str,
    /// What is in it.
    pub carries: Carries,
}

/// What is in a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Carries {
    /// Nothing of the model's: the agent's own text, run when it starts.
    Startup,
    /// A command.
    Command(Carried),
}

/// A command in a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// The command, without the quotes that the frame put around it.
    pub command: String,
    /// Where it stands in the line, quotes included.
    pub span: Span,
    /// Where its own bytes begin, if the frame changed none of them.
    pub verbatim: Option<usize>,
    /// Whether it is one word of the frame, quoted where it must be; else it stands there as it is.
    pub is_word: bool,
    /// Text that the frame holds and that is not the agent's own. It runs before the command, in the same shell, in this order.
    pub before: Vec<String>,
    /// What the frame itself runs between that and the command, as far as the words in it can be given another meaning.
    pub setup: String,
    /// What the frame itself runs behind the command, in the same shell.
    pub closing: &'static str,
    /// Whether files that the agent keeps set the command's environment up.
    pub is_set_up: bool,
    /// Whether the frame gives it nothing on standard input.
    pub closes_input: bool,
}

/// An agent's frames.
struct Agent {
    name: &'static str,
    /// Set where the model's commands and the user's hooks run, never where the agent starts: what runs there is no start.
    tool_mark: &'static str,
    /// What the agent runs for itself when it starts, each a whole line.
    startup: &'static [&'static [Piece]],
    /// Returns the command that a line carries.
    command: fn(&str, &Facts, &dyn Scripts) -> Option<Carried>,
}

const AGENTS: [Agent; 4] = [claude::AGENT, codex::AGENT, copilot::AGENT, gemini::AGENT];

/// Returns the frame around `line`, if it is one that a known agent writes.
#[must_use]
pub fn recognise(line: &str, facts: &Facts, scripts: &dyn Scripts) -> Option<Frame> {
    AGENTS.iter().find_map(|agent| {
        let carries = if agent.starts(line, facts) {
            Carries::Startup
        } else {
            Carries::Command((agent.command)(line, facts, scripts)?)
        };
        Some(Frame { agent: agent.name, carries })
    })
}

impl Frame {
    /// Returns the command that it carries.
    #[must_use]
    pub const fn carried(&self) -> Option<&Carried> {
        match &self.carries {
            Carries::Command(carried) => Some(carried),
            Carries::Startup => None,
        }
    }
}

impl Carried {
    /// Returns whether all that is not the agent's own is the command.
    #[must_use]
    pub const fn is_all(&self) -> bool {
        self.before.is_empty()
    }

    /// Returns where bytes of the line stand in the command: all of it where that cannot be said.
    #[must_use]
    pub fn place(&self, span: Span) -> Span {
        let whole = Span::new(0, self.command.len());
        let start = self.verbatim.and_then(|first| span.start.checked_sub(first));
        let place = start.map(|start| Span::new(start, start + span.len()));
        place.filter(|place| place.end <= whole.end).unwrap_or(whole)
    }

    /// Returns the line with another command in the place of this one.
    #[must_use]
    pub fn with_command(&self, line: &str, command: &str) -> String {
        let (front, back) = (&line[..self.span.start], &line[self.span.end..]);
        let quoted = self.is_word.then(|| template::quoted(command));
        format!("{front}{}{back}", quoted.as_deref().unwrap_or(command))
    }
}

impl Agent {
    /// Returns whether it is this agent that called, not for its model, and with what it runs for itself.
    fn starts(&self, line: &str, facts: &Facts) -> bool {
        let cursor = Cursor::new(line, facts, self.name);
        cursor.is_agents()
            && !facts.environment.contains_key(self.tool_mark)
            && self.startup.iter().any(|pieces| cursor.clone().takes_all(pieces))
    }
}

/// A command that stands in its frame as the model wrote it. A backslash at its end would reach into the frame.
fn raw(line: &str, start: usize, end: usize) -> Option<Carried> {
    let command = line.get(start..end)?.to_owned();
    let backslashes = command.len() - command.trim_end_matches('\\').len();
    let (span, verbatim) = (Span::new(start, end), Some(start));
    (backslashes % 2 == 0).then(|| Carried { command, span, verbatim, ..Carried::default() })
}

/// A command that is one word of its frame, and stands here.
fn word(cursor: &mut Cursor<'_>) -> Option<Carried> {
    let start = cursor.at;
    let word = cursor.word()?;
    Some(Carried {
        command: word.value,
        span: Span::new(start, cursor.at),
        verbatim: word.verbatim.map(|offset| start + offset),
        is_word: true,
        ..Carried::default()
    })
}
