//! What the service and a guard that it starts for a client's line say to each other, over the guard's standard input. Each is a frame. Before the first,
//! the service hands over what will be standard input, and the directory, with one byte each.

use serde::{Deserialize, Serialize};

use crate::model::{Client, Consent, Severity};

/// A line that a client wants to be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientLine {
    /// The line.
    pub line: String,
    /// Whose it is.
    pub client: Client,
    /// What is asked about.
    pub consent: Consent,
    /// The directories that the client may use, and nothing beyond them.
    pub roots: Vec<String>,
    /// The descriptor, 0 to 2, that becomes the controlling terminal.
    #[serde(default)]
    pub terminal: Option<u8>,
    /// Which standard streams it has not.
    #[serde(default)]
    pub closed: [bool; 3],
    /// Whether it runs, or is only judged.
    pub judges_only: bool,
}

/// What becomes of a client's line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum FromClientLine {
    /// A person is asked.
    Asked {
        /// The id of the question.
        id: String,
        /// Why.
        reason: String,
    },
    /// The real shell takes the place of the guard now.
    Runs {
        /// Who said yes, as the record has it.
        by: String,
        /// How severe it is.
        severity: Severity,
    },
    /// It was only judged.
    Judged {
        /// What would be done: `allow`, `contain`, `ask` or `deny`.
        action: String,
        /// How severe it is.
        severity: Severity,
        /// How safe it is.
        score: u8,
        /// Why.
        reason: String,
        /// What could be done instead.
        instead: Option<String>,
        /// What was found, in plain words.
        findings: Vec<String>,
    },
    /// It does not run.
    Refused {
        /// Why.
        reason: String,
        /// What can be done.
        hint: Option<String>,
        /// How severe it is; none where it was not judged.
        severity: Option<Severity>,
    },
}
