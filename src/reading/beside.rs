//! The names that a command prints, with text beside them in one word: `"$f.bak"`, `"old-$f"`.
//! Whether `ls` or `find` printed them is not told any more: `./**` stands for `a` and for `./a`.

use super::field::{Emptiness, is_listed};
use crate::model::NAMES;

/// Returns a pattern for what was printed with text before and behind it; none if no pattern fits all that it may be.
pub(super) fn beside(
    before: &str,
    pattern: &str,
    behind: &str,
    emptiness: Emptiness,
) -> Option<String> {
    if before.is_empty() && behind.is_empty() {
        return Some(pattern.to_owned());
    }
    // What is above a name that is not known is not known.
    let goes_up = |part: &str| part == "..";
    if behind.split('/').skip(usize::from(!behind.starts_with('/'))).any(goes_up) {
        return None;
    }
    let last = before.rsplit(['/', '=']).next().unwrap_or_default();
    if last.is_empty() {
        // `NAME=` stands before a path, and so does a slash.
        return match emptiness {
            Emptiness::Perhaps if before.ends_with('/') => Some(format!("{before}**")),
            _ => Some(format!("{before}{}", followed(pattern, behind, emptiness)?)),
        };
    }
    // `.` in front of `./a` leads out of the directory.
    if last.bytes().all(|byte| byte == b'.') {
        return None;
    }
    let is_own = |start: &str| pattern.starts_with(start);
    if emptiness == Emptiness::Perhaps || is_own("./") || is_own("**") {
        return Some(format!("{before}*/**"));
    }
    Some(format!("{before}{}", followed(pattern, behind, emptiness)?))
}

/// What was printed with text behind it.
fn followed(pattern: &str, behind: &str, emptiness: Emptiness) -> Option<String> {
    if behind.is_empty() {
        return Some(pattern.to_owned());
    }
    let is_sure = emptiness == Emptiness::Never;
    if is_sure && pattern == NAMES && !behind.contains(['/', ':']) {
        return Some(pattern.to_owned());
    }
    // Of nothing, only what stands behind it is left, which may be another place.
    let is_here = behind.bytes().all(|byte| byte == b'.');
    if !is_sure && (behind.starts_with('/') || is_here || !is_listed(pattern)) {
        return None;
    }
    let Some((start, name)) = pattern.split_once("**") else {
        return Some(format!("{pattern}{behind}"));
    };
    let is_named = is_sure && !matches!(name, "" | "/[!.]*" | "/?*" | "/?**");
    if is_named || (behind.starts_with('/') && matches!(start, "" | "./" | "/")) {
        return Some(format!("{pattern}{behind}"));
    }
    match start {
        "" | "./" | "/" => Some(format!("{start}**/*{behind}")),
        // Where the search begins may be a file, and is listed by its own name.
        _ if is_sure && !start.trim_end_matches('/').ends_with('.') => {
            Some(format!("{}*/**", start.trim_end_matches(['/', '*'])))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_beside_names_is_part_of_the_first_and_the_last_component() {
        use Emptiness::{Never, Perhaps};
        for (before, pattern, behind, emptiness, expected) in [
            ("q", "./**/[!.]*", "", Never, Some("q*/**")),
            ("", "./**", ".x", Never, Some("./**/*.x")),
            ("", "./**/[!.]*", ".x", Never, Some("./**/*.x")),
            ("", "./**/*.c", ".x", Never, Some("./**/*.c.x")),
            ("", "d/**", ".x", Never, Some("d*/**")),
            ("", "./**", "/x", Never, Some("./**/x")),
            ("", "./**", "/../x", Never, None),
            ("", "./**", "..x", Never, Some("./**/*..x")),
            ("d/", "./**", "", Never, Some("d/./**")),
            ("d/", "./**", "", Perhaps, Some("d/**")),
            ("of=", "./**", "", Never, Some("of=./**")),
            (".", "./**", "", Never, None),
            ("", "./**", "/x", Perhaps, None),
            ("", "./**", ".", Perhaps, None),
            ("q", "/w", "", Perhaps, Some("q*/**")),
            ("", "/w", ".x", Perhaps, None),
            ("", "../**", ".x", Never, None),
            ("q", "/tmp/**", "", Never, Some("q/tmp/**")),
        ] {
            let found = beside(before, pattern, behind, emptiness);
            assert_eq!(found.as_deref(), expected, "{before} {pattern} {behind}");
        }
    }
}
