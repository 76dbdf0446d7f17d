//! Keys by which a call is known again, over restarts too: a key that was used once begins nothing any more.
//!
//! The file is `mcp/keys` in the owner's state directory: a line for each, with the digest of key and client, the call, and when. It is written before
//! anything starts.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::issued::now;
use crate::page::owned;

/// For how many seconds a key is known.
const LIFE: u64 = 7 * 24 * 60 * 60;

/// Whether a key was used before.
#[derive(Debug, PartialEq, Eq)]
pub enum Once {
    /// It was not.
    First,
    /// It was, by this call.
    Before(String),
}

/// The keys that were used.
pub struct Journal(Mutex<Inner>);

struct Inner {
    file: File,
    used: HashMap<String, String>,
}

impl Journal {
    /// Opens it in a directory. What is too old is left out from then on.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let path = directory.join("keys");
        let file = owned::open(&path, OpenOptions::new().read(true).append(true))?;
        let (mut used, mut kept, mut lines) = (HashMap::new(), String::new(), 0);
        for line in BufReader::new(&file).lines() {
            let line = line?;
            lines += 1;
            let mut words = line.split(' ');
            let (Some(key), Some(call), Some(Ok(time))) =
                (words.next(), words.next(), words.next().map(str::parse::<u64>))
            else {
                // What was cut when the machine stopped began nothing.
                continue;
            };
            if now().saturating_sub(time) < LIFE {
                used.insert(key.to_owned(), call.to_owned());
                kept.push_str(&line);
                kept.push('\n');
            }
        }
        let file = if used.len() < lines {
            guarded_sh::sys::Replacement::write(&path, kept.as_bytes())?.synced()?.put()?;
            owned::open(&path, OpenOptions::new().append(true))?
        } else {
            file
        };
        Ok(Self(Mutex::new(Inner { file, used })))
    }

    /// Notes that a key is used.
    pub fn note(&self, key: &str, call: &str) -> io::Result<Once> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = inner.used.get(key) {
            return Ok(Once::Before(call.clone()));
        }
        inner.file.write_all(format!("{key} {call} {}\n", now()).as_bytes())?;
        inner.used.insert(key.to_owned(), call.to_owned());
        Ok(Once::First)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_counts_once_over_restarts_too() {
        let place = tempfile::tempdir().unwrap();
        let journal = Journal::open(place.path()).unwrap();
        assert_eq!(journal.note("a", "1").unwrap(), Once::First);
        assert_eq!(journal.note("a", "2").unwrap(), Once::Before("1".to_owned()));
        drop(journal);
        // A line that was cut, and one that is old.
        let mut file = OpenOptions::new().append(true).open(place.path().join("keys")).unwrap();
        file.write_all(b"old 9 1\ncut 8").unwrap();
        let journal = Journal::open(place.path()).unwrap();
        assert_eq!(journal.note("a", "3").unwrap(), Once::Before("1".to_owned()));
        assert_eq!(journal.note("old", "4").unwrap(), Once::First);
        assert_eq!(journal.note("cut", "5").unwrap(), Once::First);
        let text = std::fs::read_to_string(place.path().join("keys")).unwrap();
        assert_eq!(text.lines().count(), 3, "{text}");
    }
}
