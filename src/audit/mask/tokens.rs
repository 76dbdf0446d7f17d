//! Secrets that are known by their own form: tokens with a prefix, web tokens, blocks of private keys.

use std::ops::Range;

/// A form of tokens: how it begins, which is kept, and what follows.
struct Form {
    prefix: &'static str,
    parts: &'static [Part],
}

enum Part {
    /// This text.
    Text(&'static str),
    /// So many bytes of a class at least, and at most; 0: any number.
    Run(Class, u16, u16),
}

/// The bytes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Digit,
    Hex,
    Lower,
    Capital,
    Word,
    Dashed,
    Encoded,
    Azure,
    Path,
    Chat,
}

// `FORMS`, `STARTS` and `SHOWN`: what `rules/secrets.toml` says of tokens.
mod forms {
    use super::{Class, Form, Part};
    include!(concat!(env!("OUT_DIR"), "/tokens.rs"));
}
use forms::{FORMS, SHOWN, STARTS};

impl Class {
    const fn holds(self, byte: u8) -> bool {
        match self {
            Self::Digit => byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Lower => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Self::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Word => byte.is_ascii_alphanumeric(),
            Self::Dashed => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Azure => Self::Dashed.holds(byte) || matches!(byte, b'.' | b'~'),
            Self::Encoded => Self::Dashed.holds(byte) || matches!(byte, b'.' | b'=' | b'+' | b'/'),
            Self::Path => {
                Self::Encoded.holds(byte) || matches!(byte, b'%' | b'~' | b':' | b'@' | b',')
            }
            Self::Chat => Self::Path.holds(byte) || matches!(byte, b'?' | b'&'),
        }
    }

    /// Whether it can hold words that people write.
    const fn holds_words(self) -> bool {
        !matches!(self, Self::Digit | Self::Hex | Self::Lower | Self::Capital)
    }
}

/// Bytes of a run in which its least length, and what words do not have, must show. Looking no further keeps the search linear where one
/// prefix follows on the other.
const PROBE: usize = 256;

/// Finds them.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut in_word = false;
    // Before this place no web token begins; see `web_token`.
    let mut no_web_token = 0;
    while let Some(&byte) = bytes.get(at) {
        // A token begins where a word does: `task-force` holds no `sk-`.
        let starts = !in_word || is_behind_escape(bytes, at);
        // `mcp__server__ghp_…`: behind another word, what begins one must be long.
        let goes_on = !starts && bytes[at - 1] == b'_';
        in_word = byte.is_ascii_alphanumeric() || byte == b'_';
        let secret = match &bytes[at..] {
            rest if goes_on => {
                let known = known(rest).filter(|(prefix, _)| *prefix >= 4);
                known.map(|(prefix, length)| at + prefix..at + length)
            }
            _ if !starts => None,
            [b'-', b'-', ..] | [b'P', b'r', ..] => key_block(text, at),
            [b'[', b'0'..=b'9', ..] => key_bytes(bytes, at + 1),
            [b'e', b'y', b'J', ..] if at >= no_web_token => {
                let length = web_token(&bytes[at..]);
                no_web_token = length.err().map_or(0, |length| at + length);
                let token = length.ok().map(|length| at..at + length);
                token.or_else(|| known(&bytes[at..]).map(|(start, end)| at + start..at + end))
            }
            rest => known(rest).map(|(prefix, length)| at + prefix..at + length),
        };
        if let Some(range) = secret {
            at = range.end;
            in_word = false;
            found.push(range);
        } else {
            at += 1;
        }
    }
}

/// Returns whether a text begins with a token, of which the kind stays in the record.
pub(super) fn begins(text: &str) -> bool {
    known(text.as_bytes()).is_some()
}

/// Returns whether a word has the form of the public name of something, which only looks drawn.
pub(super) fn is_shown(word: &str) -> bool {
    let is_whole =
        |form: &Form| form.length(word.as_bytes()).is_some_and(|(_, end)| end == word.len());
    SHOWN.iter().any(is_whole)
}

/// Whether the byte stands behind one that is written out: `\n`, `\t`, `%3D`, `\x3d`. What is written so is no part of the word.
fn is_behind_escape(bytes: &[u8], at: usize) -> bool {
    let hex = |range: std::ops::Range<usize>| bytes[range].iter().all(u8::is_ascii_hexdigit);
    // `-kTOKEN`
    let is_option = at >= 3 && bytes[at - 2] == b'-' && bytes[at - 3] == b' ';
    is_option
        || at >= 2 && bytes[at - 2] == b'\\' && matches!(bytes[at - 1], b'n' | b't' | b'r')
        || at >= 3 && bytes[at - 3] == b'%' && hex(at - 2..at)
        || at >= 4 && bytes[at - 4] == b'\\' && bytes[at - 3] == b'x' && hex(at - 2..at)
}

/// Returns the lengths of the prefix, which is kept, and of the whole token.
fn known(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = usize::from(*bytes.first()?);
    let (loose, start, end) = (STARTS[0], STARTS[first], STARTS[first + 1]);
    let of = |start: u16, end: u16| &FORMS[usize::from(start)..usize::from(end)];
    of(start, end).iter().chain(of(0, loose)).find_map(|form| form.length(bytes))
}

impl Form {
    /// Returns the lengths of the prefix and of the whole, if the bytes begin with a token of this form.
    fn length(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        let body = bytes.strip_prefix(self.prefix.as_bytes())?;
        let (mut at, mut holds_words, mut is_random) = (0, false, false);
        for (number, part) in self.parts.iter().enumerate() {
            let rest = &body[at..];
            let (class, least, most) = match part {
                Part::Text(text) => {
                    rest.strip_prefix(text.as_bytes())?;
                    at += text.len();
                    continue;
                }
                Part::Run(class, least, most) => (*class, usize::from(*least), usize::from(*most)),
            };
            let is_last = number + 1 == self.parts.len();
            let limit = if most > 0 { most } else { PROBE };
            let reach = |bytes: &[u8]| bytes.iter().take_while(|b| class.holds(**b)).count();
            let length = reach(&rest[..rest.len().min(limit)]);
            if length < least {
                return None;
            }
            let run = &rest[..length];
            holds_words |= class.holds_words();
            is_random |= run.iter().any(u8::is_ascii_digit)
                || run.iter().any(u8::is_ascii_lowercase) && run.iter().any(u8::is_ascii_uppercase);
            let goes_on = rest.get(length).is_some_and(|byte| class.holds(*byte));
            if is_last && most > 0 && goes_on {
                return None;
            }
            at += length;
        }
        if holds_words && !is_random {
            return None;
        }
        if let Some(Part::Run(class, _, 0)) = self.parts.last() {
            at += body[at..].iter().take_while(|byte| class.holds(**byte)).count();
        }
        let prefix = self.prefix.len();
        Some((prefix, prefix + at))
    }
}

/// Three parts of base64 with dots between, the first of which is an object (`{"` encoded). Returns its length, or as an error the
/// length up to which no other one can begin either: the first part's, as what follows it would be the same.
fn web_token(bytes: &[u8]) -> Result<usize, usize> {
    let reach = |bytes: &[u8]| {
        let holds = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=');
        bytes.iter().take_while(holds).count()
    };
    let first = reach(bytes);
    let Some([b'.', second @ ..]) = bytes.get(first..) else { return Err(first) };
    let second = reach(second);
    if first < 8 || second < 8 {
        return Err(first);
    }
    let length = first + 1 + second;
    match bytes.get(length..) {
        Some([b'.', third @ ..]) => Ok(length + 1 + reach(third)),
        _ => Ok(length),
    }
}

/// The bytes of a key as a list of numbers, as wallets write it: 32 or 64 of them, in no order.
fn key_bytes(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let mut numbers: Vec<u8> = Vec::new();
    let mut at = start;
    while numbers.len() <= 64 {
        let digits = bytes[at..].iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&bytes[at..at + digits]).ok()?;
        numbers.push(number.parse().ok()?);
        at += digits;
        match &bytes[at..] {
            [b',', b' ' | b'\n', b'0'..=b'9', ..] => at += 2,
            [b',', b'0'..=b'9', ..] => at += 1,
            [b']', ..] => break,
            _ => return None,
        }
    }
    let is_one = matches!(numbers.len(), 32 | 64) && !numbers.is_sorted();
    let (large, count) = (numbers.iter().filter(|number| **number > 127).count(), numbers.len());
    (is_one && large > count / 5).then_some(start..at)
}

/// Where the body of a private key begins: behind its first line, or behind the number of its lines as PuTTY writes it.
fn key_start(text: &str) -> Option<usize> {
    if let Some(rest) = text.strip_prefix("Private-Lines: ") {
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('\r');
        let body = rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\\n"))?;
        return Some(text.len() - body.len());
    }
    let header = text.strip_prefix("-----BEGIN ")?;
    // The header is one short line; looking no further keeps this linear.
    let kind = header.get(..header.find("-----")?).filter(|kind| kind.len() < 64)?;
    let is_private = ["PRIVATE KEY", "Static key", "SEED"].iter().any(|name| kind.contains(name));
    is_private.then_some("-----BEGIN ".len() + kind.len() + "-----".len())
}

/// The body of a private key: what follows its first line as such bodies are written, up to its end line where there is one.
fn key_block(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + key_start(&text[at..])?;
    let rest = &text[start..];
    let mut length = 0;
    let mut is_body = false;
    // Lines of base64, also written out (`\n`), and settings before them. Anything else, as a command, is none.
    for line in rest.split_inclusive(['\n', '\\']) {
        let body = line.trim_end_matches(['\n', '\r', '\\', ' ']);
        let body =
            if length > 0 { body.trim_start_matches(['n', 'r', ' ']) } else { body.trim_start() };
        let is_setting = ["Proc-Type: ", "DEK-Info: ", "Version: ", "Comment: "]
            .iter()
            .any(|name| body.starts_with(name));
        let encoded = body.bytes().take_while(|byte| is_encoded(*byte)).count();
        let is_end =
            body[encoded..].starts_with("-----END") || body[encoded..].starts_with("------END");
        let is_whole = encoded == 0 || encoded >= 16 || line.ends_with('\\');
        if is_setting || encoded == body.len() && is_whole {
            is_body |= encoded >= 16;
            length += line.len();
            continue;
        }
        // The last line is shorter.
        let whole = line.find(body).unwrap_or(0) + encoded;
        let behind = rest[length..].get(whole..).unwrap_or("");
        // Another field, as `Private-MAC: …`.
        if !is_end && behind.starts_with(['-', ':']) {
            length = rest[..length].trim_end_matches(['\n', '\r', '\\']).len();
            break;
        }
        let is_last =
            is_end || behind.is_empty() || behind.starts_with(['"', '\'', '\\']) || is_body;
        if is_last && (is_body || length == 0 || is_end) {
            length += whole.min(line.len());
        }
        break;
    }
    let body = rest.get(..length)?;
    (!body.trim().is_empty()).then_some(start..start + length)
}

const fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Returns a made-up token of each form: what stands before its first run, and the rest.
#[cfg(test)]
pub(super) fn samples() -> Vec<(&'static str, String)> {
    let run = |class: Class, least: u16| -> String {
        // A digit first, and letters of both cases where the class has them.
        let letters = b"0aZ1bY2cX3dW4eV5fU".iter().filter(|byte| class.holds(**byte));
        letters.cycle().take(usize::from(least)).map(|b| char::from(*b)).collect()
    };
    let part = |part: &Part| match part {
        Part::Text(text) => (*text).to_owned(),
        Part::Run(class, least, _) => run(*class, *least),
    };
    FORMS.iter().map(|form| (form.prefix, form.parts.iter().map(part).collect())).collect()
}
