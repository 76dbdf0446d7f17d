//! What tells a file, as it is, from what stood at its path before.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use serde::{Deserialize, Serialize};

/// A file or directory as it was at one time (stat(2)). Whoever writes to it, or puts another one in its place, changes one of these: nobody sets
/// the time of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// Returns the stamp of a file or directory.
    #[must_use]
    pub fn of(found: &Metadata) -> Self {
        Self {
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
            ..Self::which(found)
        }
    }

    /// Returns a stamp that says only which file or directory it is.
    #[must_use]
    pub fn which(found: &Metadata) -> Self {
        let (device, inode) = (found.dev(), found.ino());
        Self { device, inode, size: 0, modified: (0, 0), changed: (0, 0) }
    }

    /// Returns the second in which it changed last, or was said to be modified.
    #[must_use]
    pub fn latest(&self) -> i64 {
        self.modified.0.max(self.changed.0)
    }
}
