//! The fence: whether lines are held to their plans, and how one line was held.

use serde::{Deserialize, Serialize};

use super::{Layer, Layers};

/// Whether lines are held to their plans. Ordered by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fence {
    /// They are not.
    Off,
    /// They are not, and the record says how they would be.
    Report,
    /// The kernel holds each line of an agent that is known, or that `run` started, to its plan, where it can.
    #[default]
    Agents,
    /// The kernel holds each line to its plan, where it can.
    On,
}

impl Fence {
    /// Returns the name that settings use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Report => "report",
            Self::Agents => "agents",
            Self::On => "on",
        }
    }
}

/// By what a line was held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HeldBy {
    /// By a domain of its own.
    Domain,
    /// By the domain of the line that started it, which allows no more.
    Outer,
    /// By nothing: this says how it would have been.
    Report,
    /// By nothing, for the reason that is said.
    Nothing,
}

/// How a line was held to its plan, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// By what.
    pub by: HeldBy,
    /// The layers of its container; none where it runs in none.
    #[serde(skip_serializing_if = "Layers::is_empty", default)]
    pub layers: Layers,
    /// What its container makes read-only in the places that it may write to.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub guarded: Vec<String>,
    /// Why by nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// The files and directories, with all below them, that it may write to; none where writing is not held.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub writes: Option<Vec<String>>,
    /// Those of them that its plan adds to what every line may write to, and what may be done there.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub added: Vec<(String, Doing)>,
    /// The places of secrets that it may not read; none where reading is not held.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub secrets: Option<Vec<String>>,
    /// Whether it may connect and listen by TCP.
    #[serde(skip_serializing_if = "is_not", default)]
    pub tcp: bool,
    /// The hosts that it may ask its proxy for, by their names.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub hosts: Vec<String>,
    /// The file in which its proxy says which hosts were asked for; there is none before one was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked: Option<String>,
    /// Whether it may signal processes that it did not start.
    #[serde(skip_serializing_if = "is_not", default)]
    pub signals: bool,
    /// What its plan names and the fence does not permit.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub refused: Vec<String>,
    /// The servers that its programs leave behind, and what becomes of each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub leaves: Vec<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
const fn is_not(flag: &bool) -> bool {
    !*flag
}

/// What may be done at a place that a plan adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doing {
    /// All that changes files: making, writing, moving, deleting.
    All,
    /// Writing files that are there.
    Write,
    /// Making and writing files.
    Make,
    /// Deleting and moving away.
    Remove,
}

/// What a program was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Denial {
    /// A file or directory.
    File,
    /// Connections, or listening for them.
    Network,
    /// One host.
    Host,
    /// A signal to what it did not start.
    Signal,
}

/// Something at which a line was stopped by what holds it, as it is recorded: what a hook found out of what was printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// By which part of that.
    pub layer: Layer,
    /// What was denied.
    pub denial: Denial,
    /// The path or the host.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at: Option<String>,
    /// What was said of why.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// Whether it may have been something else.
    #[serde(skip_serializing_if = "is_not", default)]
    pub maybe: bool,
}

impl Held {
    /// Returns what holds a line by nothing, for this reason.
    #[must_use]
    pub const fn nothing(why: Option<String>) -> Self {
        Self {
            by: HeldBy::Nothing,
            layers: Layers::NONE,
            guarded: Vec::new(),
            why,
            writes: None,
            added: Vec::new(),
            secrets: None,
            tcp: true,
            hosts: Vec::new(),
            asked: None,
            signals: true,
            refused: Vec::new(),
            leaves: Vec::new(),
        }
    }
}
