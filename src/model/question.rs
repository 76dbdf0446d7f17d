//! What a person is asked about a command line, what a yes covers at most, and what the person may answer.

use serde::{Deserialize, Serialize};

use super::{Client, Effect, Finding, Heard, Held, Recent, Score, Severity};

/// A question about a command line, with everything that a person needs to answer it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The line, byte for byte: a line that is no text is not asked about.
    pub line: String,
    /// The directory that it would run in; none if that was deleted.
    pub cwd: Option<String>,
    /// The agent that wants it, if known.
    pub agent: Option<String>,
    /// The program that wants it, where no agent is known: `python3 agent.py`. It is only shown.
    #[serde(default)]
    pub program: Option<String>,
    /// The conversation that it belongs to, if known.
    pub session: Option<String>,
    /// How severe it is.
    pub severity: Severity,
    /// How safe it is.
    pub score: Score,
    /// Why it is asked, in plain words.
    pub reason: String,
    /// A safer command, where there is one.
    pub instead: Option<String>,
    /// Everything that was found, the worst first.
    pub findings: Vec<Finding>,
    /// What a yes covers at most.
    pub scope: Scope,
    /// How the fence would hold it after a yes; none where there is no fence.
    #[serde(default)]
    pub held: Option<Box<Held>>,
    /// What a language model says of it; none where none was asked, or not yet.
    #[serde(default)]
    pub opinion: Option<Box<Heard>>,
    /// What earlier lines of the session have to do with it.
    #[serde(default)]
    pub recent: Recent,
    /// The digest of the files that were looked at for it; none where none were. A yes to what is not waited for any more is a yes to these.
    #[serde(default)]
    pub files: Option<String>,
    /// What it would change in files, as a unified difference, where an agent's own tool says so. It is only shown.
    #[serde(default)]
    pub difference: Option<String>,
    /// What has changed since the same was asked about before, where that yes does not count for it.
    #[serde(default)]
    pub anew: Option<String>,
    /// The client of the bridge that wants it; none where it is of this machine.
    #[serde(default)]
    pub client: Option<Box<Client>>,
}

impl Question {
    /// Returns whether what is shown is no less severe than what a yes would cover.
    #[must_use]
    pub fn shows_all(&self) -> bool {
        self.scope.severity <= self.severity
    }
}

/// What a command line does that is not harmless: what was shown to a person, and so the most that the person's yes can cover.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The severity of its worst part.
    pub severity: Severity,
    /// The rules that fired above [`Severity::Low`], each once, in order.
    pub rules: Vec<String>,
    /// Its effects above [`Severity::Low`], each once, in order.
    pub effects: Vec<Effect>,
    /// Program and subcommands of each command that is not harmless, each once, in order: `["git", "push"]`. None at all where
    /// one is not known, or is an interpreter or wrapper that says nothing of what it runs: then only the line itself can be granted.
    pub signatures: Vec<Vec<String>>,
    /// Commands, with their directories, of which effects do not say all that matters (where `git push` pushes to, what
    /// `docker run` starts): nothing but these very words is covered of them. Each once, in order.
    #[serde(default)]
    pub words: Vec<String>,
}

/// What a person answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "answer")]
pub enum Answer {
    /// No; with words for the one who asked.
    Deny {
        /// What the person wants to say.
        message: Option<String>,
    },
    /// No, and the agent that asked is ended.
    Stop,
    /// Yes, these very bytes in this directory, once.
    Once,
    /// Yes, for the session.
    Session {
        /// What the yes covers.
        covers: Covers,
    },
    /// Yes, for good: a rule is written.
    Always,
    /// This line instead. It is judged like any other before it runs.
    Edit {
        /// The line.
        line: String,
    },
    /// What it did when it was tried is carried out, and told the one who asked in place of running it.
    Keep,
}

impl Answer {
    /// Returns whether it is a no.
    #[must_use]
    pub const fn is_no(&self) -> bool {
        matches!(self, Self::Deny { .. } | Self::Stop)
    }

    /// Returns whether the line may run as it was asked about.
    #[must_use]
    pub const fn is_yes(&self) -> bool {
        matches!(self, Self::Once | Self::Session { .. } | Self::Always)
    }
}

/// By what an answer was known as a person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// It was typed at a terminal that no agent has.
    Terminal,
    /// A browser signed it with the key that it was paired with.
    Key,
    /// A browser signed it, and the person typed the word that is asked for where a line is critical.
    KeyAndWord,
    /// A browser signed it, and the person touched a passkey for it.
    Passkey,
    /// A program showed a token that the owner made.
    Token,
}

impl Proof {
    /// Returns it in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Terminal => "at a terminal",
            Self::Key => "on the page, with a browser's key",
            Self::KeyAndWord => "on the page, with a browser's key and the typed word",
            Self::Passkey => "on the page, with a browser's key and a passkey",
            Self::Token => "by a program with a token",
        }
    }
}

/// What a yes for the session covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covers {
    /// The same programs and subcommands with no more effects, targets and severity than were shown.
    Signature,
    /// The same line in the same directory.
    Line,
}

/// By which earlier yes a line passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Passed {
    /// A yes to this very line, given after the one who asked had gone.
    Once,
    /// A yes for the session.
    Session,
    /// What started it was permitted by a person, and what was shown then covers it.
    Inherited,
    /// The agent's client asked its person about this very line, and then ran it.
    Client,
}
