//! Reads records back, for `log`, `stats` and `export`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use jiff::Timestamp;

use super::entry::Entry;
use super::join::Firsts;
use super::record::{DecidedBy, Stored};
use super::{Error, directory, mask};
use crate::model::{Action, Severity};

/// Which records are wanted. Each part that is set must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this session.
    pub session: Option<String>,
    /// With this action.
    pub action: Option<Action>,
    /// At least this severe.
    pub severity: Option<Severity>,
    /// With this text in the line, the directory, or a finding.
    pub text: Option<String>,
    /// Not older than this.
    pub since: Option<Timestamp>,
}

impl Filter {
    fn fits(&self, stored: &Stored) -> bool {
        let record = &stored.record;
        // As it was written.
        let session = |wanted: &String| record.session.as_deref() == Some(&*mask::mask(wanted));
        let text = |wanted: &String| {
            let found = |text: &str| text.contains(wanted.as_str());
            found(&record.line.text)
                || record.cwd.as_deref().is_some_and(found)
                || record.findings.iter().any(|noted| found(&noted.rule) || found(&noted.reason))
        };
        self.session.as_ref().is_none_or(session)
            && self.action.is_none_or(|action| {
                // What was only told has no action.
                record.action == action && record.decided_by != DecidedBy::Observed
            })
            && self.severity.is_none_or(|severity| record.severity >= severity)
            && self.since.is_none_or(|since| record.time >= since)
            && self.text.as_ref().is_none_or(text)
    }

    /// Returns whether one of an entry's records fits.
    pub(super) fn fits_entry(&self, entry: &Entry) -> bool {
        self.fits(&entry.first) || entry.views.iter().any(|stored| self.fits(stored))
    }

    /// Returns whether a day's file can hold records that are wanted. A record may stand in the file of a later day than its own, if
    /// the clock was set back, but never in that of an earlier one.
    fn fits_day(&self, day: &str) -> bool {
        self.since.is_none_or(|since| *day >= *since.to_string().get(..10).unwrap_or(""))
    }
}

/// The records that a filter lets through, oldest first. A line that is no record is an error in its place; reading goes on
/// behind it.
pub struct Records {
    files: IntoIter<PathBuf>,
    filter: Filter,
    current: Option<(PathBuf, BufReader<File>, u64)>,
    firsts: Firsts,
}

impl Records {
    pub(super) fn open(directory: &Path, filter: Filter) -> Result<Self, Error> {
        let days = match directory.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            _ => directory::days(directory)?,
        };
        let wanted = days.into_iter().filter(|day| filter.fits_day(day));
        let files: Vec<_> = wanted.map(|day| directory::file(directory, &day)).collect();
        Ok(Self { files: files.into_iter(), filter, current: None, firsts: Firsts::default() })
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
                    let firsts = &mut self.firsts;
                    let stored = serde_json::from_slice(&bytes)
                        .and_then(|fields| serde_json::from_value(firsts.whole(fields).into()));
                    let no_record = |_| Error::NoRecord { path: path.clone(), line: *line };
                    return Some(stored.map_err(no_record));
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
