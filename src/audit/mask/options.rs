//! Secrets that are known by the option before them: `--password VALUE` of any program, and what `rules/secrets.toml` says of some.

use std::ops::Range;

use super::input;
use super::words::{Word, Words, in_command};
use super::{names, value};

/// Where a program takes a secret.
struct Row {
    /// The subcommand for which it holds, if not for all.
    subcommand: Option<&'static str>,
    takes: Takes,
}

enum Takes {
    /// The rest of the word that begins with this option.
    Attached(&'static str),
    /// The rest of the word that begins with this option, or the next word.
    Option(&'static str, Piece),
    /// The word of this number that is no option, perhaps only where an option is given.
    Operand(u8, Option<&'static str>, Piece),
    /// The value of each `NAME=VALUE`.
    Pairs,
    /// What stands behind this word.
    Behind(&'static str),
    /// The rest of a word that begins so.
    Begins(&'static str),
    /// What comes on standard input, perhaps only where an option is given.
    Input(Option<&'static str>, Piece),
}

/// Which piece of a word it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    All,
    /// Behind a colon, percent sign or comma: `user:password`.
    Password,
    /// Between a slash and an at sign: `user/password@database`.
    Slash,
    /// Behind an equals sign.
    Value,
}

// `ROWS` and `PROGRAMS`: what `rules/secrets.toml` says of programs.
mod takers {
    use super::{Piece, Row, Takes};
    include!(concat!(env!("OUT_DIR"), "/takers.rs"));
}
use takers::{PROGRAMS, ROWS};

/// Rows of one command that are kept at most: a command that names every program is none.
const MOST: usize = 96;

/// A row whose program was named in the command.
struct Named {
    row: &'static Row,
    /// Whether its subcommand was named, too.
    is_ready: bool,
}

/// Finds them.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let mut rows: Vec<Named> = Vec::new();
    for word in Words::new(text) {
        let Word::Text(range) = word else {
            rows.clear();
            continue;
        };
        let word = &text[range.clone()];
        for named in rows.iter_mut().filter(|named| !named.is_ready) {
            if named.row.subcommand == Some(word) {
                named.is_ready = true;
                begins(text, &range, named.row, found);
            }
        }
        if word.starts_with(['-', '/'])
            && let Some(secret) = long(text, &range).or_else(|| short(text, &range, &rows))
        {
            found.push(secret);
            continue;
        }
        if word.starts_with('-') {
            continue;
        }
        found.extend(behind(text, &range, &rows));
        let name = word.rsplit('/').next().unwrap_or(word);
        let Ok(at) = PROGRAMS.binary_search_by_key(&name, |(name, _)| name) else { continue };
        for number in PROGRAMS[at].1 {
            let row = &ROWS[usize::from(*number)];
            let is_ready = row.subcommand.is_none();
            if is_ready {
                begins(text, &range, row, found);
            }
            if rows.len() < MOST {
                rows.push(Named { row, is_ready });
            }
        }
    }
}

/// Finds what the words behind a program, or behind its subcommand, hold by their places.
fn begins(text: &str, word: &Range<usize>, row: &Row, found: &mut Vec<Range<usize>>) {
    let has = |option: &str| in_command(text, word.end).any(|word| is_option(&text[word], option));
    let operands =
        || in_command(text, word.end).filter(|word| !text[word.clone()].starts_with('-'));
    match row.takes {
        Takes::Operand(number, option, piece) if option.is_none_or(has) => {
            let operand = operands().nth(usize::from(number) - 1);
            found.extend(operand.and_then(|operand| piece.of(text, value::inside(text, operand))));
        }
        Takes::Pairs => {
            let values = operands().filter_map(|word| Piece::Value.of(text, word));
            found.extend(values.map(|word| value::inside(text, word)));
        }
        Takes::Input(option, piece) if option.is_none_or(has) => {
            input::find(text, word, piece, found);
        }
        _ => {}
    }
}

/// Whether a word is this option: by its name, or as one letter among others.
fn is_option(word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let letters = |option: &str| option.len() == 2 && !word.starts_with("--");
    name == option || letters(option) && word.starts_with('-') && word[1..].contains(&option[1..])
}

/// `--name VALUE`; with a `=` it is a pair.
fn long(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let option = &text[word.clone()];
    // Some programs have long names with one dash.
    let name = option.strip_prefix("--").or_else(|| option.strip_prefix('-'))?;
    // A signature is given in a file.
    if name.len() < 3 || name.contains('=') || !names::is_option(name) || name == "signature" {
        return None;
    }
    next(text, word.end)
}

fn short(text: &str, word: &Range<usize>, rows: &[Named]) -> Option<Range<usize>> {
    let given = &text[word.clone()];
    rows.iter().filter(|named| named.is_ready).find_map(|named| {
        let (option, piece, is_attached) = match named.row.takes {
            Takes::Attached(option) => (option, Piece::All, true),
            Takes::Option(option, piece) => (option, piece, false),
            Takes::Begins(start) => (start, Piece::All, true),
            Takes::Behind(option) if option == given => return next(text, word.end),
            Takes::Operand(..) | Takes::Pairs | Takes::Behind(_) | Takes::Input(..) => return None,
        };
        if !given.starts_with(option) {
            return None;
        }
        let end = word.start + option.len();
        // An option of several letters has its value attached behind a `=` alone; else it is another option.
        let is_long = option.len() > 2 && !is_attached;
        let secret = match (end < word.end, is_attached) {
            // `-p"$VAR"` and `-p'secret'`: a quote ends the word here.
            (false, true) => match text.as_bytes().get(end) {
                Some(b'"' | b'\'') => value::at(text, end),
                _ => None,
            },
            (true, _) if is_long && !given[option.len()..].starts_with('=') => None,
            (true, _) if is_long => value::at(text, end + 1),
            (true, _) => value::at(text, end),
            (false, false) => next(text, word.end),
        }?;
        piece.of(text, secret)
    })
}

/// What a word stands for, or what stands behind it: `pass:VALUE`, `auth VALUE`, `Bearer VALUE`, `IDENTIFIED BY 'VALUE'`.
fn behind(text: &str, word: &Range<usize>, rows: &[Named]) -> Option<Range<usize>> {
    let given = &text[word.clone()];
    for named in rows.iter().filter(|named| named.is_ready) {
        match named.row.takes {
            Takes::Begins(start) if given.starts_with(start) => {
                let rest = word.start + start.len();
                return value::at(text, rest);
            }
            Takes::Behind(before) if given.eq_ignore_ascii_case(before) => {
                return next(text, word.end);
            }
            _ => {}
        }
    }
    let is = |one: &str| given.eq_ignore_ascii_case(one);
    if is("bearer") {
        let secret = next(text, word.end)?;
        return (secret.len() >= 12 && value::is_random(&text[secret.clone()])).then_some(secret);
    }
    // SQL and settings: `IDENTIFIED BY 'x'`, `PASSWORD 'x'`, `requirepass x`; and netrc's `login me password x`.
    let secret = || next(text, word.end);
    let is_quoted =
        || secret().is_some_and(|s| matches!(text.as_bytes()[s.start - 1], b'"' | b'\''));
    // Looking no further back keeps the search linear.
    let near =
        (word.start.saturating_sub(256)..=word.start).find(|at| text.is_char_boundary(*at))?;
    let before = text[near..word.start].trim_end();
    let ends_with = |word: &str| {
        let start = before.len().checked_sub(word.len());
        start
            .and_then(|start| before.get(start..))
            .is_some_and(|end| end.eq_ignore_ascii_case(word))
    };
    if is("by") && ends_with("identified") || is("requirepass") || is("masterauth") {
        return secret();
    }
    if is("send") && before.to_ascii_lowercase().contains("assword") {
        return secret();
    }
    let first = given.split('.').next().unwrap_or(given);
    if (names::is_secret(given) || names::is_secret(first)) && !given.starts_with("set-") {
        // `config set NAME VALUE`.
        let two = before.rsplit([' ', '\t', '\'', '"']).take(2);
        let sets = two.clone().any(|word| matches!(word, "set" | "config" | "add" | "--add"));
        let is_netrc = || {
            let two = before.rsplit([' ', '\t', '\n']).filter(|word| !word.is_empty()).nth(1);
            let is_login =
                matches!(two, Some("login" | "user" | "username" | "account" | "machine"));
            is_login && secret().is_some_and(|secret| value::is_random(&text[secret]))
        };
        // `password S3cret`, as people write it.
        let is_password = || {
            let is_one = ["password", "passwd", "passphrase", "pw"].into_iter().any(is);
            is_one && secret().is_some_and(|secret| value::is_mixed(&text[secret]))
        };
        if sets || is_password() || is_quoted() && !given.starts_with('$') || is_netrc() {
            return secret();
        }
    }
    None
}

/// The next word, if it is a value and not another option.
fn next(text: &str, end: usize) -> Option<Range<usize>> {
    // The quote that ends a quoted name, and a line that goes on.
    let rest = text[end..].strip_prefix(['"', '\'']).unwrap_or(&text[end..]);
    let value = rest.trim_start_matches([' ', '\t']);
    let value = value.strip_prefix("\\\n").unwrap_or(value).trim_start_matches([' ', '\t']);
    let start = text.len() - value.len();
    let is_value = value.len() < rest.len() && !value.starts_with('-');
    if is_value { value::at(text, start) } else { None }
}

impl Piece {
    /// Returns the piece of a word that is a secret.
    pub(super) fn of(self, text: &str, word: Range<usize>) -> Option<Range<usize>> {
        let given = &text[word.clone()];
        let at = match self {
            Self::All => Some(0),
            Self::Value => given.find('=').map(|at| at + 1),
            Self::Password => given.find([':', '%', ',']).map(|at| at + 1),
            Self::Slash => given.find('/').map(|at| at + 1),
        };
        let mut secret = word.start + at?..word.end;
        if self == Self::Slash
            && let Some(at) = text[secret.clone()].find('@')
        {
            secret.end = secret.start + at;
        }
        value::is_secret(&text[secret.clone()]).then_some(secret)
    }
}
