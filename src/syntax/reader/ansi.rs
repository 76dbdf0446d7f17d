//! `$'…'`, decoded as bash does (bash manual, 3.1.2.4).

use super::parts::{Parts, Quoting};
use super::{Read, Reader, unfinished};
use crate::syntax::dialect::Construct;

impl Reader<'_> {
    /// Reads `$'…'`, standing on the dollar.
    pub(super) fn ansi(&mut self, parts: &mut Parts) -> Read<()> {
        let start = self.position;
        let open = self.join(start + 1);
        let mut at = open + 1;
        loop {
            match self.text.get(at) {
                None => return Err(unfinished("a $' quote is not closed")),
                Some(b'\'') => break,
                Some(b'\\') => at += 2,
                Some(_) => at += 1,
            }
        }
        self.flush(parts);
        let bytes = decode(&self.text[open + 1..at]);
        self.position = at + 1;
        self.steps(at - start)?;
        let has_control = is_decoded_otherwise(&self.text[open + 1..at]);
        let construct = if has_control { Construct::AnsiControl } else { Construct::AnsiQuote };
        self.extension(construct, start, self.position);
        let part = self.literal(bytes, start, self.position, Quoting::Quoted);
        parts.list.push(part);
        Ok(())
    }
}

/// Whether other shells than bash decode the text otherwise: an escape that it does not know or that needs digits and has
/// none, a control character, a NUL.
fn is_decoded_otherwise(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let escape = rest.get(at + 1).copied().unwrap_or(0);
        let behind = rest.get(at + 2..).unwrap_or_default();
        let is_same = match escape {
            b'0'..=b'7' => {
                let (value, _) = number(&rest[at + 1..], 8, 3);
                (1..=0xff).contains(&value)
            }
            b'x' | b'u' | b'U' => {
                let most = if escape == b'x' {
                    2
                } else if escape == b'u' {
                    4
                } else {
                    8
                };
                number(behind, 16, most).0 > 0
            }
            escape => b"abeEfnrtv\\'\"?".contains(&escape),
        };
        if !is_same {
            return true;
        }
        rest = behind;
    }
    false
}

/// Decodes the text between the quotes. A NUL ends it, as in bash.
pub(in crate::syntax) fn decode(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at] != b'\\' || at + 1 == text.len() {
            out.push(text[at]);
            at += 1;
            continue;
        }
        let kind = text[at + 1];
        at += 2;
        let byte = match kind {
            b'a' => 0x07,
            b'b' => 0x08,
            b'e' | b'E' => 0x1B,
            b'f' => 0x0C,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 0x0B,
            b'\\' | b'\'' | b'"' | b'?' => kind,
            b'0'..=b'7' => {
                let (value, used) = number(&text[at - 1..], 8, 3);
                at = at - 1 + used;
                value.to_le_bytes()[0]
            }
            b'x' => {
                let braces = text.get(at) == Some(&b'{');
                let from = if braces { at + 1 } else { at };
                let (value, used) = number(&text[from..], 16, if braces { usize::MAX } else { 2 });
                // In braces, no digits are a NUL.
                if used == 0 && !braces {
                    out.extend_from_slice(b"\\x");
                    continue;
                }
                at = from + used;
                if braces && text.get(at) == Some(&b'}') {
                    at += 1;
                }
                value.to_le_bytes()[0]
            }
            b'u' | b'U' => {
                let (value, used) = number(&text[at..], 16, if kind == b'u' { 4 } else { 8 });
                if used == 0 {
                    out.extend_from_slice(&[b'\\', kind]);
                    continue;
                }
                at += used;
                if value == 0 {
                    return out;
                }
                push_code_point(&mut out, value);
                continue;
            }
            b'c' if at < text.len() => {
                let control = text[at];
                at += 1;
                if control == b'\\' && text.get(at) == Some(&b'\\') {
                    at += 1;
                }
                if control == b'?' { 0x7F } else { control.to_ascii_uppercase() & 0x1F }
            }
            other => {
                out.extend_from_slice(&[b'\\', other]);
                continue;
            }
        };
        if byte == 0 {
            return out;
        }
        out.push(byte);
    }
    out
}

/// Reads at most `most` digits. Returns their value, wrapped, and how many there were.
fn number(text: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let mut value = 0_u32;
    let mut used = 0;
    for byte in text.iter().take(most) {
        let Some(digit) = char::from(*byte).to_digit(radix) else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        used += 1;
    }
    (value, used)
}

/// Writes a code point as UTF-8; one that is none (a surrogate) in the same way, so that it is seen not to be UTF-8.
fn push_code_point(out: &mut Vec<u8>, value: u32) {
    if let Some(character) = char::from_u32(value) {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        out.push(0xFF);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_as_bash_decodes_them() {
        let rows: [(&str, &[u8]); 16] = [
            (r"a\tb\n", b"a\tb\n"),
            (r"\x41\x4", b"A\x04"),
            (r"\x{42}", b"B"),
            (r"a\x{}b", b"a"),
            (r"a\x{g}b", b"a"),
            (r"\101\60", b"A0"),
            (r"\u00e9", "é".as_bytes()),
            (r"\U0001F600!", "😀!".as_bytes()),
            (r"\cA\c?", b"\x01\x7F"),
            (r"\q\u\x", br"\q\u\x"),
            (r"a\0b", b"a"),
            (r"\'\\", b"'\\"),
            (r"\xff", b"\xff"),
            (r"\ud800", b"\xff"),
            (r"\e\E\a\b\f\r\v", b"\x1b\x1b\x07\x08\x0c\r\x0b"),
            (r"\1234", b"S4"),
        ];
        for (text, bytes) in rows {
            assert_eq!(decode(text.as_bytes()), bytes, "{text}");
        }
    }
}
