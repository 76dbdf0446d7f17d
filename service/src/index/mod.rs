//! The index of the record, by which pages of history, sessions and the dashboard find what they show. Proves nothing and decides nothing: the record is the truth,
//! and the index is made of it, follows it, and may be deleted at any time.
//!
//! It is an SQLite file, `index.sqlite`, beside `records/` in the state directory, and its owner's alone. One process writes it, which has `index.lock` locked; all
//! others read. What one transaction writes is some records, and how far the files were read with them, so that it goes on wherever it was stopped.
//! Where a file of the record shrank, changed or is gone, and where the index is damaged, another's or of another version, it is made anew.

mod call;
mod chain;
mod command;
mod days;
mod lines;
mod read;
mod summary;
mod table;
mod tally;
mod wanted;
mod write;

#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use guarded_sh::audit::{self, Durability, Store, head_says};
use guarded_sh::subcommand::Line;
use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode};

pub use call::kept;
pub use command::{Arguments, SearchArguments, run, search};
pub use summary::{Hour, SessionRow, Summary};
pub use wanted::{Mark, Row, Wanted};

use days::Standing;
use write::{Fill, Writer};

/// Batches that are read ahead.
const AHEAD: usize = 8;

/// Why there is no index, or it does not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Its place cannot be used.
    #[error("cannot use the index at '{}'", path.display())]
    Place {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something else stands in its place.
    #[error("'{}' {problem}, so there is no index", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It is damaged, or no index. Who writes it makes it anew.
    #[error("the index '{}' is damaged: `guarded-shd index` makes it anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The disk is full.
    #[error("cannot write the index '{}', since the disk is full; the record is not changed by that", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// It cannot be written.
    #[error("cannot write the index '{}', which may only be read; the record is not changed by that", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// It cannot be read or written.
    #[error("cannot use the index '{}'", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// Another process makes it just now.
    #[error("another process is making the index '{}': try again", path.display())]
    BeingMade {
        /// The file.
        path: PathBuf,
    },
    /// The record cannot be read.
    #[error(transparent)]
    Record(#[from] audit::Error),
}

impl Error {
    fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path, source }
            }
            Some(ErrorCode::DiskFull) => Self::Full { path, source },
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path, source },
            _ => Self::Unusable { path, source },
        }
    }
}

/// How far an update is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many bytes of the record were read, of so many.
    Reading {
        /// How many were read.
        bytes: u64,
        /// How many there are.
        of: u64,
    },
    /// All were read, and what finds texts is made.
    Filling,
}

/// What an update did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// How many calls the index holds.
    pub calls: u64,
    /// How many records were read for it.
    pub records: u64,
    /// Why it was made anew, if it was.
    pub anew: Option<String>,
    /// Whether another process writes the index: then nothing was done here, and it follows the record there.
    pub is_anothers: bool,
}

/// The index of the record below a state directory.
pub struct Index {
    path: PathBuf,
    records: PathBuf,
    db: Connection,
    /// Held by who writes.
    lock: Option<table::Lock>,
    /// It was seen to be damaged.
    is_damaged: Cell<bool>,
    /// By which is seen whether the file is still that which is open.
    inode: u64,
}

impl Index {
    /// Opens the index of the records below a state directory, to write it if no other process does. One that is no index of this version is made anew.
    /// It holds what it held: [`Index::update`] brings it up to date.
    pub fn open(state: &Path) -> Result<Self, Error> {
        let path = table::path(state)?;
        let records = Store::new(state, Durability::System).directory().to_owned();
        let lock = table::lock(&path)?;
        let db = match &lock {
            Some(lock) => table::writer(&path, lock)?,
            None => table::reader(&path)?,
        };
        let inode = table::inode(&path);
        Ok(Self { path, records, db, lock, is_damaged: Cell::new(false), inode })
    }

    /// Brings the index up to date, and makes it anew where the record is not the one that it was made of. A line that is written just now is left for the next time.
    pub fn update(&mut self, progress: &mut impl FnMut(Progress)) -> Result<Updated, Error> {
        if !self.may_write()? {
            self.read_on()?;
            return Ok(Updated { calls: self.count()?, records: 0, anew: None, is_anothers: true });
        }
        let done = if self.is_damaged.get() || table::inode(&self.path) != self.inode {
            self.is_damaged.set(true);
            self.anew("it was damaged or deleted", progress)
        } else {
            self.brought_up(None, progress)
        };
        match done {
            Err(Error::Damaged { .. }) => {
                self.is_damaged.set(true);
                self.anew("it was damaged or deleted", progress)
            }
            done => done,
        }
    }

    /// Makes the index anew at the next update, since one who reads it found that it is damaged. Who writes it may not see that: what it wrote lately is elsewhere.
    pub fn is_found_damaged(&self) {
        self.is_damaged.set(true);
    }

    /// Makes the index anew, of all of the record.
    pub fn rebuild(&mut self, progress: &mut impl FnMut(Progress)) -> Result<Updated, Error> {
        if !self.may_write()? {
            return Err(Error::BeingMade { path: self.path.clone() });
        }
        self.anew("as was asked for", progress)
    }

    /// Returns the calls that are wanted, the newest first: by their numbers, whatever the clock said.
    pub fn calls(&self, wanted: &Wanted) -> Result<Vec<Row>, Error> {
        self.answer(|db| wanted::calls(db, wanted))
    }

    /// Returns the calls that are wanted and of which something was decided, the newest first, as far as they are told apart from others by `key`.
    pub fn marks(
        &self,
        wanted: &Wanted,
        key: &dyn Fn(&str, u64) -> u64,
    ) -> Result<Vec<Mark>, Error> {
        self.answer(|db| wanted::marks(db, wanted, key))
    }

    /// Returns the sessions of the newest calls, the newest first.
    pub fn sessions(&self, limit: usize) -> Result<Vec<SessionRow>, Error> {
        self.answer(|db| summary::sessions(db, limit))
    }

    /// Returns a session, if something was decided in it.
    pub fn session(&self, session: &str) -> Result<Option<SessionRow>, Error> {
        self.answer(|db| summary::session(db, session))
    }

    /// Returns the beginning of the hour of the oldest call.
    pub fn began(&self) -> Result<Option<Timestamp>, Error> {
        self.answer(summary::began)
    }

    /// Returns what came since the beginning of the hour in which a time is.
    pub fn summary(&self, since: Timestamp) -> Result<Summary, Error> {
        self.answer(|db| summary::summary(db, since))
    }

    /// Returns the lines of shells since a time, each with its directory once, those of the newest calls first, and no more than so many.
    pub fn lines(&self, since: Timestamp, most: usize) -> Result<Vec<Line>, Error> {
        self.answer(|db| lines::lines(db, since, most))
    }

    /// Returns where the record does not verify, as far as it was read. None: each record follows from the one before it, and none was altered.
    pub fn damage(&self) -> Result<Option<String>, Error> {
        Ok(self.chain()?.damage())
    }

    /// Returns how many records were read for it, whatever became of them.
    pub fn records(&self) -> Result<u64, Error> {
        Ok(self.chain()?.followed())
    }

    fn chain(&self) -> Result<chain::Chain, Error> {
        let chain = self.answer(|db| {
            db.query_row("SELECT chain FROM state", [], |row| row.get::<_, String>(0))
        })?;
        Ok(write::chain_of(&chain))
    }

    /// Returns how many calls the index holds.
    pub fn count(&self) -> Result<u64, Error> {
        let calls = self
            .answer(|db| db.query_row("SELECT calls FROM state", [], |row| row.get::<_, i64>(0)))?;
        Ok(calls.cast_unsigned())
    }

    fn answer<T>(&self, ask: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        let failed = |source| Error::of(&self.path, source);
        let answer = ask(&self.db).map_err(failed);
        if matches!(answer, Err(Error::Damaged { .. })) {
            self.is_damaged.set(true);
        }
        answer
    }

    /// Whether the index is ours to write; it may have become so because who wrote it has ended.
    fn may_write(&mut self) -> Result<bool, Error> {
        // Where the lock's file was deleted, another may have locked a new one.
        self.lock.take_if(|lock| !table::holds(lock, &self.path));
        if self.lock.is_none() {
            self.lock = table::lock(&self.path)?;
            if self.lock.is_some() {
                self.reopen()?;
            }
        }
        Ok(self.lock.is_some())
    }

    /// Puts an empty index in place of this one.
    fn replace(&mut self) -> Result<(), Error> {
        // Where it can be emptied, whoever reads it goes on; a damaged one cannot.
        if self.is_damaged.get() || table::clear(&self.db).is_err() {
            self.close()?;
            table::remove(&self.path)?;
            self.reopen()?;
        }
        self.is_damaged.set(false);
        Ok(())
    }

    /// Opens the index that is there. What was open is closed before: to close it later would take away what is open now.
    fn reopen(&mut self) -> Result<(), Error> {
        self.close()?;
        self.db = match &self.lock {
            Some(lock) => table::writer(&self.path, lock)?,
            None => table::reader(&self.path)?,
        };
        self.inode = table::inode(&self.path);
        Ok(())
    }

    /// Reads the file that is there now, where who writes has replaced the one that is open.
    fn read_on(&mut self) -> Result<(), Error> {
        if self.is_damaged.get() || table::inode(&self.path) != self.inode {
            self.reopen()?;
            self.is_damaged.set(false);
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        let nothing = Connection::open_in_memory();
        self.db = nothing.map_err(|source| Error::of(&self.path, source))?;
        Ok(())
    }

    fn anew(&mut self, why: &str, progress: &mut impl FnMut(Progress)) -> Result<Updated, Error> {
        self.replace()?;
        self.brought_up(Some(why.to_owned()), progress)
    }

    fn brought_up(
        &mut self,
        anew: Option<String>,
        progress: &mut impl FnMut(Progress),
    ) -> Result<Updated, Error> {
        // The head first: records that are appended while we read only make more than it says.
        let head = head_says(&self.records)?;
        let known = self.answer(write::days)?;
        let (anew, days) = match days::standing(&self.records, &known)? {
            Standing::On(days) => (anew, days),
            Standing::Anew { why, days } => {
                self.replace()?;
                (anew.or(Some(why)), days)
            }
        };
        let failed = |source| Error::of(&self.path, source);
        let mut writer = Writer::new(&self.db, &self.records, &days).map_err(failed)?;
        self.read(&mut writer, &days, progress)?;
        writer.end(head.as_ref()).map_err(failed)?;
        if writer.fill() == Fill::Later {
            progress(Progress::Filling);
            table::fill(&self.db).map_err(failed)?;
        }
        let (records, calls) = writer.counts();
        Ok(Updated { calls: calls.cast_unsigned(), records, anew, is_anothers: false })
    }

    /// Reads what is to be read, on a thread of its own, and has it written here.
    fn read(
        &self,
        writer: &mut Writer<'_>,
        days: &[days::Day],
        progress: &mut impl FnMut(Progress),
    ) -> Result<(), Error> {
        let failed = |source| Error::of(&self.path, source);
        let of = days.iter().map(|day| day.stat.size.max(day.bytes)).sum();
        let mut bytes: u64 = days.iter().map(|day| day.bytes).sum();
        std::thread::scope(|scope| {
            let (give, take) = sync_channel(AHEAD);
            let records = &self.records;
            scope.spawn(move || read::read(records, days, &give));
            for batch in take {
                let batch = batch?;
                bytes += batch.lines.iter().map(|line| line.bytes).sum::<u64>();
                writer.take(batch).map_err(failed)?;
                progress(Progress::Reading { bytes, of });
            }
            Ok(())
        })
    }
}
