//! Takes secrets out of text before it is recorded. Reads once from left to right for each kind, and never takes longer than
//! in proportion to the text.
//!
//! It masks what looks like a secret by its own form (a known token, a key block), by the name it is given to (`API_KEY=…`,
//! `--password …`, `Authorization: …`), or by its place (`user:password@host`, `mysql -p…`, `… | chpasswd`); which forms and which programs
//! says `rules/secrets.toml`. A secret that is none of these is recorded as it stands. What only names one (`$TOKEN`, `$(pass show x)`)
//! is left, since it says what was done.

mod input;
mod names;
mod options;
mod pairs;
mod tokens;
mod value;
mod words;

use std::borrow::Cow;
use std::ops::Range;

/// What stands in the place of a secret.
pub const MASK: &str = "[masked]";

/// Returns the text with its secrets masked.
#[must_use]
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut found = secrets(text);
    // `to'ken'=x` is a token to a shell: what is split by quotes is looked at as the shell puts it together.
    if let Some((joined, places)) = joined(text) {
        let of_joined = secrets(&joined).into_iter();
        found.extend(of_joined.map(|range| places[range.start]..places[range.end - 1] + 1));
    }
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

fn secrets(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    tokens::find(text, &mut found);
    pairs::find(text, &mut found);
    options::find(text, &mut found);
    found.retain(|range| !range.is_empty());
    found
}

/// Returns the text without quotes and backslashes in the middle of words, with the place of each byte that is left; none where there are none.
fn joined(text: &str) -> Option<(String, Vec<usize>)> {
    let bytes = text.as_bytes();
    let is_quote = |byte: u8| matches!(byte, b'\'' | b'"' | b'\\');
    let is_word =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=' | b'.');
    let mut kept = Vec::with_capacity(bytes.len());
    let mut places = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let length = bytes[at..].iter().take_while(|byte| is_quote(**byte)).count();
        // `\n` may be a line that is written out.
        let is_written = length > 0 && bytes[at + length - 1] == b'\\';
        let inside = at > 0
            && is_word(bytes[at - 1])
            && bytes.get(at + length).is_some_and(|byte| is_word(*byte));
        // An equals sign before a quote begins a value, which the quotes hold together.
        if (1..=4).contains(&length) && inside && !is_written && bytes[at - 1] != b'=' {
            at += length;
            continue;
        }
        if length > 0 {
            kept.extend_from_slice(&bytes[at..at + length]);
            places.extend(at..at + length);
            at += length;
            continue;
        }
        kept.push(byte);
        places.push(at);
        at += 1;
    }
    if kept.len() == bytes.len() {
        return None;
    }
    // Only quotes were taken out, which are whole characters.
    Some((String::from_utf8(kept).ok()?, places))
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
