//! What the person types to the agent, as far as it tells whether they are in the middle of a line when something comes up.
//! Keeps no text.

use std::time::{Duration, Instant};

use super::keys::{Keys, Part};
use crate::approval::page::Before;

/// How long after a key a line counts as being typed.
const RECENT: Duration = Duration::from_secs(5);

/// Keys that end a line: Enter, also as the number that some terminals send (kitty's protocol).
const ENTER: [&[u8]; 3] = [b"\r", b"\n", b"\x1b[13u"];

/// The keys that came so far.
#[derive(Debug, Default)]
pub struct Typing {
    keys: Keys,
    /// When the last key of a line came that is not ended.
    last: Option<Instant>,
}

impl Typing {
    /// Takes bytes that came from the terminal; returns whether the person typed any of them.
    pub fn take(&mut self, bytes: &[u8], now: Instant) -> bool {
        let mut is_typed = false;
        for part in self.keys.take(bytes) {
            match part {
                Part::Report(_) => continue,
                Part::Key(key) if ENTER.contains(&key.as_slice()) => self.last = None,
                Part::Key(_) | Part::Pasted(_) => self.last = Some(now),
            }
            is_typed = true;
        }
        is_typed
    }

    /// Returns what the person did before something that comes up now.
    pub fn before(&self, now: Instant) -> Before {
        let is_recent = self.last.is_some_and(|last| now < last + RECENT);
        if is_recent { Before::Typing } else { Before::Rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_ended_is_being_typed_for_a_while() {
        for (bytes, millis, before) in [
            (&[][..], 0, Before::Rest),
            (&["m"], 0, Before::Typing),
            (&["make"], 4999, Before::Typing),
            (&["make"], 5000, Before::Rest),
            (&["make\r"], 0, Before::Rest),
            (&["make\x1b[13u"], 0, Before::Rest),
            (&["make\rd"], 0, Before::Typing),
            (&["\x1b[200~a\rb\x1b[201~"], 0, Before::Typing),
            (&["\x1b[200~a\rb", "\x1b[201~", "\r"], 0, Before::Rest),
            // What a terminal says by itself was typed by nobody.
            (&["\x1b[I\x1b[?62;22c\x1b[<35;3;3M"], 0, Before::Rest),
        ] {
            let (mut typing, start) = (Typing::default(), Instant::now());
            for bytes in bytes {
                typing.take(bytes.as_bytes(), start);
            }
            let now = start + Duration::from_millis(millis);
            assert_eq!(typing.before(now), before, "{bytes:?} after {millis} ms");
        }
    }
}
