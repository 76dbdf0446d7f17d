//! Undo: keeps what a line may destroy before it runs, and brings it back. Judges nothing, and asks nobody.
//!
//! An entry of the store is made before the line: what stands at the paths that its plan deletes, overwrites or moves, and of a repository whose
//! work it may lose its refs, index and files. Files are kept by a second name where the line only takes the first one away, else by
//! a copy that shares their blocks, else by a copy. Where a line may write more than is known, the workspace is kept as a whole, as far as that is
//! cheap. Nothing of the workspace is touched for that. `docs/undo.md` says what is not kept.

mod existing;
mod expand;
mod files;
mod git;
mod index;
mod journal;
mod keep;
mod names;
mod objects;
mod relied;
mod restore;
mod stake;
mod standing;
mod store;
mod table;
mod trial;
mod whole;

use std::io;
use std::path::{Path, PathBuf};

pub use journal::{Blob, Change, Entry, Header, How, Item, Meta, Name, Was};
pub use keep::Kept;
pub use objects::unpack;
pub use relied::{covered, taken_back};
pub use restore::{Done, take_back};
pub use stake::{Ground, Outcome, Stake, keep, measure, stake};
pub use standing::{Conflict, Standing, Standings, compare};
pub use store::{Found, Store};
pub use trial::Trial;

/// How much is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files, links and directories of one line.
    pub files: u64,
    /// Bytes of one line that are copied.
    pub bytes: u64,
    /// Milliseconds that keeping may take.
    pub millis: u64,
    /// Days that entries stay.
    pub days: u32,
    /// Bytes of all entries.
    pub size: u64,
}

impl Limits {
    /// Returns the limits for what a person takes back: as much as there is.
    #[must_use]
    pub fn none(&self) -> Self {
        Self { files: u64::MAX, bytes: u64::MAX, millis: 86_400_000, ..self.clone() }
    }
}

/// Why something cannot be kept or brought back.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There are too many files.
    #[error("more than {0} files are at stake")]
    Files(u64),
    /// There is too much to copy.
    #[error("more than {} MB would have to be copied", .0 / 1_000_000)]
    Bytes(u64),
    /// It takes too long.
    #[error("it takes longer than {0} ms to keep")]
    Slow(u64),
    /// The directory of the store is not to be trusted.
    #[error("'{}' {problem}", path.display())]
    NotOurs {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// No entry has this name.
    #[error("nothing is kept by the name '{0}'")]
    Unknown(String),
    /// Several entries have names that begin so.
    #[error("several names begin with '{0}'")]
    Ambiguous(String),
    /// Git has no such blob, or another one.
    #[error("git has no longer what was in '{}'", .0.display())]
    Blob(PathBuf),
    /// The system says no.
    #[error("cannot {doing} '{}'", path.display())]
    Io {
        /// What was attempted.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl Error {
    fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io { doing, path: path.to_owned(), source }
    }
}
