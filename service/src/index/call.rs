//! A call as the index holds it, put together of its records one after the other: what `audit::Entry` says of them together, without holding them.

use guarded_sh::audit::{CallOutcome, DecidedBy, Door};
use guarded_sh::model::{Action, Mode, Severity, head};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::read::{Seen, Tool};

/// Bytes of a line, a directory, an id that are kept: what is behind them is not searched.
pub(super) const KEPT: usize = 4 << 10;

/// What is known of a call beside what has a name of its own.
pub(super) mod flag {
    /// A person or a model was asked, or would have been.
    pub(crate) const ASKED: i64 = 1;
    /// A shell took it, or the agent said what came of it.
    pub(crate) const RAN: i64 = 1 << 1;
    /// A person was asked, in one of its records.
    pub(crate) const QUESTION: i64 = 1 << 2;
    /// The record that decided says so.
    pub(crate) const DECIDED_QUESTION: i64 = 1 << 3;
    /// It is what a person typed to an agent.
    pub(crate) const TYPED: i64 = 1 << 4;
    /// The first record says that it was done.
    pub(crate) const DONE: i64 = 1 << 5;
    /// It is left to the agent, and no shell ran it yet.
    pub(crate) const LEFT: i64 = 1 << 6;
    /// A model was asked.
    pub(crate) const JUDGED: i64 = 1 << 7;
    /// The first record is of shadow mode.
    pub(crate) const SHADOW: i64 = 1 << 8;
    /// Nothing was decided in any of its records.
    pub(crate) const TOLD: i64 = 1 << 9;
    /// All of its records are of what no model wrote.
    pub(crate) const OWN: i64 = 1 << 10;
    /// It is of a tool.
    pub(crate) const TOOL: i64 = 1 << 11;
    /// It is of another tool than the shell.
    pub(crate) const OTHER: i64 = 1 << 12;
}

/// A call. What is the same for many is held by its number in `texts`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) time: i64,
    pub(super) ended: i64,
    pub(super) agent: Option<i64>,
    pub(super) session: Option<i64>,
    pub(super) project: Option<i64>,
    pub(super) line: String,
    pub(super) bytes: i64,
    pub(super) action: Action,
    pub(super) severity: Severity,
    pub(super) first_severity: Severity,
    pub(super) decided_by: DecidedBy,
    pub(super) mode: Mode,
    pub(super) door: Door,
    pub(super) event: Option<String>,
    pub(super) outcome: Option<CallOutcome>,
    pub(super) waited: Option<i64>,
    pub(super) flags: i64,
    /// What the agent calls it.
    pub(super) id: Option<String>,
    /// The file in which a witness says what ran.
    pub(super) ran: Option<String>,
}

/// The numbers of the texts of a call's first record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Texts {
    pub(super) agent: Option<i64>,
    pub(super) session: Option<i64>,
    pub(super) project: Option<i64>,
}

impl Call {
    /// Returns the call of which this is the first record; none where it says too little for one.
    pub(super) fn begin(first: i64, seen: &Seen, texts: Texts) -> Option<Self> {
        let (severity, mode) = (seen.severity?, seen.mode?);
        let text = seen.line.as_deref().unwrap_or_default();
        let bytes = text.len() as u64 + seen.rest.as_ref().map_or(0, |rest| rest.bytes);
        let hook = seen.hook.as_ref();
        let is_told = seen.decided_by == DecidedBy::Observed;
        let mut call = Self {
            first,
            last: first,
            time: seen.time,
            ended: seen.time,
            agent: texts.agent,
            session: texts.session,
            project: texts.project,
            line: kept(text),
            bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
            action: seen.action,
            severity,
            first_severity: severity,
            decided_by: seen.decided_by,
            mode,
            door: seen.door,
            event: hook.filter(|_| is_told).map(|hook| kept(&hook.event)),
            outcome: None,
            waited: None,
            flags: flag::OWN | flag::TOLD,
            id: None,
            ran: None,
        };
        let outcome = hook.and_then(|hook| hook.outcome);
        call.set(flag::TYPED, hook.is_some_and(|hook| hook.speaker.is_some()));
        call.set(flag::DONE, outcome == Some(CallOutcome::Done));
        call.set(flag::SHADOW, mode == Mode::Shadow);
        call.set(flag::DECIDED_QUESTION, seen.question.is_some());
        let is_left = seen.decided_by == DecidedBy::Client && seen.action == Action::Ask;
        call.note(seen);
        call.set(flag::LEFT, is_left);
        Some(call)
    }

    /// Takes a later record of the call.
    pub(super) fn go_on(&mut self, sequence: i64, seen: &Seen) {
        self.last = self.last.max(sequence);
        self.ended = self.ended.max(seen.time);
        if seen.decided_by != DecidedBy::Observed {
            let first_mode = if self.is(flag::SHADOW) { Mode::Shadow } else { Mode::Enforce };
            (self.action, self.decided_by, self.door) = (seen.action, seen.decided_by, seen.door);
            self.severity = seen.severity.unwrap_or(self.first_severity);
            self.mode = seen.mode.unwrap_or(first_mode);
            self.flags &= !flag::DECIDED_QUESTION;
            self.set(flag::DECIDED_QUESTION, seen.question.is_some());
        }
        self.note(seen);
    }

    /// Takes note of what any record of the call may say.
    fn note(&mut self, seen: &Seen) {
        let hook = seen.hook.as_ref();
        let outcome = hook.and_then(|hook| hook.outcome);
        let is_told = seen.decided_by == DecidedBy::Observed;
        self.outcome = outcome.or(self.outcome);
        if self.id.is_none() {
            self.id = hook.and_then(|hook| hook.call.as_deref()).map(kept);
        }
        if let Some(ran) = &seen.ran {
            self.ran = Some(kept(ran));
        }
        self.wait(seen);
        let was_asked = seen.decided_by.was_asked(seen.action, seen.question.is_some());
        self.set(flag::ASKED, was_asked);
        self.set(flag::RAN, seen.door != Door::Hook || outcome.is_some());
        self.set(flag::QUESTION, seen.question.is_some());
        self.set(flag::JUDGED, seen.opinion.is_some());
        let tool = hook.and_then(|hook| hook.tool);
        self.set(flag::TOOL, tool.is_some());
        self.set(flag::OTHER, tool == Some(Tool::Other));
        if !is_told {
            self.flags &= !flag::TOLD;
        }
        if seen.purpose.is_none() {
            self.flags &= !flag::OWN;
        }
    }

    /// Takes note of how long a person took: at the guard's question, or at the agent's, which was open until the shell ran it.
    fn wait(&mut self, seen: &Seen) {
        if let Some(question) = &seen.question {
            let waited = i64::try_from(question.waited).unwrap_or(i64::MAX);
            self.waited = seen.decided_by.is_person().then_some(waited);
            return;
        }
        let ran = seen.door == Door::Shell && seen.decided_by == DecidedBy::Client;
        if ran && self.is(flag::LEFT) {
            self.flags &= !flag::LEFT;
            if !self.is(flag::QUESTION) {
                self.waited = Some((seen.time - self.time) / 1000).filter(|waited| *waited >= 0);
            }
        }
    }

    /// Whether it is so.
    pub(super) const fn is(&self, flag: i64) -> bool {
        self.flags & flag != 0
    }

    fn set(&mut self, flag: i64, is_so: bool) {
        if is_so {
            self.flags |= flag;
        }
    }

    /// Whether it says nothing that a person looks for: what an agent ran for itself, and events that hold no text.
    pub(super) fn is_aside(&self) -> bool {
        let is_quiet = self.action == Action::Allow && self.severity == Severity::Low;
        let is_empty = self.is(flag::TOLD) && self.bytes == 0 && !self.is(flag::TOOL);
        is_quiet && (self.is(flag::OWN) || is_empty)
    }
}

/// Returns what is kept of a text. SQLite's functions end a text at a NUL, so one is shown.
pub fn kept(text: &str) -> String {
    head(text, KEPT).replace('\0', "␀")
}

/// Returns the word by which the record calls a value.
pub(super) fn word(value: impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// Returns the value that the record calls so.
pub(super) fn named<T: DeserializeOwned>(word: String) -> rusqlite::Result<T> {
    let unknown = |error| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
    };
    serde_json::from_value(Value::String(word)).map_err(unknown)
}

/// Returns the number of a severity.
pub(super) fn rank(severity: Severity) -> i64 {
    Severity::ALL.iter().zip(0..).find(|(one, _)| **one == severity).map_or(0, |(_, rank)| rank)
}

/// Returns the severity of a number.
pub(super) fn severity(rank: i64) -> Severity {
    let index = usize::try_from(rank).unwrap_or_default().min(Severity::ALL.len() - 1);
    Severity::ALL[index]
}
