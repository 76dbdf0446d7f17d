//! A text as the words of commands, in two ways: with quotes taken for blanks, and as a shell takes them.

use std::ops::Range;

/// A word, or what ends a command.
pub(super) enum Word {
    Text(Range<usize>),
    Separator,
}

/// The words of a text, quotes taken for blanks: a command that is itself quoted (`eval '…'`) is looked through as well.
pub(super) struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'`' | b'<' | b'>');
        let separates =
            |byte: u8| matches!(byte, b'\n' | b';' | b'|' | b'&' | b'(' | b')' | b'{' | b'}');
        let bytes = self.text.as_bytes();
        loop {
            if bytes[self.at.min(bytes.len())..].starts_with(b"\\\n") {
                self.at += 2;
            } else if let Some(length) = written(bytes, self.at) {
                self.at += length;
            } else if bytes.get(self.at).is_some_and(|byte| blank(*byte)) {
                self.at += 1;
            } else {
                break;
            }
        }
        let start = self.at;
        if separates(*bytes.get(start)?) {
            self.at += 1;
            return Some(Word::Separator);
        }
        let ends = |at: &usize| {
            blank(bytes[*at]) || separates(bytes[*at]) || written(bytes, *at).is_some()
        };
        self.at = (start..bytes.len()).find(ends).unwrap_or(bytes.len());
        Some(Word::Text(start..self.at))
    }
}

/// How many bytes the end of a line or the blank has that is written out here: `\n`, `\\t`.
fn written(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at..)? {
        [b'\\', b'n' | b'r' | b't', ..] => Some(2),
        [b'\\', b'\\', b'n' | b'r' | b't', ..] => Some(3),
        _ => None,
    }
}

/// Bytes of a command that are looked at. Looking no further keeps the search linear where one program's name follows on the other.
const LONGEST: usize = 1024;

/// The words that stand behind a place in the same command, quotes included, as a shell takes them.
pub(super) fn in_command(text: &str, start: usize) -> impl Iterator<Item = Range<usize>> {
    let bytes = &text.as_bytes()[..text.len().min(start + LONGEST)];
    let mut at = start;
    std::iter::from_fn(move || {
        loop {
            match bytes.get(at..)? {
                [b' ' | b'\t', ..] => at += 1,
                [b'\\', b'\n', ..] => at += 2,
                _ => break,
            }
        }
        let begin = at;
        loop {
            match bytes.get(at) {
                Some(b'\\') => at += 2,
                Some(quote @ (b'"' | b'\'')) => {
                    // One that nothing closes ends what the whole command is quoted by.
                    let Some(length) = bytes[at + 1..].iter().position(|byte| byte == quote) else {
                        break;
                    };
                    at += length + 2;
                }
                None | Some(b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b')' | b'`' | b'<') => {
                    break;
                }
                Some(_) => at += 1,
            }
        }
        at = at.min(bytes.len());
        let end = (begin..=at).rev().find(|end| text.is_char_boundary(*end))?;
        (end > begin).then_some(begin..end)
    })
}
