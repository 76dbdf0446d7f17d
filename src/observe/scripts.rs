//! Script files that a line runs, read from the disk with limits.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{DirEntry, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use hmac_sha256::Hash;

use super::environment::Environment;
use super::git;
use super::links::{self, There};
use crate::model::{Entry, EntryKind, Facts, Real, Repository};

/// Bytes of one file. People's scripts are shorter; what is longer is an archive that unpacks itself.
const FILE_LIMIT: u64 = 256 * 1024;
/// Bytes of all files of one line: reading them must not take longer than a person notices.
const LINE_LIMIT: u64 = 1024 * 1024;

/// Names of one directory that are looked at. A workspace keeps its packages apart from what is made.
const NAMES_LIMIT: usize = 1_000;

/// Places that are looked at for links, of one line.
const LOOKS: usize = 10_000;

/// Names that are looked at for the patterns of one line: few milliseconds' worth.
const LISTED: usize = 20_000;
/// What opening a directory counts for, in names.
const LISTING: usize = 20;

/// A script that was read for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptRead {
    /// Where it is.
    pub path: String,
    /// The SHA-256 of what was read.
    pub sha256: [u8; 32],
}

/// Returns whether a shell finds nothing by this word for a script: neither a file of that path nor, where the word is a name, one on `PATH`.
#[must_use]
pub fn is_no_script(word: &OsStr, environment: &Environment) -> bool {
    let is_absent = |path: &Path| {
        let absent = [std::io::ErrorKind::NotFound, std::io::ErrorKind::NotADirectory];
        path.metadata().is_err_and(|error| absent.contains(&error.kind()))
    };
    let is_name = !word.as_bytes().contains(&b'/');
    let search = environment.get("PATH").unwrap_or_default();
    // What is not known of PATH may hold it.
    !word.is_empty()
        && is_absent(Path::new(word))
        && (!is_name
            || !environment.is_unreadable("PATH")
                && search.split(':').all(|place| is_absent(&Path::new(place).join(word))))
}

/// Names that the patterns of one line are held against.
const HELD: usize = 1 << 22;

/// Reads the scripts of one line, and remembers which.
#[derive(Debug, Default)]
pub struct Scripts {
    read: RefCell<Vec<ScriptRead>>,
    unread: RefCell<Vec<String>>,
    bytes: std::cell::Cell<u64>,
    /// What stands at directories on the way.
    ways: RefCell<HashMap<String, There>>,
    looks: std::cell::Cell<usize>,
    /// Names that were looked at for patterns.
    listed: std::cell::Cell<usize>,
    /// What is in each directory that was looked at for a pattern; none where that is more than is looked at.
    listings: RefCell<HashMap<String, Option<Vec<Entry>>>>,
    held: std::cell::Cell<usize>,
    /// The repository around each directory that was asked for.
    repositories: RefCell<HashMap<String, Option<Repository>>>,
    /// What was told of files that were looked at.
    told: RefCell<HashMap<String, bool>>,
}

impl Scripts {
    /// Returns whether there is something of this name.
    #[must_use]
    pub fn exists(path: &str) -> bool {
        Path::new(path).symlink_metadata().is_ok()
    }

    /// Returns whether there is a directory of this name, or a link to one.
    #[must_use]
    pub fn is_directory(path: &str) -> bool {
        Path::new(path).is_dir()
    }

    /// Returns whether only its owner, and its group, may read a file or list a directory: by its own mode, or by that of a directory above.
    #[must_use]
    pub fn is_private(path: &str) -> bool {
        let mode = |path: &Path| path.metadata().ok().map(|found| (found.is_dir(), found.mode()));
        let Some((is_directory, own)) = mode(Path::new(path)) else { return false };
        let all = if is_directory { 0o005 } else { 0o004 };
        let is_shut = |above: &Path| mode(above).is_some_and(|(_, mode)| mode & 0o001 == 0);
        own & all != all || Path::new(path).ancestors().skip(1).any(is_shut)
    }

    /// Returns the names of the directories in a directory.
    #[must_use]
    pub fn directories(path: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
        let entries = entries.take(NAMES_LIMIT).filter_map(Result::ok);
        let inside = entries.filter(|entry| entry.path().is_dir());
        inside.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    /// Returns the names in a directory, sorted; none if it cannot be listed, has more than are looked at, or one that is no text.
    #[must_use]
    pub fn names(path: &str) -> Option<Vec<String>> {
        let entries = std::fs::read_dir(path).ok()?.take(NAMES_LIMIT + 1);
        let name = |entry: std::io::Result<DirEntry>| entry.ok()?.file_name().into_string().ok();
        let mut names: Vec<String> = entries.map(name).collect::<Option<_>>()?;
        names.sort();
        (names.len() <= NAMES_LIMIT).then_some(names)
    }

    /// Returns what of a directory has a name that fits; none if that is more than is looked at, of one directory or of all of a line.
    /// What cannot be listed holds nothing: no shell finds a name there either.
    #[must_use]
    pub fn fitting(&self, directory: &str, fits: &dyn Fn(&str) -> bool) -> Option<Vec<Entry>> {
        let mut listings = self.listings.borrow_mut();
        if !listings.contains_key(directory) {
            listings.insert(directory.to_owned(), self.list(directory));
        }
        let entries = listings.get(directory)?.as_ref()?;
        self.held.set(self.held.get() + entries.len());
        if self.held.get() > HELD {
            return None;
        }
        Some(entries.iter().filter(|entry| fits(&entry.name)).cloned().collect())
    }

    fn list(&self, directory: &str) -> Option<Vec<Entry>> {
        let Ok(entries) = std::fs::read_dir(directory) else { return Some(Vec::new()) };
        let mut listed = self.listed.get() + LISTING;
        let mut found = Vec::new();
        for entry in entries.filter_map(Result::ok) {
            listed += 1;
            if listed > LISTED {
                return None;
            }
            let kind = match entry.file_type() {
                Ok(kind) if kind.is_dir() => EntryKind::Directory,
                Ok(kind) if kind.is_file() => EntryKind::Other,
                Ok(_) | Err(_) => EntryKind::Link,
            };
            found.push(Entry { name: entry.file_name().to_string_lossy().into_owned(), kind });
        }
        self.listed.set(listed);
        Some(found)
    }

    /// Returns whether a file is our own program.
    #[must_use]
    pub fn is_guard(path: &str) -> bool {
        let identity = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
        let own = std::env::current_exe().ok().and_then(|own| identity(&own));
        own.is_some() && identity(Path::new(path)) == own
    }

    /// Returns where a file really is, by way of all links; none if it is not there.
    #[must_use]
    pub fn real(path: &str) -> Option<String> {
        Path::new(path).canonicalize().ok()?.into_os_string().into_string().ok()
    }

    /// Returns what an absolute path is behind its links; see [`Real`]. With `follows`, also behind one that it ends with.
    #[must_use]
    pub fn behind_links(&self, path: &str, facts: &Facts, follows: bool) -> Real {
        let mut ways = self.ways.borrow_mut();
        let mut look = |place: &str, is_last: bool| {
            if let Some(known) = ways.get(place) {
                return known.clone();
            }
            self.looks.set(self.looks.get() + 1);
            let there = links::look(place);
            if !is_last {
                ways.insert(place.to_owned(), there.clone());
            }
            there
        };
        if self.looks.get() > LOOKS {
            return Real::Unknown;
        }
        links::real(path, facts, follows, &mut look)
    }

    /// Returns the repository around a directory, by way of all links; none if there is none.
    #[must_use]
    pub fn repository(&self, directory: &str) -> Option<Repository> {
        if let Some(known) = self.repositories.borrow().get(directory) {
            return known.clone();
        }
        let found = git::repository(directory);
        self.repositories.borrow_mut().insert(directory.to_owned(), found.clone());
        found
    }

    /// Returns the scripts that were read, and the paths at which nothing could be.
    #[must_use]
    pub fn into_read(self) -> (Vec<ScriptRead>, Vec<String>) {
        (self.read.into_inner(), self.unread.into_inner())
    }

    /// Returns the text of a file; none if it is not there, no regular file, too long, or no text.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<String> {
        let text = self.read_text(path);
        if text.is_none() {
            self.unread.borrow_mut().push(path.to_owned());
        }
        text
    }

    /// Returns the text of a file as [`Self::text`] does, which is none of those that a line runs: nothing of it is remembered.
    #[must_use]
    pub fn peek(path: &str) -> Option<String> {
        String::from_utf8(bytes_of(path, FILE_LIMIT)?).ok()
    }

    /// Returns whether something is so of the text of a file, as it was found out before for the same file.
    #[must_use]
    pub fn is_told(&self, path: &str, tells: impl FnOnce(&str) -> bool) -> bool {
        if let Some(known) = self.told.borrow().get(path) {
            return *known;
        }
        let is_so = Self::peek(path).is_some_and(|text| tells(&text));
        self.told.borrow_mut().insert(path.to_owned(), is_so);
        is_so
    }

    fn read_text(&self, path: &str) -> Option<String> {
        let bytes = bytes_of(path, FILE_LIMIT.min(LINE_LIMIT.checked_sub(self.bytes.get())?))?;
        self.bytes.set(self.bytes.get() + bytes.len() as u64);
        let sha256 = Hash::hash(&bytes);
        let text = String::from_utf8(bytes).ok()?;
        self.read.borrow_mut().push(ScriptRead { path: path.to_owned(), sha256 });
        Some(text)
    }
}

/// Returns the bytes of a regular file that has no more than so many, and no NUL.
fn bytes_of(path: &str, limit: u64) -> Option<Vec<u8>> {
    // A pipe without a writer must not hold us up, nor a terminal become ours.
    let flags = nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    // One byte more than may be there tells a longer file from one that just fits.
    file.take(limit + 1).read_to_end(&mut bytes).ok()?;
    let is_whole = bytes.len() as u64 <= limit && !bytes.contains(&0);
    is_whole.then_some(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_short_regular_files_of_text_are_read() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
        let scripts = Scripts::default();
        std::fs::write(at("plain"), "true\n").unwrap();
        symlink(at("plain"), at("link")).unwrap();
        symlink(at("loop"), at("loop")).unwrap();
        std::fs::write(at("nul"), "a\0b").unwrap();
        std::fs::write(at("latin1"), b"echo \xe9").unwrap();
        std::fs::write(at("long"), vec![b'#'; usize::try_from(FILE_LIMIT).unwrap() + 1]).unwrap();
        let sparse = std::fs::File::create(at("sparse")).unwrap();
        sparse.set_len(10 << 30).unwrap();
        nix::unistd::mkfifo(place.path().join("pipe").as_path(), nix::sys::stat::Mode::S_IRWXU)
            .unwrap();
        for name in ["absent", "loop", "nul", "latin1", "long", "sparse", "pipe", "."] {
            assert_eq!(scripts.text(&at(name)), None, "{name}");
        }
        assert_eq!(scripts.text("/dev/zero"), None);
        assert_eq!(scripts.text(&at("plain")).as_deref(), Some("true\n"));
        assert_eq!(scripts.text(&at("link")).as_deref(), Some("true\n"));
        let (read, unread) = scripts.into_read();
        assert_eq!((read.len(), unread.len()), (2, 9));
        assert_eq!(read[0].sha256, Hash::hash(b"true\n"));
    }

    #[test]
    fn a_file_is_private_by_its_mode_or_by_that_of_a_directory_above() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
        let set = |name: &str, mode: u32| {
            std::fs::set_permissions(at(name), PermissionsExt::from_mode(mode)).unwrap();
        };
        set("", 0o755);
        for (name, mode) in [("open", 0o755), ("shut", 0o750), ("listed", 0o754)] {
            std::fs::create_dir(at(name)).unwrap();
            for (file, mode) in [("all", 0o644), ("own", 0o640)] {
                let path = format!("{name}/{file}");
                std::fs::write(at(&path), "x").unwrap();
                set(&path, mode);
            }
            set(name, mode);
        }
        for path in ["open/own", "shut/all", "listed/all", "shut", "listed"] {
            assert!(Scripts::is_private(&at(path)), "{path}");
        }
        for path in ["open/all", "open", "absent"] {
            assert!(!Scripts::is_private(&at(path)), "{path}");
        }
    }

    #[test]
    fn names_are_all_of_them_or_none() {
        let place = tempfile::tempdir().unwrap();
        let names = || Scripts::names(place.path().to_str().unwrap());
        for name in ["b", "a", ".c"] {
            std::fs::write(place.path().join(name), "").unwrap();
        }
        assert_eq!(names().unwrap(), [".c", "a", "b"]);
        assert_eq!(Scripts::names("/nowhere"), None);
        for number in 0..NAMES_LIMIT {
            std::fs::write(place.path().join(number.to_string()), "").unwrap();
        }
        assert_eq!(names(), None);
    }

    #[test]
    fn a_line_that_runs_much_is_not_read_to_the_end() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("script");
        std::fs::write(&path, vec![b'#'; usize::try_from(FILE_LIMIT).unwrap()]).unwrap();
        let scripts = Scripts::default();
        let path = path.to_str().unwrap();
        let read = (0..8).filter(|_| scripts.text(path).is_some()).count();
        assert_eq!(read as u64, LINE_LIMIT / FILE_LIMIT);
    }
}
