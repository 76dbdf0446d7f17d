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
        push(kind, path);
        if line.trim_start().starts_with("*** Move to: ") {
            // What it was made of goes away.
            push(EffectKind::Move, updated?);
        }
        updated = Some(path);
    }
    (!found.effects.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effects(patch: &str) -> Option<Vec<(EffectKind, String)>> {
        let found = read(patch)?;
        let path = |target: Option<Arg>| target.unwrap().known().unwrap().to_owned();
        Some(found.effects.into_iter().map(|(kind, target)| (kind, path(target))).collect())
    }

    #[test]
    fn each_file_that_is_named_counts() {
        let patch = "*** Begin Patch\n*** Add File: a/b c\n+*** Add File: x\n  *** Update File: ../d \n*** Move to: /e\n@@\n-*** Delete File: y\n+z\n*** Delete File: f\n*** End Patch\n";
        let expected = [
            (EffectKind::Write, "a/b c"),
            (EffectKind::Write, "../d"),
            (EffectKind::Write, "/e"),
            (EffectKind::Move, "../d"),
            (EffectKind::Delete, "f"),
        ];
        let expected = expected.map(|(kind, path)| (kind, path.to_owned()));
        assert_eq!(effects(patch).unwrap(), expected);
    }

    #[test]
    fn what_is_no_patch_is_not_read() {
        for patch in [
            "",
            "hello",
            "*** Begin Patch\n*** End Patch",
            "*** Add File: a\n*** Rename: b",
            "*** Move to: a",
        ] {
            assert_eq!(effects(patch), None, "{patch}");
        }
    }
}
