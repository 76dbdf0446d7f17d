//! The other names of files that a line writes in: what it writes by one of them stands in all of them. Looks at names and numbers alone.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file system, and a file in it.
type Identity = (u64, u64);

/// Returns the names below these directories of files that these paths name, as far as they are found among so many names. Directories that are
/// left out are not looked into.
pub(super) fn others(
    of: &[&Path],
    roots: &[PathBuf],
    most: u64,
    leaves_out: &dyn Fn(&Path) -> bool,
) -> Vec<PathBuf> {
    let mut wanted: HashMap<Identity, u64> = HashMap::new();
    for path in of {
        if let Ok(found) = path.symlink_metadata()
            && found.is_file()
            && found.nlink() > 1
        {
            // Names are found until there are no more.
            wanted.insert((found.dev(), found.ino()), found.nlink());
        }
    }
    let mut search = Search { wanted, left: most, seen: HashSet::new(), found: Vec::new() };
    for root in roots {
        search.below(root, leaves_out);
    }
    search.found
}

struct Search {
    /// How many names of each file are not found yet.
    wanted: HashMap<Identity, u64>,
    left: u64,
    seen: HashSet<PathBuf>,
    found: Vec<PathBuf>,
}

impl Search {
    fn below(&mut self, directory: &Path, leaves_out: &dyn Fn(&Path) -> bool) {
        if self.wanted.is_empty() || !self.seen.insert(directory.to_owned()) {
            return;
        }
        // What cannot be listed hides its names.
        let Ok(entries) = std::fs::read_dir(directory) else { return };
        let mut directories = Vec::new();
        for entry in entries.flatten() {
            if self.left == 0 || self.wanted.is_empty() {
                return;
            }
            self.left -= 1;
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                directories.push(entry.path());
            } else {
                self.name(entry.path(), (found.dev(), found.ino()));
            }
        }
        for directory in directories.iter().filter(|directory| !leaves_out(directory)) {
            self.below(directory, leaves_out);
        }
    }

    fn name(&mut self, path: PathBuf, identity: Identity) {
        let Some(left) = self.wanted.get_mut(&identity) else { return };
        *left -= 1;
        if *left == 0 {
            self.wanted.remove(&identity);
        }
        self.found.push(path);
    }
}
