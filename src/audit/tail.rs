//! Where the chain ends, and with what the next record goes on: from the head alone where all is well, and otherwise from
//! the end of the file, so that a process that was stopped while writing neither loses a record nor breaks the chain.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::Deserialize;

use super::head::{Position, Said};
use super::join::{self, First};
use super::record::{self, Record, Resumed, ResumedBecause};
use super::{Error, directory};

/// Bytes at the end of a file that are looked through for the last record. Far more than one can have.
const WINDOW: u64 = 1 << 20;

/// Bytes behind the last record that are looked through. A process that was stopped leaves a record at most; two hundred that
/// were stopped at once leave no more than this.
const UNEXPLAINED_LIMIT: u64 = 64 << 20;

/// Where the next record goes, and what it says of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) sequence: u64,
    pub(super) file: String,
    previous: String,
    resumed: Option<Resumed>,
    /// Whether what stands at the end of the file lacks its newline.
    open_line: bool,
}

impl Tail {
    /// Returns the bytes that are appended for a record.
    pub(super) fn line(
        &self,
        record: &Record,
        first: Option<&First>,
    ) -> Result<Vec<u8>, serde_json::Error> {
        let link = record::Place {
            sequence: self.sequence,
            resumed: self.resumed.as_ref(),
            previous: &self.previous,
        };
        let mut bytes = match first {
            Some(first) => link.line(Some(first.sequence), &join::continued(record, first)?)?,
            None => link.line(None, record)?,
        };
        if self.open_line {
            bytes.insert(0, b'\n');
        }
        Ok(bytes)
    }

    /// Returns the position after `bytes` were appended and the file became `length` long.
    pub(super) fn after(&self, length: u64, bytes: &[u8]) -> Position {
        let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let hash = record::said_hash(line).map(|(_, hash)| hash.to_owned()).unwrap_or_default();
        Position { count: self.sequence.saturating_add(1), hash, file: self.file.clone(), length }
    }
}

/// Finds where the chain ends. `day` is the file that the next record belongs in; it goes into the last one if that is of a later
/// day, since a clock that was set back must not bring the records out of order.
pub(super) fn find(directory: &Path, said: Said, day: &str) -> Result<Tail, Error> {
    let mut end = match said {
        Said::Position(position) => from_head(directory, position)?,
        Said::Nothing | Said::Nonsense => from_files(directory, &said)?,
    };
    if *day > *end.file {
        // What was torn stays at the end of its own file; the first record of the new one says so.
        let started = End { file: day.to_owned(), length: 0, open_line: false, ..end };
        end = started.read_on(directory)?;
    }
    let End { sequence, previous, file, resumed, open_line, .. } = end;
    Ok(Tail { sequence, file, previous, resumed, open_line })
}

/// The end of the chain, as far as it is found.
struct End {
    sequence: u64,
    previous: String,
    file: String,
    /// How much of the file is accounted for.
    length: u64,
    resumed: Option<Resumed>,
    open_line: bool,
}

fn from_head(directory: &Path, position: Position) -> Result<End, Error> {
    let Position { count, hash, file, length } = position;
    let end =
        End { sequence: count, previous: hash, file, length, resumed: None, open_line: false };
    end.read_on(directory)
}

impl End {
    /// Reads what stands in the file behind that which is accounted for. Mostly nothing.
    fn read_on(mut self, directory: &Path) -> Result<Self, Error> {
        let path = directory::file(directory, &self.file);
        let actual = match path.symlink_metadata() {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(source) => return Err(Error::Read { path, source }),
        };
        if actual == self.length {
            return Ok(self);
        }
        if actual < self.length {
            let bytes = read_from(&path, actual.saturating_sub(1))?;
            self.open_line = !bytes.is_empty() && !bytes.ends_with(b"\n");
            self.resume(ResumedBecause::Shorter, &[]);
            return Ok(self);
        }
        if actual - self.length > UNEXPLAINED_LIMIT {
            return Err(Error::Unexplained { path, bytes: actual - self.length });
        }
        // Someone was stopped between writing a record and saying so in the head, or within the record.
        let bytes = read_from(&path, self.length)?;
        let mut rest = &bytes[..];
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let Some(link) = link(&rest[..end]).filter(|link| link.previous == self.previous)
            else {
                break;
            };
            self.sequence = link.sequence.saturating_add(1);
            self.previous = link.hash;
            rest = &rest[end + 1..];
        }
        if !rest.is_empty() {
            self.open_line = !rest.ends_with(b"\n");
            self.resume(ResumedBecause::Torn, rest);
        }
        Ok(self)
    }

    fn resume(&mut self, because: ResumedBecause, bytes: &[u8]) {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let length = bytes.len() as u64;
        // What was found first is what went wrong.
        self.resumed.get_or_insert(Resumed { because, bytes: length, sha256: record::hash(bytes) });
    }
}

/// Finds the end without a head: from the last record of the last file.
fn from_files(directory: &Path, said: &Said) -> Result<End, Error> {
    let beginning = |file: String| End {
        sequence: 0,
        previous: record::BEGINNING.to_owned(),
        file,
        length: 0,
        resumed: None,
        open_line: false,
    };
    let Some(file) = directory::days(directory)?.pop() else {
        let mut end = beginning(String::new());
        if *said == Said::Nonsense {
            end.resume(ResumedBecause::HeadLost, &[]);
        }
        return Ok(end);
    };
    let path = directory::file(directory, &file);
    let length = path.symlink_metadata().map(|metadata| metadata.len());
    let length = length.map_err(|source| Error::Read { path: path.clone(), source })?;
    let bytes = read_from(&path, length.saturating_sub(WINDOW))?;
    let mut end = beginning(file);
    let mut known = 0;
    let mut at = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        at += line.len();
        if let Some(link) = line.strip_suffix(b"\n").and_then(link) {
            end.sequence = link.sequence.saturating_add(1);
            end.previous = link.hash;
            known = at;
        }
    }
    let rest = &bytes[known..];
    end.length = length;
    end.open_line = !bytes.is_empty() && !bytes.ends_with(b"\n");
    end.resume(ResumedBecause::HeadLost, rest);
    Ok(end)
}

/// What ties a record to the one before and the one after.
pub(super) struct Link {
    pub(super) sequence: u64,
    pub(super) previous: String,
    pub(super) hash: String,
    pub(super) resumed: Option<Resumed>,
}

/// Reads the link of a line without its newline. None: it is no record, or was altered.
pub(super) fn link(line: &[u8]) -> Option<Link> {
    #[derive(Deserialize)]
    struct Fields {
        sequence: u64,
        previous: String,
        #[serde(default)]
        resumed: Option<Resumed>,
    }
    let hash = record::sound_hash(line)?.to_owned();
    let Fields { sequence, previous, resumed } = serde_json::from_slice(line).ok()?;
    Some(Link { sequence, previous, hash, resumed })
}

fn read_from(path: &Path, start: u64) -> Result<Vec<u8>, Error> {
    let read = |source| Error::Read { path: path.to_owned(), source };
    let Some(mut file) = directory::open(path)? else { return Ok(Vec::new()) };
    file.seek(SeekFrom::Start(start)).map_err(read)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(read)?;
    Ok(bytes)
}
