//! Changes that a program was shown: each may be made once, with the number that it was given for it, and not for long. Knows no clock but what it is told.

use std::time::{Duration, Instant};

use super::deeds::Change;
use super::once::is_same;

/// For how long one may be made.
pub const LIFE: Duration = Duration::from_secs(300);
/// Changes that may be made at once at most; of more the oldest is given up.
const MOST: usize = 8;

/// A change that was shown.
pub struct Shown {
    pub change: Change,
    /// The SHA-256 of what was shown of it.
    pub digest: String,
}

/// Those of one program.
#[derive(Default)]
pub struct Prepared(Vec<(String, Instant, Shown)>);

impl Prepared {
    /// Notes one that was shown, by its number.
    pub fn give(&mut self, number: String, shown: Shown, now: Instant) {
        self.forget(now);
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push((number, now, shown));
    }

    /// Uses a number up, and returns what it stands for, if it was good.
    pub fn take(&mut self, number: &str, now: Instant) -> Option<Shown> {
        self.forget(now);
        let at = self.0.iter().position(|(known, ..)| is_same(known, number))?;
        Some(self.0.remove(at).2)
    }

    fn forget(&mut self, now: Instant) {
        self.0.retain(|(_, given, _)| now.duration_since(*given) < LIFE);
    }
}

#[cfg(test)]
mod tests {
    use super::super::deeds::What;
    use super::*;

    #[test]
    fn each_is_made_once_and_not_for_long() {
        let now = Instant::now();
        let shown = |digest: &str| {
            let change =
                Change { what: What::Settings, digest: String::new(), body: String::new() };
            Shown { change, digest: digest.to_owned() }
        };
        let mut prepared = Prepared::default();
        for number in 0..=MOST {
            prepared.give(format!("n{number}"), shown(&number.to_string()), now);
        }
        let mut take = |number: &str, now| prepared.take(number, now).map(|shown| shown.digest);
        assert_eq!(take("n0", now), None, "there were too many");
        assert_eq!(take("", now), None);
        assert_eq!(take("n1", now), Some("1".to_owned()));
        assert_eq!(take("n1", now), None);
        assert_eq!(take("n2", now + LIFE), None);
    }
}
