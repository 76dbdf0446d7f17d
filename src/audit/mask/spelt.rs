//! Words as they are read in the end: without the quotes and backslashes that a shell takes away, and with the letters for which codes stand
//! (`%77`, `\u0077`, `\x77`).

use std::ops::Range;

use super::quoting::{Quote, Text};
use crate::sys::hex;

/// A text as it is read.
pub(super) struct Spelt {
    pub(super) text: String,
    /// Where each of its bytes stands in the text as it is written.
    places: Vec<Range<usize>>,
    /// Where backslashes are left out.
    slashes: Vec<usize>,
}

impl Spelt {
    /// Returns the text as it is read; none where that is how it is written.
    pub(super) fn of(text: &Text<'_>) -> Option<Self> {
        let bytes = text.as_bytes();
        let is_sign = |byte: &u8| matches!(byte, b'\'' | b'"' | b'\\' | b'%');
        if !bytes.iter().any(is_sign) {
            return None;
        }
        let mut speller = Speller { text, opened: Vec::new() };
        let mut slashes = Vec::new();
        let mut read = Vec::with_capacity(bytes.len());
        let mut places = Vec::with_capacity(bytes.len());
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if !is_sign(byte) && *byte != b'$' {
                read.push(*byte);
                places.push(at..at + 1);
                at += 1;
                continue;
            }
            if let Some((length, letter)) = coded(&bytes[at..]) {
                read.push(letter);
                places.push(at..at + length);
                at += length;
                continue;
            }
            let (length, is_kept) = speller.piece(at);
            if is_kept {
                read.extend_from_slice(&bytes[at..at + length]);
                places.extend((at..at + length).map(|at| at..at + 1));
            } else if bytes[at] == b'\\' {
                slashes.push(at);
            }
            at += length;
        }
        if read.len() == bytes.len() {
            return None;
        }
        // What was taken out or put in are whole characters.
        Some(Self { text: String::from_utf8(read).ok()?, places, slashes })
    }

    /// Returns where a range that is not empty stands in the text as it is written; none if backslashes are left out in it, as of paths.
    pub(super) fn written(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let range = self.places[range.start].start..self.places[range.end - 1].end;
        let first = self.slashes.partition_point(|at| *at < range.start);
        self.slashes.get(first).is_none_or(|at| *at >= range.end).then_some(range)
    }
}

/// Whether it is a byte of a name or of the sign behind one.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=' | b'.')
}

/// The letter of a name, or the bracket around one, that a code stands for, and how many bytes the code has.
fn coded(bytes: &[u8]) -> Option<(usize, u8)> {
    let slashes = bytes.iter().take(4).take_while(|byte| **byte == b'\\').count();
    let length = match &bytes[slashes..] {
        [b'%', ..] if slashes == 0 => 1,
        [b'x', ..] if slashes > 0 => slashes + 1,
        [b'u', b'0', b'0', ..] if slashes > 0 => slashes + 3,
        _ => return None,
    };
    let digits = std::str::from_utf8(bytes.get(length..length + 2)?).ok()?;
    let letter = hex::bytes(digits)?.first().copied()?;
    let is_one = is_word(letter) && letter != b'=' || slashes == 0 && matches!(letter, b'[' | b']');
    is_one.then_some((length + 2, letter))
}

/// Whether what follows begins as a name goes on.
fn leads(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|byte| is_word(*byte)) || coded(bytes).is_some()
}

struct Speller<'text, 'a> {
    text: &'text Text<'a>,
    /// Where the quotes close that a shell opens, and whether they are kept.
    opened: Vec<(usize, bool)>,
}

impl Speller<'_, '_> {
    /// Returns how many bytes from a place on belong together, and whether they are kept.
    fn piece(&mut self, at: usize) -> (usize, bool) {
        let bytes = self.text.as_bytes();
        let is_command = self.text.is_command(at);
        let follows = at > 0 && is_word(bytes[at - 1]);
        match &bytes[at..] {
            [b'\\', b'\n', ..] if is_command && follows && leads(&bytes[at + 2..]) => {
                return (2, false);
            }
            [b'\\', next, ..] if is_command && is_word(*next) => return (1, false),
            // `na$'me'`
            [b'$', ..] if is_command && follows && self.opens(at + 1) => return (1, false),
            _ => {}
        }
        let is_quote = |byte: &&u8| matches!(byte, b'\'' | b'"' | b'\\');
        let quotes = bytes[at..].iter().take_while(is_quote).count();
        let length = (1..quotes).find(|length| coded(&bytes[at + length..]).is_some());
        let length = length.unwrap_or(quotes);
        if length == 0 {
            return (1, true);
        }
        if length == 1 && is_command {
            return (1, self.keeps(at));
        }
        self.opened.retain(|(close, _)| *close >= at + length);
        // An equals sign before a quote begins a value, which the quotes hold together. `\n` may be a line that is written out.
        let is_inside = follows && bytes[at - 1] != b'=' && leads(&bytes[at + length..]);
        let is_written = bytes[at + length - 1] == b'\\';
        (length, length > 4 || !is_inside || is_written)
    }

    fn opens(&self, at: usize) -> bool {
        matches!(self.text.quote(at), Quote::Opens(_))
    }

    /// Whether a quote of the shell's is kept that stands alone: both of a pair, or none.
    fn keeps(&mut self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let is_inside = |at: usize| {
            let before = bytes[..at].strip_suffix(b"$").unwrap_or(&bytes[..at]).last();
            before.is_some_and(|byte| is_word(*byte)) && leads(&bytes[at + 1..])
        };
        let Quote::Opens(close) = self.text.quote(at) else {
            let opened = self.opened.pop_if(|(close, _)| *close == at);
            return opened.map_or(!is_inside(at), |(_, is_kept)| is_kept);
        };
        // An equals sign before it begins a value; one letter alone is a prefix of code: `r"text"`.
        let is_value = at > 0 && bytes[at - 1] == b'=';
        let is_prefix = at > 0 && at.checked_sub(2).is_none_or(|at| !is_word(bytes[at]));
        let is_code = || is_prefix && (!is_inside(close) || bytes[at..close].contains(&b' '));
        let is_kept = is_value || is_code() || !is_inside(at) && !is_inside(close);
        self.opened.push((close, is_kept));
        is_kept
    }
}
