//! Secrets that are handed on: a variable or a substitution stands where a secret is expected, and the line itself says what it holds.

use std::ops::Range;

use super::names::{self, Holds};
use super::options::Piece;
use super::quoting::Text;
use super::words::in_command;
use super::{fields, input, value};

/// References that are followed. Following no more keeps the search linear.
const MOST: usize = 32;

/// Bytes of a word in which references are looked for.
const NEAR: usize = 256;

/// Finds them.
pub(super) fn find(text: &Text<'_>, found: &mut Vec<Range<usize>>) {
    let mut names: Vec<(&str, bool)> = Vec::new();
    let mut number = 0;
    while let Some(start) = text.reference(number).filter(|_| number < MOST) {
        number += 1;
        let is_certain = is_certain(text, start);
        let rest = text.rest(start);
        let end = rest.find([' ', '\n']).unwrap_or(rest.len()).min(NEAR);
        for at in (start..start + end).filter(|at| matches!(text.as_bytes()[*at], b'$' | b'`')) {
            let behind = &text[at + 1..];
            if behind.starts_with('(') || text[at..].starts_with('`') {
                printed(text, at, found);
                continue;
            }
            let name = behind.strip_prefix('{').unwrap_or(behind);
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let name = &name[..name.find(|c| !is_word(c)).unwrap_or(name.len())];
            let is_known = names.contains(&(name, is_certain)) || names.contains(&(name, true));
            if !name.is_empty() && !is_known && names.len() < MOST {
                names.push((name, is_certain));
                defined(text, name, is_certain, found);
            }
        }
    }
}

/// What the substitution prints that begins here: `$(echo value)`.
fn printed(text: &Text<'_>, at: usize, found: &mut Vec<Range<usize>>) {
    let region = text.around(at);
    if region.start == at {
        input::printed(text, at, region.end, Piece::Likely, found);
    }
}

/// Whether what stands here is given to the name of a secret, whatever it looks like: `PASSWORD=$x`, `--password "$x"`.
fn is_certain(text: &Text<'_>, start: usize) -> bool {
    if text.is_certain(start) {
        return true;
    }
    let before = text.before(start, NEAR).trim_end_matches(['"', '\'']);
    let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let last = |before: &str| before.rsplit(is_end).next().map(str::to_owned).unwrap_or_default();
    if let Some(name) = before.strip_suffix('=') {
        return names::is_secret(last(name).trim_start_matches('-'));
    }
    let option = last(before.trim_end_matches(' '));
    option.strip_prefix("--").is_some_and(names::is_option)
}

/// What a variable is given, where it looks like a password, or is certain to be one.
fn defined(text: &Text<'_>, name: &str, is_certain: bool, found: &mut Vec<Range<usize>>) {
    let likely = |word: Range<usize>| Piece::Likely.of(text, value::inside(text, word));
    // Of a list, each word may be something else.
    let given_to = |word: Range<usize>| {
        let inside = value::inside(text, word.clone());
        if is_certain && value::is_at(text, &inside) { Some(inside) } else { likely(word) }
    };
    let is_parameter = name.bytes().all(|byte| byte.is_ascii_digit());
    if is_parameter {
        for (at, set) in text.match_indices("set -- ").take(MOST) {
            found.extend(in_command(text, at + set.len()).filter_map(likely));
        }
        return;
    }
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || "_${-".contains(c));
    for (at, _) in text.match_indices(name).take(MOST) {
        let end = at + name.len();
        let (before, behind) = (&text[..at], &text[end..]);
        if !text.is_command(at) || is_part(before.chars().next_back()) {
            continue;
        }
        if let Some(given) = behind.strip_prefix('=') {
            if given.starts_with('(') {
                fields::list(text, end + 1, Holds::Password, found);
            }
            found.extend(value::at(text, end + 1).and_then(given_to));
        } else if before.ends_with("for ") && behind.starts_with(" in ") {
            found.extend(in_command(text, end + " in ".len()).filter_map(likely));
        } else if before.ends_with("printf -v ") {
            found.extend(in_command(text, end).filter_map(likely));
        } else if before.rsplit([';', '\n', '|', '&']).next().is_some_and(reads) {
            let word = behind.find("<<<").filter(|at| !behind[..*at].contains([';', '\n', '|']));
            let word = word.map(|at| fields::behind(text, end + at + "<<<".len()));
            found.extend(word.and_then(|start| value::at(text, start)).and_then(given_to));
        }
    }
}

/// Whether the words of a command before a name say that it is read.
fn reads(command: &str) -> bool {
    let mut words = command.split(' ').filter(|word| !word.is_empty());
    words.any(|word| matches!(word, "read" | "mapfile" | "readarray"))
}
