//! Puts records into the index: some thousand in a transaction, and with them how far the files were read, so that whatever ends us leaves the index whole.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use guarded_sh::audit::Said;
use guarded_sh::model::{Action, Mode, Severity};
use rusqlite::{Connection, OptionalExtension as _, Result, params};

use super::call::{self, Call, Texts, flag, kept, named, rank, severity, word};
use super::chain::{Chain, Follows, Place};
use super::days::Day;
use super::read::{Batch, Found, Line, Seen};
use super::tally::{Part, Tally};

/// Lines that are taken in one transaction, and bytes of them where they are long.
const TOGETHER: usize = 16_384;
const MOST: u64 = 16 << 20;
/// Texts of which the number is remembered.
const REMEMBERED: usize = 16_384;

/// The columns of a call, in the order of [`call_of`].
pub(super) const COLUMNS: &str = "calls.first, calls.last, calls.time, calls.ended, calls.agent, calls.session, calls.project, \
    calls.line, calls.bytes, calls.action, calls.severity, calls.first_severity, calls.decided_by, calls.mode, calls.door, \
    calls.event, calls.outcome, calls.waited, calls.flags, calls.id, calls.ran";

/// Puts a call there, or what became of it.
const PUT: &str = "INSERT INTO calls (first, last, time, ended, agent, session, project, line, bytes, action, severity, \
    first_severity, decided_by, mode, door, event, outcome, waited, flags, asked, told, aside, id, ran) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24) \
    ON CONFLICT (first) DO UPDATE SET last = ?2, ended = ?4, action = ?10, severity = ?11, decided_by = ?13, mode = ?14, \
    door = ?15, outcome = ?17, waited = ?18, flags = ?19, asked = ?20, told = ?21, aside = ?22, id = ?23, ran = ?24";

/// Whether the text of calls is put in as they come, or of all of them at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    Now,
    Later,
}

/// Who writes. What is not committed is taken back when it is dropped.
pub(super) struct Writer<'i> {
    db: &'i Connection,
    directory: &'i Path,
    fill: Fill,
    chain: Chain,
    /// The chain as it was written when this began.
    begun: String,
    days: BTreeMap<String, Day>,
    texts: HashMap<String, i64>,
    pending: BTreeMap<i64, Pending>,
    /// Lines that were taken since the last transaction, and their bytes.
    taken: (usize, u64),
    /// Calls that there are.
    calls: i64,
    /// Records that were read.
    records: u64,
}

/// A call that is to be written.
struct Pending {
    call: Call,
    /// The rules that fired, and how severe the worst of each was.
    rules: BTreeMap<i64, Severity>,
    /// What it counted for; none where it is new.
    before: Option<Part>,
}

impl<'i> Writer<'i> {
    /// Goes on where the index ends. `days` are the files that will be read.
    pub(super) fn new(db: &'i Connection, directory: &'i Path, days: &[Day]) -> Result<Self> {
        let (chain, calls, filled): (String, i64, bool) =
            db.query_row("SELECT chain, calls, filled FROM state", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        Ok(Self {
            db,
            directory,
            fill: if filled { Fill::Now } else { Fill::Later },
            chain: chain_of(&chain),
            begun: chain,
            days: days.iter().map(|day| (day.name.clone(), day.clone())).collect(),
            texts: HashMap::new(),
            pending: BTreeMap::new(),
            taken: (0, 0),
            calls,
            records: 0,
        })
    }

    /// Returns how many records were read, and how many calls there are.
    pub(super) const fn counts(&self) -> (u64, i64) {
        (self.records, self.calls)
    }

    /// Whether the text of calls is still to be put in.
    pub(super) const fn fill(&self) -> Fill {
        self.fill
    }

    /// Writes the rest, and what the head said before the files were read. Where nothing came, nothing is written.
    pub(super) fn end(&mut self, head: Option<&Said>) -> Result<()> {
        self.chain.end(head);
        let is_same = self.days.is_empty() && chain_of(&self.begun) == self.chain;
        if is_same { Ok(()) } else { self.commit() }
    }

    /// Takes what was read.
    pub(super) fn take(&mut self, batch: Batch) -> Result<()> {
        if self.db.is_autocommit() {
            self.db.execute_batch("BEGIN IMMEDIATE")?;
        }
        let Batch { day: name, stat, lines } = batch;
        let mut day = self.days.remove(&name).unwrap_or_default();
        (day.name, day.stat) = (name, stat);
        self.taken.0 += lines.len();
        self.taken.1 += lines.iter().map(|line| line.bytes).sum::<u64>();
        for line in lines {
            self.line(&mut day, line)?;
        }
        if day.bytes > day.stat.size {
            (day.stat.size, day.stat.written) = (day.bytes, None);
        }
        self.days.insert(day.name.clone(), day);
        let is_full = self.taken.0 >= TOGETHER || self.taken.1 >= MOST;
        if is_full { self.commit() } else { Ok(()) }
    }

    /// Writes what was taken.
    pub(super) fn commit(&mut self) -> Result<()> {
        if self.db.is_autocommit() {
            self.db.execute_batch("BEGIN IMMEDIATE")?;
        }
        let mut tally = Tally::default();
        for (_, pending) in std::mem::take(&mut self.pending) {
            self.put(&pending)?;
            tally.change(pending.before.as_ref(), &pending.part());
        }
        tally.put(self.db)?;
        // One that was not begun is new the next time as well.
        for day in self.days.values().filter(|day| day.bytes > 0) {
            put_day(self.db, day)?;
        }
        let chain = serde_json::to_string(&self.chain).unwrap_or_default();
        let mut state = self.db.prepare_cached("UPDATE state SET chain = ?1, calls = ?2")?;
        state.execute(params![chain, self.calls])?;
        self.taken = (0, 0);
        self.db.execute_batch("COMMIT")
    }

    fn line(&mut self, day: &mut Day, line: Line) -> Result<()> {
        let Line { number, at, bytes, found } = line;
        (day.lines, day.bytes) = (number, at + bytes);
        let place = Place { day: day.name.clone(), line: number };
        let (seen, link) = match found {
            Found::Nothing => {
                self.chain.nothing(place, at, bytes);
                return Ok(());
            }
            Found::Strange(link) => (None, link),
            Found::Record(seen, link) => (Some(seen), link),
        };
        day.sound += 1;
        day.hash.clone_from(&link.hash);
        day.hash_end = day.bytes;
        self.records += 1;
        if self.chain.record(self.directory, &place, link) == Follows::No {
            return Ok(());
        }
        let is_read = match seen {
            Some(seen) => self.record(&seen)?,
            None => false,
        };
        if !is_read {
            self.chain.unread(place);
        }
        Ok(())
    }

    /// Puts a record to its call. Returns whether it has one.
    fn record(&mut self, seen: &Seen) -> Result<bool> {
        let Ok(sequence) = i64::try_from(seen.sequence) else { return Ok(false) };
        let first = seen.reference.map(|first| i64::try_from(first).unwrap_or(i64::MAX));
        let mut found = match first {
            Some(first) => self.call(first)?,
            None => None,
        };
        if let Some(pending) = &mut found {
            pending.call.go_on(sequence, seen);
        } else {
            let texts = Texts {
                agent: self.text(seen.caller.as_deref())?,
                session: self.text(seen.session.as_deref())?,
                project: self.text(seen.cwd.as_deref())?,
            };
            let Some(call) = Call::begin(sequence, seen, texts) else { return Ok(false) };
            self.calls += 1;
            found = Some(Pending { call, rules: BTreeMap::new(), before: None });
        }
        let Some(mut pending) = found else { return Ok(false) };
        for finding in &seen.findings {
            if let Some(rule) = self.text(Some(&finding.rule))? {
                let worst = pending.rules.entry(rule).or_insert(finding.severity);
                *worst = finding.severity.max(*worst);
            }
        }
        self.pending.insert(pending.call.first, pending);
        Ok(true)
    }

    /// Takes out a call that is there already.
    fn call(&mut self, first: i64) -> Result<Option<Pending>> {
        if let Some(pending) = self.pending.remove(&first) {
            return Ok(Some(pending));
        }
        let query = format!("SELECT {COLUMNS} FROM calls WHERE first = ?1");
        let mut query = self.db.prepare_cached(&query)?;
        let Some(call) = query.query_row([first], call_of).optional()? else { return Ok(None) };
        let mut found =
            self.db.prepare_cached("SELECT rule, severity FROM findings WHERE call = ?1")?;
        let rules = found.query_map([first], |row| Ok((row.get(0)?, severity(row.get(1)?))))?;
        let mut pending = Pending { call, rules: rules.collect::<Result<_>>()?, before: None };
        pending.before = Some(pending.part());
        Ok(Some(pending))
    }

    /// Returns the number of a text.
    fn text(&mut self, text: Option<&str>) -> Result<Option<i64>> {
        let Some(text) = text else { return Ok(None) };
        if let Some(id) = self.texts.get(text) {
            return Ok(Some(*id));
        }
        let whole = kept(text);
        let mut query = self.db.prepare_cached("SELECT id FROM texts WHERE text = ?1")?;
        let known = query.query_row([&whole], |row| row.get(0)).optional()?;
        let id = match known {
            Some(id) => id,
            None => {
                self.db.prepare_cached("INSERT INTO texts (text) VALUES (?1)")?.insert([&whole])?
            }
        };
        if self.texts.len() == REMEMBERED {
            self.texts.clear();
        }
        if text.len() <= call::KEPT {
            self.texts.insert(text.to_owned(), id);
        }
        Ok(Some(id))
    }

    fn put(&self, pending: &Pending) -> Result<()> {
        let Pending { call, rules, before } = pending;
        self.db.prepare_cached(PUT)?.execute(params![
            call.first,
            call.last,
            call.time,
            call.ended,
            call.agent,
            call.session,
            call.project,
            call.line,
            call.bytes,
            call.action.name(),
            rank(call.severity),
            rank(call.first_severity),
            word(call.decided_by),
            word(call.mode),
            word(call.door),
            call.event,
            call.outcome.map(word),
            call.waited,
            call.flags,
            call.is(flag::ASKED),
            call.is(flag::TOLD),
            call.is_aside(),
            call.id,
            call.ran,
        ])?;
        let put =
            "INSERT INTO findings VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET severity = ?3";
        for (rule, severity) in rules {
            self.db.prepare_cached(put)?.execute(params![call.first, rule, rank(*severity)])?;
        }
        if before.is_none() && self.fill == Fill::Now {
            let mut fill =
                self.db.prepare_cached("INSERT INTO lines (rowid, line) VALUES (?1, ?2)")?;
            fill.execute(params![call.first, call.line])?;
        }
        Ok(())
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if !self.db.is_autocommit() {
            // Where that fails as well, SQLite takes it back when the file is opened again.
            let _ = self.db.execute_batch("ROLLBACK");
        }
    }
}

impl Pending {
    /// Returns what the call counts for.
    fn part(&self) -> Part {
        let call = &self.call;
        let counts = !call.is(flag::TOLD);
        let binds = counts && call.mode == Mode::Enforce;
        let ended = |action: Action| i64::from(binds && call.action == action);
        let asked = counts && call.is(flag::ASKED);
        // What is milder than the worst is not what was asked for.
        let worst = self.rules.iter().filter(|(_, severity)| **severity == call.severity);
        Part {
            first: call.first,
            time: call.time,
            ended: call.ended,
            agent: call.agent,
            session: call.session,
            project: call.project,
            sums: [
                i64::from(counts),
                i64::from(asked),
                ended(Action::Allow),
                ended(Action::Contain),
                ended(Action::Ask),
                ended(Action::Deny),
                i64::from(counts && !binds),
                i64::from(call.is(flag::JUDGED)),
                call.waited.unwrap_or_default(),
            ],
            rules: worst.filter(|_| asked && binds).map(|(rule, _)| *rule).collect(),
        }
    }
}

/// Reads a call of [`COLUMNS`].
pub(super) fn call_of(row: &rusqlite::Row<'_>) -> Result<Call> {
    let outcome: Option<String> = row.get(16)?;
    Ok(Call {
        first: row.get(0)?,
        last: row.get(1)?,
        time: row.get(2)?,
        ended: row.get(3)?,
        agent: row.get(4)?,
        session: row.get(5)?,
        project: row.get(6)?,
        line: row.get(7)?,
        bytes: row.get(8)?,
        action: named(row.get(9)?)?,
        severity: severity(row.get(10)?),
        first_severity: severity(row.get(11)?),
        decided_by: named(row.get(12)?)?,
        mode: named(row.get(13)?)?,
        door: named(row.get(14)?)?,
        event: row.get(15)?,
        outcome: outcome.map(named).transpose()?,
        waited: row.get(17)?,
        flags: row.get(18)?,
        id: row.get(19)?,
        ran: row.get(20)?,
    })
}

/// Returns how far the chain was followed; from its beginning where that is not written.
pub(super) fn chain_of(text: &str) -> Chain {
    serde_json::from_str(text).unwrap_or_default()
}

/// Reads which files were read, and how far.
pub(super) fn days(db: &Connection) -> Result<Vec<Day>> {
    let mut query = db.prepare_cached(
        "SELECT name, inode, size, written, bytes, lines, sound, hash, hash_end FROM days ORDER BY name",
    )?;
    let rows = query.query_map([], |row| {
        let number = |index| row.get::<_, i64>(index).map(i64::cast_unsigned);
        Ok(Day {
            name: row.get(0)?,
            stat: super::days::Stat { inode: number(1)?, size: number(2)?, written: row.get(3)? },
            bytes: number(4)?,
            lines: number(5)?,
            sound: number(6)?,
            hash: row.get(7)?,
            hash_end: number(8)?,
        })
    })?;
    rows.collect()
}

fn put_day(db: &Connection, day: &Day) -> Result<()> {
    let put = "INSERT INTO days (name, inode, size, written, bytes, lines, sound, hash, hash_end) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (name) DO UPDATE SET inode = ?2, size = ?3, written = ?4, \
        bytes = ?5, lines = ?6, sound = ?7, hash = ?8, hash_end = ?9";
    db.prepare_cached(put)?.execute(params![
        day.name,
        day.stat.inode.cast_signed(),
        day.stat.size.cast_signed(),
        day.stat.written,
        day.bytes.cast_signed(),
        day.lines.cast_signed(),
        day.sound.cast_signed(),
        day.hash,
        day.hash_end.cast_signed(),
    ])?;
    Ok(())
}
