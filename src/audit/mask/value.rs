//! How far a value reaches in shell text, and whether it is a secret at all.

use std::ops::Range;

/// Words that are no secret wherever they stand.
const PLAIN: [&str; 11] =
    ["true", "false", "yes", "no", "null", "none", "nil", "0", "1", "stdin", "***"];

/// Returns the value that begins at `start`: within its quotes if it begins with one, else up to the end of the word.
/// None: there is none, or it is no secret but the name of one.
pub(super) fn at(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // Before it is measured: many references in one word would each be measured to its end.
    if refers(&text[start..]) && !text[start..].starts_with("$'") {
        return None;
    }
    let range = match *bytes.get(start)? {
        quote @ (b'"' | b'\'') => start + 1..end_of_quoted(bytes, start + 1, quote),
        b'$' if bytes.get(start + 1) == Some(&b'\'') => {
            start + 2..end_of_quoted(bytes, start + 2, b'\'')
        }
        _ => start..end_of_word(bytes, start),
    };
    is_secret(&text[range.clone()]).then_some(range)
}

/// Returns the value of a header or of a line of settings: up to the end of the quotes or of the line.
pub(super) fn line_at(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..];
    if refers(rest) {
        return None;
    }
    let length = rest.find(['"', '\'', '\n', '\r', '\\']).unwrap_or(rest.len());
    let value = rest[..length].trim_end();
    is_secret(value).then_some(start..start + value.len())
}

/// Returns whether a value is itself a secret, and not a reference to one or a plain word.
pub(super) fn is_secret(value: &str) -> bool {
    !(value.is_empty()
        || refers(value)
        || PLAIN.iter().any(|plain| value.eq_ignore_ascii_case(plain)))
}

/// Returns whether a value says where the secret is: a variable, a command, a file, a placeholder.
fn refers(value: &str) -> bool {
    value.starts_with(['$', '`', '<', '{', '%', '@', '('])
}

fn end_of_word(bytes: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b';' | b'|' | b'&' | b')')
    };
    // A backslash keeps the next byte in the word.
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'\\' && bytes.get(at + 1).is_some_and(u8::is_ascii) {
            at += 2;
        } else if ends(byte) {
            break;
        } else {
            at += 1;
        }
    }
    at.min(bytes.len())
}

fn end_of_quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        if *byte == quote {
            return at;
        }
        let escaped =
            quote == b'"' && *byte == b'\\' && bytes.get(at + 1).is_some_and(u8::is_ascii);
        at += if escaped { 2 } else { 1 };
    }
    bytes.len()
}
