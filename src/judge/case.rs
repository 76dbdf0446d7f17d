//! What a model is told of a line: what we know of it, and the person's own words. No prose of an agent, and no
//! output of a tool: what an attacker can write is no argument.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::{ModelSettings, Provider};
use crate::model::{Action, Effect, Score, Severity};

/// What `guarded-shd` is given, as JSON: a case, and what the owner's settings say. It reads none itself, so that both believe the same files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The case.
    pub case: Case,
    /// Whom to ask, in order.
    pub providers: Vec<Provider>,
    /// How many milliseconds a quick one has.
    pub limit_ms: u32,
    /// How many milliseconds a strong one has.
    pub strong_limit_ms: u32,
    /// How sure one must be, 0 to 100.
    pub confidence: u8,
    /// What may be spent in a day.
    pub budget: Budget,
    /// How many are asked at once at most, of all lines together.
    pub at_once: u32,
    /// The directory of the owner's templates, if there could be one.
    pub prompts: Option<PathBuf>,
    /// Whether a person decided about this very line in this session: what was answered about it before counts no longer.
    pub is_overruled: bool,
    /// The directory in which is remembered who failed, and what was spent; none where there is no home, and then nobody is asked.
    pub state: Option<PathBuf>,
}

/// What may be spent in a day; none is no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Calls.
    pub calls: Option<u64>,
    /// Tokens, of what is sent and what is answered.
    pub tokens: Option<u64>,
}

impl Request {
    /// Puts a case to whom the settings name.
    #[must_use]
    pub fn new(
        case: Case,
        is_overruled: bool,
        settings: &ModelSettings,
        prompts: Option<PathBuf>,
        state: Option<PathBuf>,
    ) -> Self {
        Self {
            case,
            providers: settings.providers.value.clone(),
            limit_ms: settings.limit_ms.value,
            strong_limit_ms: settings.strong_limit_ms.value,
            confidence: settings.confidence.value,
            budget: Budget { calls: settings.day_calls.value, tokens: settings.day_tokens.value },
            at_once: settings.at_once.value,
            prompts,
            is_overruled,
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
    /// What the person typed to the agent in this session, oldest first, as the agent's hook delivered it.
    pub prompts: Vec<String>,
    /// What was decided in this session, oldest first.
    pub earlier: Vec<Earlier>,
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
