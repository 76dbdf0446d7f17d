//! Changes that a program was shown: each may be made once, with the number that it was given for it, and not for long.

use std::time::Duration;

use super::deeds::Change;
use super::once::Once;

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

/// Returns a program's own, of which there are none yet.
pub const fn none() -> Once<Shown> {
    Once::new(MOST, LIFE)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

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
        let mut prepared = none();
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
