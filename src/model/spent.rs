//! What asking language models took.

use serde::{Deserialize, Serialize};

use super::Money;

/// What was spent, and what may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Calls.
    pub calls: u64,
    /// Tokens, of what was sent and what was answered.
    pub tokens: u64,
    /// What they cost, by the owner's prices.
    pub money: Money,
}
