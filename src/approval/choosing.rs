//! Which of two answers is chosen at a plain terminal: keys in, rows that show it and at last an answer out. As at a [`page`], keys count
//! only once the question has been there for a moment without any, and none that came in a burst.
//! Knows no terminal and no clock.
//!
//! [`page`]: super::page

use std::time::Instant;

use super::page::keys::{Key, Keys};
use super::page::{Before, Came, Guard, Pace};
use crate::model::Answer;

const PROMPT: &str = "Run it? Enter denies; the arrow keys choose";
const MOMENT: &str = "one moment: keys do not count yet";
const DROPPED: &str = "keys typed before you could read this were dropped; one moment";
const ANSWERS: [(&str, Answer); 2] = [("deny", NO), ("run it once", Answer::Once)];
/// What is no clear yes.
pub const NO: Answer = Answer::Deny { message: None };

/// What came of keys, or of time that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Chosen {
    /// Nothing that would be seen.
    Nothing,
    /// It looks different now.
    Redraw,
    /// The answer.
    Answer(Answer),
}

/// What is chosen so far.
#[derive(Debug)]
pub struct Choosing {
    keys: Keys,
    guard: Guard,
    pace: Pace,
    /// What is said while keys do not count.
    held: Option<&'static str>,
    at: usize,
    /// The answer whose key nothing may follow for a moment, and when it counts.
    given: Option<(Answer, Instant)>,
}

impl Choosing {
    /// How many rows it takes.
    pub const ROWS: usize = 1 + ANSWERS.len();

    /// Begins: the question is seen from now on, after what the person did before.
    pub fn begin(before: Before, now: Instant) -> Self {
        let (keys, pace, held) = (Keys::default(), Pace::default(), Some(MOMENT));
        Self { keys, guard: Guard::after(before, now), pace, held, at: 0, given: None }
    }

    /// Returns what is shown.
    pub fn rows(&self) -> [String; Self::ROWS] {
        let answer = |at: usize| {
            let mark = if at == self.at { '>' } else { ' ' };
            format!("{mark} {}", ANSWERS[at].0)
        };
        [self.held.unwrap_or(PROMPT).to_owned(), answer(0), answer(1)]
    }

    /// Returns when [`Choosing::tick`] is to be called, if no keys come before.
    pub fn deadline(&self) -> Option<Instant> {
        let held = self.held.map(|_| self.guard.until());
        let given = self.given.as_ref().map(|(_, counts_at)| *counts_at);
        [self.keys.deadline(), held, given].into_iter().flatten().min()
    }

    /// Lets time pass.
    pub fn tick(&mut self, now: Instant) -> Chosen {
        if let Some((answer, _)) = self.given.take_if(|(_, counts_at)| *counts_at <= now) {
            return Chosen::Answer(answer);
        }
        // An escape counts from when it was pressed.
        if let Some(key) = self.keys.tick(now) {
            return self.take(&key, now);
        }
        let is_ready = self.held.take_if(|_| self.guard.is_over(now)).is_some();
        if is_ready { Chosen::Redraw } else { Chosen::Nothing }
    }

    /// Takes bytes from the keyboard.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> Chosen {
        let ticked = self.tick(now);
        if matches!(ticked, Chosen::Answer(_)) {
            return ticked;
        }
        let keys = self.keys.feed(bytes, now);
        // Nor does the beginning of a key count.
        let is_any = !keys.is_empty() || self.keys.deadline().is_some();
        if is_any && (self.held.is_some() || self.given.is_some()) {
            return self.drop_keys(now);
        }
        let mut chosen = ticked;
        for key in keys {
            let done = self.take(&key, now);
            chosen = if done == Chosen::Nothing { chosen } else { done };
        }
        chosen
    }

    fn take(&mut self, key: &Key, now: Instant) -> Chosen {
        let came = self.pace.take(now);
        if self.held.is_some() || self.given.is_some() {
            return self.drop_keys(now);
        }
        match (key, came) {
            (Key::Up | Key::BackTab, _) => self.choose(0),
            (Key::Down | Key::Tab, _) => self.choose(1),
            (Key::Char('k'), Came::Alone) => self.choose(0),
            (Key::Char('j'), Came::Alone) => self.choose(1),
            (Key::Enter, Came::Alone) => self.give(self.at, now + Pace::BURST),
            (Key::Escape | Key::Control('c' | 'd'), Came::Alone) => self.give(0, now + Pace::BURST),
            (Key::Char('q'), Came::Alone) => self.give(0, now + Pace::LETTER),
            _ => self.drop_keys(now),
        }
    }

    const fn choose(&mut self, at: usize) -> Chosen {
        self.at = at;
        Chosen::Redraw
    }

    fn give(&mut self, at: usize, counts_at: Instant) -> Chosen {
        self.given = Some((ANSWERS[at].1.clone(), counts_at));
        Chosen::Nothing
    }

    /// Drops keys that were not meant for this, with what those before them have chosen.
    fn drop_keys(&mut self, now: Instant) -> Chosen {
        let _ = self.pace.take(now);
        (self.at, self.given) = (0, None);
        (self.guard, self.held) = (Guard::again(now), Some(DROPPED));
        Chosen::Redraw
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Keys with the milliseconds before each, and what comes of them.
    type Row = (Before, &'static [(u64, &'static str)], Option<Answer>);

    #[test]
    fn only_a_chosen_yes_is_one_and_only_by_keys_that_came_alone() {
        let rows: &[Row] = &[
            (Before::Rest, &[(400, "\r")], Some(NO)),
            (Before::Rest, &[(400, "\x1b[B"), (500, "\r")], Some(Answer::Once)),
            (Before::Rest, &[(400, "j"), (120, "\r")], Some(Answer::Once)),
            (Before::Rest, &[(400, "\x1b[B"), (500, "\x1b[A"), (500, "\r")], Some(NO)),
            (Before::Rest, &[(400, "q")], Some(NO)),
            (Before::Rest, &[(400, "\x03")], Some(NO)),
            (Before::Rest, &[(400, "\x1b")], Some(NO)),
            (Before::Rest, &[(400, "\x1b[B"), (500, "\x03")], Some(NO)),
            (Before::Rest, &[(400, "\x04")], Some(NO)),
            (Before::Rest, &[(399, "\x1b[B"), (500, "\r")], None),
            (Before::Rest, &[(300, "x"), (1500, "j"), (500, "\r")], Some(Answer::Once)),
            (Before::Rest, &[(2000, "y"), (900, "\r")], None),
            (Before::Rest, &[(2000, "j\r")], None),
            (Before::Rest, &[(2000, "j"), (119, "\r")], None),
            (Before::Rest, &[(2000, "j"), (500, "\r"), (100, "x")], None),
            (Before::Rest, &[(2000, "\x1b[200~j\r\x1b[201~"), (500, "\r")], None),
            (Before::Rest, &[(2000, "yes\r"), (500, "j"), (500, "\r")], None),
            (Before::Rest, &[(2000, "q"), (200, "u"), (200, "\r")], None),
            (Before::Typing, &[(400, "j"), (500, "\r")], None),
            (Before::Typing, &[(1400, "j"), (1400, "\r")], None),
            (Before::Typing, &[(1500, "j"), (500, "\r")], Some(Answer::Once)),
        ];
        for (before, keys, answer) in rows {
            let mut now = Instant::now();
            let mut choosing = Choosing::begin(*before, now);
            let mut given = None;
            let mut note = |chosen: Chosen| match chosen {
                Chosen::Answer(answer) => given = given.take().or(Some(answer)),
                Chosen::Nothing | Chosen::Redraw => {}
            };
            for (millis, keys) in *keys {
                now += Duration::from_millis(*millis);
                note(choosing.feed(keys.as_bytes(), now));
            }
            for millis in [100, 1000] {
                note(choosing.tick(now + Duration::from_millis(millis)));
            }
            assert_eq!(given, *answer, "{before:?} {keys:?}");
        }
    }

    #[test]
    fn it_says_whether_keys_count_and_that_some_were_dropped() {
        let start = Instant::now();
        let mut choosing = Choosing::begin(Before::Rest, start);
        assert_eq!(choosing.rows(), [MOMENT, "> deny", "  run it once"]);
        let now = start + Guard::LENGTH;
        assert_eq!(choosing.deadline(), Some(now));
        assert_eq!(choosing.tick(now), Chosen::Redraw);
        assert_eq!(choosing.feed(b"j", now), Chosen::Redraw);
        assert_eq!(choosing.rows(), [PROMPT, "  deny", "> run it once"]);
        assert_eq!(choosing.feed(b"\r", now), Chosen::Redraw);
        assert_eq!(choosing.rows(), [DROPPED, "> deny", "  run it once"]);
    }
}
