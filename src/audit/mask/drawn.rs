//! Words that nobody writes: long ones in which capitals, small letters and digits change as often as where they are drawn at random.

use std::ops::Range;

use super::names::PUBLIC;
use super::quoting::{Quote, Text};
use super::value;

/// The shortest of them.
const LEAST: usize = 20;

/// Longer words are looked at no further.
const MOST: usize = 4096;

/// Finds them, but for those that are known by their form.
pub(super) fn find(text: &Text<'_>, known: &[Range<usize>], found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !holds(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| holds(**byte)).count();
        let word = &text[at..at + length];
        if is_serial(word) {
            found.push(at..at + length);
        } else if length >= LEAST {
            // `name=VALUE`, and a text that begins with what is written out: `\nVALUE`.
            let name = word.trim_end_matches('=').rfind('=').map_or(0, |at| at + 1);
            let is_written = name == 0 && at > 0 && bytes[at - 1] == b'\\';
            let start = at + name.max(usize::from(is_written));
            // The host and the first parts of a path.
            let is_word = |part: &&str| part.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
            let parts = text[start..at + length].split('/').take_while(is_word);
            let start = (start + parts.map(|part| part.len() + 1).sum::<usize>()).min(at + length);
            let behind = bytes.get(at + length);
            // The name of a file has an ending; a path has parts.
            let is_file = behind == Some(&b'.')
                && bytes.get(at + length + 1).is_some_and(u8::is_ascii_alphanumeric);
            let next = known.partition_point(|token| token.end <= at);
            let is_known = known.get(next).is_some_and(|token| token.start < at + length);
            if !is_file
                && !is_known
                && !is_public(text, start, at + length)
                && is(&text[start..at + length])
            {
                found.push(start..at + length);
            }
        }
        at += length;
    }
}

const fn holds(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=')
}

/// Whether a word is drawn at random: also a part of it, between slashes, as base64 has them.
pub(super) fn is(word: &str) -> bool {
    let word = &word[..word.len().min(MOST)];
    let longest = word.split('/').max_by_key(|part| part.len()).unwrap_or(word);
    let has_parts = longest.len() < word.len();
    word.bytes().all(holds)
        && word.len() >= LEAST
        && !word.contains("--")
        && !word.starts_with("0x")
        && longest.len() >= if has_parts { 16 } else { LEAST }
        && changes(longest)
        && !is_text(word)
}

/// Whether it is a licence: four or more groups of capitals and digits, equally long.
fn is_serial(word: &str) -> bool {
    let groups = word.split('-').count();
    let length = word.split('-').next().map_or(0, str::len);
    let is_group = |group: &str| {
        group.len() == length
            && group.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    let has = |is: fn(&u8) -> bool| word.bytes().filter(is).count() >= 3;
    (4..=8).contains(&groups)
        && (4..=8).contains(&length)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_uppercase)
        && word.split('-').all(is_group)
}

/// Finds the words that a wallet is made of again: in quotes, twelve to twenty-four of the same few thousand.
pub(super) fn phrases(text: &Text<'_>, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while at < text.len() {
        let Quote::Opens(end) = text.quote(at) else {
            at += 1;
            continue;
        };
        let inside = text.get(at + 1..end.min(at + 240)).unwrap_or("");
        let words = || inside.trim_matches('\\').rsplit(": ").next().unwrap_or(inside).split(' ');
        let is_word = |word: &str| {
            (3..=8).contains(&word.len())
                && word.bytes().all(|byte| byte.is_ascii_lowercase())
                && !value::is_function(word)
        };
        if end < at + 240
            && matches!(words().count(), 12 | 15 | 18 | 21 | 24)
            && words().all(is_word)
        {
            let start = inside.rfind(": ").map_or(0, |at| at + 2);
            found.push(at + 1 + start..end);
        }
        at += 1;
    }
}

/// Whether the kinds of characters change too often for words: `camelCase2` has few changes, as a capital belongs to the letters behind.
fn changes(word: &str) -> bool {
    let mut counts = [0_usize; 3];
    let (mut runs, mut numbers) = (0, 0);
    let mut before = None;
    for byte in word.bytes() {
        let kind = match byte {
            b'a'..=b'z' => 0,
            b'A'..=b'Z' => 1,
            b'0'..=b'9' => 2,
            _ => {
                before = None;
                continue;
            }
        };
        counts[kind] += 1;
        let goes_on = before == Some(kind) || before == Some(1) && kind == 0;
        runs += usize::from(!goes_on);
        numbers += usize::from(!goes_on && kind == 2);
        before = Some(kind);
    }
    let length: usize = counts.iter().sum();
    counts.iter().all(|count| *count >= 2) && numbers >= 2 && length * 10 <= runs * 32
}

/// Whether it is text in base64: what is said so may be run.
pub(super) fn is_text(word: &str) -> bool {
    let digits = word.trim_end_matches('=').bytes().map(|byte| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    });
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits {
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            let [byte, ..] = (bits >> count).to_le_bytes();
            if !(byte.is_ascii_graphic() || byte.is_ascii_whitespace()) {
                return false;
            }
        }
    }
    true
}

/// Whether it is a digest, a public key or a picture: what stands before it or its own beginning say so.
fn is_public(text: &str, start: usize, end: usize) -> bool {
    let before = text.as_bytes()[start.saturating_sub(8)..start].to_ascii_lowercase();
    let digests = [b"sha256:".as_slice(), b"sha1:", b"h1:", b"md5:"];
    PUBLIC.iter().any(|one| text[start..end].starts_with(one))
        || digests.iter().any(|name| before.ends_with(name))
}
