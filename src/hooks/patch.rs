//! Which files a patch changes: the format of Codex (`*** Update File: x`), and headers of unified diffs.
//! Does not say whether the patch applies.

use crate::model::{EffectKind, patched_file};

/// Returns what is done to which paths; nothing if it is no patch that is known.
pub(super) fn files(patch: &str) -> Vec<(EffectKind, String)> {
    let mut files = Vec::new();
    for line in patch.lines() {
        let named = patched_file(line).map(|(kind, path)| (kind, path.to_owned()));
        files.extend(named.or_else(|| diffed(line)));
    }
    files.dedup();
    files
}

/// `+++ b/path`, and `--- a/path`, which may be deleted.
fn diffed(line: &str) -> Option<(EffectKind, String)> {
    let path = line.strip_prefix("+++ ").or_else(|| line.strip_prefix("--- "))?;
    // Behind a tab stands the time.
    let path = path.split('\t').next().unwrap_or(path).trim();
    let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
    (path != "/dev/null" && !path.is_empty()).then(|| (EffectKind::Write, path.to_owned()))
}
