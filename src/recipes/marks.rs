//! What stands in a value for what is only known when a task runs, and such a value as text for the shell.

use super::UNREAD;

/// Stands in a value for text that is not known. No file that is read has these letters.
pub const UNKNOWN: char = '\u{f8f0}';
/// Around text of a value that is the output of a shell command.
pub const SHELL: [char; 2] = ['\u{f8f1}', '\u{f8f2}'];
/// Around the name of a variable to which the line gives a value that is not known.
const GIVEN: char = '\u{f8f3}';
/// All that may stand in a value for text that is not known.
pub const MARKS: [char; 4] = [UNKNOWN, SHELL[0], SHELL[1], GIVEN];

/// Returns what stands for the value that the line gives to a variable, where that is not known.
pub fn given(name: &str) -> String {
    format!("{GIVEN}{name}{GIVEN}")
}

/// Returns what stands for what is made of a value of which something is not known.
pub fn made_of(value: &str) -> String {
    let mut parts = value.split(GIVEN);
    parts.nth(1).filter(|_| parts.next().is_some()).map_or_else(|| UNKNOWN.to_string(), given)
}

/// Returns whether something of a value is only known when make runs.
pub fn is_open(value: &str) -> bool {
    value.contains(MARKS)
}

/// The longest text that is written out.
pub const LONGEST: usize = 64 << 10;

/// Writes out what stands between `{{` and `}}`: what `value` says of it, else the mark for what is not known.
pub fn filled<T: AsRef<str>>(text: &str, value: impl Fn(&str) -> Option<T>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((inner, after)) = behind.split_once("}}") else {
            out.push(UNKNOWN);
            return out;
        };
        let value = value(inner.trim());
        match value.as_ref().map(T::as_ref) {
            Some(value) if out.len() + value.len() <= LONGEST => out.push_str(value),
            _ => out.push(UNKNOWN),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Writes a value as text for the shell: what is not known becomes a variable of which nothing is known, and what the line gives the
/// variable that it gives.
pub fn shell_text(value: &str) -> String {
    if !is_open(value) {
        return value.to_owned();
    }
    let mut out = String::with_capacity(value.len() + 16);
    let (mut quote, mut is_escaped, mut depth) = (None, false, 0_usize);
    let mut in_name = false;
    for c in value.chars() {
        if c == GIVEN {
            in_name = !in_name;
            let is_single = quote == Some('\'') && depth == 0;
            out.push_str(match (in_name, is_single) {
                (true, true) => "'\"${",
                (true, false) => "${",
                (false, true) => "}\"'",
                (false, false) => "}",
            });
        } else if c == UNKNOWN || c == SHELL[0] || c == SHELL[1] {
            let is_single = quote == Some('\'');
            if is_single && c != SHELL[1] && depth == 0 {
                out.push_str("'\"");
            }
            match c {
                UNKNOWN => {
                    out.push_str("${");
                    out.push_str(UNREAD);
                    out.push('}');
                }
                _ if c == SHELL[0] => {
                    out.push_str("$(");
                    depth += 1;
                }
                _ => {
                    out.push(')');
                    depth = depth.saturating_sub(1);
                }
            }
            if is_single && c != SHELL[0] && depth == 0 {
                out.push_str("\"'");
            }
        }
        if MARKS.contains(&c) {
            continue;
        }
        out.push(c);
        if depth > 0 {
            continue;
        }
        match (c, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', None | Some('"')) => is_escaped = true,
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    out
}
