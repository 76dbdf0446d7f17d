//! Where a value ends that stands without quotes of its own: with the quotes around it, with its line, or before the next name.

use std::ops::Range;

use super::names::RUNNERS;
use super::quoting::{Quote, Text};
use super::value;

/// Bytes before a name or before quotes that are looked at, and bytes of a name. Looking no further keeps the search linear.
const NEAR: usize = 128;

/// Returns how far the value reaches of which this is the first word, and whose name begins at `name`.
pub(super) fn of_value(text: &Text<'_>, first: Range<usize>, name: usize) -> Range<usize> {
    if text.is_command(first.start) {
        // The parameters of a request are not separated as words are.
        let in_request = name > 0 && matches!(text.as_bytes()[name - 1], b'?' | b'&');
        let length = text[first.clone()].find(['&', '#']).filter(|_| in_request);
        return first.start..length.map_or(first.end, |length| first.start + length);
    }
    let rest = text.rest(first.start);
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let place = Place::of(text, name, first.start);
    let line = match place {
        Place::Quoted(close) => &line[..line.len().min(close.saturating_sub(first.start))],
        _ => line,
    };
    let length = length(line, place != Place::Word);
    let value = line[..length].trim_end_matches(['&', ';', ',', '}', ']', ' ', '\t', '\r']);
    let is_words = value.contains([' ', '\t']);
    let is_one = !is_words || !value::is_sentence(value) && is_said(text, first.start, value);
    let value = if is_one { value } else { value.split([' ', '\t']).next().unwrap_or(value) };
    first.start..first.start + value.len()
}

/// What a name and its value are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The first on its line, in its quotes or in a list: blanks may be part of its value.
    First,
    /// The same in quotes that close here.
    Quoted(usize),
    /// A word among others.
    Word,
}

impl Place {
    fn of(text: &Text<'_>, name: usize, value: usize) -> Self {
        if let Some(Quote::Opens(close)) = name.checked_sub(1).map(|at| text.quote(at))
            && name > text.around(name).start
            && close > value
        {
            return Self::Quoted(close);
        }
        let (before, is_all) = text.before_within(name, NEAR);
        let line = before.rsplit('\n').next().unwrap_or(before);
        let is_whole = is_all || line.len() < before.len();
        let is_bare = |line: &str| !line.contains(|c: char| c.is_whitespace() || c == '(');
        let line = ["export ", "- ", "ENV ", "set "]
            .iter()
            .fold(line.trim_start(), |line, word| line.strip_prefix(word).unwrap_or(line));
        let is_listed = line.ends_with(['&', '?', ',', '{'])
            || line.ends_with([' ', '\t']) && line.trim_end().ends_with([',', '{']);
        if is_whole && is_bare(line) || is_listed { Self::First } else { Self::Word }
    }
}

/// The bytes of a line up to the next name, to a quote, or to what ends a statement; or up to a blank.
fn length(line: &str, holds_blanks: bool) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at + 1..];
        let is_end = match byte {
            b'\\' if matches!(rest.first(), Some(b'n' | b'r' | b't')) => true,
            b'\\' if rest.first().is_some_and(u8::is_ascii) => {
                at += 2;
                continue;
            }
            b'"' | b'\'' | b'`' | b'|' | b')' => true,
            b' ' | b'\t' => !holds_blanks || rest.first() == Some(&b'#') || is_name(rest),
            b',' | b'&' => is_name(rest),
            b';' => rest.first().is_none_or(u8::is_ascii_whitespace) || is_name(rest),
            b'}' => rest.iter().all(|byte| matches!(byte, b'}' | b' ' | b',')),
            _ => false,
        };
        if is_end {
            return at;
        }
        at += 1;
    }
    line.len()
}

/// Whether a name with a sign behind it stands here: `NAME=`, `NAME: `.
fn is_name(rest: &[u8]) -> bool {
    let blanks = rest.iter().take(NEAR).take_while(|byte| **byte == b' ').count();
    let name = &rest[blanks..];
    let holds = |byte: &&u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'[' | b']')
    };
    let length = name.iter().take(NEAR).take_while(holds).count();
    let is_sign = matches!(&name[length..], [b'=', ..] | [b':'] | [b':', b' ', ..]);
    is_sign && name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
}

/// Whether several words are what somebody chose, and not a command behind its variables.
fn is_said(text: &Text<'_>, start: usize, value: &str) -> bool {
    let around = text.around(start);
    let is_option = |word: &str| word.starts_with(['-', '$', '.', '<', '>']) || word.contains('/');
    let is_script = || text[around.clone()].starts_with("#!");
    let is_code = || text.is_quoted(start) && runs(text, around.start);
    !value.split([' ', '\t']).skip(1).any(is_option) && !is_script() && !is_code()
}

/// Whether what is quoted here is code: of a program that runs it.
fn runs(text: &Text<'_>, quote: usize) -> bool {
    let before = text.before(quote, NEAR);
    let command = before.rsplit(['\n', ';', '|', '&', '(']).next().unwrap_or(before);
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    let mut words = command.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\''));
    words.any(|word| RUNNERS.contains(&name(word).as_str()))
}
