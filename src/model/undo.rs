//! Undo: whether what lines destroy is kept, and what was kept of one line.

use serde::{Deserialize, Serialize};

/// Whether what lines destroy is kept. Ordered by strictness: what is relied on lets more run, and what is kept can be taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Undo {
    /// It is, and a line that does no harm but what can be taken back is not asked about.
    Rely,
    /// It is not.
    #[default]
    Off,
    /// It is, and lines are judged as without.
    Keep,
}

impl Undo {
    /// Returns the name that settings use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rely => "rely",
            Self::Off => "off",
            Self::Keep => "keep",
        }
    }
}

/// What was kept of what a line may destroy, as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtStake {
    /// By which name it is taken back; none where nothing was kept.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// How many files, links and directories.
    pub files: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Why not all of it was kept, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lacks: Option<String>,
    /// Why the workspace was not kept as a whole, though the line may write more than is known, if so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub uncovered: Option<String>,
    /// Whether nobody was asked because it can be taken back.
    #[serde(skip_serializing_if = "is_not", default)]
    pub relied: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
const fn is_not(flag: &bool) -> bool {
    !*flag
}
