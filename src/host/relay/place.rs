//! The directory of a session: shells by the names that agents look for. Ours alone, and gone when the session is.
//! Where hosts listen is `ipc::place`'s to say.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use crate::approval::text::cut;
use crate::approval::visible;
use crate::ipc::place;
use crate::model::Shell;

/// The longest name of a session.
const LONGEST: usize = 64;

/// A session's directory. Whoever holds this, or descends from who does, is the session.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    // Held as long as a process of the session is there; the kernel lets go of it after the last one.
    _lock: Flock<File>,
}

/// Why a session has no directory.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name is none that a directory could have.
    #[error(
        "'{}' is no name for a session: letters, digits, '-', '_' and '.', at most {LONGEST}, no '.' or '-' first",
        cut(&visible(.0), LONGEST)
    )]
    Name(String),
    /// A session of this name is there.
    #[error("a session named '{0}' is running")]
    Taken(String),
    /// Someone else could write there.
    #[error(transparent)]
    Base(#[from] place::Error),
    /// The system refused.
    #[error("cannot use the directory '{}'", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Returns whether a session can have this name.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let first = name.as_bytes().first();
    name.len() <= LONGEST
        && name.bytes().all(allowed)
        && first.is_some_and(|&byte| byte != b'.' && byte != b'-')
}

impl Place {
    /// Makes the directory of a session, with shells in it that are `program`. Those that processes left behind which were killed
    /// are removed.
    pub fn make(base: &Path, name: &str, program: &Path, shells: &[Shell]) -> Result<Self, Error> {
        if !is_name(name) {
            return Err(Error::Name(name.to_owned()));
        }
        let uid = nix::unistd::geteuid().as_raw();
        let sessions = place::prepare(&[base.join("sessions")], uid)?;
        sweep(&sessions);
        let path = sessions.join(name);
        let failed = |source| Error::Directory { path: path.clone(), source };
        let lock = loop {
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    return Err(Error::Taken(name.to_owned()));
                }
                made => made.map_err(failed)?,
            }
            // Another session may have taken it for one that was left behind, until it was locked.
            if let Some(lock) = lock(&path).filter(|lock| is_still(&path, lock)) {
                break lock;
            }
        };
        let place = Self { path, _lock: lock };
        place
            .link_shells(program, shells)
            .map_err(|source| Error::Directory { path: place.path.clone(), source })?;
        Ok(place)
    }

    fn link_shells(&self, program: &Path, shells: &[Shell]) -> io::Result<()> {
        let directory = self.shells();
        DirBuilder::new().mode(0o700).create(&directory)?;
        for shell in shells {
            symlink(program, directory.join(shell.name()))?;
            symlink(program, directory.join(format!("guarded-{}", shell.name())))?;
        }
        Ok(())
    }

    /// Returns the directory itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directory to be first on PATH.
    #[must_use]
    pub fn shells(&self) -> PathBuf {
        self.path.join("bin")
    }

    /// Removes the directory.
    pub fn remove(&self) {
        // What cannot be removed is swept by a later session.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn lock(directory: &Path) -> Option<Flock<File>> {
    Flock::lock(File::open(directory).ok()?, FlockArg::LockExclusiveNonblock).ok()
}

fn is_still(path: &Path, lock: &Flock<File>) -> bool {
    let here = path.symlink_metadata().map(|found| found.ino());
    let held = lock.metadata().map(|found| found.ino());
    here.is_ok_and(|here| held.is_ok_and(|held| held == here))
}

/// Removes the directories of sessions of which no process is left.
fn sweep(sessions: &Path) {
    for entry in fs::read_dir(sessions).into_iter().flatten().flatten() {
        let path = entry.path();
        if lock(&path).is_some_and(|lock| is_still(&path, &lock)) {
            // Another session may be at it too.
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for name in ["run-1-a", "work", "A_b.c-9"] {
            assert!(is_name(name), "{name}");
        }
        let long = "a".repeat(65);
        for name in ["", ".", "..", ".x", "-x", "a/b", "a b", "ä", "a\n", "a\0", &long] {
            assert!(!is_name(name), "{name:?}");
        }
    }

    #[test]
    fn a_session_has_its_name_alone_and_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            Place::make(root.path(), name, Path::new("/bin/true"), &[Shell::Bash, Shell::Sh])
        };
        let first = make("one").unwrap();
        assert!(matches!(make("one"), Err(Error::Taken(_))));
        let other = make("two").unwrap();
        for name in ["bash", "sh", "guarded-bash", "guarded-sh"] {
            assert_eq!(fs::read_link(first.shells().join(name)).unwrap(), Path::new("/bin/true"));
        }
        // As if it were killed.
        let left = other.path().to_owned();
        drop(other);
        assert!(left.exists());
        let third = make("two").unwrap();
        drop(make("three").unwrap());
        drop(make("four").unwrap());
        first.remove();
        third.remove();
        let names: Vec<_> = fs::read_dir(root.path().join("sessions")).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "{names:?}");
    }
}
