//! `log`: the record, one entry a call. For people in rows, for programs one object a line.

mod fenced;
mod follow;
mod indexed;
mod ran;
mod show;
mod table;

use std::io::{self, BufWriter, StdoutLock, Write};

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;

use super::arguments::{Reader, Severity};
use super::failure::Failure;
use super::ground::Ground;
use super::output::Output;
use super::{stats, when};
use crate::approval::text::with_causes;
use crate::approval::visible;
use crate::audit::{self, DecidedBy, Entry, Error, Filter, Store};
use crate::rules::glob;
use crate::{model, pipeline};

pub(super) use crate::audit::words::seconds;
use table::Table;

/// Entries that are shown to people where nothing says how many.
const SHOWN: usize = 50;
/// Status where lines of the record are damaged.
const DAMAGED: u8 = 1;

/// What `log` takes.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Only of this session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only of this agent: `claude`, `codex`
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only with this action; `ask` means what was asked about, whatever was answered, as --asked does
    #[arg(long)]
    action: Option<Action>,
    /// Only what a person or a model was asked about
    #[arg(long)]
    asked: bool,
    /// Only what these decided; `grant` is a yes that a person gave earlier
    #[arg(long, value_name = "WHO")]
    by: Option<By>,
    /// Only with a finding of this rule; `git.*` means all whose ids begin so
    #[arg(long, value_name = "ID", value_parser = rule_glob)]
    rule: Option<String>,
    /// Only at least this severe
    #[arg(long)]
    severity: Option<Severity>,
    /// Only with this text in the line, the directory or a finding
    #[arg(long)]
    text: Option<String>,
    /// Only since then, and all of it: `90m`, `2h`, `3d`, `today`, `yesterday`, `2026-11-21`, `2026-11-21T10:00:00Z`
    #[arg(long, value_name = "WHEN", value_parser = when::parse)]
    since: Option<Timestamp>,
    /// Only the last of them
    #[arg(short = 'n', value_name = "N")]
    last: Option<usize>,
    /// Also what comes from now on, until it is interrupted
    ///
    /// An entry of which more becomes known is shown again, with the same id.
    #[arg(short, long)]
    follow: bool,
    /// Also what agents run for themselves when they start and to call their hooks, and events of which nothing is decided
    #[arg(long)]
    all: bool,
    /// Only lines that the fence holds, with how; of PATH, whether it was the fence that something failed there
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    fenced: Option<String>,
    /// Only lines of which a witness said what really ran, with that; `unforeseen`, only where something ran that the plan did not say
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "all", hide_possible_values = true)]
    ran: Option<ran::Which>,
    /// Prints the records as they are, whole, one JSON object a line; all of them, unless -n says how many
    #[arg(long)]
    json: bool,
}

/// Returns a glob on ids of rules, if it is one.
fn rule_glob(word: &str) -> Result<String, String> {
    glob::check(word).map(|()| word.to_owned()).map_err(|error| error.to_string())
}

/// What `log` does beside listing.
#[derive(Subcommand)]
enum Command {
    /// Says all that the record has of one entry
    ///
    /// What was found, who decided and when, what a model said, how the line was held, and what came of it, as of then.
    ///
    /// Exit status: 0; 1 a line of the record that was read is damaged; 2 there is no such entry, or there are several.
    Show {
        /// The id that `log` shows, or that of its question, or the beginning of that
        id: String,
        /// Prints the record as it is, as one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Counts who settled what: the same as `guarded-sh stats`
    ///
    /// Exit status: 0; 1 parts of the record are damaged; 2 usage.
    Stats(stats::Arguments),
}

/// An action, as people write it.
#[derive(Clone, Copy, ValueEnum)]
enum Action {
    Allow,
    Contain,
    Ask,
    Deny,
}

impl From<Action> for model::Action {
    fn from(action: Action) -> Self {
        match action {
            Action::Allow => Self::Allow,
            Action::Contain => Self::Contain,
            Action::Ask => Self::Ask,
            Action::Deny => Self::Deny,
        }
    }
}

/// Who decided, as people write it.
#[derive(Clone, Copy, ValueEnum)]
enum By {
    Person,
    Grant,
    Policy,
    Model,
    Nobody,
}

impl From<By> for audit::By {
    fn from(by: By) -> Self {
        match by {
            By::Person => Self::Person,
            By::Grant => Self::Grant,
            By::Policy => Self::Policy,
            By::Model => Self::Model,
            By::Nobody => Self::Nobody,
        }
    }
}

impl Arguments {
    fn filter(&self) -> Filter {
        Filter {
            session: self.session.clone(),
            agent: self.agent.clone(),
            action: self.action.map(Into::into),
            severity: self.severity.map(Into::into),
            text: self.text.clone(),
            since: self.since,
            asked: self.asked,
            by: self.by.map(Into::into),
            rule: self.rule.clone(),
            id: None,
        }
    }

    /// Returns how many entries are shown at most; none where all are.
    fn most(&self) -> Option<usize> {
        let is_whole = self.json || self.since.is_some();
        self.last.or((!is_whole).then_some(SHOWN))
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.command {
        Some(Command::Stats(arguments)) => return stats::run(arguments),
        Some(Command::Show { id, json }) => return show::run(id, Reader::from(*json)),
        None => {}
    }
    let ground = Ground::here();
    let store = pipeline::store(&ground.settings()?, &ground.places)?;
    let output = Output::new();
    if !arguments.json {
        ground.tell_place(output);
    }
    let table = Table::new(output, ground.home());
    let asked = arguments.fenced.as_deref().map(fenced::Asked::about);
    let out = BufWriter::new(io::stdout().lock());
    let mut list = List { arguments, filter: arguments.filter(), asked, table, out, damaged: 0 };
    // What is written from here on is no longer missed.
    let follow = arguments.follow.then(|| store.follow()).transpose()?;
    let mut left_out = 0;
    let mut newest = None;
    match arguments.most() {
        None => {
            let entries: Found = match indexed::entries(&store, &list.filter) {
                Some(mut entries) => {
                    entries.reverse();
                    Box::new(entries.into_iter())
                }
                None => Box::new(store.entries(list.filter.clone())?),
            };
            for found in entries {
                left_out += list.left_out(&found);
                newest = newest.max(list.write(found)?);
            }
        }
        Some(most) => {
            let (found, more) = list.last(&store, most, &mut left_out)?;
            list.table.fit(found.iter().flatten());
            for found in found {
                newest = newest.max(list.put(found)?);
            }
            if more && arguments.last.is_none() {
                output.note("older ones are not shown: -n N, or --since WHEN");
            }
        }
    }
    list.out.flush()?;
    if left_out > 0 && output.columns.is_some() {
        let s = if left_out == 1 { "" } else { "s" };
        output.note(&format!("{left_out} more line{s} of what agents do for themselves: --all"));
    }
    if let Some(follow) = follow {
        list.follow(follow, store.directory(), newest)?;
    }
    Ok(if list.damaged == 0 { 0 } else { DAMAGED })
}

/// Entries as they are found.
type Found = Box<dyn Iterator<Item = Result<Entry, Error>>>;

/// What is listed, and where to.
struct List<'a> {
    arguments: &'a Arguments,
    filter: Filter,
    /// What is asked about the fence.
    asked: Option<fenced::Asked>,
    table: Table<'a>,
    out: BufWriter<StdoutLock<'static>>,
    damaged: u64,
}

impl List<'_> {
    /// Returns the last entries that are shown, oldest first, and whether there are more before them.
    fn last(
        &self,
        store: &Store,
        most: usize,
        left_out: &mut u64,
    ) -> Result<(Vec<Result<Entry, Error>>, bool), Failure> {
        let mut last = Vec::new();
        if most == 0 {
            return Ok((last, false));
        }
        let entries: Found = match indexed::entries(store, &self.filter) {
            Some(entries) => Box::new(entries.into_iter()),
            None => Box::new(store.newest(self.filter.clone())?),
        };
        for found in entries {
            *left_out += self.left_out(&found);
            if !self.is_shown(&found) {
                continue;
            }
            if last.len() == most {
                last.reverse();
                return Ok((last, true));
            }
            last.push(found);
            // To look for one more may mean to read all of the record.
            if last.len() == most && self.arguments.last.is_some() {
                break;
            }
        }
        last.reverse();
        Ok((last, false))
    }

    /// Returns whether an entry is shown; what could not be read always is.
    fn is_shown(&self, found: &Result<Entry, Error>) -> bool {
        let Ok(entry) = found else { return true };
        let is_held = self.asked.is_none() || fenced::of(entry).is_some();
        let is_told = |which| ran::Told::of(entry).is_some_and(|told| told.is(which));
        is_held && self.left_out(found) == 0 && self.arguments.ran.is_none_or(is_told)
    }

    /// Returns 1 for an entry that a person does not look for, unless they said so.
    fn left_out(&self, found: &Result<Entry, Error>) -> u64 {
        let Arguments { json, all, text, .. } = self.arguments;
        let is_all = *json || *all || text.is_some();
        u64::from(!is_all && found.as_ref().is_ok_and(is_aside))
    }

    /// Writes an entry, if it is shown; returns the number of its last record.
    fn write(&mut self, found: Result<Entry, Error>) -> Result<Option<u64>, Failure> {
        if self.is_shown(&found) { self.put(found) } else { Ok(None) }
    }

    /// Writes an entry; returns the number of its last record.
    fn put(&mut self, found: Result<Entry, Error>) -> Result<Option<u64>, Failure> {
        let entry = match found {
            Ok(entry) => entry,
            Err(error) => {
                self.tell(&error)?;
                return Ok(None);
            }
        };
        if self.arguments.json {
            serde_json::to_writer(&mut self.out, &entry)?;
            writeln!(self.out)?;
            return Ok(Some(entry.last_number()));
        }
        self.out.write_all(self.table.rows(&entry).as_bytes())?;
        let held = self.asked.as_ref().zip(fenced::of(&entry));
        for text in held.iter().flat_map(|(asked, held)| asked.answer(&entry, held)) {
            writeln!(self.out, "    {}", self.table.output.dim(&visible(&text)))?;
        }
        let told = self.arguments.ran.and_then(|_| ran::Told::of(&entry));
        for (name, text) in told.iter().flat_map(ran::Told::rows) {
            writeln!(self.out, "    {}", self.table.output.dim(&format!("{name:<10} {text}")))?;
        }
        Ok(Some(entry.last_number()))
    }

    /// Says what could not be read.
    fn tell(&mut self, error: &Error) -> Result<(), Failure> {
        self.damaged += 1;
        // What stands before it has been written before it is said.
        self.out.flush()?;
        // Nothing is left to do if stderr is gone.
        let _ = writeln!(io::stderr(), "guarded-sh: {}", visible(&with_causes(error)));
        Ok(())
    }
}

/// Whether an entry says nothing that a person looks for: what an agent ran for itself and was let run, and events of which nothing was
/// decided and that hold no text.
fn is_aside(entry: &Entry) -> bool {
    let decisive = entry.decisive();
    let is_quiet =
        decisive.action == model::Action::Allow && decisive.severity == model::Severity::Low;
    let is_own = entry.records().all(|record| record.purpose.is_some());
    let is_told = entry.records().all(|record| record.decided_by == DecidedBy::Observed);
    let has_text = !entry.first.record.line.text.is_empty();
    let has_tool = entry.records().any(|r| r.hook.as_ref().is_some_and(|hook| hook.tool.is_some()));
    is_quiet && (is_own || is_told && !has_text && !has_tool)
}
