//! What counts once: codes and numbers that are drawn at random and given out, each good for one use, and not for long. Knows no clock but what it is told.

use std::time::{Duration, Instant};

use guarded_sh::sys::random;

/// Bytes of what is drawn at random.
const DRAWN: usize = 32;

/// Those that were given, and are not used up; each stands for something, or for nothing but itself.
#[derive(Debug)]
pub struct Once<T = ()> {
    /// How many are good at once at most; of more the oldest is given up.
    most: usize,
    /// For how long one is good.
    life: Duration,
    given: Vec<(String, Instant, T)>,
}

impl<T> Once<T> {
    /// Makes it without any.
    pub const fn new(most: usize, life: Duration) -> Self {
        Self { most, life, given: Vec::new() }
    }

    /// Notes one that is given, and what it stands for.
    pub fn give(&mut self, one: String, stands_for: T, now: Instant) {
        self.forget(now);
        if self.given.len() == self.most {
            self.given.remove(0);
        }
        self.given.push((one, now, stands_for));
    }

    /// Uses one up; returns what it stands for, if it was good.
    pub fn take(&mut self, one: &str, now: Instant) -> Option<T> {
        self.forget(now);
        let at = self.given.iter().position(|(known, ..)| is_same(known, one))?;
        Some(self.given.remove(at).2)
    }

    fn forget(&mut self, now: Instant) {
        self.given.retain(|(_, given, _)| now.duration_since(*given) < self.life);
    }
}

/// Nothing can be drawn at random.
#[derive(Debug, thiserror::Error)]
#[error("the system gives nothing random")]
pub struct NotRandom;

/// Returns a text that nobody guesses.
pub fn drawn() -> Result<String, NotRandom> {
    random::digits::<DRAWN>().map_err(|_| NotRandom)
}

/// Returns whether two texts are the same, in a time that says nothing of where they differ.
pub fn is_same(one: &str, other: &str) -> bool {
    let differ =
        one.bytes().zip(other.bytes()).fold(0, |differ, (one, other)| differ | one ^ other);
    one.len() == other.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_good_once_and_not_for_long() {
        let (now, life) = (Instant::now(), Duration::from_secs(60));
        let mut once = Once::new(2, life);
        for (one, number) in [("a", 1), ("b", 2), ("c", 3)] {
            once.give(one.to_owned(), number, now);
        }
        assert_eq!(once.take("a", now), None, "there are too many");
        assert_eq!((once.take("", now), once.take("bb", now)), (None, None));
        assert_eq!((once.take("b", now), once.take("b", now)), (Some(2), None));
        assert_eq!(once.take("c", now + life), None);
    }
}
