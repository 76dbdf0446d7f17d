//! Passwords and tokens in addresses: before the host.

use std::ops::Range;

use super::names;
use super::pairs::name_before;
use super::quoting::{Quote, Text};
use super::{tokens, value};

/// Returns the password of `scheme://user:password@host`, and a user that is a token.
pub(super) fn in_url(
    text: &Text<'_>,
    at: usize,
    found: &mut Vec<Range<usize>>,
) -> Option<Range<usize>> {
    let start = at + "://".len();
    // The part before the host is short; looking no further keeps this linear.
    let end = text.around(at).end.min(start + 512).max(start);
    let rest = &text.as_bytes()[start..end.min(text.len())];
    let is_quote = |at: usize, byte: &u8| {
        matches!(byte, b'"' | b'\'') || byte == &b'`' && text.quote(start + at) != Quote::None
    };
    let is_end = |(at, byte): (usize, &u8)| byte.is_ascii_whitespace() || is_quote(at, byte);
    let whole = rest.iter().enumerate().position(is_end).unwrap_or(rest.len());
    let length = rest[..whole].iter().position(|byte| matches!(byte, b'/' | b'?' | b'#'));
    let mut host = rest[..length.unwrap_or(whole)].iter().rposition(|byte| *byte == b'@');
    let colon = rest[..whole].iter().position(|byte| *byte == b':');
    if let (None, Some(colon), Some(length)) = (host, colon, length)
        && colon < length
        && (colon + 1 == length || !rest[colon + 1..length].iter().all(u8::is_ascii_digit))
    {
        // A password may hold what ends the host.
        host = rest[..whole].iter().rposition(|byte| *byte == b'@');
    }
    let host = host?;
    let colon = colon.filter(|colon| *colon < host);
    let user = start..start + colon.unwrap_or(host);
    let is_token = |user: &str| value::is_long(user) && !tokens::begins(user);
    let scheme = name_before(text, at).text;
    let is_login = || colon.is_none() && names::LOGINS.contains(&scheme);
    // Where it stands alone, or before what says that it is one.
    if is_token(&text[user.clone()]) || is_login() {
        found.push(user.clone());
    }
    let range = start + colon? + 1..start + host;
    let is_word = matches!(&text[range.clone()], "x-oauth-basic" | "x-token-auth");
    if is_word && value::is_at(text, &user) {
        return (!tokens::begins(&text[user.clone()])).then_some(user);
    }
    // `user:password@localhost` of an example.
    let is_name = names::is_name(&text[range.clone()], "");
    (!is_word && !is_name && value::is_at(text, &range)).then_some(range)
}

/// Finds the parts of a path in an address that stand behind the name of a secret: `/token/VALUE`.
pub(super) fn in_path(text: &Text<'_>, at: usize, found: &mut Vec<Range<usize>>) {
    let mut at = at + "://".len();
    let rest = text.behind(at, text.around(at).end.saturating_sub(at).min(512));
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '?' | '#' | ';');
    let path = rest.split(is_end).next().unwrap_or("");
    let mut before = "";
    for part in path.split('/') {
        // Shorter ones are none, and there may be many.
        if part.len() >= SHORTEST {
            in_part(at, (before, part), found);
        }
        at += part.len() + 1;
        before = part;
    }
}

/// Parts of a path that are shorter are no secrets.
const SHORTEST: usize = 6;

/// Finds what of a part of a path is a secret, by the part before it.
fn in_part(at: usize, (before, part): (&str, &str), found: &mut Vec<Range<usize>>) {
    let is_named = before == "t" || names::is_secret(before) || before.ends_with("key");
    if is_named && value::is_alike(part) && !value::is_identifier(part) {
        found.push(at..at + part.len());
    }
    // `/hooks/VALUE`, `/feed/VALUE.rss`, `/private-VALUE/`: whoever knows the address may come in.
    let is_hook = names::HOOKS.iter().any(|one| before.eq_ignore_ascii_case(one));
    let own = part.strip_prefix("private-");
    let given = own.unwrap_or(part);
    let stem = given.split('.').next().unwrap_or(given);
    if (is_hook || own.is_some()) && value::is_bearer(stem) {
        let start = at + part.len() - given.len();
        found.push(start..start + stem.len());
    }
}

/// Returns the password of `user:password@host` without a scheme, `user:password@tcp(host)`.
pub(super) fn in_address(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let before = text.as_bytes()[..at].iter().rev().take(64);
    let is_end = |byte: &&u8| !byte.is_ascii_whitespace() && !b"\"'`=/<>,;|&()@:".contains(byte);
    let length = before.take_while(is_end).count();
    let start = at - length;
    let is_behind =
        start > 0 && text.as_bytes()[start - 1] == b':' && !text[at..].starts_with("@sha");
    let value = text.get(start..at).filter(|_| is_behind)?;
    (value::is_password(value) && !value::is_identifier(value)).then_some(start..at)
}
