//! What is remembered of the system's shells, before anything is changed: enough to take up or to undo what was left half done.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use super::Error;
use crate::model::SYSTEM_RECORD;
use crate::sys::Replacement;

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The process that worked last: what it left unfinished has its number in the name.
    pub(super) process: u32,
    /// The shells.
    pub(super) slots: Vec<Slot>,
    /// What dpkg was told.
    pub(super) diversions: Vec<Diversion>,
}

/// A path at which the system has a shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Slot {
    /// The path, in no directory that is a link.
    pub(super) path: PathBuf,
    /// Where the real shell is kept.
    pub(super) kept: PathBuf,
    /// What it says if it is a link to another of these paths: then the guard would be behind it, so another one is kept.
    pub(super) link: Option<Link>,
}

impl Slot {
    /// Returns the name of the shell.
    pub(super) fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

/// A link of one shell to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Link {
    /// What it says.
    pub(super) was: PathBuf,
    /// What the one that is kept says.
    pub(super) kept: PathBuf,
}

/// A path of dpkg's that is diverted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Diversion {
    /// The path as packages have it.
    pub(super) path: PathBuf,
    /// Where packages' files of that path go.
    pub(super) to: PathBuf,
    /// A package's diversion that ours took the place of: the package, and where to.
    pub(super) before: Option<(String, PathBuf)>,
}

fn path() -> &'static Path {
    Path::new(SYSTEM_RECORD)
}

fn directory() -> &'static Path {
    path().parent().unwrap_or(Path::new("/"))
}

impl Record {
    /// Reads it; none if there is none.
    pub(super) fn read() -> Result<Option<Self>, Error> {
        let path = path().to_owned();
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::Read { path, source }),
        };
        let broken = |error: serde_json::Error| Error::Broken { path, what: error.to_string() };
        serde_json::from_slice(&text).map(Some).map_err(broken)
    }

    /// Writes it, to the disk.
    pub(super) fn write(&self) -> Result<(), Error> {
        let failed = |source| Error::Write { path: path().to_owned(), source };
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.into()))?;
        let new = Replacement::write(path(), format!("{text}\n").as_bytes());
        new.and_then(Replacement::synced).and_then(Replacement::put).map_err(failed)
    }

    /// Forgets it, and takes the directory away if it is empty then.
    pub(super) fn forget(lock: Lock) -> Result<(), Error> {
        match fs::remove_file(path()) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(Error::Write { path: path().to_owned(), source });
            }
            _ => {}
        }
        tidy(lock);
        Ok(())
    }
}

/// Removes what is left of a process that was stopped before it had written what it would do, and the directory if nothing else is in it.
pub(super) fn tidy(lock: Lock) {
    let entries = fs::read_dir(directory()).into_iter().flatten().flatten();
    let is_new = |path: &Path| path.extension().is_some_and(|extension| extension == "new");
    for path in entries.map(|entry| entry.path()).filter(|path| is_new(path)) {
        // What stays is in nobody's way.
        let _ = fs::remove_file(path);
    }
    let _ = fs::remove_dir(directory());
    drop(lock);
}

/// Returns whether there is anything of ours.
pub(super) fn is_there() -> bool {
    directory().is_dir()
}

/// Held by the one who is at work: a lock on the directory, which leaves nothing behind.
pub(super) struct Lock {
    _directory: Flock<File>,
}

impl Lock {
    pub(super) fn take() -> Result<Self, Error> {
        let failed = |source: io::Error| Error::Write { path: directory().to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o755).create(directory()).map_err(failed)?;
        let directory = File::open(directory()).map_err(failed)?;
        match Flock::lock(directory, FlockArg::LockExclusiveNonblock) {
            Ok(directory) => Ok(Self { _directory: directory }),
            Err((_, nix::errno::Errno::EWOULDBLOCK)) => Err(Error::Busy),
            Err((_, errno)) => Err(failed(errno.into())),
        }
    }
}
