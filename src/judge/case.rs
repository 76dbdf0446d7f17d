//! What a model is told of a line: what we know of it, and the person's own words. No prose of an agent, and no
//! output of a tool: what an attacker can write is no argument.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::{ModelSettings, Provider};
use crate::model::{Action, Effect, Money, Pushed, Score, Severity, Spent};

/// What `guarded-shd` is given, as JSON: a case, and what the owner's settings say. It reads none itself, so that both believe the same files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The case.
    pub case: Case,
    /// What is asked about it.
    #[serde(default)]
    pub template: Template,
    /// Whom to ask, in order.
    pub providers: Vec<Provider>,
    /// How many milliseconds a quick one has.
    pub limit_ms: u32,
    /// How many milliseconds a strong one has.
    pub strong_limit_ms: u32,
    /// How sure one must be, 0 to 100.
    pub confidence: u8,
    /// What may be spent in a day.
    pub day: Budget,
    /// What may be spent in a session.
    pub in_session: Budget,
    /// The session, if it is in one.
    pub session: Option<String>,
    /// How many are asked at once at most, of all lines together.
    pub at_once: u32,
    /// The directory of the owner's templates, if there could be one.
    pub prompts: Option<PathBuf>,
    /// Whether a person decided about this very line in this session: what was answered about it before counts no longer.
    pub is_overruled: bool,
    /// The directory in which is remembered who failed, and what was spent; none where there is no home, and then nobody is asked.
    pub state: Option<PathBuf>,
}

/// What is asked, each by a text of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Template {
    /// Whether a command line is within the task.
    #[default]
    Shell,
    /// Whether reading files is.
    Read,
    /// Whether writing files is.
    Write,
    /// Whether asking hosts is.
    Web,
    /// Whether a call of another tool is.
    Mcp,
    /// Whether what a tool printed says that it did what it was for.
    Validate,
    /// Why a tool failed.
    Failure,
    /// What to bear in mind in this session.
    Brief,
}

impl Template {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Shell,
        Self::Read,
        Self::Write,
        Self::Web,
        Self::Mcp,
        Self::Validate,
        Self::Failure,
        Self::Brief,
    ];

    /// Returns its name, which is that of its file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Read => "read",
            Self::Write => "write",
            Self::Web => "web",
            Self::Mcp => "mcp",
            Self::Validate => "validate",
            Self::Failure => "failure",
            Self::Brief => "brief",
        }
    }

    /// Returns whether a note is asked for, and no opinion.
    #[must_use]
    pub const fn is_note(self) -> bool {
        matches!(self, Self::Validate | Self::Failure | Self::Brief)
    }
}

/// What may be spent; none is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Calls.
    pub calls: Option<u64>,
    /// Tokens, of what is sent and what is answered.
    pub tokens: Option<u64>,
    /// Money, by the owner's prices.
    pub money: Option<Money>,
}

impl Budget {
    /// Returns what of it is spent, in plain words.
    #[must_use]
    pub fn exceeded(&self, spent: &Spent) -> Option<String> {
        if self.calls.is_some_and(|most| spent.calls >= most) {
            return Some(format!("budget of {} calls is spent", spent.calls));
        }
        if self.tokens.is_some_and(|most| spent.tokens >= most) {
            return Some(format!("budget of tokens is spent: {}", spent.tokens));
        }
        let money = self.money.filter(|most| spent.money >= *most);
        money.map(|_| format!("budget is spent: {}", spent.money))
    }
}

impl Request {
    /// Puts a case to whom the settings name, in no session.
    #[must_use]
    pub fn new(
        case: Case,
        settings: &ModelSettings,
        prompts: Option<PathBuf>,
        state: Option<PathBuf>,
    ) -> Self {
        Self {
            case,
            template: Template::default(),
            providers: settings.providers.value.clone(),
            limit_ms: settings.limit_ms.value,
            strong_limit_ms: settings.strong_limit_ms.value,
            confidence: settings.confidence.value,
            day: Budget {
                calls: settings.day_calls.value,
                tokens: settings.day_tokens.value,
                money: settings.day_money.value,
            },
            in_session: Budget {
                calls: settings.session_calls.value,
                tokens: settings.session_tokens.value,
                money: settings.session_money.value,
            },
            session: None,
            at_once: settings.at_once.value,
            prompts,
            is_overruled: false,
            state,
        }
    }
}

/// A line to have an opinion about. Secrets in it are masked before anything leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The line, whole.
    pub line: String,
    /// The directory that it would run in.
    pub cwd: Option<String>,
    /// The workspaces around it.
    pub workspaces: Vec<String>,
    /// The branch that is checked out, where it matters.
    pub branch: Option<String>,
    /// How severe rules find it.
    pub severity: Severity,
    /// How safe rules find it.
    pub score: Score,
    /// What rules found.
    pub findings: Vec<Noted>,
    /// What it would do, as far as that is known.
    pub effects: Vec<Effect>,
    /// What is not known of it, in plain words.
    pub unknown: Vec<String>,
    /// Commands that the owner calls safe.
    pub safe_commands: Vec<String>,
    /// Hosts that the owner calls safe.
    pub safe_domains: Vec<String>,
    /// What the agent says that it is for: a claim, and no argument.
    #[serde(default)]
    pub description: Option<String>,
    /// What it pushes, which goes along.
    #[serde(default)]
    pub pushes: Vec<Pushed>,
    /// Files that it runs, and that go along.
    #[serde(default)]
    pub files: Vec<String>,
    /// What went along.
    #[serde(default)]
    pub attached: Vec<Attached>,
    /// Whether it is known what goes along.
    pub is_whole: bool,
    /// What the person typed to the agent in this session, oldest first, as the agent's hook delivered it.
    pub prompts: Vec<String>,
    /// What was decided in this session, oldest first.
    pub earlier: Vec<Earlier>,
}

/// What goes along with a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// What it is.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// A finding of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Noted {
    /// How severe it is.
    pub severity: Severity,
    /// Why, in plain words.
    pub reason: String,
}

/// A line that was decided earlier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The line.
    pub line: String,
    /// What became of it.
    pub action: Action,
}
