//! Whether each record follows from the one before, as it is read: what `guarded-sh verify` says, in the same words, of as much as was read.
//! What it holds between two looks is written into the index.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use guarded_sh::audit::{
    BEGINNING, Error, Position, Resumed, ResumedBecause, Said, What, open_day, sha256,
};
use serde::{Deserialize, Serialize};

use super::read::Link;

/// Problems that are told; of more, only how many there are.
const TOLD: usize = 20;
/// Bytes that are no records and that a record may pin, as the guard says.
const PINNED: u64 = 64 << 20;

/// How far the chain was followed, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Chain {
    /// The number that the next record should have, and the hash that it should name.
    sequence: u64,
    previous: String,
    /// Where bytes begin that are no records, behind the last one.
    strange: Option<Strange>,
    problems: Vec<Problem>,
    /// How many there are, with those that are not told.
    count: u64,
    /// What is wrong with the end.
    end: Option<String>,
}

/// Bytes that are no records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Strange {
    place: Place,
    at: u64,
    bytes: u64,
    /// Whether they go on in the next file: then no record pins them.
    is_over: bool,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) day: String,
    pub(super) line: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Problem {
    place: Place,
    what: String,
}

/// Whether a record is one that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    Yes,
    /// It was there before: it is not indexed again.
    No,
}

impl Default for Chain {
    fn default() -> Self {
        Self {
            sequence: 0,
            previous: BEGINNING.to_owned(),
            strange: None,
            problems: Vec::new(),
            count: 0,
            end: None,
        }
    }
}

impl Chain {
    /// Returns how many records were followed, by their numbers.
    pub(super) const fn followed(&self) -> u64 {
        self.sequence
    }

    /// Takes note of a line that is no record.
    pub(super) fn nothing(&mut self, place: Place, at: u64, bytes: u64) {
        match &mut self.strange {
            Some(strange) => {
                strange.is_over |= strange.place.day != place.day;
                strange.bytes += bytes;
            }
            None => self.strange = Some(Strange { place, at, bytes, is_over: false }),
        }
    }

    /// Takes the next record. `directory` is where the files are, for bytes that it pins.
    pub(super) fn record(&mut self, directory: &Path, place: &Place, link: Link) -> Follows {
        let altered = self.settle_strange(directory, link.resumed.as_ref());
        if link.resumed.is_some_and(|resumed| resumed.because == ResumedBecause::HeadLost) {
            self.problem(place.clone(), &What::HeadLost);
        }
        if link.sequence < self.sequence {
            self.problem(place.clone(), &What::Moved);
            return Follows::No;
        }
        let missing = link.sequence - self.sequence;
        // An altered line is still a record of which the number is known to be here.
        let count = missing.saturating_sub(u64::from(altered));
        if count > 0 {
            self.problem(place.clone(), &What::Missing { first: self.sequence, count });
        } else if missing == 0 && link.previous != self.previous && !altered {
            self.problem(place.clone(), &What::Unchained);
        }
        self.sequence = link.sequence.saturating_add(1);
        self.previous = link.hash;
        Follows::Yes
    }

    /// Takes note of a record that cannot be indexed.
    pub(super) fn unread(&mut self, place: Place) {
        self.problem(place, &"this version does not understand the record");
    }

    /// Compares with what the head said before the files were read.
    pub(super) fn end(&mut self, head: Option<&Said>) {
        let altered = u64::from(self.strange.is_some());
        let what = match head {
            Some(Said::Position(Position { count, hash, .. })) => {
                let missing = count.saturating_sub(self.sequence);
                let is_other = *count == self.sequence && *hash != self.previous;
                let is_cut = missing > altered || is_other;
                is_cut.then(|| What::Cut { count: missing.saturating_sub(altered) })
            }
            Some(Said::Nothing | Said::Nonsense) | None => {
                (self.sequence > 0).then_some(What::NoHead)
            }
        };
        self.end = what.map(|what| what.to_string());
    }

    /// Returns where the chain does not verify, in words.
    pub(super) fn damage(&self) -> Option<String> {
        // Behind the last record: not yet pinned, so not yet explained.
        let strange = self.strange.as_ref().map(|strange| Problem {
            place: strange.place.clone(),
            what: What::Altered.to_string(),
        });
        let count = self.count + u64::from(strange.is_some()) + u64::from(self.end.is_some());
        let first = self.problems.first().or(strange.as_ref()).map(|problem| {
            let Problem { place: Place { day, line }, what } = problem;
            format!("'{day}', line {line}: {what}")
        });
        let first = first.or_else(|| self.end.clone())?;
        Some(match count - 1 {
            0 => first,
            more => format!("{first} (and {more} more: `guarded-sh verify`)"),
        })
    }

    /// Decides what the bytes before a record are: left by an interruption, if the record pins them, and else altered. Returns whether
    /// they are altered.
    fn settle_strange(&mut self, directory: &Path, resumed: Option<&Resumed>) -> bool {
        let Some(strange) = self.strange.take() else { return false };
        // What cannot be read any more is not pinned.
        if resumed.is_some_and(|resumed| strange.is_pinned(directory, resumed).unwrap_or(false)) {
            return false;
        }
        self.problem(strange.place, &What::Altered);
        true
    }

    fn problem(&mut self, place: Place, what: &dyn std::fmt::Display) {
        self.count += 1;
        if self.problems.len() < TOLD {
            self.problems.push(Problem { place, what: what.to_string() });
        }
    }
}

impl Strange {
    fn is_pinned(&self, directory: &Path, resumed: &Resumed) -> Result<bool, Error> {
        // Without the newline that may stand behind them.
        let may_be = [self.bytes, self.bytes.saturating_sub(1)].contains(&resumed.bytes);
        if !may_be || self.is_over || self.bytes > PINNED {
            return Ok(false);
        }
        let path = directory.join(&self.place.day);
        let Some(file) = open_day(&path)? else { return Ok(false) };
        let mut bytes = vec![0; usize::try_from(self.bytes).unwrap_or_default()];
        let read = file.read_exact_at(&mut bytes, self.at);
        read.map_err(|source: io::Error| Error::Read { path, source })?;
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        Ok(resumed.bytes == bytes.len() as u64 && resumed.sha256 == sha256(bytes))
    }
}
