//! Transcripts beside the record, as pages have them: which decision belongs to which call, and which calls have none.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use guarded_sh::audit::mask::{Secrets, Written, mask};
use guarded_sh::hooks::ToolKind;
use guarded_sh::observe::Environment;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::Page;
use super::found::Stands;
use crate::index::{Index, Row, Wanted};
use crate::transcripts::{
    At, Coverage, Error, Has, Item, Matched, Opening, Paged, Scan, Scans, Session, Transcripts,
    Usage, Wants, Watch, What, covered, earlier, later, matched,
};

/// Decisions that are compared with a transcript's calls at most.
const COMPARED: usize = 50_000;
/// Files that are told.
const FILES: usize = 200;
/// How long after the last word of a transcript a decision may have been made.
const AFTER: SignedDuration = SignedDuration::from_hours(24);
const BEFORE: SignedDuration = SignedDuration::from_mins(1);
/// How long is waited for what is known of a transcript as a whole, and for the place of a call in it.
const PATIENCE: Duration = Duration::from_millis(400);
const LONGER: Duration = Duration::from_secs(4);
/// Transcripts that are compared with the record for an overview, and how long is waited for all of them.
const TRANSCRIPTS: usize = 20;
const PATIENCE_OF_ALL: Duration = Duration::from_millis(150);

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

/// A part of a transcript, with what was decided of its calls.
pub struct Opened {
    pub session: Session,
    pub opening: Opening,
    /// The agent's id of it.
    pub id: String,
    pub paged: Paged,
    pub whole: Result<Whole, String>,
    /// Decisions beside its calls, by their numbers.
    pub rows: HashMap<u64, Row>,
}

/// Returns the names that the record may have for a session: the agent's own id, behind the agent's name.
pub fn of_record(agent: &str, id: &str) -> String {
    format!("{agent}:{id}")
}

impl Page {
    /// Opens a transcript at a place, or where a call of this id stands, if it has one. `more` returns what is shown before it.
    pub fn opened(
        &self,
        (agent, session): (&str, &str),
        call: Option<&str>,
        at: &At,
        more: impl FnOnce(&Session, &Paged) -> Vec<Item>,
    ) -> Result<Opened, String> {
        let told = |error: Error| error.to_string();
        let session = self.kept.transcripts.session(agent, session).map_err(told)?;
        // Before it is read, so that nothing is missed which is written meanwhile.
        self.kept.watch.watch(&session);
        let opening = self.kept.transcripts.opening(&session).map_err(told)?;
        let id = opening.id.clone().filter(|_| !session.is_helper);
        let id = id.unwrap_or_else(|| session.id.clone());
        let sought = call.and_then(|call| {
            let place = |scan: &Scan| scan.place(call);
            self.kept.scans.ask(&session, LONGER, place).ok().flatten()
        });
        let at = sought.as_ref().unwrap_or(at);
        let mut paged = self.kept.transcripts.page(&session, at).map_err(told)?;
        let more = more(&session, &paged);
        paged.items.splice(0..0, more);
        let whole = self.whole(&session, &id, &paged.items, PATIENCE);
        let beside = whole.as_ref().map(|whole| &whole.beside).ok();
        let items = paged.items.iter();
        let numbers = items.filter_map(|item| beside?.get(&item.key)?.sequence());
        let rows = self.decided(numbers)?;
        Ok(Opened { session, opening, id, paged, whole, rows })
    }

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

/// Returns a value with the secrets in its texts masked, as records have them.
pub fn masked(value: Value) -> Value {
    match by_form(value) {
        // What a field's name says of its value is seen in all of it.
        value @ (Value::Object(_) | Value::Array(_)) => {
            let text = value.to_string();
            match Secrets::mask(&text, Written::Prose).0 {
                Cow::Borrowed(_) => value,
                Cow::Owned(masked) => serde_json::from_str(&masked).unwrap_or(value),
            }
        }
        value => value,
    }
}

fn by_form(value: Value) -> Value {
    match value {
        Value::String(text) => match mask(&text) {
            Cow::Borrowed(_) => Value::String(text),
            Cow::Owned(masked) => Value::String(masked),
        },
        Value::Array(values) => values.into_iter().map(by_form).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, by_form(value))).collect()
        }
        value => value,
    }
}

/// What the newest transcripts have without a decision.
#[derive(Default)]
pub struct Looked {
    /// How many were looked at.
    pub checked: u64,
    /// How many of them are still being read.
    pub reading: u64,
    /// Those that have calls without a decision.
    pub without: Vec<Lacking>,
}

/// A transcript that has calls without a decision.
pub struct Lacking {
    pub agent: &'static str,
    pub id: String,
    /// How many calls.
    pub count: u64,
    /// Of how many that run commands or change files.
    pub of: u64,
}

/// Looks which of the newest transcripts have calls without a decision.
pub fn looked(page: &Page, since: Timestamp) -> Looked {
    let (sessions, _) = page.kept.transcripts.sessions(None);
    let newest = sessions
        .into_iter()
        .filter(|session| session.modified >= since && session.problem.is_none());
    let mut looked = Looked::default();
    let end = Instant::now() + PATIENCE_OF_ALL;
    for session in newest.take(TRANSCRIPTS) {
        // A page that is late says less.
        if looked.checked > 0 && Instant::now() >= end {
            break;
        }
        let opening = page.kept.transcripts.opening(&session).ok();
        let id = opening.and_then(|opening| opening.id).filter(|_| !session.is_helper);
        let id = id.unwrap_or_else(|| session.id.clone());
        let left = end.saturating_duration_since(Instant::now());
        let Ok(whole) = page.whole(&session, &id, &[], left) else { continue };
        looked.checked += 1;
        looked.reading += u64::from(!whole.is_read_out);
        let Coverage { without, checked, .. } = whole.coverage;
        if without > 0 && whole.unsure.is_none() {
            let agent = session.agent();
            looked.without.push(Lacking { agent, id, count: without, of: checked });
        }
    }
    looked
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
