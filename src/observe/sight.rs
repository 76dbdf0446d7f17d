//! Whether another process sees the files that say what the owner wants as we see them. Where it made a mount namespace or a root of its own,
//! the guard that begins there reads what is mounted there.

use std::fs;
use std::path::{Path, PathBuf};

use super::programs::file_at;
use crate::sys::users;

const PASSWD: &str = "/etc/passwd";

/// The owner's directories, below the home in the user database.
const OWNERS: [&str; 3] = [".config/guarded-sh", ".local/state/guarded-sh", ".cache/guarded-sh"];

/// Files of theirs that are compared at most: whoever has more is not seen to the end.
const MOST: usize = 512;

/// Returns whether a process sees the owner's settings and records as we do (mount_namespaces(7)). What may not be looked at is not seen so.
#[must_use]
pub fn sees_as_we(process: u32) -> bool {
    let place = PathBuf::from(format!("/proc/{process}"));
    let namespace = |place: &Path| fs::read_link(place.join("ns/mnt")).ok();
    let root = place.join("root");
    let ours = namespace(Path::new("/proc/self"));
    if ours.is_some() && namespace(&place) == ours && file_at(&root) == file_at(Path::new("/")) {
        return true;
    }
    let home = users::home_of(nix::unistd::geteuid().as_raw(), Path::new(PASSWD));
    let own = home.iter().flat_map(|home| OWNERS.map(|below| home.join(below)));
    let mut open: Vec<PathBuf> = [PASSWD, "/etc/guarded-sh"].map(PathBuf::from).into();
    open.extend(own);
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let theirs = root.join(path.strip_prefix("/").unwrap_or(&path));
        if seen == MOST || file_at(&path) != file_at(&theirs) {
            return false;
        }
        seen += 1;
        // Records are many, and what is written there is written to the directory that was compared.
        if !path.ends_with("records") {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|one| one.path()));
        }
    }
    true
}
