//! Secrets that are known by the name before them: assignments, settings, headers, and the password in a URL.

use std::ops::Range;

use super::{names, tokens, value};

/// Finds them.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let secret = match byte {
            b'=' => assigned(text, at),
            b':' if bytes[at..].starts_with(b"://") => in_url(text, at, found),
            b':' => header(text, at).or_else(|| setting(text, at)),
            b'>' => element(text, at),
            b',' | b'(' => argument(text, at),
            b' ' if bytes[at..].starts_with(b" is ") => said(text, at),
            _ => None,
        };
        // What is masked is not looked through again.
        at = secret.as_ref().map_or(at + 1, |range| range.end.max(at + 1));
        found.extend(secret);
    }
}

/// A name that stands before a place.
struct Name<'a> {
    text: &'a str,
    /// The byte before it, quotes left out.
    before: Option<u8>,
    /// Whether quotes stand around it.
    is_quoted: bool,
}

/// Returns the name that ends at `end`, without the quotes, brackets and blanks that may stand between.
fn name_before(text: &str, end: usize) -> Name<'_> {
    let bytes = &text.as_bytes()[..end];
    let blanks = bytes.iter().rev().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let mut end = end - blanks;
    if bytes[..end].last() == Some(&b']') {
        end -= 1;
    }
    let is_quoted = matches!(bytes[..end].last(), Some(b'"' | b'\''));
    end -= usize::from(is_quoted);
    // `\"name\": \"value\"` within double quotes.
    end -= usize::from(is_quoted && bytes[..end].last() == Some(&b'\\'));
    let holds = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let before = bytes[..end].iter().rev();
    let length = before.take(names::LONGEST + 1).take_while(|byte| holds(byte)).count();
    let mut start = end - length;
    // What is written out stands between lines: `\nname: value`.
    if length > 1
        && start > 0
        && bytes[start - 1] == b'\\'
        && matches!(bytes[start], b'n' | b't' | b'r')
    {
        start += 1;
    }
    Name { text: &text[start..end], before: start.checked_sub(1).map(|at| bytes[at]), is_quoted }
}

/// Whether a value looks like a secret whatever its name: one long word, and no path or name of a file.
fn is_long(value: &str) -> bool {
    value.len() >= 16 && !value.contains(['/', ' ', '.']) && value::is_random(value)
}

/// `NAME=VALUE`: a variable, an option, a parameter of a request; `name = "value"` of settings and code.
fn assigned(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // `NAME+=VALUE`, `NAME:=VALUE`, `NAME == VALUE` and `NAME!=VALUE` in a test.
    let end = if at > 0 && matches!(bytes[at - 1], b'+' | b':' | b'?') { at - 1 } else { at };
    let name = name_before(text, end);
    // `name => value`
    let behind = at + 1 + usize::from(bytes.get(at + 1) == Some(&b'>'));
    let blanks = bytes[behind..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_apart = blanks > 0 || bytes[..end].last().is_some_and(u8::is_ascii_whitespace);
    if is_apart && name.before == Some(b'$') {
        return None;
    }
    let start = if is_apart || behind > at + 1 { behind + blanks } else { behind };
    let bare = name.text.trim_start_matches('-');
    let is_certain = names::is_option(bare);
    if !is_certain && !names::may_be_secret(bare) {
        return None;
    }
    let start = start + usize::from(bytes.get(start..start + 2) == Some(b"\\\""));
    if matches!(bytes.get(start..start + 2), Some(b"(\"" | b"('")) {
        // `auth=("user", "password")`
        let user = value::at(text, start + 1)?;
        let rest = text.get(user.end + 1..)?.trim_start_matches([',', ' ']);
        return value::at(text, text.len() - rest.len());
    }
    let found = value::at(text, start)?;
    // The parameters of a request are not separated as words are.
    let in_request = matches!(name.before, Some(b'?' | b'&'));
    let value = &text[found.clone()];
    let length = if in_request { value.find(['&', '#']) } else { None };
    let found = found.start..length.map_or(found.end, |length| found.start + length);
    let value = text[found.clone()].trim_end_matches('\\');
    let is_alike = is_long(value) && !tokens::begins(value);
    (is_certain || is_alike).then_some(found.start..found.start + value.len())
}

/// `"name": "value"`, and `name: value` at the beginning of a line, of an object, of a quoted text.
fn setting(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // `name::value` is a path of some language.
    if bytes.get(at + 1) == Some(&b':') || at > 0 && bytes[at - 1] == b':' {
        return None;
    }
    let name = name_before(text, at);
    let is_certain = names::is_secret(name.text);
    if !is_certain && !names::may_be_secret(name.text) {
        return said_as(text, at, at + 1);
    }
    let start = at - (at - text[..at].rfind(name.text).unwrap_or(at));
    let line = text[..start].trim_end_matches([' ', '\t', '-']);
    let begins = name.is_quoted
        || line.is_empty()
        || line.ends_with(['\n', '{', ',', '[', '('])
        || name.before == Some(b'\\')
        || line.ends_with("\\n");
    let mut start = at + 1;
    start += bytes[start..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let found = if bytes.get(start..start + 2) == Some(b"\\\"") {
        value::line_at(text, start + 2)
    } else {
        value::setting_at(text, start)
    }?;
    let value = &text[found.clone()];
    let is_alike = is_long(value) && !tokens::begins(value);
    let is_secret =
        if begins { is_certain || is_alike } else { is_certain && value::is_random(value) };
    is_secret.then_some(found)
}

/// `the password is VALUE`, as people say it.
fn said(text: &str, at: usize) -> Option<Range<usize>> {
    said_as(text, at, at + " is ".len())
}

/// What stands at `start`, where the words before `end` name a secret and it looks like one.
fn said_as(text: &str, end: usize, start: usize) -> Option<Range<usize>> {
    let last = name_before(text, end);
    let name = if last.text.eq_ignore_ascii_case("key") || last.text.eq_ignore_ascii_case("code") {
        // `api key`
        let start = end - (end - text[..end].rfind(last.text)?);
        format!("{}_{}", name_before(text, start).text, last.text)
    } else {
        last.text.to_owned()
    };
    if !names::is_secret(&name) {
        return None;
    }
    let blanks = text[start..].len() - text[start..].trim_start_matches([' ', '\t']).len();
    let found = value::setting_at(text, start + blanks)?;
    let value = text[found.clone()].trim_end_matches(['.', ',', ';', '!', '?']);
    value::is_random(value).then_some(found.start..found.start + value.len())
}

/// `define('NAME', 'value')`, `PASSWORD('value')`.
fn argument(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let name = name_before(text, at);
    let begins = name.text.len() + 1;
    let is_first = || {
        let open = at.checked_sub(begins + 2).map(|open| bytes[open]);
        name.is_quoted && bytes[at - 1] != b' ' && open == Some(b'(')
    };
    let counts = if bytes[at] == b'(' { !name.is_quoted } else { is_first() };
    if !counts || !names::is_secret(name.text) {
        return None;
    }
    let blanks = bytes[at + 1..].iter().take_while(|byte| **byte == b' ').count();
    let start = at + 1 + blanks;
    matches!(bytes.get(start), Some(b'"' | b'\'')).then(|| value::at(text, start)).flatten()
}

/// `<name>value</name>`
fn element(text: &str, at: usize) -> Option<Range<usize>> {
    let name = name_before(text, at);
    if name.before != Some(b'<') || !names::is_secret(name.text) {
        return None;
    }
    let length = text[at + 1..].find(['<', '\n'])?;
    let value = &text[at + 1..at + 1 + length];
    value::is_secret(value).then_some(at + 1..at + 1 + length)
}

/// `Name: value` of a request. The scheme (`Bearer`, `Basic`) is kept.
fn header(text: &str, at: usize) -> Option<Range<usize>> {
    let name = name_before(text, at);
    let is_certain = names::is_header(name.text);
    if name.is_quoted || !is_certain && !names::may_be_header(name.text) {
        return None;
    }
    let rest = &text[at + 1..];
    let mut start = at + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    start += usize::from(start == at + 1 && text[start..].starts_with(['"', '\'']));
    for scheme in [
        "Bearer ",
        "Basic ",
        "Token ",
        "token ",
        "Digest ",
        "ApiKey ",
        "Api-Token ",
        "SSWS ",
        "Key ",
        "Bot ",
        "GenieKey ",
        "Splunk ",
        "Negotiate ",
        "OAuth ",
        "Discogs token=",
        "AWS4-HMAC-SHA256 ",
    ] {
        let given = text.get(start..start + scheme.len());
        if given.is_some_and(|given| given.eq_ignore_ascii_case(scheme)) {
            start += scheme.len();
            break;
        }
    }
    // A bare word ends with the word: `-H X-Key:value https://…`.
    let is_bare = start == at + 1 && !matches!(name.before, Some(b'"' | b'\'' | b'\n') | None);
    let found = if is_bare { value::at(text, start) } else { value::line_at(text, start) }?;
    (is_certain || value::is_random(&text[found.clone()])).then_some(found)
}

/// The password of `scheme://user:password@host`, and a user that is a token.
fn in_url(text: &str, at: usize, found: &mut Vec<Range<usize>>) -> Option<Range<usize>> {
    let start = at + "://".len();
    // The part before the host is short; looking no further keeps this linear.
    let end = text.len().min(start + 1024);
    let rest = &text.as_bytes()[start..end];
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'');
    let whole = rest.iter().position(is_end).unwrap_or(rest.len());
    let length = rest[..whole].iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let mut host = rest[..length.unwrap_or(whole)].iter().rposition(|byte| *byte == b'@');
    let colon = rest[..whole].iter().position(|byte| *byte == b':');
    if let (None, Some(colon), Some(length)) = (host, colon, length)
        && colon < length
        && !rest[colon + 1..length].iter().all(u8::is_ascii_digit)
    {
        // A password may hold what ends the host.
        host = rest[..whole].iter().rposition(|byte| *byte == b'@');
    }
    let host = host?;
    let colon = colon.filter(|colon| *colon < host);
    let user = start..start + colon.unwrap_or(host);
    let is_token = |user: &str| is_long(user) && !tokens::begins(user);
    // Where it stands alone, or before what says that it is one.
    if is_token(&text[user.clone()]) {
        found.push(user);
    }
    let range = start + colon? + 1..start + host;
    let is_word = matches!(&text[range.clone()], "x-oauth-basic" | "x-token-auth");
    (!is_word && value::is_secret(&text[range.clone()])).then_some(range)
}
