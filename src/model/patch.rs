//! The patches that agents write, in the format of `apply_patch`: which files one of them names, and what it does to each.
//! Does not say whether it applies, nor what it puts into them.

use super::effect::EffectKind;

const HEADERS: &[(&str, EffectKind)] = &[
    ("*** Add File:", EffectKind::Write),
    ("*** Update File:", EffectKind::Write),
    ("*** Delete File:", EffectKind::Delete),
    ("*** Move to:", EffectKind::Move),
    ("*** Rename to:", EffectKind::Move),
];

/// Returns what a line of a patch does to which path, if it is the head of a file; of a move, where to. Clients take blanks around it away, and
/// some need none behind the colon.
#[must_use]
pub fn patched_file(line: &str) -> Option<(EffectKind, &str)> {
    let line = bare(line);
    HEADERS.iter().find_map(|(header, kind)| {
        let start = line.get(..header.len())?;
        start.eq_ignore_ascii_case(header).then(|| (*kind, bare(&line[header.len()..])))
    })
}

/// Returns a text without the blanks around it that JavaScript's `trim` takes away: Unicode's, and the byte order mark.
#[must_use]
pub fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}
