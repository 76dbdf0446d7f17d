//! Which file stands at a path, told from what stood there before: another one, or the same with other contents.

use std::path::Path;

use crate::sys::Stamp;

/// Looks at what a path leads to, over all links; none if it leads nowhere. Of a directory or a device, whose times change by themselves, only
/// which one it is counts.
#[must_use]
pub fn stamp(path: &Path) -> Option<Stamp> {
    let found = path.metadata().ok()?;
    Some(if found.is_file() { Stamp::of(&found) } else { Stamp::which(&found) })
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
        assert_eq!(stamp(&at("tool")), None);
        fs::write(at("tool"), "one").unwrap();
        let first = stamp(&at("tool")).unwrap();
        assert_eq!(stamp(&at("tool")), Some(first));
        fs::write(at("tool"), "two, longer").unwrap();
        let second = stamp(&at("tool")).unwrap();
        assert_ne!(first, second);
        // Whoever puts the time of its contents back changes when it was changed last.
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        fs::File::options().write(true).open(at("tool")).unwrap().set_modified(old).unwrap();
        assert_ne!(stamp(&at("tool")), Some(second));
        fs::write(at("other"), "two, longer").unwrap();
        let before = stamp(&at("tool"));
        fs::rename(at("other"), at("tool")).unwrap();
        assert_ne!(stamp(&at("tool")), before);
    }

    #[test]
    fn of_a_directory_it_counts_which_one_it_is() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("a")).unwrap();
        let before = stamp(&at("a"));
        fs::write(at("a/file"), "").unwrap();
        assert_eq!(stamp(&at("a")), before);
        fs::create_dir(at("b")).unwrap();
        fs::rename(at("a"), at("old")).unwrap();
        fs::rename(at("b"), at("a")).unwrap();
        assert_ne!(stamp(&at("a")), before);
    }
}
