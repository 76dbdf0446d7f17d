//! A client of the bridge: a program elsewhere, mostly an agent in a container, that wants lines to be run on this machine.

use std::ffi::CStr;

use serde::{Deserialize, Serialize};

/// The word by which the service calls the guard for a client's line, which comes on standard input; see [`Client`].
pub const CLIENT: &CStr = c"--client-line";

/// Whose line it is, and what that says of it. Only `name` and `set` are known; all else is the client's own claim.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// The name that the owner gave its token.
    pub name: String,
    /// The id of the call at the service: unguessable.
    #[serde(default)]
    pub job: String,
    /// What it calls itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub says: Option<String>,
    /// What it says that the line is for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub purpose: Option<String>,
    /// Variables that it adds to the environment.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub set: Vec<(String, String)>,
    /// The line as it wrote it, where its paths are others here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub written: Option<String>,
}

impl Client {
    /// Returns the conversation that its lines belong to.
    #[must_use]
    pub fn session(&self) -> String {
        format!("mcp:{}", self.name)
    }
}

/// What is asked about of what a client wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consent {
    /// All of it.
    #[default]
    Always,
    /// What would be asked about of an agent's line.
    ByRisk,
}

impl Consent {
    /// Returns the name that settings use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::ByRisk => "by-risk",
        }
    }
}

/// How a client's line ended, as it is recorded. Where neither status nor signal is known it ended with the bridge, and nothing else is known of its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The exit status; none where a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<i32>,
    /// The signal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signal: Option<i32>,
    /// How long it ran, in milliseconds.
    pub millis: u64,
    /// Bytes that it wrote.
    pub bytes: u64,
    /// The SHA-256 of standard output.
    pub output: String,
    /// The SHA-256 of standard error.
    pub errors: String,
}

impl Ended {
    /// Returns what is known of one that ended with the bridge.
    #[must_use]
    pub const fn with_bridge() -> Self {
        Self {
            status: None,
            signal: None,
            millis: 0,
            bytes: 0,
            output: String::new(),
            errors: String::new(),
        }
    }
}
