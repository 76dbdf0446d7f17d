//! Keys by which a call is known again, over restarts too: a key whose call was started begins nothing any more, unless it is known that nothing of it ran.
//!
//! The file is `mcp/keys` in the owner's state directory. A line has the digest of key and client, the call, and when; it is written, and on the disk, before
//! the call is started. A later one for the same key says besides how that ended.

use std::collections::HashMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use guarded_sh::model::Ended;

use crate::issued::now;
use crate::page::owned;

/// For how many seconds a key is known.
const LIFE: u64 = 7 * 24 * 60 * 60;

/// Why the keys cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be used.
    #[error("cannot keep the keys of calls in '{}'", path.display())]
    Place {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line of it is none: which keys were used is not known.
    #[error(
        "'{}' is damaged in line {line}, so which keys of calls were used is not known: once it is moved away, none was",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which line.
        line: usize,
    },
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It ran, and ended with a status.
    Status(i32),
    /// It ran, and a signal ended it.
    Signal(i32),
    /// It was permitted, and ended with the bridge.
    WithBridge,
    /// Whether it ran is not known.
    Unknown,
    /// Nothing of it ran: the key is as good as new.
    Nothing,
}

impl How {
    /// Returns how a command ended.
    pub const fn of(ended: &Ended) -> Self {
        match (ended.status, ended.signal) {
            (Some(status), _) => Self::Status(status),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::WithBridge,
        }
    }

    /// Returns the word that stands for it in the file.
    fn word(self) -> String {
        match self {
            Self::Status(status) => status.to_string(),
            Self::Signal(signal) => format!("signal-{signal}"),
            Self::WithBridge => "with-bridge".to_owned(),
            Self::Unknown => "unknown".to_owned(),
            Self::Nothing => "nothing".to_owned(),
        }
    }
}

impl FromStr for How {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Ok(match word {
            "with-bridge" => Self::WithBridge,
            "unknown" => Self::Unknown,
            "nothing" => Self::Nothing,
            word => match word.strip_prefix("signal-") {
                Some(signal) => Self::Signal(signal.parse().map_err(drop)?),
                None => Self::Status(word.parse().map_err(drop)?),
            },
        })
    }
}

impl fmt::Display for How {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(to, "it ran, and ended with status {status}"),
            Self::Signal(signal) => write!(to, "it ran, and signal {signal} ended it"),
            Self::WithBridge => to.write_str(
                "it was let run, and ended with the bridge: how far it came is not known",
            ),
            Self::Unknown | Self::Nothing => to.write_str("whether it ran is not known"),
        }
    }
}

/// A key that was used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// By which call.
    pub call: String,
    /// How that ended; unknown as long as nothing is said.
    pub how: How,
    time: u64,
}

/// The keys that were used.
pub struct Journal(Mutex<Inner>);

struct Inner {
    path: PathBuf,
    file: File,
    used: HashMap<String, Used>,
}

impl Inner {
    fn write(&mut self, line: &str) -> Result<(), Error> {
        let failed = |source| Error::Place { path: self.path.clone(), source };
        let length = self.file.metadata().map_err(failed)?.len();
        self.file.write_all(line.as_bytes()).map_err(|source| {
            // Half a line would be a part of the next one. Where it cannot be taken away, that one is refused when it is read.
            let _ = self.file.set_len(length);
            Error::Place { path: self.path.clone(), source }
        })
    }
}

fn line(key: &str, Used { call, how, time }: &Used) -> String {
    match how {
        How::Unknown => format!("{key} {call} {time}\n"),
        how => format!("{key} {call} {time} {}\n", how.word()),
    }
}

fn read(line: &str) -> Option<(&str, Used)> {
    let words: Vec<&str> = line.split(' ').collect();
    let (key, call, time, how) = match words[..] {
        [key, call, time] => (key, call, time, How::Unknown),
        [key, call, time, how] => (key, call, time, how.parse().ok()?),
        _ => return None,
    };
    Some((key, Used { call: call.to_owned(), how, time: time.parse().ok()? }))
}

impl Journal {
    /// Opens it in a directory. What is too old is left out from then on.
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let path = directory.join("keys");
        let failed = |source| Error::Place { path: path.clone(), source };
        let file = owned::open(&path, OpenOptions::new().read(true).append(true));
        let mut file = file.map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let (mut used, mut lines) = (HashMap::new(), 0);
        for (at, bytes) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            lines += 1;
            // What was cut when the machine stopped began nothing.
            let Some(bytes) = bytes.strip_suffix(b"\n") else { break };
            let damaged = || Error::Damaged { path: path.clone(), line: at + 1 };
            let text = std::str::from_utf8(bytes).ok();
            let (key, found) = text.and_then(read).ok_or_else(damaged)?;
            used.insert(key.to_owned(), found);
        }
        let now = now();
        // One of a time that is still to come, since the clock was set back, is no old one.
        used.retain(|_, one| one.how != How::Nothing && now.saturating_sub(one.time) < LIFE);
        if used.len() < lines {
            let kept: String = used.iter().map(|(key, one)| line(key, one)).collect();
            let put = guarded_sh::sys::Replacement::write(&path, kept.as_bytes())
                .and_then(guarded_sh::sys::Replacement::synced)
                .and_then(guarded_sh::sys::Replacement::put);
            put.map_err(failed)?;
            file = owned::open(&path, OpenOptions::new().append(true)).map_err(failed)?;
        }
        Ok(Self(Mutex::new(Inner { path, file, used })))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns by which call a key was used before.
    pub fn used(&self, key: &str) -> Option<Used> {
        self.inner().used.get(key).cloned()
    }

    /// Notes that a key is used by a call that is about to start. It is on the disk once this returns.
    pub async fn begin(&self, key: &str, call: &str) -> Result<(), Error> {
        let (path, file) = {
            let mut inner = self.inner();
            let used = Used { call: call.to_owned(), how: How::Unknown, time: now() };
            inner.write(&line(key, &used))?;
            inner.used.insert(key.to_owned(), used);
            (inner.path.clone(), inner.file.try_clone())
        };
        let synced = tokio::task::spawn_blocking(move || file?.sync_data());
        let synced = synced.await.map_err(io::Error::other).and_then(|done| done);
        synced.map_err(|source| Error::Place { path, source })
    }

    /// Notes how a call ended. Of a key that is not known nothing is.
    pub fn end(&self, key: &str, how: How) -> Result<(), Error> {
        let mut inner = self.inner();
        let Some(used) = inner.used.get_mut(key) else { return Ok(()) };
        used.how = how;
        let text = line(key, used);
        if how == How::Nothing {
            inner.used.remove(key);
        }
        inner.write(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(journal: &Journal, key: &str, call: &str) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(journal.begin(key, call)).unwrap();
    }

    #[test]
    fn a_key_counts_once_over_restarts_too() {
        let place = tempfile::tempdir().unwrap();
        let journal = Journal::open(place.path()).unwrap();
        for (key, how) in [
            ("a", None),
            ("b", Some(How::Status(3))),
            ("c", Some(How::Signal(9))),
            ("d", Some(How::WithBridge)),
            ("e", Some(How::Nothing)),
        ] {
            assert_eq!(journal.used(key), None);
            begun(&journal, key, "1");
            if let Some(how) = how {
                journal.end(key, how).unwrap();
            }
        }
        let known = |journal: &Journal| {
            ["a", "b", "c", "d", "e"].map(|key| journal.used(key).map(|used| (used.call, used.how)))
        };
        let is = |how| Some(("1".to_owned(), how));
        let all =
            [is(How::Unknown), is(How::Status(3)), is(How::Signal(9)), is(How::WithBridge), None];
        assert_eq!(known(&journal), all);
        drop(journal);
        // A line that is old, one of a clock that was set back since, and one that was cut.
        let mut file = OpenOptions::new().append(true).open(place.path().join("keys")).unwrap();
        writeln!(file, "old 9 1\nlater 7 {}", now() + 10 * LIFE).unwrap();
        file.write_all(b"cut 8").unwrap();
        for _ in 0..2 {
            let journal = Journal::open(place.path()).unwrap();
            assert_eq!(known(&journal), all);
            assert_eq!((journal.used("old"), journal.used("cut")), (None, None));
            assert_eq!(journal.used("later").unwrap().call, "7");
        }
        let text = std::fs::read_to_string(place.path().join("keys")).unwrap();
        assert_eq!(text.lines().count(), 5, "{text}");
    }

    #[test]
    fn what_is_damaged_is_told_with_its_place_and_forgets_no_key() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("keys");
        for damaged in
            [&b"a 1 5\n\0\0\0\nb 1 5\n"[..], b"a 1 5\na 1 5 what\n", b"a 1 5\n\xff 1 5\n"]
        {
            std::fs::write(&path, damaged).unwrap();
            let error = Journal::open(place.path()).err().unwrap().to_string();
            let said = format!("'{}' is damaged in line 2", path.display());
            assert!(error.starts_with(&said), "{error}");
            assert_eq!(std::fs::read(&path).unwrap(), damaged);
        }
    }
}
