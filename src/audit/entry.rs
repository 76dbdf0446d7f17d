//! Records as calls: what was decided once and seen through several doors is one entry, however many records there are of it.

use std::collections::VecDeque;

use serde::Serialize;

use super::record::{DecidedBy, Door, Hooked, Questioned, Record, Stored};
use super::{Error, Filter, Records};
use crate::model::Action;

/// How many entries are held back for what may still come of them. Between the records of one call stand those of calls that run beside it.
pub(super) const WINDOW: usize = 256;

/// A call with all records of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// The first record of it.
    #[serde(flatten)]
    pub first: Stored,
    /// Those that came later, by other doors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<Stored>,
}

impl Entry {
    /// Returns the record that says what became of it: the last that decided.
    #[must_use]
    pub fn decisive(&self) -> &Record {
        let decided = self.records().filter(|record| record.decided_by != DecidedBy::Observed);
        decided.last().unwrap_or(&self.first.record)
    }

    /// Returns what the agent said when it was done.
    #[must_use]
    pub fn outcome(&self) -> Option<&Hooked> {
        let hooks = self.records().filter_map(|record| record.hook.as_deref());
        hooks.filter(|hook| hook.outcome.is_some()).last()
    }

    /// Returns the number of the last record of it.
    #[must_use]
    pub fn last_number(&self) -> u64 {
        self.views.last().unwrap_or(&self.first).sequence
    }

    /// Returns the question that a person was asked about it, and the record that says so.
    #[must_use]
    pub fn question(&self) -> Option<(&Questioned, &Record)> {
        let asked = self.records().filter_map(|record| Some((record.question.as_deref()?, record)));
        asked.last()
    }

    /// Returns how long a person took to answer, in milliseconds; none where none was asked, or none answered. What the agent asked itself was open
    /// until the shell ran it.
    #[must_use]
    pub fn waited(&self) -> Option<u64> {
        if let Some((question, record)) = self.question() {
            return record.decided_by.is_person().then_some(question.waited);
        }
        let asked = &self.first.record;
        let is_left = asked.decided_by == DecidedBy::Client && asked.action == Action::Ask;
        let mut ran = self.views.iter().map(|stored| &stored.record);
        let ran =
            ran.find(|record| record.door == Door::Shell && record.decided_by == DecidedBy::Client);
        let waited = ran.filter(|_| is_left)?.time.duration_since(asked.time);
        u64::try_from(waited.as_millis()).ok()
    }

    /// Returns all records of it, oldest first.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        std::iter::once(&self.first).chain(&self.views).map(|stored| &stored.record)
    }
}

/// The entries of which a record fits a filter, oldest first.
pub struct Entries {
    records: Records,
    filter: Filter,
    held: VecDeque<Result<Entry, Error>>,
}

impl Entries {
    pub(super) fn new(records: Records, filter: Filter) -> Self {
        Self { records, filter, held: VecDeque::new() }
    }

    /// Puts a record to the entry that it continues, or makes one of it.
    fn take(&mut self, found: Result<Stored, Error>) {
        let stored = match found {
            Ok(stored) => stored,
            Err(error) => return self.held.push_back(Err(error)),
        };
        let is_first = |held: &&mut Result<Entry, Error>| {
            held.as_ref().is_ok_and(|entry| Some(entry.first.sequence) == stored.reference)
        };
        match self.held.iter_mut().rev().find(is_first) {
            Some(Ok(entry)) => entry.views.push(stored),
            _ => self.held.push_back(Ok(match self.records.older_first(&stored) {
                Some(first) => Entry { first, views: vec![stored] },
                None => Entry { first: stored, views: Vec::new() },
            })),
        }
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            while self.held.len() < WINDOW {
                let Some(found) = self.records.next() else { break };
                self.take(found);
            }
            match self.held.pop_front()? {
                Ok(entry) if !self.filter.fits_entry(&entry) => {}
                found => return Some(found),
            }
        }
    }
}
