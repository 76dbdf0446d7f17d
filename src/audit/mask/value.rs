//! How far a value reaches in shell text, and whether it is a secret at all.

use std::ops::Range;

/// Words that are no secret wherever they stand.
const PLAIN: [&str; 12] =
    ["true", "false", "yes", "no", "null", "none", "nil", "0", "1", "stdin", "***", "[masked]"];

/// Directories at the root: what begins with one is a path, and not base64.
const PLACES: [&str; 17] = [
    "dev",
    "etc",
    "home",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
    "Users",
    "private",
    "app",
    "workspace",
];

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

/// Returns the value of a setting: within its quotes, or up to a blank or a quote.
pub(super) fn setting_at(text: &str, start: usize) -> Option<Range<usize>> {
    let quoted = text[start..].starts_with(['"', '\'']);
    if quoted || refers(&text[start..]) {
        return at(text, start);
    }
    let end = |c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '`');
    let value = &text[start..start + text[start..].find(end).unwrap_or(text.len() - start)];
    // A line that ends where it is written out.
    let value = ["\\n", "\\r", "\\t"]
        .iter()
        .fold(value, |value, end| value.split(end).next().unwrap_or(value));
    let value = value.trim_end_matches([',', ';', '}', ']', ')', '\\']);
    is_secret(value).then_some(start..start + value.len())
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

/// Returns a word without the quotes around it.
pub(super) fn inside(text: &str, word: Range<usize>) -> Range<usize> {
    let given = text[word.clone()].as_bytes();
    match given {
        [first @ (b'"' | b'\''), .., last] if first == last => word.start + 1..word.end - 1,
        [b'$', b'\'', .., b'\''] if given.len() > 2 => word.start + 2..word.end - 1,
        _ => word,
    }
}

/// Returns whether a value has what words do not have, and is long enough: a digit among letters, letters in both cases, or signs.
pub(super) fn is_random(value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    let letters = has(char::is_ascii_alphabetic);
    let digits = has(char::is_ascii_digit);
    // The first letter is a capital in any language.
    let mixed =
        value.chars().skip(1).any(|c| c.is_ascii_uppercase()) && has(char::is_ascii_lowercase);
    let signs = has(|c| matches!(c, '!' | '#' | '$' | '%' | '^' | '&' | '*' | '+' | '='));
    is_secret(value) && value.len() >= 6 && letters && (digits || mixed || signs)
}

/// Returns whether a value has characters of three kinds, and is no name of a file.
pub(super) fn is_mixed(value: &str) -> bool {
    let kinds: [fn(char) -> bool; 4] = [
        |c| c.is_ascii_lowercase(),
        |c| c.is_ascii_uppercase(),
        |c| c.is_ascii_digit(),
        |c| matches!(c, '!' | '#' | '$' | '%' | '^' | '&' | '*' | '+' | '=' | '?' | '@'),
    ];
    let count = kinds.into_iter().filter(|is| value.contains(*is)).count();
    count >= 3 && value.len() >= 8 && !value.contains(['.', '/']) && is_secret(value)
}

/// Returns whether a value says where the secret is: a variable, a command, a file, a placeholder.
fn refers(value: &str) -> bool {
    let is_json = value.starts_with("{\"") || value.starts_with("{\\\"");
    value.starts_with(['$', '`', '<', '{', '%', '@', '(']) && !is_json
        || value.strip_prefix('/').is_some_and(|path| {
            let top = path.split('/').next().unwrap_or(path);
            path.len() > top.len() && PLACES.contains(&top)
        })
        || ["./", "../", "~/"].iter().any(|start| value.starts_with(start))
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
