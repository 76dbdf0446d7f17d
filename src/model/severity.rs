//! How bad a thing is: [`Severity`], the [`Score`] that shows it as a number, the [`Category`] that shows it as a word.

use serde::{Deserialize, Serialize};

/// How much harm an effect can do. Ordered, so the severity of a line is the `max` of its parts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Harmless, or undone by the next build.
    #[default]
    Low,
    /// Worth a thought: installs packages, talks to unlisted hosts, deletes single files.
    Medium,
    /// Harm beyond the workspace, or work that is lost.
    High,
    /// A disaster: the machine, the home, a shared history, a secret on the network.
    Critical,
}

impl Severity {
    /// Every severity, mildest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Critical];

    /// Returns the lowercase name, as records and rules spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// Returns the lowest and highest score of this severity's band.
    #[must_use]
    pub const fn band(self) -> (u8, u8) {
        match self {
            Self::Low => (95, 100),
            Self::Medium => (60, 94),
            Self::High => (25, 59),
            Self::Critical => (0, 24),
        }
    }
}

/// Safety from 100 (harmless) to 0 (catastrophic). The bands of the severities do not overlap,
/// so a higher severity always has a lower score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Score(u8);

impl Score {
    /// The score of a line in which nothing was found.
    pub const HARMLESS: Self = Self(100);

    /// Returns the score of `severity` after taking `points` off the top of its band; never leaves the band.
    #[must_use]
    pub fn within(severity: Severity, points: u8) -> Self {
        let (low, high) = severity.band();
        Self(high.saturating_sub(points).max(low))
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Returns the band's word.
    #[must_use]
    pub const fn category(self) -> Category {
        match self.0 {
            95.. => Category::Safe,
            60.. => Category::Cautious,
            25.. => Category::Risky,
            _ => Category::Dangerous,
        }
    }
}

/// The four bands of the score in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// 95 to 100.
    Safe,
    /// 60 to 94.
    Cautious,
    /// 25 to 59.
    Risky,
    /// 0 to 24.
    Dangerous,
}
