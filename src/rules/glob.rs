//! The two kinds of globs in rules. A pattern is interpreted as it is matched, so it costs nothing to load.
//! `*` any text, `?` one character, `[a-z]` one of these, `{a,b}` alternatives, `\` takes the next character as it is.

use std::borrow::Cow;

/// Returns whether `text` as a whole matches `pattern`. Slashes are characters like any other: `*` runs over them.
#[must_use]
pub fn text(pattern: &str, text: &str) -> bool {
    if is_plainly_apart(pattern, text, b"/\x1f") {
        return false;
    }
    // The matcher stops `*` at slashes, so both sides write them as a character that no word is likely to hold;
    // where it does, the two are one, and that only for slashes.
    fast_glob::glob_match(plain(pattern).as_ref(), unslashed(text).as_ref())
}

/// Returns whether the absolute path `path` matches `pattern`, in which a leading `~` is `home` and `*` stops at a slash
/// (`**` does not). Without a known home a pattern with `~` matches nothing.
#[must_use]
pub fn path(pattern: &str, path: &str, home: Option<&str>) -> bool {
    let Some(below) =
        pattern.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))
    else {
        return !is_plainly_apart(pattern, path, b"")
            && fast_glob::glob_match(literal_start(pattern).as_ref(), path);
    };
    let Some(rest) = home.and_then(|home| path.strip_prefix(home.trim_end_matches('/'))) else {
        return false;
    };
    if below.is_empty() {
        return rest.is_empty() || rest == "/";
    }
    rest.starts_with('/')
        && !is_plainly_apart(below, rest, b"")
        && fast_glob::glob_match(below, rest)
}

/// Returns the pattern that matches this text alone.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if "*?[]{}\\,!".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// Says what is wrong with a pattern, if anything is.
pub fn check(pattern: &str) -> Result<(), fast_glob::Error> {
    fast_glob::validate(literal_start(pattern).as_ref())
}

/// Whether what a pattern writes out at its beginning or end shows that it does not match: spares most of many texts the
/// whole comparison. `alike` are characters that may stand for each other.
fn is_plainly_apart(pattern: &str, text: &str, alike: &[u8]) -> bool {
    let is_written_out = |byte: u8| {
        !matches!(byte, b'*' | b'?' | b'[' | b']' | b'{' | b'}' | b',' | b'!' | b'\\')
            && !alike.contains(&byte)
    };
    let differs = |(one, other): (u8, u8)| one != other;
    let head = pattern.bytes().zip(text.bytes());
    let tail = pattern.bytes().rev().zip(text.bytes().rev());
    head.take_while(|(byte, _)| is_written_out(*byte)).any(differs)
        || tail.take_while(|(byte, _)| is_written_out(*byte)).any(differs)
}

fn plain(pattern: &str) -> Cow<'_, str> {
    match unslashed(pattern) {
        Cow::Borrowed(same) => literal_start(same),
        Cow::Owned(owned) => Cow::Owned(literal_start(&owned).into_owned()),
    }
}

fn unslashed(text: &str) -> Cow<'_, str> {
    if text.contains('/') { Cow::Owned(text.replace('/', "\u{1f}")) } else { Cow::Borrowed(text) }
}

/// A leading `!` would turn the whole pattern round; in rules it is a character.
fn literal_start(pattern: &str) -> Cow<'_, str> {
    if pattern.starts_with('!') {
        Cow::Owned(format!("\\{pattern}"))
    } else {
        Cow::Borrowed(pattern)
    }
}
