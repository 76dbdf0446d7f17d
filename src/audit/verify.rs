//! Checks the whole chain and says where it is broken, by file and line.

use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::head::{self, Said};
use super::record::{self, Resumed, ResumedBecause};
use super::tail::{self, Link};
use super::{Error, directory};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How many records there are.
    pub records: u64,
    /// Where the chain is broken.
    pub problems: Vec<Problem>,
    /// Places where someone was stopped while writing: nothing is missing there, and what is no record is pinned.
    pub interruptions: Vec<Problem>,
}

impl Report {
    /// Returns whether every record is as it was written, and none is missing.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Something is wrong at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 if it is not about a line.
    pub line: u64,
    /// What is wrong.
    pub what: What,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The line is not what was written: its hash is not that of its bytes, or it is no record at all.
    Altered,
    /// Records are missing before this one.
    Missing {
        /// The number of the first.
        first: u64,
        /// How many.
        count: u64,
    },
    /// The record does not belong here: it was moved, or comes a second time.
    Moved,
    /// The record names another one before it than the one that is there.
    Unchained,
    /// Records are missing at the end.
    Cut {
        /// How many.
        count: u64,
    },
    /// The head was gone when this record was written, so records may be missing before it.
    HeadLost,
    /// There is no head, or it cannot be understood, so records may be missing at the end.
    NoHead,
    /// Bytes that are no record, left by someone who was stopped while writing. They are pinned by the next record.
    Torn,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered => write!(f, "the line was altered"),
            Self::Missing { first, count: 1 } => write!(f, "record {first} is missing before it"),
            Self::Missing { first, count } => {
                write!(f, "{count} records are missing before it, from record {first} on")
            }
            Self::Moved => write!(f, "the record was moved here, or copied"),
            Self::Unchained => write!(f, "the record does not follow from the one before it"),
            Self::Cut { count: 0 } => write!(f, "the last record is not the one that was written"),
            Self::Cut { count } => write!(f, "the last {count} records are missing"),
            Self::HeadLost => write!(f, "the head was lost before it; records may be missing"),
            Self::NoHead => write!(f, "the head is lost; records may be missing at the end"),
            Self::Torn => write!(f, "writing was interrupted; nothing is missing"),
        }
    }
}

/// Checks all records of a directory.
pub(super) fn verify(directory: &Path) -> Result<Report, Error> {
    if matches!(directory.symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
    {
        return Ok(Report::default());
    }
    // The head first: records that are appended while we read only make more than it says.
    let head = head::look(directory)?;
    let mut walk = Walk::new();
    for day in directory::days(directory)? {
        walk.file(&directory::file(directory, &day))?;
    }
    walk.end(&directory.join("head"), head);
    Ok(walk.report)
}

struct Walk {
    report: Report,
    /// The number that the next record should have.
    sequence: u64,
    /// The hash that it should name.
    previous: String,
    /// Bytes since the last record that are none, and where they begin.
    strange: Option<(PathBuf, u64, Vec<u8>)>,
}

impl Walk {
    fn new() -> Self {
        Self {
            report: Report::default(),
            sequence: 0,
            previous: record::BEGINNING.to_owned(),
            strange: None,
        }
    }

    fn file(&mut self, path: &Path) -> Result<(), Error> {
        let read = |source| Error::Read { path: path.to_owned(), source };
        let mut reader = BufReader::new(directory::open_found(path)?);
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(read)? == 0 {
                break;
            }
            // A record without its newline is complete, but was not finished.
            match bytes.strip_suffix(b"\n").and_then(tail::link) {
                Some(link) => self.record(path, line, link),
                None => self.no_record(path, line, &bytes),
            }
        }
        Ok(())
    }

    fn no_record(&mut self, path: &Path, line: u64, bytes: &[u8]) {
        let place = || (path.to_owned(), line, Vec::new());
        self.strange.get_or_insert_with(place).2.extend_from_slice(bytes);
    }

    fn record(&mut self, path: &Path, line: u64, link: Link) {
        self.report.records += 1;
        let altered = self.settle_strange(link.resumed.as_ref());
        if link.resumed.as_ref().is_some_and(|resumed| resumed.because == ResumedBecause::HeadLost)
        {
            self.problem(path, line, What::HeadLost);
        }
        if link.sequence > self.sequence {
            // An altered line is still a record of which the number is known to be here.
            let count = link.sequence - self.sequence;
            if count > u64::from(altered) {
                let first = self.sequence;
                self.problem(
                    path,
                    line,
                    What::Missing { first, count: count - u64::from(altered) },
                );
            }
        } else if link.sequence < self.sequence {
            self.problem(path, line, What::Moved);
            return;
        } else if link.previous != self.previous && !altered {
            self.problem(path, line, What::Unchained);
        }
        self.sequence = link.sequence.saturating_add(1);
        self.previous = link.hash;
    }

    /// Decides what the bytes before a record are: left by an interruption, if the record pins them, and else altered. Returns whether
    /// they are altered.
    fn settle_strange(&mut self, resumed: Option<&Resumed>) -> bool {
        let Some((path, line, bytes)) = self.strange.take() else { return false };
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let pinned = resumed.is_some_and(|resumed| {
            resumed.bytes == bytes.len() as u64 && resumed.sha256 == record::hash(bytes)
        });
        if pinned {
            self.report.interruptions.push(Problem { path, line, what: What::Torn });
        } else {
            self.problem(&path, line, What::Altered);
        }
        !pinned
    }

    fn end(&mut self, path: &Path, head: Option<Said>) {
        // Behind the last record: not yet pinned, so not yet explained.
        let cut_short = self.strange.take();
        let altered = cut_short.is_some();
        if let Some((path, line, _)) = cut_short {
            self.problem(&path, line, What::Altered);
        }
        match head {
            Some(Said::Position(head)) => {
                let missing = head.count.saturating_sub(self.sequence);
                let same = head.count != self.sequence || head.hash == self.previous;
                if missing > u64::from(altered) || !same {
                    let count = missing.saturating_sub(u64::from(altered));
                    self.problem(path, 0, What::Cut { count });
                }
            }
            Some(Said::Nothing | Said::Nonsense) | None if self.report.records > 0 => {
                self.problem(path, 0, What::NoHead);
            }
            Some(Said::Nothing | Said::Nonsense) | None => {}
        }
    }

    fn problem(&mut self, path: &Path, line: u64, what: What) {
        self.report.problems.push(Problem { path: path.to_owned(), line, what });
    }
}
