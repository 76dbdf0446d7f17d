//! The patches that agents write, in the format of `apply_patch`: which files one of them names, and what it does to each.
//! Does not say whether it applies, nor what it puts into them.

use super::effect::EffectKind;

const HEADERS: &[(&str, EffectKind)] = &[
    ("*** Add File: ", EffectKind::Write),
    ("*** Update File: ", EffectKind::Write),
    ("*** Delete File: ", EffectKind::Delete),
    ("*** Move to: ", EffectKind::Write),
];

/// Returns what a line of a patch does to which path, if it is the head of a file. Codex takes blanks around it away.
#[must_use]
pub fn patched_file(line: &str) -> Option<(EffectKind, &str)> {
    let line = line.trim();
    HEADERS.iter().find_map(|(header, kind)| Some((*kind, line.strip_prefix(header)?.trim())))
}
