//! The lines of the record from the last to the first, as bytes. Reads files from their ends, and understands nothing of what it reads.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Error, directory};

/// Bytes that are read at once, and more where a line is longer.
const BLOCK: u64 = 128 << 10;

/// A line without its newline, and where it stands.
#[derive(Debug)]
pub(super) struct Raw {
    pub(super) bytes: Vec<u8>,
    pub(super) place: Place,
}

/// Where a line stands.
#[derive(Clone, Debug)]
pub(super) struct Place {
    path: Arc<Path>,
    /// The byte at which it begins.
    at: u64,
}

impl Place {
    pub(super) fn new(path: &Path, at: u64) -> Self {
        Self { path: path.into(), at }
    }

    /// Returns the error of a line that is no record. What stands before it is read for its number.
    pub(super) fn no_record(&self, why: &serde_json::Error) -> Error {
        match self.number() {
            Ok(line) => Error::no_record(&self.path, line, why),
            Err(source) => Error::Read { path: self.path.to_path_buf(), source },
        }
    }

    /// Returns the number of the line in its file, from 1.
    fn number(&self) -> io::Result<u64> {
        let mut before = BufReader::new(io::Read::take(File::open(&self.path)?, self.at));
        let mut number = 1;
        loop {
            let bytes = before.fill_buf()?;
            if bytes.is_empty() {
                return Ok(number);
            }
            number += bytes.split(|byte| *byte == b'\n').count() as u64 - 1;
            let read = bytes.len();
            before.consume(read);
        }
    }
}

/// The lines of files, the last first.
pub(super) struct Backward {
    /// The files that are still to be read, the oldest first.
    files: Vec<PathBuf>,
    current: Option<Current>,
}

impl Backward {
    pub(super) fn of(files: Vec<PathBuf>) -> Self {
        Self { files, current: None }
    }

    /// Reads one file, from a byte at which a line begins or the file ends.
    pub(super) fn until(path: PathBuf, end: u64) -> Result<Self, Error> {
        let mut current = Current::open(path)?;
        current.at = current.at.min(end);
        Ok(Self { files: Vec::new(), current: Some(current) })
    }

    /// Reads no line of the current file any more.
    fn give_up(&mut self, source: io::Error) -> Error {
        let path = self.current.take().map_or_else(PathBuf::new, |file| file.path.to_path_buf());
        Error::Read { path, source }
    }
}

impl Iterator for Backward {
    type Item = Result<Raw, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(current) = &mut self.current else {
                match Current::open(self.files.pop()?) {
                    Ok(opened) => self.current = Some(opened),
                    Err(error) => return Some(Err(error)),
                }
                continue;
            };
            match current.line() {
                Ok(Some(raw)) => return Some(Ok(raw)),
                Ok(None) => self.current = None,
                Err(source) => return Some(Err(self.give_up(source))),
            }
        }
    }
}

/// The file that is read, and what was read of it and is not handed out yet.
struct Current {
    path: Arc<Path>,
    file: File,
    /// The byte of the file at which `bytes` begin.
    at: u64,
    bytes: Vec<u8>,
}

impl Current {
    fn open(path: PathBuf) -> Result<Self, Error> {
        let file = directory::open_found(&path)?;
        let length = file.metadata().map(|metadata| metadata.len());
        let at = length.map_err(|source| Error::Read { path: path.clone(), source })?;
        Ok(Self { path: path.into(), file, at, bytes: Vec::new() })
    }

    fn line(&mut self) -> io::Result<Option<Raw>> {
        loop {
            let end = self.bytes.len().saturating_sub(usize::from(self.bytes.ends_with(b"\n")));
            let newline = self.bytes[..end].iter().rposition(|byte| *byte == b'\n');
            let start = match newline {
                Some(newline) => newline + 1,
                None if self.at > 0 => {
                    self.read_more()?;
                    continue;
                }
                None if self.bytes.is_empty() => return Ok(None),
                None => 0,
            };
            let bytes = self.bytes[start..end].to_vec();
            self.bytes.truncate(start);
            let place = Place { path: Arc::clone(&self.path), at: self.at + start as u64 };
            return Ok(Some(Raw { bytes, place }));
        }
    }

    /// Reads what stands before, at least as much as is there already: a long line is looked through no more than twice.
    fn read_more(&mut self) -> io::Result<()> {
        let count = BLOCK.max(self.bytes.len() as u64).min(self.at);
        let mut bytes = vec![0; usize::try_from(count).unwrap_or_default()];
        self.file.read_exact_at(&mut bytes, self.at - count)?;
        bytes.append(&mut self.bytes);
        self.at -= count;
        self.bytes = bytes;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_from_the_last_to_the_first_whatever_they_hold() {
        let place = tempfile::tempdir().unwrap();
        let long = "x".repeat(700_000);
        for (text, lines) in [
            ("", &[][..]),
            ("\n", &[""]),
            ("a\n", &["a"]),
            ("a\n\nb", &["b", "", "a"]),
            ("\na\n", &["a", ""]),
            (&format!("a\n{long}\nb\n"), &["b", &long, "a"]),
        ] {
            let path = place.path().join("2026-11-21.jsonl");
            std::fs::write(&path, text).unwrap();
            let read: Vec<Raw> = Backward::of(vec![path]).map(Result::unwrap).collect();
            let texts = read.iter().map(|raw| String::from_utf8(raw.bytes.clone()).unwrap());
            assert_eq!(texts.collect::<Vec<_>>(), lines, "{} bytes", text.len());
            let numbers = read.iter().map(|raw| raw.place.number().unwrap());
            let counted = (1..=lines.len() as u64).rev();
            assert_eq!(numbers.collect::<Vec<_>>(), counted.collect::<Vec<_>>());
        }
    }
}
