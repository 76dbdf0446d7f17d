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

impl Spent {
    /// Returns what was spent since then, on the same day.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(before.calls),
            tokens: self.tokens.saturating_sub(before.tokens),
            money: self.money.less(before.money),
        }
    }
}
