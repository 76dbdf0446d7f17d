//! Patches of `apply_patch`. Codex applies those that stand on a shell's line itself, and no shell sees them: to the files that they
//! name, wherever these are.

use super::Found;
use crate::model::{Arg, EffectKind, patched_file};

/// The lines of the format that name no file.
const OTHERS: [&str; 3] = ["*** Begin Patch", "*** End Patch", "*** End of File"];

/// Reads a patch; none if it names no file, or has a head that is not known.
pub(super) fn read(patch: &str) -> Option<Found> {
    let mut found = Found::default();
    let mut updated = None;
    for line in patch.lines() {
        let file = patched_file(line);
        if file.is_none() && line.trim_start().starts_with("***") && !OTHERS.contains(&line.trim())
        {
            return None;
        }
        let Some((kind, path)) = file else { continue };
        let mut push = |kind, path: &str| {
            let effect = (kind, Some(Arg::Known(path.to_owned())));
            if !found.effects.contains(&effect) {
                found.effects.push(effect);
            }
        };
        if kind == EffectKind::Move {
            push(EffectKind::Write, path);
            // What it was made of goes away.
            push(EffectKind::Move, updated?);
        } else {
            push(kind, path);
        }
        updated = Some(path);
    }
    (!found.effects.is_empty()).then_some(found)
}
