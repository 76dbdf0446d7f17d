//! Reads records back, for `log`, `stats` and `export`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use super::glance::glance;
use super::join::Firsts;
use super::record::Stored;
use super::{Error, Filter, directory};

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
        let files = files(directory, &filter)?;
        let (since, firsts) = (filter.since_written(), Firsts::default());
        Ok(Self { files: files.into_iter(), filter, current: None, firsts, since })
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
            match reader.read_until(b'\n', &mut bytes) {
                Ok(0) => self.current = None,
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
