//! What is said over the sockets, as JSON has it.

use serde::{Deserialize, Serialize};

use crate::model::{
    Answer, Heard, Passed, Paused, PausedBy, Proof, Question, Recent, Traces, Trying,
};

/// What a guarded shell says to the host of its session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum ToHost {
    /// May this line run? A grant may cover it, or a person is asked.
    Ask {
        /// The question.
        question: Box<Question>,
        /// Whether to wait for a person, or only to look for a grant.
        wait: bool,
        /// For how many seconds it waits, if it says so. It is only shown.
        #[serde(default)]
        seconds: Option<u16>,
        /// Whether the line can be tried while it waits.
        #[serde(default)]
        tries: bool,
        /// For whom it asks.
        #[serde(default)]
        door: Door,
    },
    /// The agent asks its own person about this line, since its hook told it to: if it then runs it, the person said yes.
    Asked {
        /// The question.
        question: Box<Question>,
    },
    /// What did earlier lines of this session leave?
    Recall,
    /// A line is about to run that leaves something for those after it.
    Note {
        /// What.
        traces: Box<Traces>,
        /// By which door it came.
        door: Door,
    },
    /// What a language model says of the line that was asked about on this connection.
    Heard {
        /// What.
        heard: Box<Heard>,
    },
    /// How it stands with the trial of the line that was asked about on this connection.
    Tried {
        /// How.
        trying: Trying,
    },
    /// Whoever asks models for this session is to hear what is said on this connection from now on.
    Model,
    /// The line that was asked about on this connection needs nobody's answer any more.
    Settled,
    /// The agent's turn is over: what it asked its person is no longer open.
    TurnEnds,
    /// The conversation is over: no yes that was given in it counts any more.
    Closes,
    /// What is open in this session?
    List,
}

/// By which door a question came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum Door {
    /// The one who asks becomes the shell that runs the line.
    Shell {
        /// The agent's own words in the line, where a client put its frame around them.
        command: Option<String>,
    },
    /// The one who asks is the agent's hook: the line comes to a shell afterwards.
    Hook,
}

impl Default for Door {
    fn default() -> Self {
        Self::Shell { command: None }
    }
}

/// What the host says to a guarded shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum FromHost {
    /// Comes first: who connected was looked at. What it said before is not heard.
    Welcome,
    /// A person is asked; an answer follows on this connection. Whoever hangs up leaves the question open.
    Open {
        /// By which the question is answered later.
        id: String,
        /// The session that whoever asks is in, where the host is a session's: no variable says it.
        #[serde(default)]
        session: Option<String>,
        /// The person's pause, if they wanted one: they are told of no question meanwhile.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        paused: Option<Paused>,
    },
    /// The person wants the line to be tried. The answer still follows.
    Try,
    /// A yes that was given earlier covers it.
    Granted {
        /// What kind of yes.
        by: Passed,
    },
    /// The person's answer.
    Answered {
        /// The answer.
        answer: Answer,
        /// By what it was known as theirs, where the host still knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        proof: Option<Proof>,
    },
    /// Nobody can be asked, or no grant covers it where none was to be asked.
    Nobody {
        /// Why, in plain words.
        why: String,
    },
    /// What is open.
    Questions {
        /// The questions, oldest first.
        entries: Vec<Entry>,
    },
    /// What earlier lines left.
    Recalled {
        /// What.
        recent: Box<Recent>,
    },
    /// It is remembered.
    Noted,
    /// What is said from now on is heard by whoever asks models.
    Handed,
    /// What was said is not understood or not allowed; the host hangs up.
    Refused {
        /// Why.
        why: String,
    },
}

/// What a person's other terminal says to a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum ToDesk {
    /// Comes first: proof that the one who speaks could read the host's secret.
    Hello {
        /// The secret.
        secret: String,
    },
    /// What is open, what was answered?
    List,
    /// Say `Questions` again whenever that changes.
    Watch,
    /// A person has pressed the key that denies, which counts once nothing comes right behind it: for a moment no yes of another
    /// terminal is taken. Nothing is said to that.
    Denying {
        /// Which question.
        id: String,
    },
    /// A person wants a line to be tried. Nothing is said to that but how the question stands.
    Try {
        /// Of which question.
        id: String,
    },
    /// A person wants to be told of no question for so many seconds; with none, from now on as before. Nothing is said to that but how it
    /// stands.
    Pause {
        /// By what they said so.
        by: PausedBy,
        /// For how many.
        seconds: u64,
    },
    /// A person's answer. Who says yes for good has written the rule; here it counts for once.
    Answer {
        /// To which question.
        id: String,
        /// The answer.
        answer: Answer,
        /// By what it is known as theirs, where that is more than that it comes from a terminal, which the host sees itself. It is recorded as
        /// said, and permits nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        proof: Option<Proof>,
    },
}

/// What a host says to a person's other terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum FromDesk {
    /// The secret is right.
    Welcome {
        /// The host's session.
        session: String,
    },
    /// What is open, and what was answered lately.
    Questions {
        /// The questions, oldest first.
        entries: Vec<Entry>,
        /// The person's pause, if they wanted one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        paused: Option<Paused>,
    },
    /// The answer was taken.
    Taken,
    /// It was not.
    Refused {
        /// Why, in plain words.
        why: String,
    },
}

/// A question in its place in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// By which it is answered.
    pub id: String,
    /// The question.
    pub question: Question,
    /// Seconds since it was asked.
    pub age: u64,
    /// How it stands.
    pub state: State,
    /// How it stands with its trial.
    #[serde(default)]
    pub trying: Trying,
    /// Whether the agent that asks can be ended.
    #[serde(default)]
    pub may_stop: bool,
}

impl Entry {
    /// Returns whether somebody waits for the answer.
    #[must_use]
    pub const fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting { .. })
    }

    /// Returns whether it was not answered yet, whether or not somebody waits.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !matches!(self.state, State::Answered { .. })
    }

    /// Returns the entry as it is so many seconds later, if nothing happens meanwhile.
    #[must_use]
    pub fn after(self, seconds: u64) -> Self {
        let state = match self.state {
            State::Waiting { left } => {
                State::Waiting { left: left.map(|left| left.saturating_sub(seconds)) }
            }
            state @ (State::Left | State::Answered { .. }) => state,
        };
        Self { age: self.age.saturating_add(seconds), state, ..self }
    }
}

/// How a question stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum State {
    /// The one who asked waits.
    Waiting {
        /// For how many seconds more, if that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        left: Option<u64>,
    },
    /// The one who asked has gone; a yes counts for the next try.
    Left,
    /// It was answered.
    Answered {
        /// How.
        answer: Answer,
    },
}
