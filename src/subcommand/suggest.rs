//! `suggest`: what people answered the same way again and again, and the change of settings that would have spared them that. Each is tried on the record:
//! what else it would have let through is told with it. Nothing changes by itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use super::failure::Failure;
use super::ground::Ground;
use super::output::{print, say};
use super::past::{self, SINCE};
use super::{own, stats, typed, when};
use crate::approval::visible;
use crate::audit::{self, DecidedBy, Entry, Filter};
use crate::install::settings;
use crate::model::Action;
use crate::observe;
use crate::pipeline::quieter::{Change, changes};
use crate::pipeline::{self, Judgement, Request, World};

/// Lines that are judged again at most, the newest.
const MOST: usize = 2_000;
/// Changes that are told at most.
const TOLD: usize = 9;
/// Answers that a change must have spared, where nothing else is said.
pub const LEAST: u64 = 3;
/// Lines that are shown of each.
const SHOWN: usize = 3;

/// A line in its directory, and what became of it.
#[derive(Debug, Default)]
struct Seen {
    /// How often a person said yes.
    yes: u64,
    /// How often a person said no.
    no: u64,
    /// The place of its last call among all.
    last: usize,
}

/// A change that would have spared questions.
#[derive(Clone, Debug, Serialize)]
pub struct Suggestion {
    /// What the settings would have.
    pub setting: String,
    /// How often a person said yes to what it would let run.
    pub yes: u64,
    /// Those lines.
    pub lines: Vec<String>,
    /// What else it would have let through.
    pub others: Vec<String>,
    /// The change.
    #[serde(skip)]
    pub change: Change,
}

#[derive(Args)]
pub(super) struct Arguments {
    /// Only from answers since then; without it, of the last 30 days
    #[arg(long, value_name = "WHEN", value_parser = when::parse)]
    since: Option<Timestamp>,
    /// How many answers a change must have spared
    #[arg(long, value_name = "N", default_value_t = LEAST, value_parser = clap::value_parser!(u64).range(1..))]
    least: u64,
    /// Prints one JSON array, and changes nothing
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let ground = Ground::here();
    let (suggestions, damaged) = suggestions(&ground, arguments.since, arguments.least)?;
    let status = stats::status(damaged);
    if arguments.json {
        print(&(serde_json::to_string(&suggestions)? + "\n"))?;
        return Ok(status);
    }
    say(&told(&suggestions, arguments.least))?;
    if !suggestions.is_empty()
        && let Ok(terminal) = observe::person(&ground.environment)
    {
        let prompt = "Type a number to take that change, anything else to leave all as it is: ";
        let typed = typed::answer(terminal, prompt)?;
        let number = std::str::from_utf8(&typed).ok().and_then(|text| text.parse::<usize>().ok());
        match number.and_then(|number| suggestions.get(number.checked_sub(1)?)) {
            Some(suggestion) => take(&ground, &suggestion.change)?,
            None => say("nothing was changed\n")?,
        }
    }
    Ok(status)
}

/// Returns the changes of settings under which at least so many answers since then, or in the last 30 days, would not have been needed; and whether the
/// record is damaged, so that not all of it was read.
pub fn suggestions(
    ground: &Ground,
    since: Option<Timestamp>,
    least: u64,
) -> Result<(Vec<Suggestion>, bool), Failure> {
    let store = pipeline::store(&ground.settings()?, &ground.places)?;
    let since = since.unwrap_or_else(|| audit::ago(SINCE));
    let mut seen = Lines::default();
    let mut damaged = false;
    for found in store.entries(Filter { since: Some(since), ..Filter::default() })? {
        match found {
            Ok(entry) => seen.note(&entry),
            Err(_) => damaged = true,
        }
    }
    Ok((seen.suggestions(least), damaged))
}

/// The lines of a record that somebody was to decide about.
#[derive(Debug, Default)]
struct Lines {
    /// By directory and line.
    seen: BTreeMap<(String, String), Seen>,
    count: usize,
}

/// A line as it is judged now.
struct Again<'w> {
    line: String,
    seen: Seen,
    world: &'w World,
    judgement: Judgement,
}

impl Lines {
    fn note(&mut self, entry: &Entry) {
        let record = entry.decisive();
        let is_line = past::is_line(entry);
        let was_open = record.decided_by.is_person() || record.decided_by == DecidedBy::Nobody;
        let whole = record.line.rest.is_none();
        let (true, true, true, Some(cwd)) = (is_line, was_open, whole, &record.cwd) else { return };
        let seen = self.seen.entry((cwd.clone(), record.line.text.clone())).or_default();
        self.count += 1;
        seen.last = self.count;
        match record.decided_by {
            // What a person wrote in its place, they did not want.
            DecidedBy::PersonDeny | DecidedBy::PersonEdit => seen.no += 1,
            by if by.is_person() => seen.yes += 1,
            _ => {}
        }
    }

    /// Returns the changes under which at least so many answers would not have been needed, and that let through nothing a person refused.
    fn suggestions(self, least: u64) -> Vec<Suggestion> {
        let mut newest: Vec<_> = self.seen.into_iter().collect();
        newest.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.last));
        newest.truncate(MOST);
        let mut worlds: BTreeMap<String, Option<World>> = BTreeMap::new();
        for ((cwd, _), _) in &newest {
            worlds.entry(cwd.clone()).or_insert_with_key(|cwd| past::world(cwd));
        }
        let again = newest.into_iter().filter_map(|((cwd, line), seen)| {
            let world = worlds.get(&cwd)?.as_ref()?;
            let judgement = world.judge(&Request::about(line.as_bytes())).ok()?;
            // What runs now needs no change.
            let is_open = matches!(judgement.action, Action::Ask | Action::Deny);
            is_open.then_some(Again { line, seen, world, judgement })
        });
        let again: Vec<Again<'_>> = again.collect();
        let mut spared: BTreeMap<Change, u64> = BTreeMap::new();
        for line in again.iter().filter(|line| line.seen.yes > 0) {
            for change in changes(line.world, &line.judgement) {
                *spared.entry(change).or_default() += line.seen.yes;
            }
        }
        // Each that is tried is judged with all lines.
        let found = spared.into_iter().filter(|(_, yes)| *yes >= least);
        let mut found: Vec<Suggestion> =
            found.filter_map(|(change, _)| Suggestion::tried(change, &again)).collect();
        // The widest gain first, and of the same gain what lets through the least; a lower threshold is for all lines, so it comes last.
        found.sort_by_key(|one| {
            let is_wide = matches!(one.change, Change::Threshold(_));
            (is_wide, std::cmp::Reverse(one.yes), one.others.len())
        });
        let mut told: Vec<Suggestion> = Vec::new();
        for one in found {
            if !told.iter().any(|better| better.lines == one.lines) {
                told.push(one);
            }
        }
        told.truncate(TOLD);
        told
    }
}

impl Suggestion {
    /// Tries a change on all lines; none where it would let through what a person refused.
    fn tried(change: Change, again: &[Again<'_>]) -> Option<Self> {
        let (mut yes, mut lines, mut others) = (0, Vec::new(), Vec::new());
        for line in again {
            let then = change.judged(line.world, &line.line);
            if then.is_none_or(|then| then.action != Action::Allow) {
                continue;
            }
            if line.seen.no > 0 {
                return None;
            }
            yes += line.seen.yes;
            let list = if line.seen.yes > 0 { &mut lines } else { &mut others };
            if !list.contains(&line.line) {
                list.push(line.line.clone());
            }
        }
        Some(Self { setting: change.line(), yes, lines, others, change })
    }
}

fn told(suggestions: &[Suggestion], least: u64) -> String {
    if suggestions.is_empty() {
        return format!(
            "nothing to suggest: no change would have spared {least} answers that were all yes\n"
        );
    }
    let mut text = String::new();
    for (number, one) in suggestions.iter().enumerate() {
        let times = if one.yes == 1 { "once".to_owned() } else { format!("{} times", one.yes) };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}  {}", number + 1, visible(&one.setting));
        let _ = writeln!(text, "   a person said yes {times}, and never no: {}", some(&one.lines));
        let else_ = match one.others.as_slice() {
            [] => "nothing else of what was asked about in this time".to_owned(),
            others => format!("also {}: {}", counted(others.len()), some(others)),
        };
        let _ = writeln!(text, "   it would have let through {else_}");
    }
    text
}

fn counted(lines: usize) -> String {
    if lines == 1 {
        "1 line that nobody answered".to_owned()
    } else {
        format!("{lines} lines that nobody answered")
    }
}

/// Returns some lines, each short.
fn some(lines: &[String]) -> String {
    let shown = lines.iter().take(SHOWN).map(|line| {
        let line = line.replace('\n', "; ");
        let short: String = line.chars().take(60).collect();
        format!("`{}{}`", visible(&short), if short.len() < line.len() { "…" } else { "" })
    });
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if lines.len() > SHOWN {
        let _ = write!(text, " and {} more", lines.len() - SHOWN);
    }
    text
}

/// Puts a change into the owner's settings, if they load with it.
fn take(ground: &Ground, change: &Change) -> Result<(), Failure> {
    let (key, value) = change.setting();
    let put = match value {
        toml::Value::String(item) => settings::Put::Item(item),
        value => settings::Put::Value(value),
    };
    let done = own::put(ground, key, &put)?;
    let line = visible(&change.line()).into_owned();
    let path = done.path;
    match done.ignored {
        Some(why) => {
            say(&format!("{path} has {line} now, and it does not count: {}\n", visible(&why)))
        }
        None => say(&format!("{path} has {line} now\n")),
    }
}
