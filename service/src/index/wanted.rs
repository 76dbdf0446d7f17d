//! Which calls are wanted, and finding them, newest first.

use guarded_sh::audit::words::Told;
use guarded_sh::audit::{CallOutcome, DecidedBy, Door};
use guarded_sh::model::{Action, Mode, Severity};
use jiff::Timestamp;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Result, params_from_iter};
use serde::{Serialize, Serializer};

use super::call::{Call, flag, kept, rank, severity};
use super::tally::HOUR;
use super::write::{COLUMNS, call_of};

/// Characters from which on a text is looked up by its parts: SQLite keeps three of each.
const PART: usize = 3;
/// Parts of a text that are looked up, from all of it; the line is compared in any case.
const PARTS: usize = 16;
/// Calls whose lines are compared with a text at most. Only a text whose parts are everywhere, or that is shorter than a part, comes so far.
const COMPARED: usize = 50_000;

/// Which calls are wanted. Each part that is set must fit.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// With this text in the line, in capitals or small letters.
    pub text: Option<String>,
    /// Of this agent.
    pub agent: Option<String>,
    /// Of this session.
    pub session: Option<String>,
    /// In this directory.
    pub project: Option<String>,
    /// With this action; [`Action::Ask`] means what was asked about, whatever came of it.
    pub action: Option<Action>,
    /// At least this severe.
    pub severity: Option<Severity>,
    /// Not older than this.
    pub since: Option<Timestamp>,
    /// Not newer than this.
    pub until: Option<Timestamp>,
    /// With a lower number than this: what follows on the next page.
    pub before: Option<u64>,
    /// Not what agents run for themselves, nor events of which nothing is decided and that hold no text.
    pub without_aside: bool,
    /// Also calls of more than one record whose first says no agent or session: another may.
    pub with_unsaid: bool,
    /// No more than this.
    pub limit: usize,
}

/// A call, as pages show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each says something of its own")]
pub struct Row {
    /// The number of its first record, by which `guarded-sh log show` knows it.
    pub sequence: u64,
    /// The number of its last record.
    pub last: u64,
    /// When.
    #[serde(serialize_with = "in_text")]
    pub time: Timestamp,
    /// The agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// What the agent calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The file in which a witness says what ran.
    #[serde(skip)]
    pub witnessed: Option<String>,
    /// The line; of a long one the beginning.
    pub line: String,
    /// How many bytes the line has.
    pub bytes: u64,
    /// What was decided.
    pub action: Action,
    /// How severe it is.
    pub severity: Severity,
    /// Who decided.
    pub decided_by: DecidedBy,
    /// Whether the decision bound.
    pub mode: Mode,
    /// By which door that was decided.
    pub door: Door,
    /// The event, of what was only told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// What the agent said that came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<CallOutcome>,
    /// How long a person was waited for, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited: Option<u64>,
    /// Whether a person or a model was asked, or would have been.
    pub asked: bool,
    /// Whether a person was asked by the record that decided.
    pub question: bool,
    /// Whether a shell took it, or the agent said what came of it.
    pub ran: bool,
    /// Whether a model was asked.
    pub judged: bool,
    /// Whether it is what a person typed to an agent.
    pub typed: bool,
    /// Whether its first record says that it was done.
    #[serde(skip)]
    pub done: bool,
    /// What was found, the worst first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<RowFinding>,
}

impl From<&Row> for Told {
    fn from(row: &Row) -> Self {
        Self {
            decided_by: row.decided_by,
            action: row.action,
            mode: row.mode,
            door: row.door,
            has_run: row.ran,
            was_question: row.question,
            is_typed: row.typed,
            is_done: row.done,
            outcome: row.outcome,
        }
    }
}

/// A rule that fired.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowFinding {
    /// The rule.
    pub rule: String,
    /// How severe it found the call.
    pub severity: Severity,
}

/// A time as the record has it.
pub(super) fn in_text<S: Serializer>(
    time: &Timestamp,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.6}"))
}

/// Returns the calls that are wanted, the newest first.
pub(super) fn calls(db: &Connection, wanted: &Wanted) -> Result<Vec<Row>> {
    let text = wanted.text.as_deref().filter(|text| !text.is_empty()).map(Text::new);
    let is_filled = db.query_row("SELECT filled FROM state", [], |row| row.get::<_, bool>(0))?;
    // A session's calls are few, and are compared one by one.
    let is_by_text = is_filled && wanted.session.is_none();
    let parts = text.as_ref().and_then(Text::parts).filter(|_| is_by_text);
    let query = Query::of(wanted, parts);
    let mut statement = db.prepare_cached(&query.sql())?;
    let mut rows = statement.query(params_from_iter(query.values))?;
    let (mut found, mut compared) = (Vec::new(), 0);
    while found.len() < wanted.limit
        && compared < COMPARED
        && let Some(row) = rows.next()?
    {
        if let Some(text) = &text {
            compared += 1;
            if !text.is_in(row.get_ref(LINE)?) {
                continue;
            }
        }
        found.push(call_of(row)?);
    }
    found.into_iter().map(|call| shown(db, call)).collect()
}

/// A call of which something was decided, as far as it is told apart from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The number of its first record.
    pub sequence: u64,
    /// When.
    pub time: Timestamp,
    /// What the agent calls it.
    pub id: Option<String>,
    /// What `key` says of its line and of how many bytes that has.
    pub key: u64,
}

/// Returns the newest calls that are wanted and of which something was decided, the newest first.
pub(super) fn marks(
    db: &Connection,
    wanted: &Wanted,
    key: &dyn Fn(&str, u64) -> u64,
) -> Result<Vec<Mark>> {
    let query = Query::of(wanted, None);
    let mut statement = db.prepare_cached(&query.sql())?;
    let mut rows = statement.query(params_from_iter(query.values))?;
    let mut marks = Vec::new();
    while marks.len() < wanted.limit
        && let Some(row) = rows.next()?
    {
        let call = call_of(row)?;
        if call.decided_by != DecidedBy::Observed {
            marks.push(Mark {
                sequence: call.first.cast_unsigned(),
                time: time(call.time),
                key: key(&call.line, call.bytes.cast_unsigned()),
                id: call.id,
            });
        }
    }
    Ok(marks)
}

/// Where the line stands among the columns.
const LINE: usize = 7;

/// A query that is put together of what is wanted.
#[derive(Default)]
struct Query {
    is_by_text: bool,
    terms: Vec<String>,
    values: Vec<Value>,
}

impl Query {
    fn of(wanted: &Wanted, parts: Option<String>) -> Self {
        let mut query = Self { is_by_text: parts.is_some(), ..Self::default() };
        if let Some(parts) = parts {
            query.with("lines MATCH ?", parts.into());
        }
        let number = if query.is_by_text { "lines.rowid" } else { "calls.first" };
        if let Some(before) = wanted.before {
            let before = i64::try_from(before).unwrap_or(i64::MAX);
            query.with(&format!("{number} < ?"), before.into());
        }
        if let Some(since) = wanted.since {
            // Numbers and times go together, but where a clock was set back: what is older than all of the hours that count is passed over at once.
            let since = since.as_microsecond();
            query.with("calls.time >= ?", since.into());
            let oldest =
                "(SELECT coalesce(min(first), 9223372036854775807) FROM hours WHERE hour >= ?)";
            query.with(&format!("{number} >= {oldest}"), since.div_euclid(HOUR).into());
        }
        if let Some(until) = wanted.until {
            let until = until.as_microsecond();
            query.with("calls.time <= ?", until.into());
            let newest =
                "(SELECT coalesce(min(first), 9223372036854775807) FROM hours WHERE hour > ?)";
            query.with(&format!("{number} < {newest}"), until.div_euclid(HOUR).into());
        }
        for (name, text) in
            [("agent", &wanted.agent), ("session", &wanted.session), ("project", &wanted.project)]
        {
            if let Some(text) = text {
                let is = format!("calls.{name} = (SELECT id FROM texts WHERE text = ?)");
                let unsaid = format!("({is} OR calls.{name} IS NULL AND calls.last > calls.first)");
                query.with(if wanted.with_unsaid { &unsaid } else { &is }, kept(text).into());
            }
        }
        match wanted.action {
            None => {}
            Some(Action::Ask) => query.terms.push("calls.asked = 1".to_owned()),
            Some(action) => {
                query.with("calls.action = ?", action.name().to_owned().into());
                query.terms.push("calls.told = 0".to_owned());
                if action != Action::Allow {
                    query.terms.push("calls.action <> 'allow'".to_owned());
                }
            }
        }
        if let Some(severity) = wanted.severity.filter(|severity| *severity > Severity::Low) {
            // As the index of these has it.
            query.terms.push(format!("calls.severity >= {}", rank(severity)));
        }
        if wanted.without_aside {
            query.terms.push("calls.aside = 0".to_owned());
        }
        query
    }

    fn with(&mut self, term: &str, value: Value) {
        self.terms.push(term.to_owned());
        self.values.push(value);
    }

    fn sql(&self) -> String {
        let (from, by) = if self.is_by_text {
            ("lines CROSS JOIN calls ON calls.first = lines.rowid", "lines.rowid")
        } else {
            ("calls", "calls.first")
        };
        let terms = if self.terms.is_empty() { "1".to_owned() } else { self.terms.join(" AND ") };
        format!("SELECT {COLUMNS} FROM {from} WHERE {terms} ORDER BY {by} DESC")
    }
}

/// A text that is looked for.
struct Text {
    /// As lines have it.
    whole: String,
    /// In small letters.
    small: String,
}

impl Text {
    fn new(text: &str) -> Self {
        let whole = text.replace('\0', "␀");
        Self { small: whole.to_lowercase(), whole }
    }

    /// Returns what a line must hold to hold the text, as FTS5 asks for it; none where the text is too short. Each part is a string of its syntax, so nothing in
    /// it means anything.
    fn parts(&self) -> Option<String> {
        let characters: Vec<char> = self.whole.chars().collect();
        let mut parts: Vec<String> = Vec::new();
        let step = characters.len().div_ceil(PARTS).max(1);
        for part in characters.windows(PART).step_by(step) {
            let part = format!("\"{}\"", part.iter().collect::<String>().replace('"', "\"\""));
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        (!parts.is_empty()).then(|| parts.join(" AND "))
    }

    fn is_in(&self, line: ValueRef<'_>) -> bool {
        let Ok(line) = line.as_str() else { return false };
        line.contains(&self.whole) || line.to_lowercase().contains(&self.small)
    }
}

/// Returns a call with what it names.
fn shown(db: &Connection, call: Call) -> Result<Row> {
    let named = |id: Option<i64>| id.map(|id| text(db, id)).transpose();
    let mut query = db.prepare_cached(
        "SELECT texts.text, findings.severity FROM findings JOIN texts ON texts.id = findings.rule \
         WHERE findings.call = ? ORDER BY findings.severity DESC, texts.text",
    )?;
    let findings = query.query_map([call.first], |row| {
        Ok(RowFinding { rule: row.get(0)?, severity: severity(row.get(1)?) })
    })?;
    Ok(Row {
        sequence: call.first.cast_unsigned(),
        last: call.last.cast_unsigned(),
        time: time(call.time),
        agent: named(call.agent)?,
        session: named(call.session)?,
        project: named(call.project)?,
        asked: call.is(flag::ASKED),
        question: call.is(flag::DECIDED_QUESTION),
        ran: call.is(flag::RAN),
        judged: call.is(flag::JUDGED),
        typed: call.is(flag::TYPED),
        done: call.is(flag::DONE),
        id: call.id,
        witnessed: call.ran,
        line: call.line,
        bytes: call.bytes.cast_unsigned(),
        action: call.action,
        severity: call.severity,
        decided_by: call.decided_by,
        mode: call.mode,
        door: call.door,
        event: call.event,
        outcome: call.outcome,
        waited: call.waited.map(i64::cast_unsigned),
        findings: findings.collect::<Result<_>>()?,
    })
}

/// Returns a text by its number.
pub(super) fn text(db: &Connection, id: i64) -> Result<String> {
    db.prepare_cached("SELECT text FROM texts WHERE id = ?")?.query_row([id], |row| row.get(0))
}

/// Returns a time of the index.
pub(super) fn time(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds).unwrap_or(Timestamp::MIN)
}
