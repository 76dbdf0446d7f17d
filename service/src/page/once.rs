//! What counts once: codes and numbers that are drawn at random and given out, each good for one use, and not for long. Knows no clock but what it is told.

use std::time::{Duration, Instant};

use guarded_sh::sys::random;

/// Bytes of what is drawn at random.
const DRAWN: usize = 32;

/// Those that were given, and are not used up.
#[derive(Debug)]
pub struct Once {
    /// How many are good at once at most; of more the oldest is given up.
    most: usize,
    /// For how long one is good.
    life: Duration,
    given: Vec<(String, Instant)>,
}

impl Once {
    /// Makes it without any.
    pub const fn new(most: usize, life: Duration) -> Self {
        Self { most, life, given: Vec::new() }
    }

    /// Notes one that is given.
    pub fn give(&mut self, one: String, now: Instant) {
        self.forget(now);
        if self.given.len() == self.most {
            self.given.remove(0);
        }
        self.given.push((one, now));
    }

    /// Uses one up; returns whether it was good.
    pub fn take(&mut self, one: &str, now: Instant) -> bool {
        self.forget(now);
        let at = self.given.iter().position(|(known, _)| is_same(known, one));
        at.map(|at| self.given.remove(at)).is_some()
    }

    fn forget(&mut self, now: Instant) {
        self.given.retain(|(_, given)| now.duration_since(*given) < self.life);
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
        for one in ["a", "b", "c"] {
            once.give(one.to_owned(), now);
        }
        assert!(!once.take("a", now), "there are too many");
        assert!(!once.take("", now) && !once.take("bb", now));
        assert!(once.take("b", now) && !once.take("b", now));
        assert!(!once.take("c", now + life));
    }
}
