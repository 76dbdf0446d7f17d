//! What really ran below a line, as its witness tells.

use serde::{Deserialize, Serialize};

/// One thing that a witness tells, as it stands in its file: one JSON object a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Ran {
    /// A program began.
    Began(Begun),
    /// A program ended by itself.
    Ended {
        /// Its number.
        number: u32,
        /// Its exit status.
        status: u8,
        /// How long it ran, in milliseconds.
        millis: u64,
    },
    /// The line ended.
    Line(RanLine),
}

/// A program that began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// Its number: the first is what the line itself became.
    pub number: u32,
    /// Its process.
    pub pid: u32,
    /// The number of the program that started it; none where that is not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<u32>,
    /// Its file, as the kernel names it.
    pub program: String,
    /// Its words, secrets masked, as a shell would quote them; cut.
    pub words: String,
    /// When, in milliseconds from the start of the line.
    pub at: u64,
    /// Whether the plan said so.
    pub foreseen: Foreseen,
}

/// Whether the plan of a line said that a program would run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Foreseen {
    /// It names it.
    Named,
    /// It names a program that started it.
    Below,
    /// It does not.
    No,
}

/// What is told when a line ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RanLine {
    /// Its exit status; none where it was ended by a signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u8>,
    /// How long it ran, in milliseconds.
    pub millis: u64,
    /// How many programs ran, with the line's own.
    pub programs: u32,
    /// How many of them the plan did not say.
    pub unforeseen: u32,
    /// How many still ran.
    pub left: u32,
    /// What the plan names and did not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unrun: Vec<String>,
    /// Files of the workspace that were made while it ran, below the workspace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
    /// Files of it that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// How many more were made or changed, which are not named.
    #[serde(skip_serializing_if = "is_none")]
    pub more: u32,
    /// Whether not all of the workspace was looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
const fn is_none(count: &u32) -> bool {
    *count == 0
}
