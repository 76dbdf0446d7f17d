//! What a `git push` brings to others, by its words.

use serde::{Deserialize, Serialize};

/// Commits that a line pushes: those of a branch or tag that a remote is not known to have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushed {
    /// The directory that git works in.
    pub directory: String,
    /// The branch or tag, or `HEAD`.
    pub revision: String,
    /// The remote, where the repository here follows it: what that has is not brought.
    #[serde(default)]
    pub remote: Followed,
    /// What it takes from others, where it is forced; none where it only adds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub removes: Option<Removes>,
}

/// Whose commits are known here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Followed {
    /// Those of no remote: it is an address, or not followed here.
    #[default]
    None,
    /// Those of one.
    One(String),
    /// Those of all: none is named.
    All,
}

/// The branch whose commits a forced push takes away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removes {
    /// The branch, as a person knows it: `origin/main`.
    pub branch: String,
    /// How git finds it.
    pub revision: String,
}
