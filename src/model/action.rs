//! What to do with a command line, and the settings that say which severity means which action.

use serde::{Deserialize, Serialize};

/// What to do with a command line. Ordered by restrictiveness, so combining is `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[must_use]
pub enum Action {
    /// Runs at once.
    Allow,
    /// Runs at once, where it cannot do what is not known of it.
    Contain,
    /// Waits for a person; where none can be asked, it is refused.
    Ask,
    /// Is refused.
    Deny,
}

impl Action {
    /// Returns the lowercase name, as verdicts and records spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Contain => "contain",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// Whether decisions bind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Records what would have been decided and lets the line run.
    Shadow,
    /// Decisions bind.
    #[default]
    Enforce,
}

/// What is done about a program that an agent's own process starts without a shell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Programs {
    /// It runs and is recorded.
    #[default]
    Record,
    /// Its words are judged first.
    Judge,
}

/// Whose a call of the shell is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Whose {
    /// Anyone's: it is judged.
    #[default]
    Anyones,
    /// The system's own, where the guard stands in the place of the system's shells: it is recorded, and runs.
    Systems,
}

/// Which action each severity means. Ordered by restrictiveness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// A person is there: medium and worse ask.
    #[default]
    Balanced,
    /// Nobody watches: what would ask is refused.
    Unattended,
    /// Medium asks, high and worse are refused.
    Strict,
}

impl Profile {
    /// Returns the name by which settings and calls know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Balanced => "balanced",
            Self::Unattended => "unattended",
            Self::Strict => "strict",
        }
    }

    /// Returns the profile of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Balanced, Self::Unattended, Self::Strict].into_iter().find(|p| p.name() == name)
    }
}
