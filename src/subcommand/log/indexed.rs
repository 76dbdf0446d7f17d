//! What the index of the record knows of which entries are wanted, where there is one and it pays to ask it. The record stays the truth: each entry is
//! read from it, and looked at again.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::audit::{Entry, Error, Filter, Said, Store, head_says, mask};
use crate::judge;
use crate::model::Action;

/// Bytes of the record from which on the index is asked: less is read sooner than another program starts.
const WORTHWHILE: u64 = 4 << 20;
/// Entries that are read one by one. Of more, so many are wanted that the record is read as it stands.
const MOST: usize = 2_000;

/// Returns the entries that are wanted, the newest first. None where the index does not say it: it is not there or not up to date, the record does not
/// verify, nothing is asked for that it finds, or too much is.
pub(super) fn entries(store: &Store, filter: &Filter) -> Option<Vec<Result<Entry, Error>>> {
    let is_asked = filter.asked || filter.action == Some(Action::Ask);
    if filter.session.is_none() && filter.agent.is_none() && !is_asked {
        return None;
    }
    if !store.directory().parent()?.join("index.sqlite").is_file()
        || size(store.directory()) < WORTHWHILE
    {
        return None;
    }
    let mut command = Command::new(judge::beside()?);
    command.args(["search", "--numbers", "--limit", &(MOST + 1).to_string()]);
    if let Some(session) = &filter.session {
        // As it was written.
        command.arg(format!("--session={}", mask::mask_field(session)));
    }
    if let Some(agent) = &filter.agent {
        command.arg(format!("--agent={agent}"));
    }
    if is_asked {
        command.arg("--asked");
    }
    let said = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let numbers = said.status.success().then(|| numbers(&said.stdout, store))??;
    let entries = numbers.into_iter().map(|(first, last)| store.numbered(first, last).transpose());
    let entries = entries.flatten();
    let wanted = entries.filter(|entry| {
        // What cannot be read is told.
        entry.as_ref().map_or(true, |entry| filter.fits_entry(entry))
    });
    Some(wanted.collect())
}

/// Returns how many bytes the record has.
fn size(directory: &Path) -> u64 {
    let files = directory.read_dir().into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|found| found.len()).sum()
}

/// Returns what the index said: of each call the numbers of its first and last record.
fn numbers(said: &[u8], store: &Store) -> Option<Vec<(u64, u64)>> {
    let mut lines = std::str::from_utf8(said).ok()?.lines();
    let records: u64 = lines.next()?.strip_suffix(" whole")?.parse().ok()?;
    let Ok(Some(Said::Position(head))) = head_says(store.directory()) else { return None };
    let numbers = lines.map(|line| {
        let (first, last) = line.split_once(' ')?;
        Some((first.parse().ok()?, last.parse().ok()?))
    });
    let numbers: Vec<(u64, u64)> = numbers.collect::<Option<_>>()?;
    (head.count == records && numbers.len() <= MOST).then_some(numbers)
}
