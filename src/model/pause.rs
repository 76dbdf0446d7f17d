//! A person's pause: nobody is told of questions for a while. It answers none of them.

use serde::{Deserialize, Serialize};

/// By what a person paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PausedBy {
    /// `guarded-sh pause`, at a terminal.
    Terminal,
    /// The icon in the desktop's tray.
    Tray,
}

impl PausedBy {
    /// Returns it in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Terminal => "at a terminal",
            Self::Tray => "by the tray's icon",
        }
    }
}

/// A pause that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paused {
    /// By what.
    pub by: PausedBy,
    /// For how many seconds more.
    pub left: u64,
}

impl Paused {
    /// Seconds that a pause lasts at most: whoever forgets it is told of questions again.
    pub const MOST: u64 = 24 * 60 * 60;

    /// Returns the pause as it is so many seconds later; none once it is over.
    #[must_use]
    pub const fn after(self, seconds: u64) -> Option<Self> {
        match self.left.checked_sub(seconds) {
            None | Some(0) => None,
            Some(left) => Some(Self { left, ..self }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_over_when_its_time_is() {
        let paused = Paused { by: PausedBy::Tray, left: 60 };
        assert_eq!(paused.after(0), Some(paused));
        assert_eq!(paused.after(59), Some(Paused { left: 1, ..paused }));
        assert_eq!(paused.after(60), None);
        assert_eq!(paused.after(u64::MAX), None);
    }
}
