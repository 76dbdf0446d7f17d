//! How it stands with trying a line that a person is asked about.

use serde::{Deserialize, Serialize};

/// A trial of a line that a person is asked about: it runs where it changes nothing, and the person sees what it would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "trying")]
pub enum Trying {
    /// It cannot be tried here, or whoever asked does not wait any more.
    #[default]
    Impossible,
    /// It was not tried yet.
    Possible,
    /// It runs.
    Running,
    /// It could not be tried.
    Failed {
        /// Why, in plain words.
        why: String,
    },
    /// It was tried.
    Done(Box<Trial>),
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trial {
    /// The entry of what it would change, in the store of what can be undone; none: nothing.
    pub id: Option<String>,
    /// How the line ended, in words.
    pub ended: String,
    /// The end of what it printed.
    pub printed: String,
    /// What it would do that was not tried, in sentences.
    pub untried: Vec<String>,
    /// Why what it did cannot be kept in place of running it, in words; none: it can.
    pub unkept: Option<String>,
}

impl Trying {
    /// Returns whether a trial can be begun.
    #[must_use]
    pub const fn may_begin(&self) -> bool {
        matches!(self, Self::Possible | Self::Failed { .. })
    }

    /// Returns whether what the line did can be kept in place of running it.
    #[must_use]
    pub fn may_keep(&self) -> bool {
        matches!(self, Self::Done(trial) if trial.unkept.is_none())
    }
}
