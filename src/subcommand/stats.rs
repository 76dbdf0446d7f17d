//! `stats`: who settled what, from the record: rules, people, a model; what rules made the guard ask; what a model cost, and where people said
//! otherwise than it.

mod rules;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::failure::Failure;
use super::ground::Ground;
use super::output::{Output, print};
use super::when;
use crate::audit::{DecidedBy, Entry, Filter};
use crate::model::{Heard, Spent, Verdict};
use crate::pipeline;

use rules::Rules;

/// Status where lines of the record are damaged.
const DAMAGED: u8 = 1;
/// Bytes of what the service remembers that are read.
const LONGEST: u64 = 256 << 10;

/// What `stats` takes.
#[derive(Args)]
pub(super) struct Arguments {
    /// Only of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only since then: `2h`, `3d`, `today`, `2026-11-21`, `2026-11-21T10:00:00Z`
    #[arg(long, value_name = "WHEN", value_parser = when::parse)]
    since: Option<jiff::Timestamp>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

/// What was decided, and by whom.
#[derive(Debug, Default, Serialize)]
struct Stats {
    /// Lines and calls of tools of which something was decided.
    lines: u64,
    by: BTreeMap<&'static str, u64>,
    rules: Rules,
    model: Model,
}

/// What a model was asked, and what came of it.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Model {
    asked: u64,
    judged: u64,
    uncertain: u64,
    unavailable: u64,
    /// People said no where it had found the line within the task.
    no_to_within: u64,
    /// People said yes where it had found it wider.
    yes_to_wider: u64,
    /// Today, in UTC, as the service counts it.
    today: Spent,
    /// The session that was asked for, if one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<Spent>,
}

/// What the service remembers of what was spent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Kept {
    day: i64,
    today: Spent,
    sessions: BTreeMap<String, (i64, Spent)>,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let ground = Ground::here();
    let Arguments { session, since, json } = arguments;
    let filter = Filter { session: session.clone(), since: *since, ..Filter::default() };
    let (mut stats, damaged) = counted(&ground, filter)?;
    let kept = kept(ground.places.state().as_deref());
    stats.model.today = kept.today;
    let of_session = session.as_ref().and_then(|name| kept.sessions.get(name));
    stats.model.session = of_session.map(|(_, spent)| *spent);
    let text = if *json {
        serde_json::to_string(&stats)? + "\n"
    } else {
        Output::new().fit(&stats.told())
    };
    print(&text)?;
    Ok(status(damaged))
}

/// Returns how much was decided since then, in a few words.
pub(super) fn since(ground: &Ground, since: Option<jiff::Timestamp>) -> Result<String, Failure> {
    let (stats, _) = counted(ground, Filter { since, ..Filter::default() })?;
    let by = stats.by.iter().map(|(by, number)| format!("{number} by {by}"));
    let by: Vec<String> = by.collect();
    Ok(match (stats.lines, by.as_slice()) {
        (0, _) => "nothing was decided yet".to_owned(),
        (1, [by]) => format!("one line, {}", by.trim_start_matches("1 ")),
        (lines, by) => format!("{lines} lines: {}", by.join(", ")),
    })
}

/// Counts what a filter takes of the record, and returns with it whether parts of that are damaged.
fn counted(ground: &Ground, filter: Filter) -> Result<(Stats, bool), Failure> {
    let store = pipeline::store(&ground.settings()?, &ground.places)?;
    let (mut stats, mut damaged) = (Stats::default(), false);
    for found in store.entries(filter)? {
        match found {
            Ok(entry) => stats.note(&entry),
            Err(_) => damaged = true,
        }
    }
    Ok((stats, damaged))
}

/// Returns the exit status, and says where parts of the record are damaged.
pub(super) fn status(damaged: bool) -> u8 {
    if !damaged {
        return 0;
    }
    // Nothing is left to do if stderr is gone.
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        b"guarded-sh: parts of the record are damaged and not counted: `guarded-sh verify`\n",
    );
    DAMAGED
}

impl Stats {
    fn note(&mut self, entry: &Entry) {
        let decisive = entry.decisive();
        let by = decisive.decided_by;
        if by == DecidedBy::Observed || decisive.purpose.is_some() {
            return;
        }
        self.lines += 1;
        *self.by.entry(name(by)).or_default() += 1;
        self.rules.note(entry);
        let said = entry.records().filter_map(|record| record.opinion.as_deref());
        let Some(heard) = said.last() else { return };
        let model = &mut self.model;
        model.asked += 1;
        let verdict = match heard {
            Heard::Judged { opinion, .. } => {
                model.judged += 1;
                Some(opinion.verdict)
            }
            Heard::Noted { .. } => None,
            Heard::Uncertain { .. } => {
                model.uncertain += 1;
                None
            }
            Heard::Unavailable { .. } => {
                model.unavailable += 1;
                None
            }
        };
        match (verdict, name(by)) {
            (Some(Verdict::Within), NO) => model.no_to_within += 1,
            (Some(Verdict::Wider), YES) => model.yes_to_wider += 1,
            _ => {}
        }
    }

    fn told(&self) -> String {
        let mut text = format!("{} lines and calls of tools\n", self.lines);
        for (by, count) in &self.by {
            let tenths = (count * 1000 + self.lines / 2) / self.lines.max(1);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {by:<24}{count:>8}{:>6}.{} %", tenths / 10, tenths % 10);
        }
        text.push_str(&self.rules.told());
        let model = &self.model;
        if model.asked == 0 && model.today.calls == 0 {
            return text;
        }
        let _ = writeln!(
            text,
            "a model was asked {} times: {} judged, {} uncertain, {} unavailable",
            model.asked, model.judged, model.uncertain, model.unavailable
        );
        let _ = writeln!(
            text,
            "  people said no where it found the line within the task: {}",
            model.no_to_within
        );
        let _ = writeln!(
            text,
            "  people said yes where it found the line wider than the task: {}",
            model.yes_to_wider
        );
        let times = [("today", Some(model.today)), ("in that session", model.session)];
        for (when, spent) in times {
            let Some(Spent { calls, tokens, money }) = spent else { continue };
            let _ =
                writeln!(text, "  {when}: {calls} calls, {tokens} tokens, {money} by your prices");
        }
        text
    }
}

const YES: &str = "a person's yes";
const NO: &str = "a person's no";

/// Returns who settled it, in few words.
const fn name(by: DecidedBy) -> &'static str {
    match by {
        DecidedBy::Policy => "rules",
        DecidedBy::PersonOnce
        | DecidedBy::PersonSession
        | DecidedBy::PersonAlways
        | DecidedBy::PersonEdit
        | DecidedBy::PersonKept => YES,
        DecidedBy::PersonDeny => NO,
        DecidedBy::Grant | DecidedBy::Inherited => "an earlier yes",
        DecidedBy::Model => "a model",
        DecidedBy::Nobody => "nobody to ask",
        DecidedBy::System => "the system's own",
        DecidedBy::Shadow => "shadow mode",
        DecidedBy::Client => "the agent's own question",
        DecidedBy::Custom => "an owner's program",
        DecidedBy::Observed => "only told",
    }
}

/// Returns what models cost today, as the service counted it, given the directory of the owner's state.
#[must_use]
pub fn spent_today(state: Option<&Path>) -> Spent {
    kept(state).today
}

/// Returns what the service counted; nothing where it never asked.
fn kept(state: Option<&Path>) -> Kept {
    let file = state.and_then(|state| File::open(state.join("model/state.json")).ok());
    let kept =
        file.and_then(|file| serde_json::from_reader(BufReader::new(file.take(LONGEST))).ok());
    let kept: Kept = kept.unwrap_or_default();
    let now = crate::audit::now().as_second().div_euclid(86_400);
    // Of another day it says nothing.
    if kept.day == now { kept } else { Kept { today: Spent::default(), ..kept } }
}
