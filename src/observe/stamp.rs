//! Which file stands at a path, told from what stood there before: another one, or the same with other contents.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file as it was at one time (stat(2)). Whoever writes to it, or puts another one in its place, changes one of these; of a directory or a
/// device, whose times change by themselves, only which one it is counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// Looks at what a path leads to, over all links; none if it leads nowhere.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let found = path.metadata().ok()?;
        let counts = found.is_file();
        let time = |seconds, part| if counts { (seconds, part) } else { (0, 0) };
        Some(Self {
            device: found.dev(),
            inode: found.ino(),
            size: if counts { found.size() } else { 0 },
            modified: time(found.mtime(), found.mtime_nsec()),
            changed: time(found.ctime(), found.ctime_nsec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn another_file_and_other_contents_are_noticed() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        assert_eq!(Stamp::of(&at("tool")), None);
        fs::write(at("tool"), "one").unwrap();
        let first = Stamp::of(&at("tool")).unwrap();
        assert_eq!(Stamp::of(&at("tool")), Some(first));
        fs::write(at("tool"), "two, longer").unwrap();
        let second = Stamp::of(&at("tool")).unwrap();
        assert_ne!(first, second);
        // Whoever puts the time of its contents back changes when it was changed last.
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        fs::File::options().write(true).open(at("tool")).unwrap().set_modified(old).unwrap();
        assert_ne!(Stamp::of(&at("tool")), Some(second));
        fs::write(at("other"), "two, longer").unwrap();
        let before = Stamp::of(&at("tool"));
        fs::rename(at("other"), at("tool")).unwrap();
        assert_ne!(Stamp::of(&at("tool")), before);
    }

    #[test]
    fn of_a_directory_it_counts_which_one_it_is() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("a")).unwrap();
        let before = Stamp::of(&at("a"));
        fs::write(at("a/file"), "").unwrap();
        assert_eq!(Stamp::of(&at("a")), before);
        fs::create_dir(at("b")).unwrap();
        fs::rename(at("a"), at("old")).unwrap();
        fs::rename(at("b"), at("a")).unwrap();
        assert_ne!(Stamp::of(&at("a")), before);
    }
}
