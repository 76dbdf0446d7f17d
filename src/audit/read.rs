//! Reads records back, for `log`, `stats` and `export`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use super::glance::glance;
use super::join::Firsts;
use super::record::Stored;
use super::{Error, Filter, directory};

/// The longest line that may be a record: of a line that was judged 32 KiB are kept, and of what was found 32 reasons.
const LONGEST: u64 = 16 << 20;

/// The records that a filter lets through, oldest first. A line that is no record is an error in its place; reading goes on
/// behind it.
pub struct Records {
    files: IntoIter<PathBuf>,
    filter: Filter,
    current: Option<(PathBuf, BufReader<File>, u64)>,
    firsts: Firsts,
    /// The filter's time, as lines have it.
    since: Option<String>,
}

impl Records {
    pub(super) fn open(directory: &Path, filter: Filter) -> Result<Self, Error> {
        Ok(Self::of(files(directory, &filter)?, filter))
    }

    /// Returns the records of these files, in their order.
    pub(super) fn of(files: Vec<PathBuf>, filter: Filter) -> Self {
        let (since, firsts) = (filter.since_written(), Firsts::default());
        Self { files: files.into_iter(), filter, current: None, firsts, since }
    }

    /// Returns the first record of the call that a record continues, if that was left out for its age.
    pub(super) fn older_first(&self, stored: &Stored) -> Option<Stored> {
        let since = self.filter.since?;
        let first = self.firsts.first(stored.reference?)?;
        (first.record.time < since).then_some(first)
    }

    fn next_line(&mut self) -> Option<Result<Stored, Error>> {
        loop {
            let Some((path, reader, line)) = &mut self.current else {
                let path = self.files.next()?;
                match directory::open_found(&path) {
                    Ok(file) => self.current = Some((path, BufReader::new(file), 0)),
                    Err(error) => return Some(Err(error)),
                }
                continue;
            };
            let mut bytes = Vec::new();
            match reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes) {
                Ok(0) => self.current = None,
                Ok(read) if read as u64 == LONGEST && !bytes.ends_with(b"\n") => {
                    *line += 1;
                    let why = format!("longer than {LONGEST} bytes");
                    let error = Error::NoRecord { path: path.clone(), line: *line, why };
                    // The rest is passed over without being held. What cannot be read is told at the next line.
                    let _ = reader.skip_until(b'\n');
                    return Some(Err(error));
                }
                Ok(_) => {
                    *line += 1;
                    bytes.pop_if(|last| *last == b'\n');
                    if let Some(seen) = glance(&bytes)
                        && self.since.as_ref().is_some_and(|since| seen.time < since.as_str())
                    {
                        if seen.reference.is_none() {
                            self.firsts.remember(seen.sequence, bytes);
                        }
                        continue;
                    }
                    let stored = self.firsts.stored(bytes);
                    return Some(stored.map_err(|why| Error::no_record(path, *line, &why)));
                }
                Err(source) => {
                    let path = path.clone();
                    self.current = None;
                    return Some(Err(Error::Read { path, source }));
                }
            }
        }
    }
}

/// Returns a file of records, or those of a directory (`*.jsonl`), by their names.
pub(super) fn files_at(path: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = |source| Error::Read { path: path.to_owned(), source };
    // A link that somebody names is meant.
    let whole = path.canonicalize().map_err(read)?;
    if !whole.is_dir() {
        return Ok(vec![whole]);
    }
    let entries = whole.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut files: Vec<PathBuf> =
        entries.map_err(read)?.iter().map(std::fs::DirEntry::path).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    Ok(files)
}

/// Returns the files that can hold records that are wanted, the oldest first.
pub(super) fn files(directory: &Path, filter: &Filter) -> Result<Vec<PathBuf>, Error> {
    let days = match directory.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        _ => directory::days(directory)?,
    };
    let wanted = days.into_iter().filter(|day| filter.fits_day(day));
    Ok(wanted.map(|day| directory::file(directory, &day)).collect())
}

impl Iterator for Records {
    type Item = Result<Stored, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.next_line()? {
                Ok(stored) if !self.filter.fits(&stored) => {}
                found => return Some(found),
            }
        }
    }
}
