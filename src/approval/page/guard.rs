//! When keys count for what is shown: once nobody has typed for a moment since it came up, and none that came in a burst with others.
//! Knows no clock, and no keys.

use std::time::{Duration, Instant};

/// What the person did at the keyboard before something came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Nothing lately, or a line that they ended.
    Rest,
    /// They were in the middle of a line.
    Typing,
}

/// A moment in which keys do not count.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    until: Instant,
}

impl Guard {
    /// How long no key may come before one counts.
    pub const LENGTH: Duration = Duration::from_millis(400);
    /// The same, of a person who was typing something else: longer than who types slowly needs for a key.
    pub const LONG: Duration = Duration::from_millis(1500);
    /// The same, where a key opened a text to write in: longer than who types slowly, forty words a minute, needs for the
    /// next letter of a word, so that the first letter of a line for the agent answers nothing.
    pub const FIELD: Duration = Duration::from_millis(450);

    /// Begins one: something is seen from now on.
    #[must_use]
    pub fn begin(now: Instant) -> Self {
        Self { until: now + Self::LENGTH }
    }

    /// Begins one as [`Guard::begin`] does, after what the person did before.
    #[must_use]
    pub fn after(before: Before, now: Instant) -> Self {
        match before {
            Before::Rest => Self::begin(now),
            Before::Typing => Self::again(now),
        }
    }

    /// Begins one anew, since a key came that was not meant for what is shown: others of its line will follow.
    #[must_use]
    pub fn again(now: Instant) -> Self {
        Self { until: now + Self::LONG }
    }

    /// Begins one for a text to write in.
    #[must_use]
    pub fn field(now: Instant) -> Self {
        Self { until: now + Self::FIELD }
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

/// How a key came after the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// By itself.
    Alone,
    /// So soon that nobody has read anything between the two.
    InBurst,
}

/// How close together keys come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    last: Option<Instant>,
}

impl Pace {
    /// Keys that come closer together than this are typed without looking, or pasted by a terminal that puts no brackets around it.
    pub const BURST: Duration = Duration::from_millis(120);
    /// How long a letter that answers by itself waits for another: as long as [`Guard::FIELD`].
    pub const LETTER: Duration = Guard::FIELD;

    /// Takes that a key came.
    pub fn take(&mut self, now: Instant) -> Came {
        let before = self.last.replace(now);
        let is_burst = before.is_some_and(|before| now < before + Self::BURST);
        if is_burst { Came::InBurst } else { Came::Alone }
    }
}
