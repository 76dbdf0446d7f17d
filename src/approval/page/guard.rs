//! The moment in which keys do not count: what was typed before a person can have seen a question is no answer to it.
//! Knows no clock, and no keys.

use std::time::{Duration, Instant};

/// A moment in which keys do not count.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    until: Instant,
}

impl Guard {
    /// How long no key may come before one counts.
    pub const LENGTH: Duration = Duration::from_millis(400);

    /// Begins one: something is seen from now on, or a key came too early.
    #[must_use]
    pub fn begin(now: Instant) -> Self {
        Self { until: now + Self::LENGTH }
    }

    /// Returns one that is over already.
    #[must_use]
    pub const fn over(now: Instant) -> Self {
        Self { until: now }
    }

    /// Returns whether keys count.
    #[must_use]
    pub fn is_over(&self, now: Instant) -> bool {
        now >= self.until
    }

    /// Returns from when on keys count.
    #[must_use]
    pub const fn until(&self) -> Instant {
        self.until
    }
}
