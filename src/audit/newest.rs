//! Records as calls, the newest first. Reads files from their ends, and of each line no more than says that it is not wanted.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::backward::{Backward, Raw};
use super::entry::WINDOW;
use super::filter::{Id, Sieve};
use super::glance::glance;
use super::join;
use super::{Entry, Error, Filter, directory, read};

/// Bytes of a file's first line that are looked at for its number.
const LONGEST: u64 = 1 << 20;

/// The entries of which a record fits a filter, newest first. A line that is no record is an error in its place.
pub struct Newest {
    lines: Backward,
    filter: Filter,
    sieve: Sieve,
    /// The filter's time, as lines have it.
    since: Option<String>,
    held: VecDeque<Held>,
    is_read: bool,
}

/// What is held back until it is whole.
enum Held {
    /// All lines of a call, the first first.
    Call(Vec<Line>),
    /// Lines of a call whose first is still to come, the newest first, and its number.
    Views(u64, Vec<Line>),
    /// What could not be read.
    Fault(Error),
}

/// A line, and the record's number where a glance says it.
pub(super) struct Line {
    pub(super) raw: Raw,
    pub(super) sequence: Option<u64>,
}

impl Newest {
    pub(super) fn open(directory: &Path, filter: Filter) -> Result<Self, Error> {
        let mut files = read::files(directory, &filter)?;
        if let Some(Id::Number(number)) = filter.id {
            files = around(files, number);
        }
        let (since, sieve, held) = (filter.since_written(), filter.sieve(), VecDeque::new());
        Ok(Self { lines: Backward::of(files), filter, sieve, since, held, is_read: false })
    }

    fn take(&mut self, found: Result<Raw, Error>) {
        let raw = match found {
            Ok(raw) => raw,
            Err(error) => return self.held.push_back(Held::Fault(error)),
        };
        let Some(seen) = glance(&raw.bytes) else {
            return self.held.push_back(Held::Call(vec![Line { raw, sequence: None }]));
        };
        let (sequence, reference) = (seen.sequence, seen.reference);
        let is_old = self.since.as_ref().is_some_and(|since| seen.time < since.as_str());
        let line = Line { raw, sequence: Some(sequence) };
        let call = reference.unwrap_or(sequence);
        let is_of = |held: &Held| matches!(held, Held::Views(first, _) if *first == call);
        let views = self.held.iter().position(is_of);
        match (views.and_then(|at| self.held.get_mut(at)), reference) {
            (Some(Held::Views(_, lines)), Some(_)) => lines.push(line),
            (Some(Held::Views(_, lines)), None) => {
                let mut lines = std::mem::take(lines);
                lines.push(line);
                lines.reverse();
                views.and_then(|at| self.held.remove(at));
                self.held.push_back(Held::Call(lines));
            }
            // What is older than what is wanted counts only with what came of it since.
            _ if is_old => {}
            (_, Some(first)) => self.held.push_back(Held::Views(first, vec![line])),
            (_, None) => self.held.push_back(Held::Call(vec![line])),
        }
    }

    /// Returns the entry of these lines, if it is wanted.
    fn entry(&self, lines: &[Line]) -> Option<Result<Entry, Error>> {
        if let Some(Id::Number(number)) = self.filter.id
            && lines.iter().all(|line| line.sequence.is_some_and(|found| found != number))
        {
            return None;
        }
        let texts: Vec<&[u8]> = lines.iter().map(|line| line.raw.bytes.as_slice()).collect();
        if !self.sieve.may_fit(&texts) {
            let strange = lines.iter().find(|line| line.sequence.is_none());
            return strange.and_then(|line| line.damage().map(Err));
        }
        let (first, views) = lines.split_first()?;
        match whole(first, views) {
            Ok(entry) => self.filter.fits_entry(&entry).then_some(Ok(entry)),
            Err(error) => Some(Err(error)),
        }
    }
}

impl Line {
    /// Returns what is wrong with it, if it is no record.
    fn damage(&self) -> Option<Error> {
        let read = join::stored(&self.raw.bytes, None);
        read.err().map(|why| self.raw.place.no_record(&why))
    }
}

/// Returns the entry of these lines.
pub(super) fn whole(first: &Line, views: &[Line]) -> Result<Entry, Error> {
    let read = |line: &Line, first: Option<&Line>| {
        let stored = join::stored(&line.raw.bytes, first.map(|first| first.raw.bytes.as_slice()));
        stored.map_err(|why| line.raw.place.no_record(&why))
    };
    let views = views.iter().map(|line| read(line, Some(first)));
    Ok(Entry { first: read(first, None)?, views: views.collect::<Result<_, _>>()? })
}

impl Iterator for Newest {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let is_full = self.held.len() >= WINDOW || self.is_read;
            let is_whole = match self.held.front() {
                Some(Held::Views(..)) => is_full,
                Some(Held::Call(_) | Held::Fault(_)) => true,
                None if self.is_read => return None,
                None => false,
            };
            if !is_whole {
                match self.lines.next() {
                    Some(found) => self.take(found),
                    None => self.is_read = true,
                }
                continue;
            }
            let found = match self.held.pop_front()? {
                Held::Fault(error) => Some(Err(error)),
                Held::Call(lines) => self.entry(&lines),
                Held::Views(_, mut lines) => {
                    lines.reverse();
                    self.entry(&lines)
                }
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

/// Returns the files that can hold the record of this number. All records of a call stand in one file.
pub(super) fn around(files: Vec<PathBuf>, number: u64) -> Vec<PathBuf> {
    let begins_later = |path: &PathBuf| first_number(path).is_some_and(|first| first > number);
    let later = files.iter().position(begins_later).unwrap_or(files.len());
    files.into_iter().take(later).skip(later.saturating_sub(1)).collect()
}

/// Returns the number of the first record in a file, if its first line says it.
fn first_number(path: &Path) -> Option<u64> {
    let file = directory::open_found(path).ok()?;
    let mut line = Vec::new();
    BufReader::new(file.take(LONGEST)).read_until(b'\n', &mut line).ok()?;
    glance(line.strip_suffix(b"\n")?).map(|seen| seen.sequence)
}
