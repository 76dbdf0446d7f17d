//! What happened, in words: few for a row, a sentence for the page about one entry. The one place for these words.

use super::{AskedAt, CallOutcome, DecidedBy, Door, Entry, Questioned, Record};
use crate::model::{Action, Mode, Proof};

/// Columns of the longest words for a row.
pub const LONGEST: usize = 23;

/// What is to be known of a call to say what became of it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Told {
    /// Who decided.
    pub decided_by: DecidedBy,
    /// What was decided.
    pub action: Action,
    /// Whether that bound.
    pub mode: Mode,
    /// By which door what was decided came.
    pub door: Door,
    /// Whether a shell took it, or the agent said what came of it. Of what only the agent's hook was asked, nobody says that it ran.
    pub has_run: bool,
    /// Whether a person was asked.
    pub was_question: bool,
    /// Whether a person typed it to an agent.
    pub is_typed: bool,
    /// Whether that is all that is told: that it was done.
    pub is_done: bool,
    /// What the agent said came of it.
    pub outcome: Option<CallOutcome>,
}

impl From<&Entry> for Told {
    fn from(entry: &Entry) -> Self {
        let record = entry.decisive();
        let outcome = entry.outcome().and_then(|hook| hook.outcome);
        Self {
            decided_by: record.decided_by,
            action: record.action,
            mode: record.mode,
            door: record.door,
            has_run: outcome.is_some() || entry.records().any(|record| record.door != Door::Hook),
            was_question: record.question.is_some(),
            is_typed: record.hook.as_ref().is_some_and(|hook| hook.speaker.is_some()),
            is_done: record
                .hook
                .as_ref()
                .is_some_and(|hook| hook.outcome == Some(CallOutcome::Done)),
            outcome,
        }
    }
}

/// Returns what became of a call, in few words.
#[must_use]
pub fn happened(call: impl Into<Told>) -> String {
    let told = call.into();
    let outcome = match told.outcome {
        Some(CallOutcome::Failed) => ", failed",
        Some(CallOutcome::Interrupted) => ", stopped",
        Some(CallOutcome::Done) | None => "",
    };
    format!("{}{outcome}", decided(&told))
}

fn decided(told: &Told) -> &'static str {
    let has_run = told.has_run;
    if told.decided_by == DecidedBy::Observed {
        return observed(told);
    }
    if told.mode == Mode::Shadow {
        return match told.action {
            Action::Allow if has_run => "ran",
            Action::Allow => "allowed",
            Action::Contain => "would contain: ran",
            Action::Ask => "would ask: ran",
            Action::Deny => "would refuse: ran",
        };
    }
    match (told.decided_by, told.action) {
        (DecidedBy::PersonOnce, _) if told.door == Door::Trial => "tried",
        (DecidedBy::PersonOnce, _) => "asked → once",
        (DecidedBy::PersonSession, _) => "asked → session",
        (DecidedBy::PersonAlways, _) => "asked → always",
        (DecidedBy::PersonDeny, _) => "asked → denied",
        (DecidedBy::PersonEdit, _) => "asked → changed",
        (DecidedBy::PersonKept, _) => "tried → kept",
        (DecidedBy::Model, _) => "asked → model: yes",
        (DecidedBy::Nobody, _) if told.was_question => "asked → nobody answered",
        (DecidedBy::Nobody, _) => "no one could be asked",
        (DecidedBy::Client, Action::Ask) if !has_run => "asked by the agent",
        (DecidedBy::Client, _) => "asked by agent → yes",
        (DecidedBy::Grant, _) if has_run => "ran, earlier yes",
        (DecidedBy::Grant, _) => "allowed, earlier yes",
        (DecidedBy::Inherited, _) if has_run => "ran, inherited yes",
        (DecidedBy::Inherited, _) => "allowed, inherited yes",
        (DecidedBy::System, _) => "ran, system's own",
        (DecidedBy::Custom, _) => "refused by a program",
        (DecidedBy::Policy | DecidedBy::Shadow | DecidedBy::Observed, action) => match action {
            Action::Allow if has_run => "ran",
            Action::Allow => "allowed",
            Action::Contain => "ran contained",
            Action::Ask => "would ask",
            Action::Deny => "refused unasked",
        },
    }
}

/// Of what nothing was decided.
fn observed(told: &Told) -> &'static str {
    match told.door {
        Door::Program if told.action == Action::Deny => "ended",
        Door::Program => "ran past the guard",
        _ if told.is_typed => "typed",
        _ if told.is_done => "done",
        _ => "told",
    }
}

/// Returns who decided what in one record, as a sentence.
#[must_use]
pub fn sentence(record: &Record) -> String {
    let by = match record.decided_by {
        DecidedBy::Observed => return outcome(record).to_owned(),
        DecidedBy::Nobody if record.question.is_some() => {
            return "refused: nobody answered".to_owned();
        }
        DecidedBy::Nobody => return "refused: no one could be asked".to_owned(),
        DecidedBy::PersonDeny => return "refused by a person".to_owned(),
        DecidedBy::PersonEdit => {
            return "a person had another line judged in its place".to_owned();
        }
        DecidedBy::PersonKept => {
            return "a person kept what it did when it was tried, in place of running it"
                .to_owned();
        }
        DecidedBy::Client if record.action == Action::Ask => {
            return "left to the agent, which asks its person".to_owned();
        }
        DecidedBy::Policy => "by the rules alone",
        DecidedBy::PersonOnce if record.door == Door::Trial => "by the person who tried it",
        DecidedBy::PersonOnce => "by a person, for this once",
        DecidedBy::PersonSession => "by a person, for the session",
        DecidedBy::PersonAlways => "by a person, for good",
        DecidedBy::Grant => "by a yes that a person gave earlier",
        DecidedBy::Inherited => "by a yes that a person gave to what started it",
        DecidedBy::Client => "by the agent's person, whom the agent asked",
        DecidedBy::Model => "by a language model",
        DecidedBy::System => "as the system's own",
        DecidedBy::Shadow => "whatever was found",
        DecidedBy::Custom => "by a program of the owner's",
    };
    let done = match (record.mode, record.action) {
        (Mode::Shadow | Mode::Enforce, Action::Allow) => "allowed",
        (Mode::Enforce, Action::Contain) => "allowed, contained,",
        (Mode::Enforce, Action::Ask) => "asked about",
        (Mode::Enforce, Action::Deny) => "refused",
        (Mode::Shadow, Action::Contain) => return shadow("contained"),
        (Mode::Shadow, Action::Ask) => return shadow("asked about"),
        (Mode::Shadow, Action::Deny) => return shadow("refused"),
    };
    format!("{done} {by}")
}

fn shadow(done: &str) -> String {
    format!("let run in shadow mode; else it would have been {done}")
}

/// Of what nothing was decided.
fn outcome(record: &Record) -> &'static str {
    match record.hook.as_deref().and_then(|hook| hook.outcome) {
        Some(CallOutcome::Done) => "done",
        Some(CallOutcome::Failed) => "failed",
        Some(CallOutcome::Interrupted) => "stopped by a person",
        None => "told, and nothing was to be decided",
    }
}

/// Returns by which door a record came.
#[must_use]
pub fn door(record: &Record) -> String {
    match (record.door, &record.hook) {
        (Door::Shell, _) => "the shell".to_owned(),
        (Door::Program, _) => "a program that no shell started".to_owned(),
        (Door::Trial, _) => "`try`".to_owned(),
        (Door::Client, _) => "the bridge, for a client".to_owned(),
        (Door::Hook, Some(hook)) => match &hook.tool {
            Some(tool) => format!("the hook {} of {tool}", hook.event),
            None => format!("the hook {}", hook.event),
        },
        (Door::Hook, None) => "a hook".to_owned(),
    }
}

/// Returns where a question was asked, and for how long it was open.
#[must_use]
pub fn question(question: &Questioned, decided_by: DecidedBy) -> String {
    let at = match question.at {
        AskedAt::Terminal => "at the terminal".to_owned(),
        AskedAt::Host => match &question.id {
            Some(id) => format!("at the host (question {id})"),
            None => "at the host".to_owned(),
        },
    };
    let waited = seconds(question.waited);
    let came = match decided_by {
        DecidedBy::Nobody => format!("nobody answered for {waited}"),
        DecidedBy::Model => format!("a model answered after {waited}"),
        _ => match question.proof {
            // That is where it was asked.
            Some(Proof::Terminal) if question.at == AskedAt::Terminal => {
                format!("answered after {waited}")
            }
            Some(proof) => format!("answered after {waited} {}", proof.words()),
            None => format!("answered after {waited}"),
        },
    };
    let paused = question.paused.map(|paused| format!(" (paused {})", paused.by.words()));
    format!("a person was asked {at}; {came}{}", paused.unwrap_or_default())
}

/// Returns a time in milliseconds as people say it.
#[must_use]
pub fn seconds(milliseconds: u64) -> String {
    match milliseconds {
        0..10_000 => format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100),
        10_000..120_000 => format!("{} s", milliseconds / 1000),
        120_000..7_200_000 => format!("{} min", milliseconds / 60_000),
        _ => format!("{} h", milliseconds / 3_600_000),
    }
}
