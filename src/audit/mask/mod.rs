//! Takes secrets out of text before it is recorded. Reads once from left to right for each kind, and never takes longer than
//! in proportion to the text.
//!
//! It masks what looks like a secret by its own form (a known token, a key block), by the name it is given to (`API_KEY=…`,
//! `--password …`, `Authorization: …`), or by its place (`user:password@host`, `mysql -p…`). A secret that is none of these is
//! recorded as it stands. What only names one (`$TOKEN`, `$(pass show x)`) is left, since it says what was done.

mod names;
mod options;
mod pairs;
mod tokens;
mod value;

use std::borrow::Cow;
use std::ops::Range;

/// What stands in the place of a secret.
pub const MASK: &str = "[masked]";

/// Returns the text with its secrets masked.
#[must_use]
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut found = Vec::new();
    tokens::find(text, &mut found);
    pairs::find(text, &mut found);
    options::find(text, &mut found);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    Cow::Owned(replace(text, &found))
}

/// Returns whether the text holds a secret that is known by its own form: a token or a private key.
#[must_use]
pub fn holds_token(text: &str) -> bool {
    let mut found = Vec::new();
    tokens::find(text, &mut found);
    !found.is_empty()
}

fn replace(text: &str, found: &[Range<usize>]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for range in found {
        if range.start >= at {
            masked.push_str(&text[at..range.start]);
            masked.push_str(MASK);
        }
        at = at.max(range.end);
    }
    masked.push_str(&text[at..]);
    masked
}

#[cfg(test)]
mod tests;
