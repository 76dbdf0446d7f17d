//! An amount of money, in whatever currency the owner's prices are.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An amount, in billionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(u64);

/// Billionths of one.
const ONE: u64 = 1_000_000_000;
/// The largest amount that settings may name.
const MOST: f64 = 1e6;

impl Money {
    /// Returns an amount as settings have it, from 0 to a million; none if it is out of that.
    #[must_use]
    pub fn of(amount: f64) -> Option<Self> {
        if !(0.0..=MOST).contains(&amount) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is within what was looked at"
        )]
        Some(Self((amount * 1e9).round() as u64))
    }

    /// Returns what tokens cost of which a million cost this.
    #[must_use]
    pub fn for_tokens(self, tokens: u64) -> Self {
        let whole = u128::from(self.0) * u128::from(tokens) / 1_000_000;
        Self(u64::try_from(whole).unwrap_or(u64::MAX))
    }

    /// Returns both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// Returns how much more it is than another; nothing if it is less.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Money {
    /// Writes it with as many digits as it has, and at least two behind the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = format!("{:09}", self.0 % ONE);
        let (cents, rest) = digits.split_at(2);
        write!(f, "{}.{cents}{}", self.0 / ONE, rest.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_what_settings_say_and_are_written_as_people_do() {
        for (amount, text) in [
            (0.0, "0.00"),
            (3.0, "3.00"),
            (0.25, "0.25"),
            (0.075, "0.075"),
            (0.1, "0.10"),
            (1e6, "1000000.00"),
        ] {
            assert_eq!(Money::of(amount).unwrap().to_string(), text);
        }
        for amount in [-0.01, 1e6 + 1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Money::of(amount), None, "{amount}");
        }
    }

    #[test]
    fn tokens_cost_what_a_million_of_them_does() {
        let price = Money::of(3.0).unwrap();
        assert_eq!(price.for_tokens(1_000_000), price);
        assert_eq!(price.for_tokens(1).to_string(), "0.000003");
        assert_eq!(price.for_tokens(0), Money::default());
        assert_eq!(Money::of(1e6).unwrap().for_tokens(u64::MAX), Money(u64::MAX));
        assert_eq!(Money(u64::MAX).plus(price), Money(u64::MAX));
    }
}
