//! The files of a workspace that were made or changed while a line ran, by the times that the file system keeps. What was deleted shows as a change
//! of nothing that is there; what another line did meanwhile is not told apart.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::model::RanLine;

/// Files of each kind that are named.
const NAMED: usize = 100;
/// Entries that are looked at, and how long that may take.
const ENTRIES: usize = 50_000;
const TIME: Duration = Duration::from_millis(200);
/// The kernel's times of files lag behind by as much as this.
const LAG: Duration = Duration::from_millis(10);
/// Where git keeps what it was given.
const STORES: [&str; 3] = ["objects", "lfs", "modules"];

/// Returns what was made and changed below a directory since then. Links are not followed, and other file systems not looked at.
pub(super) fn since(root: &Path, when: SystemTime) -> RanLine {
    let mut found = RanLine::default();
    let Ok(device) = root.symlink_metadata().map(|root| root.dev()) else { return found };
    let since = when.checked_sub(LAG).unwrap_or(UNIX_EPOCH);
    let end = Instant::now() + TIME;
    let mut left = ENTRIES;
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        let is_git = directory.file_name() == Some(OsStr::new(".git"));
        for entry in directory.read_dir().into_iter().flatten().flatten() {
            if left == 0 || Instant::now() > end {
                found.cut = true;
                break;
            }
            left -= 1;
            let path = entry.path();
            let Ok(metadata) = path.symlink_metadata() else { continue };
            if metadata.is_dir() {
                let is_store = is_git && STORES.iter().any(|name| entry.file_name() == *name);
                if metadata.dev() == device && !is_store {
                    directories.push(path);
                }
                continue;
            }
            if changed_at(&metadata).is_none_or(|at| at < since) {
                continue;
            }
            let is_new = metadata.created().is_ok_and(|at| at >= since);
            note(
                if is_new { &mut found.made } else { &mut found.changed },
                &mut found.more,
                root,
                &path,
            );
        }
    }
    found.made.sort_unstable();
    found.changed.sort_unstable();
    found
}

fn note(named: &mut Vec<String>, more: &mut u32, root: &Path, path: &Path) {
    let below = path.strip_prefix(root).map_or_else(|_| path.to_owned(), PathBuf::from);
    if named.len() < NAMED {
        named.push(below.to_string_lossy().into_owned());
    } else {
        *more = more.saturating_add(1);
    }
}

/// When something of a file changed last: its content, its name, or what may be done with it.
fn changed_at(metadata: &std::fs::Metadata) -> Option<SystemTime> {
    let seconds = Duration::from_secs(metadata.ctime().try_into().ok()?);
    let rest = Duration::from_nanos(metadata.ctime_nsec().try_into().ok()?);
    UNIX_EPOCH.checked_add(seconds + rest)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_new_is_told_from_what_changed() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for directory in ["src", ".git/objects", "deep/er"] {
            fs::create_dir_all(at(directory)).unwrap();
        }
        for file in ["src/old", "src/changes", "deep/er/goes"] {
            fs::write(at(file), "a").unwrap();
        }
        std::os::unix::fs::symlink("/", at("link")).unwrap();
        let old = SystemTime::now() + Duration::from_secs(60);
        assert_eq!(since(root.path(), old), RanLine::default());
        let found = since(root.path(), UNIX_EPOCH + LAG);
        assert_eq!(found.made, ["deep/er/goes", "link", "src/changes", "src/old"]);
        assert_eq!((found.changed.len(), found.more, found.cut), (0, 0, false));
        assert_eq!(since(&at("nothing"), old), RanLine::default());
        for index in 0..NAMED + 7 {
            fs::write(at(&format!("src/{index}")), "").unwrap();
        }
        let found = since(root.path(), UNIX_EPOCH + LAG);
        assert_eq!((found.made.len(), found.more), (NAMED, 11));
    }
}
