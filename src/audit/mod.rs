//! The record: one line for each decision, written before anything runs, each chained to the one before it.
//! Decides nothing; where a record cannot be written it says so, and the pipeline then runs nothing.
//!
//! A call may come by several doors: by the agent's hook, and then by the shell. The first record holds it, and a later one names that by its number,
//! `ref`, and leaves out what is the same.
//!
//! A record is one JSON object a line in `records/YYYY-MM-DD.jsonl` (UTC). Its last field, `hash`, is the SHA-256 of the bytes of
//! the line before `,"hash"`, and one of these bytes' fields, `previous`, is the hash of the record before, across files
//! too. The file `head` holds how many records there are, the last hash, and where it stands, so that appending
//! reads nothing else, and so that a tail that was cut off is missed. It is also what is locked.
//!
//! The chain shows what was altered; it cannot keep it from being altered by who may write the files. That an agent's
//! commands do not is up to the rules that guard our own files.

pub mod aside;
mod backward;
mod directory;
mod entry;
mod filter;
mod follow;
pub mod forward;
mod glance;
mod head;
mod join;
pub mod mask;
mod newest;
mod numbered;
mod read;
mod record;
mod tail;
mod verify;
pub mod words;
mod written;

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::libc;

pub use directory::{days, open as open_day};
pub use entry::{Entries, Entry};
pub use filter::{Filter, Id};
pub use follow::Follow;
pub use head::{Position, Said, look as head_says};
pub use newest::Newest;
pub use read::Records;
pub use record::{
    AskedAt, BEGINNING, By, CallOutcome, DecidedBy, Door, Earlier, Framed, Hooked, Line,
    NotedFinding, NotedPause, NotedScript, Purpose, Questioned, Record, Rest, Resumed,
    ResumedBecause, Site, Speaker, Stored, hash as sha256, sound_hash,
};
pub use verify::{Problem, Report, What};
pub use written::{Reader, Written};

use crate::model::Forward;
use head::Head;

/// Why a record was not written or read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory cannot be made.
    #[error("cannot make the directory of records '{}'", path.display())]
    Make {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A directory or file belongs to someone else, or others may write to it.
    #[error("'{}' {problem}, so what is recorded there proves nothing", path.display())]
    NotOurs {
        /// The directory or file.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A file cannot be opened or locked.
    #[error("cannot open the record '{}'", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process held the lock for too long.
    #[error("the record '{}' stayed locked by another process", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read the record '{}'", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written: the disk is full, or a limit is reached.
    #[error("cannot write the record '{}'", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Behind the last record stands more than any of us wrote.
    #[error("{bytes} bytes were written to '{}' that are no records", path.display())]
    Unexplained {
        /// The file.
        path: PathBuf,
        /// How many.
        bytes: u64,
    },
    /// A line of a file is no record.
    #[error("'{}', line {line}, is no record: {why}", path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
}

/// Characters that are told of what is wrong with a line: it may quote the line.
const WHY: usize = 120;

impl Error {
    fn no_record(path: &Path, line: u64, why: &serde_json::Error) -> Self {
        let why = why.to_string();
        // Each record is one line, so only the column would say anything.
        let why = why.rsplit_once(" at line ").map_or(why.as_str(), |(why, _)| why);
        let why = why.chars().take(WHY).collect();
        Self::NoRecord { path: path.to_owned(), line, why }
    }
}

/// Returns the time of a record that is made now.
#[must_use]
pub fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// Returns a time in UTC, as RFC 3339 writes it in whole seconds: such texts are in the order of time.
#[must_use]
pub fn in_seconds(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns the time that is this long ago.
#[must_use]
pub fn ago(age: std::time::Duration) -> jiff::Timestamp {
    now().checked_sub(age).unwrap_or(jiff::Timestamp::MIN)
}

/// Returns the calls in a file of records, or in those of a directory (`*.jsonl`, by their names), oldest first. Whose they are is not asked:
/// nothing is proved by them.
pub fn entries_at(path: &Path) -> Result<Entries, Error> {
    let all = Filter::default();
    Ok(Entries::new(Records::of(read::files_at(path)?, all.clone()), all))
}

/// Whether a record must be on the disk before the command runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// It is given to the system, which survives our end but not the machine's.
    #[default]
    System,
    /// It is on the disk.
    Disk,
}

/// The records of one user.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    durability: Durability,
    forward: Option<Forward>,
}

impl Store {
    /// Returns the records below a state directory. Nothing is made or opened yet.
    #[must_use]
    pub fn new(state: &Path, durability: Durability) -> Self {
        Self { directory: state.join("records"), durability, forward: None }
    }

    /// Sends each record somewhere too, once it is written.
    #[must_use]
    pub fn forwarding(self, forward: Option<Forward>) -> Self {
        Self { forward, ..self }
    }

    /// Returns the directory that holds the records.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Appends one record and returns its number in the chain.
    pub fn append(&self, record: &Record) -> Result<u64, Error> {
        let record = &record.masked();
        directory::prepare(&self.directory)?;
        let mut head = Head::lock(&self.directory)?;
        let day = record.day();
        let tail = tail::find(&self.directory, head.read()?, &day)?;
        let path = self.directory.join(&tail.file);
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&path)
            .map_err(|source| Error::Open { path: path.clone(), source })?;
        let metadata =
            file.metadata().map_err(|source| Error::Open { path: path.clone(), source })?;
        directory::check(&path, &metadata)?;
        let length = metadata.size();
        // What cannot be read back is said again.
        let first = join::find(&file, length, record).unwrap_or_default();
        let bytes = tail
            .line(record, first.as_ref())
            .map_err(|source| Error::Write { path: path.clone(), source: source.into() })?;
        if let Err(source) = file.write_all(&bytes) {
            // Our own part of a line; if it cannot be taken back, the next one that appends finds and keeps it.
            let _ = file.set_len(length);
            return Err(Error::Write { path, source });
        }
        if self.durability == Durability::Disk {
            file.sync_data().map_err(|source| Error::Write { path: path.clone(), source })?;
        }
        head.write(&tail.after(length + bytes.len() as u64, &bytes))?;
        drop(head);
        if let Some(forward) = &self.forward {
            // The record is written; a collector that is not there is told by `doctor`.
            let _ = forward::send(forward, record, bytes.trim_ascii_end());
        }
        Ok(tail.sequence)
    }

    /// Returns the records that a filter lets through, oldest first.
    pub fn read(&self, filter: Filter) -> Result<Records, Error> {
        Records::open(&self.directory, filter)
    }

    /// Returns the calls of which a filter lets a record through, oldest first.
    pub fn entries(&self, filter: Filter) -> Result<Entries, Error> {
        let since = Filter { since: filter.since, ..Filter::default() };
        Ok(Entries::new(Records::open(&self.directory, since)?, filter))
    }

    /// Returns the calls of which a filter lets a record through, newest first. Of files only as much is read as is asked for.
    pub fn newest(&self, filter: Filter) -> Result<Newest, Error> {
        Newest::open(&self.directory, filter)
    }

    /// Returns the call whose first and last record have these numbers, without reading all that stands before and behind it.
    pub fn numbered(&self, first: u64, last: u64) -> Result<Option<Entry>, Error> {
        numbered::entry(&self.directory, first, last)
    }

    /// Returns what follows the records that are there now.
    pub fn follow(&self) -> Result<Follow, Error> {
        Follow::open(&self.directory)
    }

    /// Checks the whole chain: that each record is as it was written, and that none is missing, added or moved.
    pub fn verify(&self) -> Result<Report, Error> {
        verify::verify(&self.directory)
    }
}
