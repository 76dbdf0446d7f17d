//! What a `git push` brings to others, by its words.

use serde::{Deserialize, Serialize};

/// Commits that a line pushes: those of a revision that no remote has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushed {
    /// The directory that git works in.
    pub directory: String,
    /// The revision.
    pub revision: String,
    /// What it takes from others, where it is forced; none where it only adds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub removes: Option<Removes>,
}

/// The branch whose commits a forced push takes away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removes {
    /// The branch, as a person knows it: `origin/main`.
    pub branch: String,
    /// How git finds it.
    pub revision: String,
}
