//! `log --follow`: what is recorded from now on, as it comes. Waits for the kernel's word that something was written.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::os::fd::AsFd as _;
use std::path::Path;

use super::List;
use crate::audit::words::happened;
use crate::audit::{Entry, Follow, Reader, Written};
use crate::subcommand::failure::Failure;

/// Calls of which is remembered how they were shown.
const REMEMBERED: usize = 512;

impl List<'_> {
    /// Writes what comes, until nobody reads it. `newest` is the number of the last record that was written already.
    pub(super) fn follow(
        &mut self,
        mut follow: Follow,
        directory: &Path,
        newest: Option<u64>,
    ) -> Result<(), Failure> {
        let failed =
            |error: io::Error| Failure::new(format!("cannot notice what is recorded: {error}"));
        let mut written = Written::to(directory).map_err(failed)?;
        let mut shown: BTreeMap<u64, String> = BTreeMap::new();
        loop {
            for found in follow.read()? {
                if found.as_ref().is_ok_and(|entry| Some(entry.last_number()) <= newest) {
                    continue;
                }
                if let Ok(entry) = &found
                    && !(self.filter.fits_entry(entry) && self.says_more(entry, &mut shown))
                {
                    continue;
                }
                self.write(found)?;
            }
            self.out.flush()?;
            if written.wait(Some(io::stdout().as_fd())).map_err(failed)? == Reader::Gone {
                return Ok(());
            }
        }
    }

    /// Returns whether an entry says something that was not shown: for people, that something else happened.
    fn says_more(&self, entry: &Entry, shown: &mut BTreeMap<u64, String>) -> bool {
        if shown.len() > REMEMBERED {
            shown.pop_first();
        }
        let words = happened(entry);
        let before = shown.insert(entry.first.sequence, words.clone());
        self.arguments.json || before != Some(words)
    }
}
