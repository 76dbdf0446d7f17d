//! What the dashboard shows: sessions, and what came in each hour. Read off sums that are kept as calls come, so it costs the same however many there are.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Result};
use serde::Serialize;

use super::call::kept;
use super::tally::HOUR;
use super::wanted::{in_text, text, time};

/// Rules that are told at most.
const RULES: i64 = 20;

/// A session, with what came of its calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SessionRow {
    /// Its id.
    pub session: String,
    /// The agent of its newest call.
    pub agent: Option<String>,
    /// The directory of its newest call.
    pub project: Option<String>,
    /// When its first call was, and when its last record was written.
    #[serde(serialize_with = "in_text")]
    pub first: Timestamp,
    /// See `first`.
    #[serde(serialize_with = "in_text")]
    pub last: Timestamp,
    /// How many calls there were of which something was decided.
    pub calls: u64,
    /// How many were asked about.
    pub asked: u64,
    /// How many were refused.
    pub refused: u64,
}

/// What came since some time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Each hour in which something came, oldest first.
    pub hours: Vec<Hour>,
    /// The rules that made the guard ask most often, and how often; the most often first.
    pub rules: Vec<(String, u64)>,
    /// How long people were waited for, in milliseconds.
    pub waited: u64,
    /// How many calls a language model was asked about. What that cost is in no record.
    pub judged: u64,
}

/// What came in an hour. Of calls of which nothing was to be decided nothing is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hour {
    /// When it began, in UTC.
    #[serde(serialize_with = "in_text")]
    pub began: Timestamp,
    /// How many calls.
    pub calls: u64,
    /// How many of them were asked about, whatever was answered.
    pub asked: u64,
    /// How many ran.
    pub allowed: u64,
    /// How many ran contained.
    pub contained: u64,
    /// How many were left to the agent, which asks its person.
    pub to_agent: u64,
    /// How many were refused.
    pub refused: u64,
    /// How many ran in shadow mode, whatever was found.
    pub shadowed: u64,
}

/// Returns the sessions of the newest calls, the newest first.
pub(super) fn sessions(db: &Connection, limit: usize) -> Result<Vec<SessionRow>> {
    let mut query = db.prepare_cached(
        "SELECT session, agent, project, began, ended, calls, asked, refused FROM sessions ORDER BY last DESC LIMIT ?",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = query.query_map([limit], |row| session_of(db, row))?;
    rows.collect()
}

fn session_of(db: &Connection, row: &rusqlite::Row<'_>) -> Result<SessionRow> {
    let named = |id: Option<i64>| id.map(|id| text(db, id)).transpose();
    let count = |index| row.get::<_, i64>(index).map(i64::cast_unsigned);
    Ok(SessionRow {
        session: text(db, row.get(0)?)?,
        agent: named(row.get(1)?)?,
        project: named(row.get(2)?)?,
        first: time(row.get(3)?),
        last: time(row.get(4)?),
        calls: count(5)?,
        asked: count(6)?,
        refused: count(7)?,
    })
}

/// Returns a session, if the index has a call of it of which something was decided.
pub(super) fn session(db: &Connection, session: &str) -> Result<Option<SessionRow>> {
    let mut query = db.prepare_cached(
        "SELECT session, agent, project, began, ended, calls, asked, refused FROM sessions \
         WHERE session = (SELECT id FROM texts WHERE text = ?)",
    )?;
    query.query_row([kept(session)], |row| session_of(db, row)).optional()
}

/// Returns the hour in which the oldest call was.
pub(super) fn began(db: &Connection) -> Result<Option<Timestamp>> {
    let hour: Option<i64> = db.query_row("SELECT min(hour) FROM hours", [], |row| row.get(0))?;
    Ok(hour.map(|hour| time(hour.saturating_mul(HOUR))))
}

/// Returns what came since the hour in which a time is.
pub(super) fn summary(db: &Connection, since: Timestamp) -> Result<Summary> {
    let since = since.as_microsecond().div_euclid(HOUR);
    let mut summary = Summary::default();
    let mut query = db.prepare_cached(
        "SELECT hour, calls, asked, allowed, contained, to_agent, refused, shadowed, judged, waited FROM hours \
         WHERE hour >= ? ORDER BY hour",
    )?;
    let mut rows = query.query([since])?;
    while let Some(row) = rows.next()? {
        let count = |index| row.get::<_, i64>(index).map(i64::cast_unsigned);
        summary.judged += count(8)?;
        summary.waited = summary.waited.saturating_add(count(9)?);
        summary.hours.push(Hour {
            began: time(row.get::<_, i64>(0)?.saturating_mul(HOUR)),
            calls: count(1)?,
            asked: count(2)?,
            allowed: count(3)?,
            contained: count(4)?,
            to_agent: count(5)?,
            refused: count(6)?,
            shadowed: count(7)?,
        });
    }
    summary.hours.retain(|hour| hour.calls > 0);
    let mut query = db.prepare_cached(
        "SELECT texts.text, sum(rules.asked) AS times FROM rules JOIN texts ON texts.id = rules.rule WHERE rules.hour >= ?1 \
         GROUP BY rules.rule HAVING times > 0 ORDER BY times DESC, texts.text LIMIT ?2",
    )?;
    let rows = query.query_map([since, RULES], |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()))
    })?;
    summary.rules = rows.collect::<Result<_>>()?;
    Ok(summary)
}
