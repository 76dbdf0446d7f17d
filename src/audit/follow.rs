//! What is appended to the record from now on. Waits for nothing: whoever follows asks again when something was written.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::backward::Place;
use super::{Entry, Error, Filter, Newest, directory, join};

/// Calls that are remembered for what may still come of them.
const REMEMBERED: usize = 512;
/// Bytes that are read at once.
const BLOCK: usize = 128 << 10;

/// The records after those that were there when it was opened.
pub struct Follow {
    directory: PathBuf,
    /// The day's file that is read, and how far: up to the line that is not finished.
    file: Option<String>,
    at: u64,
    /// What was read of that line.
    rest: Vec<u8>,
    calls: VecDeque<Entry>,
}

impl Follow {
    pub(super) fn open(directory: &Path) -> Result<Self, Error> {
        let mut follow = Self {
            directory: directory.to_owned(),
            file: None,
            at: 0,
            rest: Vec::new(),
            calls: VecDeque::new(),
        };
        follow.file = follow.days()?.pop();
        if let Some(file) = &follow.file {
            let path = directory::file(directory, file);
            let read = |source| Error::Read { path: path.clone(), source };
            follow.at = directory::open_found(&path)?.metadata().map_err(read)?.len();
        }
        // What comes of these is told with them. One that is written just now may be among them, and is read again.
        let before = Newest::open(directory, Filter::default())?;
        follow.calls = before.take(REMEMBERED).filter_map(Result::ok).collect();
        follow.calls.make_contiguous().reverse();
        Ok(follow)
    }

    /// Returns each call of which a record was written since this was called last, as it is then.
    pub fn read(&mut self) -> Result<Vec<Result<Entry, Error>>, Error> {
        let mut found = Vec::new();
        loop {
            let days = self.days()?;
            let Some(file) = self.file.clone().or_else(|| days.first().cloned()) else { break };
            self.file = Some(file.clone());
            let path = directory::file(&self.directory, &file);
            self.read_file(&path, &mut found)?;
            // Nothing is appended to the file of a day once that of a later one is there.
            let Some(next) = days.into_iter().find(|day| *day > file) else { break };
            (self.file, self.at) = (Some(next), 0);
            self.rest.clear();
        }
        Ok(found)
    }

    fn read_file(
        &mut self,
        path: &Path,
        found: &mut Vec<Result<Entry, Error>>,
    ) -> Result<(), Error> {
        let Some(file) = directory::open(path)? else { return Ok(()) };
        let mut block = vec![0; BLOCK];
        loop {
            let read = read_some(&file, &mut block, self.at + self.rest.len() as u64);
            let count = read.map_err(|source| Error::Read { path: path.to_owned(), source })?;
            if count == 0 {
                return Ok(());
            }
            for part in block[..count].split_inclusive(|byte| *byte == b'\n') {
                self.rest.extend_from_slice(part);
                if part.ends_with(b"\n") {
                    let mut line = std::mem::take(&mut self.rest);
                    let place = Place::new(path, self.at);
                    self.at += line.len() as u64;
                    line.pop();
                    let entry = self.take(&line);
                    found.push(entry.map_err(|why| place.no_record(&why)));
                }
            }
        }
    }

    /// Puts a record to the call that it is of, and returns that.
    fn take(&mut self, line: &[u8]) -> Result<Entry, serde_json::Error> {
        let reference = join::reference(line)?;
        let mut calls = self.calls.iter_mut().rev();
        if let Some(call) = calls.find(|call| Some(call.first.sequence) == reference) {
            let first = serde_json::to_vec(&call.first)?;
            let view = join::stored(line, Some(&first))?;
            if !call.views.contains(&view) {
                call.views.push(view);
            }
            return Ok(call.clone());
        }
        let entry = Entry { first: join::stored(line, None)?, views: Vec::new() };
        if self.calls.len() == REMEMBERED {
            self.calls.pop_front();
        }
        self.calls.push_back(entry.clone());
        Ok(entry)
    }

    fn days(&self) -> Result<Vec<String>, Error> {
        match self.directory.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            _ => directory::days(&self.directory),
        }
    }
}

fn read_some(file: &File, block: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match file.read_at(block, at) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}
