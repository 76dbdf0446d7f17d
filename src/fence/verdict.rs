//! Whether it was the fence: what a domain, as it was recorded, says of one path.
//! Runs nothing: a path is followed through its links and compared with what was granted, as the kernel does.

use std::path::Path;

use nix::unistd::AccessFlags;

use super::grants::every;
use crate::model::{Doing, Held, HeldBy};
use crate::paths;

/// How the owner has permitted what the fence refuses.
pub const WAY: &str = "its plan did not say so. Name the path on the line, so that a person can permit it; or the owner names a directory in \
    workspace_roots";

/// How it happens what the container of a line keeps from it.
pub const WAY_OUT: &str = "not all of this line is known, so it runs where it can do no harm. Do this by a line of its own, which says all that it does, so that a \
    person can permit it";

/// Whether it was the fence that something failed at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The domain permits nothing of this kind there.
    Fence,
    /// The domain permits it.
    NotFence,
    /// It depends on what was done there, or on what was there then.
    CannotTell,
}

impl Verdict {
    /// Returns the verdict in words.
    #[must_use]
    pub const fn says(self) -> &'static str {
        match self {
            Self::Fence => "the fence",
            Self::NotFence => "not the fence",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// Returns whether a line that was held so could be refused something at an absolute path.
#[must_use]
pub fn verdict(held: &Held, path: &str) -> Verdict {
    match held.by {
        HeldBy::Domain | HeldBy::Report => {}
        HeldBy::Outer => return Verdict::CannotTell,
        HeldBy::Nothing => return Verdict::NotFence,
    }
    let Some(real) = real(path) else { return Verdict::CannotTell };
    let is_below = |place: &String| {
        let place = self::real(place).unwrap_or_else(|| place.clone());
        paths::is_below(&real, &place)
    };
    if every().any(|device| paths::is_below(&real, device)) {
        return Verdict::NotFence;
    }
    if held.guarded.iter().any(is_below) {
        return Verdict::Fence;
    }
    let is_secret = held.secrets.iter().flatten().any(is_below);
    let is_written = held.writes.as_ref().is_none_or(|writes| writes.iter().any(is_below));
    let added = held.added.iter().filter(|(place, _)| is_below(place)).map(|(_, doing)| *doing);
    let added: Vec<Doing> = added.collect();
    if is_written || added.contains(&Doing::All) {
        return if is_secret && held.writes.is_none() { Verdict::Fence } else { Verdict::NotFence };
    }
    // What the system itself denies is not the fence's, and the domain denies no look at that: access(2).
    let (reads, writes) = (may(&real, AccessFlags::R_OK), may(&real, AccessFlags::W_OK));
    match (is_secret, added.is_empty()) {
        _ if !reads && !writes => Verdict::NotFence,
        (true, _) if reads => Verdict::Fence,
        (false, true) if reads && writes => Verdict::Fence,
        (false, _) if !writes => Verdict::NotFence,
        _ => Verdict::CannotTell,
    }
}

/// Returns whether something is there that the container of a line kept from it.
pub(super) fn hides(held: &Held, path: &str) -> bool {
    let is_domain = held.by == HeldBy::Domain;
    let secrets = held.secrets.iter().flatten();
    let is_there = |real: &String| Path::new(real).symlink_metadata().is_ok();
    let real = real(path).filter(|real| is_domain && is_there(real));
    real.is_some_and(|real| secrets.into_iter().any(|place| paths::is_below(&real, place)))
}

/// Whether the system permits something at a path; of what is not there, in the directory that it would be in.
fn may(path: &str, access: AccessFlags) -> bool {
    let path = Path::new(path);
    let place = if path.exists() { path } else { path.parent().unwrap_or(path) };
    nix::unistd::access(place, access).is_ok()
}

/// Returns where a path leads, by way of all links; of what is not there, where it would be.
fn real(path: &str) -> Option<String> {
    let path = Path::new(path);
    if let Ok(real) = path.canonicalize() {
        return real.into_os_string().into_string().ok();
    }
    // A link that leads nowhere is not followed.
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let above = real(path.parent()?.to_str()?)?;
    let name = path.file_name()?.to_str()?;
    Some(format!("{}/{name}", above.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::model::Layers;

    /// A line that writes in `work`, makes files in `made`, and reads no `key`.
    fn held(root: &str, by: HeldBy) -> Held {
        let at = |name: &str| format!("{root}/{name}");
        Held {
            by,
            writes: Some(vec![at("work")]),
            added: vec![(at("made"), Doing::Make), (at("whole"), Doing::All)],
            secrets: Some(vec![at("key")]),
            guarded: vec![at("work/guarded")],
            layers: Layers::NONE,
            ..Held::nothing(None)
        }
    }

    #[test]
    fn what_depends_on_what_was_done_or_was_there_is_not_told() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        for name in ["work", "made", "whole", "other"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        for name in ["key", "work/guarded", "made/old", "other/old", "work/old"] {
            std::fs::write(root.join(name), "x").unwrap();
        }
        symlink("../other/old", root.join("work/out")).unwrap();
        symlink("nowhere", root.join("work/dangling")).unwrap();
        let root = root.to_str().unwrap();
        for (by, path, expected) in [
            (HeldBy::Domain, "work/new", Verdict::NotFence),
            (HeldBy::Domain, "work/old", Verdict::NotFence),
            (HeldBy::Domain, "whole/new", Verdict::NotFence),
            (HeldBy::Domain, "other/old", Verdict::Fence),
            (HeldBy::Domain, "other/new", Verdict::Fence),
            (HeldBy::Domain, "work/out", Verdict::Fence),
            (HeldBy::Domain, "work/guarded", Verdict::Fence),
            (HeldBy::Domain, "key", Verdict::Fence),
            // Files may be made there and written to, but not taken away.
            (HeldBy::Domain, "made/old", Verdict::CannotTell),
            (HeldBy::Domain, "made/new", Verdict::CannotTell),
            // Where it led then, nobody knows.
            (HeldBy::Domain, "work/dangling", Verdict::CannotTell),
            (HeldBy::Report, "other/old", Verdict::Fence),
            // The domain is that of another line.
            (HeldBy::Outer, "other/old", Verdict::CannotTell),
            (HeldBy::Outer, "work/new", Verdict::CannotTell),
            (HeldBy::Nothing, "other/old", Verdict::NotFence),
        ] {
            let path = format!("{root}/{path}");
            assert_eq!(verdict(&held(root, by), &path), expected, "{by:?} {path}");
        }
    }
}
