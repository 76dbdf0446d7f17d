//! What stands in a directory, so that two moments can be compared.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Every path below a directory with all that counts of it.
pub type Tree = BTreeMap<Vec<u8>, String>;

/// Reads a directory. Of a repository, objects are left out: those that nobody names harm nobody.
pub fn read(root: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut names = BTreeMap::new();
    one(root, root, &mut tree, &mut names);
    tree
}

type Names = BTreeMap<(u64, u64), Vec<u8>>;

fn one(root: &Path, path: &Path, tree: &mut Tree, names: &mut Names) {
    let found = path.symlink_metadata().unwrap();
    let below = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
    let kind = found.file_type();
    let time = (found.mtime(), found.mtime_nsec());
    let mode = found.mode();
    let what = if kind.is_symlink() {
        format!("link {} {time:?}", std::fs::read_link(path).unwrap().display())
    } else if kind.is_dir() {
        format!("directory {mode:o} {:?}", attributes(path))
    } else if kind.is_file() {
        let first = names.entry((found.dev(), found.ino())).or_insert_with(|| below.clone());
        let first = String::from_utf8_lossy(first).into_owned();
        let attributes = attributes(path);
        // Root reads what it may not.
        let content = std::fs::read(path).unwrap();
        let is_short = content.len() < 4096;
        let shown =
            if is_short { String::from_utf8_lossy(&content).into_owned() } else { String::new() };
        let hash = hmac_sha256::Hash::hash(&content);
        format!("file {mode:o} {time:?} {first:?} {attributes:?} {hash:02x?} {shown:?}")
    } else {
        format!("other {mode:o} {}", kind.is_fifo())
    };
    tree.insert(below, what);
    let is_gits = path.ends_with("objects") && path.with_file_name("HEAD").exists();
    if !kind.is_dir() || is_gits {
        return;
    }
    let mut entries: Vec<_> = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        one(root, &entry, tree, names);
    }
}

fn attributes(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut list = [0; 4096];
    let count = rustix::fs::llistxattr(path, &mut list[..]).unwrap_or(0);
    let names = list[..count].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let mut value = [0; 4096];
            let name = OsStr::from_bytes(name);
            let count = rustix::fs::lgetxattr(path, name, &mut value[..]).unwrap_or(0);
            (name.to_string_lossy().into_owned(), value[..count].to_vec())
        })
        .collect()
}

/// Returns in what two trees differ.
pub fn difference(one: &Tree, other: &Tree) -> Vec<String> {
    let paths: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
    paths
        .into_iter()
        .filter(|path| one.get(*path) != other.get(*path))
        .map(|path| {
            let show =
                |tree: &Tree| tree.get(path).cloned().unwrap_or_else(|| "nothing".to_owned());
            format!("{}: {} | {}", String::from_utf8_lossy(path), show(one), show(other))
        })
        .collect()
}
