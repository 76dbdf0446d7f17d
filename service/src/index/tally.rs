//! The sums that the index keeps as calls come: of each session, of each hour, of each rule in an hour.

use std::collections::BTreeMap;

use rusqlite::{Connection, Result, params};

/// Microseconds of an hour.
pub(super) const HOUR: i64 = 3_600_000_000;
/// What is summed of an hour: calls, asked, allowed, contained, left to the agent, refused, in shadow mode, judged by a model, waited.
pub(super) type Sums = [i64; 9];
const CALLS: usize = 0;
const ASKED: usize = 1;
const REFUSED: usize = 5;

/// What a call counts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) first: i64,
    pub(super) time: i64,
    pub(super) ended: i64,
    pub(super) agent: Option<i64>,
    pub(super) session: Option<i64>,
    pub(super) project: Option<i64>,
    pub(super) sums: Sums,
    /// The rules that it was asked about for.
    pub(super) rules: Vec<i64>,
}

/// What changes by some calls.
#[derive(Debug, Default)]
pub(super) struct Tally {
    hours: BTreeMap<i64, (i64, Sums)>,
    rules: BTreeMap<(i64, i64), i64>,
    sessions: BTreeMap<i64, Session>,
}

#[derive(Debug)]
struct Session {
    agent: Option<i64>,
    project: Option<i64>,
    last: i64,
    began: i64,
    ended: i64,
    sums: [i64; 3],
}

impl Tally {
    /// Takes note of what a call counted for before, if it was there, and what it counts for now.
    pub(super) fn change(&mut self, before: Option<&Part>, now: &Part) {
        if before == Some(now) {
            return;
        }
        if let Some(before) = before {
            self.add(before, -1);
        }
        self.add(now, 1);
    }

    fn add(&mut self, part: &Part, times: i64) {
        let hour = part.time.div_euclid(HOUR);
        let (first, sums) = self.hours.entry(hour).or_insert((part.first, Sums::default()));
        *first = part.first.min(*first);
        for (sum, more) in sums.iter_mut().zip(part.sums) {
            *sum = sum.saturating_add(more.saturating_mul(times));
        }
        for rule in &part.rules {
            *self.rules.entry((hour, *rule)).or_default() += times;
        }
        let Some(session) = part.session else { return };
        let session = self.sessions.entry(session).or_insert_with(|| Session::of(part));
        session.add(part, times);
    }

    /// Writes it.
    pub(super) fn put(&self, db: &Connection) -> Result<()> {
        for (hour, (first, s)) in &self.hours {
            db.prepare_cached(
                "INSERT INTO hours VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO UPDATE SET \
                 first = min(first, ?2), calls = calls + ?3, asked = asked + ?4, allowed = allowed + ?5, \
                 contained = contained + ?6, to_agent = to_agent + ?7, refused = refused + ?8, shadowed = shadowed + ?9, \
                 judged = judged + ?10, waited = waited + ?11",
            )?
            .execute(params![hour, first, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8]])?;
        }
        for ((hour, rule), times) in &self.rules {
            db.prepare_cached(
                "INSERT INTO rules VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET asked = asked + ?3",
            )?
            .execute(params![hour, rule, times])?;
        }
        for (id, session) in &self.sessions {
            session.put(db, *id)?;
        }
        Ok(())
    }
}

impl Session {
    fn of(part: &Part) -> Self {
        Self {
            agent: part.agent,
            project: part.project,
            last: part.first,
            began: part.time,
            ended: part.ended,
            sums: [0; 3],
        }
    }

    fn add(&mut self, part: &Part, times: i64) {
        if part.first >= self.last {
            (self.agent, self.project, self.last) = (part.agent, part.project, part.first);
        }
        self.began = self.began.min(part.time);
        self.ended = self.ended.max(part.ended);
        for (sum, which) in self.sums.iter_mut().zip([CALLS, ASKED, REFUSED]) {
            *sum += part.sums[which] * times;
        }
    }

    fn put(&self, db: &Connection, id: i64) -> Result<()> {
        let Self { agent, project, last, began, ended, sums: [calls, asked, refused] } = self;
        db.prepare_cached(
            "INSERT INTO sessions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO UPDATE SET \
             agent = CASE WHEN ?4 >= last THEN ?2 ELSE agent END, \
             project = CASE WHEN ?4 >= last THEN ?3 ELSE project END, last = max(last, ?4), \
             began = min(began, ?5), ended = max(ended, ?6), calls = calls + ?7, asked = asked + ?8, refused = refused + ?9",
        )?
        .execute(params![id, agent, project, last, began, ended, calls, asked, refused])?;
        Ok(())
    }
}
