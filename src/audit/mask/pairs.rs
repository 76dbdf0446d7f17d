//! Secrets that are known by the name before them: assignments, settings, headers, and the password in a URL.

use std::ops::Range;

use super::{names, value};

/// Finds them.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let secret = match byte {
            b'=' => assigned(text, at),
            b':' if bytes[at..].starts_with(b"://") => in_url(text, at),
            b':' => header(text, at).or_else(|| setting(text, at)),
            _ => None,
        };
        // What is masked is not looked through again.
        at = secret.as_ref().map_or(at + 1, |range| range.end.max(at + 1));
        found.extend(secret);
    }
}

/// `NAME=VALUE`: a variable, an option, a parameter of a request.
fn assigned(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // `NAME+=VALUE`, `NAME:=VALUE`, `NAME == VALUE` and `NAME!=VALUE` in a test.
    let end = if at > 0 && matches!(bytes[at - 1], b'+' | b':' | b'?') { at - 1 } else { at };
    let name = name_before(text, end);
    if !names::is_option(name.trim_start_matches('-')) {
        return None;
    }
    let found = value::at(text, at + 1)?;
    // The parameters of a request are not separated as words are.
    let in_request =
        bytes[..end - name.len()].last().is_some_and(|byte| matches!(byte, b'?' | b'&'));
    let length = if in_request { text[found.clone()].find(['&', '#']) } else { None };
    Some(found.start..length.map_or(found.end, |length| found.start + length))
}

/// `"name": "value"`, and `name: value` at the beginning of a line.
fn setting(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let quoted = at > 0 && matches!(bytes[at - 1], b'"' | b'\'');
    // `\"name\": \"value\"` within double quotes.
    let escaped = quoted && at > 1 && bytes[at - 2] == b'\\';
    let name = name_before(text, at - usize::from(quoted) - usize::from(escaped));
    if !names::is_secret(name) {
        return None;
    }
    let before = at - usize::from(quoted) - usize::from(escaped) - name.len();
    let line_start = text[..before].trim_end_matches([' ', '\t', '-']);
    if !(quoted || line_start.is_empty() || line_start.ends_with('\n')) {
        return None;
    }
    let mut start = at + 1;
    start += bytes[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if bytes.get(start..start + 2) == Some(b"\\\"") {
        return value::line_at(text, start + 2);
    }
    value::at(text, start)
}

/// `Name: value` of a request. The scheme (`Bearer`, `Basic`) is kept.
fn header(text: &str, at: usize) -> Option<Range<usize>> {
    if !names::is_header(name_before(text, at)) {
        return None;
    }
    let rest = &text[at + 1..];
    let start = at + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    for scheme in ["Bearer ", "Basic ", "Token ", "Digest ", "ApiKey ", "AWS4-HMAC-SHA256 "] {
        let given = text.get(start..start + scheme.len());
        if given.is_some_and(|given| given.eq_ignore_ascii_case(scheme)) {
            return value::line_at(text, start + scheme.len());
        }
    }
    value::line_at(text, start)
}

/// The password of `scheme://user:password@host`.
fn in_url(text: &str, at: usize) -> Option<Range<usize>> {
    let start = at + "://".len();
    // The part before the host is short; looking no further keeps this linear.
    let end = text.len().min(start + 1024);
    let authority = &text.as_bytes()[start..end];
    let ends =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'' | b'?' | b'#');
    let length = authority.iter().position(ends).unwrap_or(authority.len());
    let host = authority[..length].iter().rposition(|byte| *byte == b'@')?;
    let colon = authority[..host].iter().position(|byte| *byte == b':')?;
    let range = start + colon + 1..start + host;
    value::is_secret(&text[range.clone()]).then_some(range)
}

/// Returns the name that ends at `end`.
fn name_before(text: &str, end: usize) -> &str {
    let holds = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let before = text.as_bytes()[..end].iter().rev();
    let length = before.take(names::LONGEST + 1).take_while(|byte| holds(byte)).count();
    &text[end - length..end]
}
