//! A pattern to what is there and may be meant by it. A shell's pattern, a program's, or one with classes and options of which nothing is known
//! here: of each part only what is written out before and behind it counts, so more may fit than is meant, and never less.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::paths;

/// Names that a pattern may fit at most.
const MOST: usize = 50_000;

/// Characters that mean something in some pattern.
const META: [u8; 9] = *b"*?[]{}\\()";

/// What a pattern may mean.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Meant {
    /// What is there.
    pub(super) paths: Vec<PathBuf>,
    /// Directories of which all that is in them may be meant.
    pub(super) trees: Vec<PathBuf>,
}

/// Returns whether a path may be a pattern.
pub(super) fn is_pattern(path: &str) -> bool {
    path.bytes().any(|byte| META.contains(&byte))
}

/// Returns what is there and may be meant. None: that is not known, or too much.
pub(super) fn meant(pattern: &str) -> io::Result<Option<Meant>> {
    let Some(mut patterns) = paths::alternatives(pattern) else { return Ok(None) };
    // It may as well be a name.
    patterns.push(pattern.to_owned());
    let mut meant = Meant::default();
    for pattern in patterns {
        let parts: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty()).collect();
        if !fit(PathBuf::from("/"), &parts, &mut meant)? {
            return Ok(None);
        }
    }
    meant.paths.sort();
    meant.paths.dedup();
    meant.trees.sort();
    meant.trees.dedup();
    Ok(Some(meant))
}

fn fit(at: PathBuf, parts: &[&str], meant: &mut Meant) -> io::Result<bool> {
    let Some((part, rest)) = parts.split_first() else {
        meant.paths.push(at);
        return Ok(meant.paths.len() < MOST);
    };
    if !is_pattern(part) {
        return fit(at.join(part), rest, meant);
    }
    if part.contains("**") {
        meant.trees.push(at);
        return Ok(true);
    }
    for name in names(&at)? {
        if fits(part.as_bytes(), name.as_bytes()) && !fit(at.join(&name), rest, meant)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn names(directory: &Path) -> io::Result<Vec<std::ffi::OsString>> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    entries.map(|entry| entry.map(|entry| entry.file_name())).collect()
}

/// Whether a name may be meant by a part of a pattern.
fn fits(part: &[u8], name: &[u8]) -> bool {
    if OsStr::from_bytes(part) == OsStr::from_bytes(name) {
        return true;
    }
    let is_meta = |byte: &u8| META.contains(byte);
    let before = part.iter().take_while(|byte| !is_meta(byte)).count();
    let behind = part.iter().rev().take_while(|byte| !is_meta(byte)).count();
    // `@(a|b)`, `+(x)`: the character before a bracket belongs to it.
    let before = before.saturating_sub(usize::from(part.get(before) == Some(&b'(')));
    before + behind <= name.len()
        && name.starts_with(&part[..before])
        && name.ends_with(&part[part.len() - behind..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_may_fit_than_is_meant_and_never_less() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("d/e")).unwrap();
        for name in ["a.rs", "b.rs", "b.txt", ".h.rs", "x*y", "d/c.rs", "xz"] {
            std::fs::write(root.join(name), "").unwrap();
        }
        let found = |pattern: &str| {
            let meant = meant(root.join(pattern).to_str().unwrap()).unwrap().unwrap();
            let below =
                |path: &PathBuf| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            let trees = meant.trees.iter().map(|path| below(path) + "/**");
            meant.paths.iter().map(below).chain(trees).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("*.rs"), ".h.rs a.rs b.rs");
        assert_eq!(found("[[:lower:]].rs"), ".h.rs a.rs b.rs");
        assert_eq!(found("{a,b}.rs"), ".h.rs a.rs b.rs");
        assert_eq!(found("x*y"), "x*y");
        assert_eq!(found("@(a|b).rs"), ".h.rs a.rs b.rs");
        assert!(found("*/c.rs").contains("d/c.rs"));
        assert_eq!(found("d/**/x"), "d/**");
        assert_eq!(found("none*"), "");
    }
}
