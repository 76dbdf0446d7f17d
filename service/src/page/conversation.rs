//! A session as it is known: its calls of the record, and what its agent keeps of it, each call with what was decided. Draws nothing.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::Page;
use super::kept::Whole;
use crate::index::{Row, SessionRow, Wanted};
use crate::transcripts::{At, Item, Opening, Session, earlier};

/// Pages of a transcript that are gone through for one session.
const PAGES: usize = 8;
/// Transcripts that are looked at for one session, and of which it is seen whether they are its own.
const TRANSCRIPTS: usize = 4;
const CANDIDATES: usize = 12;
/// How long is waited for what is known of a transcript as a whole.
const PATIENCE: Duration = Duration::from_millis(400);
/// By how much the time of a file may lie before that of a record which was written earlier: file systems read a coarser clock.
const COARSE: SignedDuration = SignedDuration::from_secs(1);

/// A session, or a part of it.
pub struct Conversation {
    /// What the record has of it as a whole.
    pub known: Option<SessionRow>,
    /// Calls with a lower number than this are not in it; none: it has them all.
    pub earlier: Option<u64>,
    /// What its agent keeps of it.
    pub parts: Vec<Part>,
    /// Calls that stand in no transcript.
    pub alone: Vec<Row>,
}

/// What one transcript has of a session.
pub struct Part {
    pub own: Own,
    pub items: Vec<Item>,
    pub whole: Result<Whole, String>,
    /// Decisions beside its calls, by their numbers.
    pub rows: HashMap<u64, Row>,
}

impl Conversation {
    /// Reads the newest `limit` calls of a session with a lower number than `before`, and what transcripts say of that time.
    pub fn read(page: &Page, id: &str, before: Option<u64>, limit: usize) -> Result<Self, String> {
        let wanted = Wanted {
            session: Some(id.to_owned()),
            before,
            without_aside: true,
            limit,
            ..Wanted::default()
        };
        let (mut alone, known) =
            page.found.ask(|index| Ok((index.calls(&wanted)?, index.session(id)?)))?;
        let earlier = alone.last().filter(|_| alone.len() == limit).map(|call| call.sequence);
        alone.reverse();
        let from = alone.first().filter(|_| earlier.is_some()).map(|call| call.time);
        let to = alone.last().filter(|_| before.is_some()).map(|call| call.time);
        let mut parts = Vec::new();
        let mut beside = HashSet::new();
        for own in own(page, id, known.as_ref()) {
            // Before it is read, so that nothing is missed which is written meanwhile.
            page.kept.watch.watch(&own.session);
            let items = within(page, &own.session, from, to)?;
            let whole = page.whole(&own.session, own.id(), &items, PATIENCE);
            let found = whole.as_ref().map(|whole| &whole.beside).ok();
            let numbers = items.iter().filter_map(|item| found?.get(&item.key)?.sequence());
            let rows = page.decided(numbers)?;
            beside.extend(rows.keys().copied());
            parts.push(Part { own, items, whole, rows });
        }
        // What the person typed stands in the transcript, where there is one.
        alone.retain(|call| !beside.contains(&call.sequence) && (parts.is_empty() || !call.typed));
        Ok(Self { known, earlier, parts, alone })
    }
}

/// A transcript that belongs to a session.
pub struct Own {
    pub session: Session,
    pub opening: Opening,
}

impl Own {
    /// Returns the agent's id of it.
    pub fn id(&self) -> &str {
        self.opening.id.as_deref().filter(|_| !self.session.is_helper).unwrap_or(&self.session.id)
    }
}

/// Returns what agents keep of a session of the record: by the agent's id, where the record has that. Else of its agent, time and directory, if the record has a call of it by its id.
pub fn own(page: &Page, id: &str, known: Option<&SessionRow>) -> Vec<Own> {
    let open = |session: Session| {
        let opening = page.kept.transcripts.opening(&session).ok()?;
        Some(Own { session, opening })
    };
    let named = id.split_once(':').filter(|(agent, _)| guarded_sh::hooks::named(agent).is_some());
    if let Some((agent, id)) = named
        && let Ok(session) = page.kept.transcripts.session(agent, id)
    {
        return open(session).into_iter().collect();
    }
    let Some(known) = known else { return Vec::new() };
    let Some(agent) = &known.agent else { return Vec::new() };
    let (sessions, _) = page.kept.transcripts.sessions(Some(agent));
    let since = earlier(known.first, COARSE);
    let candidates = sessions.into_iter().filter(|session| session.modified >= since);
    let candidates = candidates.filter_map(open).take(CANDIDATES);
    let candidates =
        candidates.filter(|own| own.opening.cwd.is_none() || own.opening.cwd == known.project);
    let end = Instant::now() + PATIENCE;
    let has_one = |own: &Own| {
        let left = end.saturating_duration_since(Instant::now());
        let whole = page.whole(&own.session, own.id(), &[], left);
        let Ok(whole) = whole else { return false };
        let numbers = whole.coverage.matched.iter().filter_map(|found| found.sequence());
        let rows = page.decided(numbers.take(20)).unwrap_or_default();
        rows.values().any(|row| row.session.as_deref() == Some(id))
    };
    candidates.filter(has_one).take(TRANSCRIPTS).collect()
}

/// Returns what a transcript says within some time, as far as its last pages have it.
fn within(
    page: &Page,
    session: &Session,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) -> Result<Vec<Item>, String> {
    let (mut found, mut at) = (Vec::new(), At::End);
    for _ in 0..PAGES {
        let paged = page.kept.transcripts.page(session, &at).map_err(|error| error.to_string())?;
        let is_before = paged.items.iter().any(|item| item.time < from && item.time.is_some());
        let mut items = paged.items;
        items.retain(|item| {
            let is_late = to.is_some() && item.time > to;
            !is_late && (from.is_none() || item.time >= from)
        });
        items.append(&mut found);
        found = items;
        match paged.before {
            Some((before, until)) if !is_before => at = At::Before(before, until),
            _ => break,
        }
    }
    Ok(found)
}

/// Returns parts by their times. One without a time stays behind the one before it.
pub fn in_order<T>(told: Vec<(Option<Timestamp>, T)>) -> Vec<T> {
    let mut last = None;
    let mut timed: Vec<(Option<Timestamp>, T)> = Vec::with_capacity(told.len());
    for (time, part) in told {
        last = time.or(last);
        timed.push((last, part));
    }
    timed.sort_by_key(|(time, _)| *time);
    timed.into_iter().map(|(_, part)| part).collect()
}
