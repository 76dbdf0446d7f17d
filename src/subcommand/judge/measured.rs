//! How far a measurement of models is (`judge eval`), and what it found: shown in the terminal, and kept for the page.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use nix::fcntl::{Flock, FlockArg, OFlag};
use serde::{Deserialize, Serialize};

use crate::install;
use crate::sys::Replacement;

/// Bytes of a kept measurement that are read.
const LONGEST: usize = 4 << 20;
/// Bytes of what was found that are kept: escaped they are at most six times as many.
const MOST_FOUND: usize = 512 << 10;
/// Between two times that it is kept how far a measurement is.
const PAUSE: Duration = Duration::from_millis(200);
/// What is kept of the newest, and what is locked while it goes on; both in the directory of the state that is for models.
const KEPT: &str = "measured.json";
const LOCK: &str = "measuring";

/// The newest measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// The file of rows, as it was named.
    pub file: String,
    /// How many rows it has.
    pub rows: u64,
    /// How many of them are done.
    pub done: u64,
    /// How often each is asked about.
    pub runs: u32,
    /// When it began, in seconds since 1970.
    pub began: i64,
    /// What was found, as it was printed; none if it is not at its end.
    pub found: Option<String>,
    /// Whether it goes on.
    #[serde(skip)]
    pub is_going_on: bool,
}

/// Returns the newest measurement; none where there was none, or nothing of it can be read.
#[must_use]
pub fn measured(state: Option<&Path>) -> Option<Measured> {
    let directory = directory(state?);
    // Looked at first: what ends meanwhile is then read at its end.
    let is_going_on = is_locked(&directory.join(LOCK));
    let text = install::read_text(&directory.join(KEPT)).ok()??;
    if text.len() > LONGEST {
        return None;
    }
    let mut measured: Measured = serde_json::from_str(&text).ok()?;
    measured.is_going_on = is_going_on && measured.found.is_none();
    Some(measured)
}

fn directory(state: &Path) -> PathBuf {
    state.join("model")
}

fn is_locked(path: &Path) -> bool {
    let flags = OFlag::O_NONBLOCK.bits();
    let Ok(file) = OpenOptions::new().read(true).custom_flags(flags).open(path) else {
        return false;
    };
    Flock::lock(file, FlockArg::LockSharedNonblock).is_err()
}

/// A measurement that goes on.
pub(super) struct Measuring {
    bar: ProgressBar,
    measured: Measured,
    /// Where it is kept; none where it cannot be, or another one goes on.
    kept: Option<Kept>,
}

struct Kept {
    path: PathBuf,
    at: Instant,
    _lock: Flock<File>,
}

impl Measuring {
    /// Begins one: with a bar where stderr is a terminal.
    pub(super) fn begin(state: Option<&Path>, file: &Path, rows: u64, runs: u32) -> Self {
        let measured = Measured {
            file: file.display().to_string(),
            rows,
            done: 0,
            runs,
            began: crate::audit::now().as_second(),
            found: None,
            is_going_on: true,
        };
        // Whoever measures reads it here as well: what cannot be kept is only not on the page.
        let kept = state.and_then(|state| Kept::open(&directory(state)).ok());
        let mut measuring = Self { bar: ProgressBar::new(rows), measured, kept };
        measuring.keep();
        measuring
    }

    /// A model is asked about the next row, which takes a while.
    pub(super) fn asks(&mut self) {
        self.keep();
    }

    /// A row is done.
    pub(super) fn row(&mut self) {
        self.bar.inc(1);
        self.measured.done += 1;
        if self.kept.as_ref().is_some_and(|kept| kept.at.elapsed() >= PAUSE) {
            self.keep();
        }
    }

    /// All are done, and that was found.
    pub(super) fn end(mut self, found: &str) {
        self.bar.finish_and_clear();
        let cut = (0..=MOST_FOUND.min(found.len())).rev().find(|at| found.is_char_boundary(*at));
        self.measured.found = Some(found[..cut.unwrap_or(0)].to_owned());
        self.keep();
    }

    fn keep(&mut self) {
        let Some(kept) = &mut self.kept else { return };
        kept.at = Instant::now();
        if kept.write(&self.measured).is_err() {
            self.kept = None;
        }
    }
}

impl Kept {
    fn open(directory: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let mut options = OpenOptions::new();
        options.custom_flags(OFlag::O_NONBLOCK.bits());
        let lock = options.write(true).create(true).truncate(false).mode(0o600);
        let lock = Flock::lock(lock.open(directory.join(LOCK))?, FlockArg::LockExclusiveNonblock);
        let lock = lock.map_err(|(_, errno)| errno)?;
        Ok(Self { path: directory.join(KEPT), at: Instant::now(), _lock: lock })
    }

    fn write(&self, measured: &Measured) -> io::Result<()> {
        Replacement::write(&self.path, &serde_json::to_vec(measured)?)?.put()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn begin(state: &Path) -> Measuring {
        Measuring::begin(Some(state), Path::new("rows.jsonl"), 2, 3)
    }

    #[test]
    fn how_far_it_is_can_be_read_until_its_end_and_after() {
        let place = tempfile::tempdir().unwrap();
        let read = || measured(Some(place.path()));
        assert_eq!(read(), None);
        let mut measuring = begin(place.path());
        let begun = read().unwrap();
        assert_eq!((begun.file.as_str(), begun.rows, begun.done), ("rows.jsonl", 2, 0));
        assert!(begun.is_going_on && begun.found.is_none());
        measuring.row();
        measuring.asks();
        assert_eq!(read().unwrap().done, 1);
        measuring.kept.as_mut().unwrap().at -= PAUSE;
        measuring.row();
        assert_eq!(read().unwrap().done, 2);
        measuring.end("all is well\n");
        let ended = read().unwrap();
        assert_eq!(ended.found.as_deref(), Some("all is well\n"));
        assert!(!ended.is_going_on);
    }

    #[test]
    fn one_that_was_ended_does_not_go_on() {
        let place = tempfile::tempdir().unwrap();
        drop(begin(place.path()));
        let cut = measured(Some(place.path())).unwrap();
        assert!(!cut.is_going_on && cut.found.is_none());
    }

    #[test]
    fn of_two_at_once_the_first_is_told() {
        let place = tempfile::tempdir().unwrap();
        let first = begin(place.path());
        let other = Measuring::begin(Some(place.path()), Path::new("other"), 9, 1);
        other.end("other");
        let told = measured(Some(place.path())).unwrap();
        assert_eq!((told.file.as_str(), told.is_going_on), ("rows.jsonl", true));
        drop(first);
    }

    #[test]
    fn what_is_no_measurement_is_none() {
        let place = tempfile::tempdir().unwrap();
        begin(place.path()).end("");
        let path = directory(place.path()).join(KEPT);
        let whole = fs::read(&path).unwrap();
        let huge = [vec![b' '; 4 << 20], whole.clone()].concat();
        for bytes in [b"".as_slice(), b"null", b"{}", b"\xff\0", &whole[..whole.len() / 2], &huge] {
            fs::write(&path, bytes).unwrap();
            assert_eq!(measured(Some(place.path())), None, "{} bytes", bytes.len());
        }
    }

    #[test]
    fn however_much_was_found_it_can_be_read() {
        let place = tempfile::tempdir().unwrap();
        begin(place.path()).end(&"\u{1}ä".repeat(4 << 20));
        let found = measured(Some(place.path())).unwrap().found.unwrap();
        assert!(found.len() > MOST_FOUND / 2 && found.starts_with("\u{1}ä"), "{}", found.len());
    }
}
