//! Transcripts beside the record, as pages have them: which decision belongs to which call, and which calls have none.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use guarded_sh::hooks::ToolKind;
use guarded_sh::observe::Environment;
use jiff::{SignedDuration, Timestamp};

use super::Page;
use super::found::Stands;
use crate::index::{Index, Row, Wanted};
use crate::transcripts::{
    Coverage, Has, Item, Matched, Scan, Scans, Session, Transcripts, Usage, Wants, Watch, What,
    covered, earlier, later, matched,
};

/// Decisions that are compared with a transcript's calls at most.
const COMPARED: usize = 50_000;
/// Files that are told.
const FILES: usize = 200;
/// How long after the last word of a transcript a decision may have been made.
const AFTER: SignedDuration = SignedDuration::from_hours(24);
const BEFORE: SignedDuration = SignedDuration::from_mins(1);

/// What agents keep, as far as it is followed.
pub struct Kept {
    pub transcripts: Transcripts,
    pub scans: Scans,
    pub watch: Watch,
}

impl Kept {
    /// Begins to follow what is looked at.
    pub fn open(environment: &Environment, state: &Path) -> std::io::Result<Self> {
        let transcripts = Transcripts::of(environment, state);
        let scans = Scans::begin(transcripts.clone())?;
        Ok(Self { transcripts, scans, watch: Watch::begin()? })
    }
}

/// A transcript as a whole, as far as it is read.
pub struct Whole {
    /// How much was read, of how much.
    pub read: u64,
    pub of: u64,
    pub is_read_out: bool,
    pub calls: u64,
    pub more_calls: u64,
    pub prompts: u64,
    pub damaged: u64,
    pub used: Usage,
    /// When its first line was written.
    pub first: Option<Timestamp>,
    pub coverage: Coverage,
    /// Why it is not known what no decision covers, where it is not.
    pub unsure: Option<&'static str>,
    /// Files that calls write or change, and how often.
    pub files: BTreeMap<String, u64>,
    /// What belongs to the calls that were asked for, by their keys.
    pub beside: HashMap<String, Matched>,
}

/// Returns the names that the record may have for a session: the agent's own id, behind the agent's name.
pub fn of_record(agent: &str, id: &str) -> String {
    format!("{agent}:{id}")
}

impl Page {
    /// Compares a transcript with the record. `shown` are the items of which it is told what belongs to them.
    pub fn whole(
        &self,
        session: &Session,
        id: &str,
        shown: &[Item],
        patience: Duration,
    ) -> Result<Whole, String> {
        self.kept.scans.ask(session, patience, |scan| self.compared(session, id, shown, scan))?
    }

    fn compared(
        &self,
        session: &Session,
        id: &str,
        shown: &[Item],
        scan: &Scan,
    ) -> Result<Whole, String> {
        let times = shown.iter().filter_map(|item| item.time);
        let first = times.clone().min().into_iter().chain(scan.first).min();
        let last = times.max().into_iter().chain(scan.last).max();
        let names = (session.agent().to_owned(), of_record(session.agent(), id));
        let (decisions, began) = self
            .found
            .ask(|index| Ok((decisions(index, &names, (first, last), scan)?, index.began()?)))?;
        let unsure = match self.found.stands() {
            Stands::Ready if decisions.len() < COMPARED => None,
            Stands::Ready => Some("There are too many decisions to say which calls have none."),
            Stands::Read(_) | Stands::Failed(_) => {
                Some("The record is being read: which calls have no decision is not known yet.")
            }
        };
        let coverage = covered(scan, &decisions, began);
        let beside = if scan.is_whole {
            let calls = scan.calls.iter().zip(&coverage.matched);
            calls.map(|(call, found)| (call.item.clone(), *found)).collect()
        } else {
            local(session.agent(), shown, scan, &decisions)
        };
        Ok(Whole {
            read: scan.read_bytes(),
            of: scan.of,
            is_read_out: scan.is_whole,
            calls: scan.calls.len() as u64 + scan.more_calls,
            more_calls: scan.more_calls,
            prompts: scan.prompts,
            damaged: scan.damaged,
            used: scan.used(),
            first: scan.first,
            coverage,
            unsure,
            files: files(scan),
            beside,
        })
    }

    /// Returns decisions of the record by their numbers.
    pub fn decided(&self, numbers: impl Iterator<Item = u64>) -> Result<HashMap<u64, Row>, String> {
        self.found.ask(|index| {
            let mut rows = HashMap::new();
            for number in numbers {
                let before = number.checked_add(1);
                let found = index.calls(&Wanted { before, limit: 1, ..Wanted::default() })?;
                let found = found.into_iter().filter(|row| row.sequence == number);
                rows.extend(found.map(|row| (row.sequence, row)));
            }
            Ok(rows)
        })
    }
}

/// Returns what was decided about an agent in some time, and about a session in any case.
fn decisions(
    index: &Index,
    (agent, session): &(String, String),
    (first, last): (Option<Timestamp>, Option<Timestamp>),
    scan: &Scan,
) -> Result<Vec<Has>, crate::index::Error> {
    let since = first.map(|first| earlier(first, BEFORE));
    let until = last.map(|last| later(last, AFTER));
    let of = |agent: Option<String>, session: Option<String>| Wanted {
        agent,
        session,
        since,
        until,
        limit: COMPARED,
        ..Wanted::default()
    };
    let mut found = Vec::new();
    for wanted in [of(Some(agent.clone()), None), of(None, Some(session.clone()))] {
        found.extend(index.marks(&wanted, &|line, bytes| scan.key(line, bytes))?);
    }
    found.sort_by_key(|mark| mark.sequence);
    found.dedup_by_key(|mark| mark.sequence);
    let decision = |mark: crate::index::Mark| Has {
        sequence: mark.sequence,
        time: mark.time,
        id: mark.id,
        key: mark.key,
    };
    Ok(found.into_iter().map(decision).collect())
}

/// Returns the files that calls write or change, as they name them.
fn files(scan: &Scan) -> BTreeMap<String, u64> {
    let mut files = BTreeMap::new();
    let changing =
        scan.calls.iter().filter(|call| matches!(call.kind, ToolKind::Write | ToolKind::Edit));
    for call in changing {
        let named = call.line.strip_prefix(&call.title).unwrap_or(&call.line).trim();
        if files.len() < FILES || files.contains_key(named) {
            *files.entry(named.to_owned()).or_insert(0) += 1;
        }
    }
    files
}

/// Returns what belongs to the calls among some items, where the transcript is not read to its end.
fn local(agent: &str, shown: &[Item], scan: &Scan, decisions: &[Has]) -> HashMap<String, Matched> {
    let calls: Vec<_> = shown
        .iter()
        .filter_map(|item| match &item.what {
            What::Called(called) => Some((item, called, scan.noted(agent, called).0)),
            _ => None,
        })
        .collect();
    let wants = calls.iter().map(|(item, called, key)| Wants {
        id: called.id.as_deref(),
        key: *key,
        time: item.time,
        until: None,
    });
    let found = matched(&wants.collect::<Vec<_>>(), decisions);
    calls.iter().zip(found).map(|((item, ..), found)| (item.key.clone(), found)).collect()
}
