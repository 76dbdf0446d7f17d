//! The directory of the records and its files: made for us alone, and refused if someone else could have written to it.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::libc;

use super::Error;
use crate::sys::users::may_others_write;

/// Makes the directory if it is not there, and checks it and the one it is in: who may write to either may put another in its place.
pub(super) fn prepare(directory: &Path) -> Result<(), Error> {
    let state = directory.parent().unwrap_or(directory);
    let metadata = match directory.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make(directory)?;
            directory.symlink_metadata()
        }
        found => found,
    };
    let open = |source| Error::Open { path: directory.to_owned(), source };
    let metadata = metadata.map_err(open)?;
    if !metadata.is_dir() {
        let problem = "is not a directory";
        return Err(Error::NotOurs { path: directory.to_owned(), problem });
    }
    check(directory, &metadata)?;
    check(state, &state.metadata().map_err(open)?)
}

fn make(directory: &Path) -> Result<(), Error> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|source| Error::Make { path: directory.to_owned(), source })
}

/// Checks that a file or directory is ours and that nobody else may write to it.
pub(super) fn check(path: &Path, metadata: &Metadata) -> Result<(), Error> {
    let problem = if metadata.uid() != nix::unistd::geteuid().as_raw() {
        "belongs to another user"
    } else if may_others_write(metadata) {
        "may be written by others"
    } else if metadata.is_dir() || metadata.is_file() {
        return Ok(());
    } else {
        "is not a plain file"
    };
    Err(Error::NotOurs { path: path.to_owned(), problem })
}

/// Opens a file to be read; none if there is none. What is no plain file is refused, and not waited for.
pub fn open(path: &Path) -> Result<Option<File>, Error> {
    let read = |source| Error::Read { path: path.to_owned(), source };
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(read(error)),
    };
    if file.metadata().map_err(read)?.is_file() {
        return Ok(Some(file));
    }
    let problem = "is not a plain file";
    Err(Error::NotOurs { path: path.to_owned(), problem })
}

/// Opens a file that was found before.
pub(super) fn open_found(path: &Path) -> Result<File, Error> {
    let gone = || Error::Read { path: path.to_owned(), source: io::ErrorKind::NotFound.into() };
    open(path)?.ok_or_else(gone)
}

/// Returns the names of the files of the days, oldest first.
pub fn days(directory: &Path) -> Result<Vec<String>, Error> {
    let read = |source| Error::Read { path: directory.to_owned(), source };
    let mut names = Vec::new();
    for entry in directory.read_dir().map_err(read)? {
        let name = entry.map_err(read)?.file_name();
        if let Some(name) = name.to_str().filter(|name| is_day(name)) {
            names.push(name.to_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Returns whether a name is that of a day's file: `2026-11-21.jsonl`.
pub(super) fn is_day(name: &str) -> bool {
    let Some(day) = name.strip_suffix(".jsonl") else { return false };
    day.len() == 10
        && day.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// Returns the path of a day's file.
pub(super) fn file(directory: &Path, day: &str) -> PathBuf {
    directory.join(day)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use nix::sys::stat::Mode;

    use super::super::{Durability, Filter, Store};
    use super::*;

    /// What each of these says of what stands in the place of a file.
    fn said(store: &Store) -> [String; 2] {
        let read = store.read(Filter::default()).unwrap().next();
        let read = read.map(|stored| stored.unwrap_err().to_string()).unwrap_or_default();
        [read, store.verify().err().map(|error| error.to_string()).unwrap_or_default()]
    }

    #[test]
    fn what_is_no_plain_file_is_refused_and_not_waited_for() {
        let place = tempfile::tempdir().unwrap();
        let store = Store::new(place.path(), Durability::System);
        let directory = store.directory();
        prepare(directory).unwrap();
        let head = directory.join("head");
        nix::unistd::mkfifo(&head, Mode::S_IRWXU).unwrap();
        let [read, verified] = said(&store);
        assert!(read.is_empty() && verified.contains("is not a plain file"), "{verified}");
        std::fs::remove_file(&head).unwrap();
        let day = file(directory, "2026-11-21.jsonl");
        nix::unistd::mkfifo(&day, Mode::S_IRWXU).unwrap();
        for what in said(&store) {
            assert!(what.contains("is not a plain file"), "{what}");
        }
        // Also where the next record would go on from it.
        let end = super::super::tail::find(directory, super::super::head::Said::Nothing, "");
        assert!(end.err().unwrap().to_string().contains("is not a plain file"));
        std::fs::remove_file(&day).unwrap();
        symlink("/dev/null", &day).unwrap();
        for what in said(&store) {
            assert!(what.contains("cannot read the record"), "{what}");
        }
    }
}
