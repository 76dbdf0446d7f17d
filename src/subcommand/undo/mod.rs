//! `undo`: what lines destroyed and can be taken back: listed, shown against what is there now, and brought back. For people alone.

pub(super) mod show;
mod since;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::arguments::{Reader, UndoAction, UndoArguments};
use super::desk;
use super::failure::{Failure, with_causes};
use super::ground::Ground;
use super::output::{Output, cut, padded, print, say, short};
use crate::approval::text::on_one_line;
use crate::approval::visible;
use crate::pipeline;
use crate::undo::{self, Conflict, Entry, Error, Found, Header, Limits, Standings, Store};

pub use since::{Became, Of, Since, Touched, since};

/// Status where nothing was done: there is nothing to take back, or something was changed since.
const NOTHING: u8 = 1;
/// Columns before the line.
const BEFORE: usize = 66;
/// Columns that the line has at least, however narrow the terminal.
const LEAST: usize = 24;

pub(super) fn run(arguments: &UndoArguments) -> Result<u8, Failure> {
    let desk = Desk { kept: Kept::persons("see or take back what lines destroyed")?, arguments };
    let reader = Reader::from(arguments.json);
    if let Some(action) = &arguments.action {
        return match action {
            UndoAction::List { json } => desk.list((*json).into()),
            UndoAction::Show { id, json } => desk.show(id, (*json).into()),
        };
    }
    let wanted = match (&arguments.id, &arguments.session, arguments.since) {
        (Some(id), ..) => vec![Read::of(desk.kept.store.one(id)?)?],
        (None, Some(session), _) => desk.of(|header| header.session.as_ref() == Some(session))?,
        (None, None, Some(since)) => {
            let since = u64::try_from(since.as_millisecond()).unwrap_or(0);
            desk.of(|header| header.time >= since)?
        }
        (None, None, None) if arguments.last => desk.of(|_| true)?.into_iter().take(1).collect(),
        (None, None, None) => return desk.list(reader),
    };
    desk.take_back(&wanted, reader)
}

/// What is kept for a person who is there to see it.
pub(super) struct Kept {
    /// All of it.
    pub(super) store: Store,
    /// How much is kept.
    pub(super) limits: Limits,
    /// The world around.
    pub(super) ground: Ground,
}

impl Kept {
    /// Opens it; `what` is what only a person can do with it.
    pub(super) fn persons(what: &str) -> Result<Self, Failure> {
        desk::person(what)?;
        let ground = Ground::here();
        let limits = pipeline::undo_limits(&ground.settings()?.undo);
        let state = ground.places.state();
        let state = state.ok_or_else(|| Failure::new("there is no home directory"))?;
        Ok(Self { store: Store::new(&state), limits, ground })
    }
}

struct Desk<'a> {
    kept: Kept,
    arguments: &'a UndoArguments,
}

/// An entry with what became of it.
struct Read {
    found: Found,
    header: Header,
    taken: Option<String>,
}

/// An entry, as programs read it.
#[derive(Serialize)]
struct WireEntry<'a> {
    id: &'a str,
    time: String,
    line: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    files: u64,
    bytes: u64,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    taken_by: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undoes: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lacks: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uncovered: Option<&'a str>,
}

/// What became of one entry, as programs read it.
#[derive(Serialize)]
struct WireDone<'a> {
    id: &'a str,
    done: bool,
    changed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<WireConflict>,
}

#[derive(Serialize)]
struct WireConflict {
    path: String,
    why: &'static str,
}

impl Read {
    fn state(&self) -> &'static str {
        match (&self.taken, &self.header.undoes) {
            _ if self.header.tried => "tried",
            (Some(_), _) => "taken back",
            (None, Some(_)) => "undo",
            (None, None) => "kept",
        }
    }

    fn wire(&self) -> WireEntry<'_> {
        let header = &self.header;
        WireEntry {
            id: &self.found.id,
            time: when(header).to_string(),
            line: &header.line,
            session: header.session.as_deref(),
            cwd: header.cwd.as_deref(),
            files: header.files,
            bytes: header.bytes,
            state: self.state(),
            taken_by: self.taken.as_deref().filter(|by| !by.is_empty()),
            undoes: header.undoes.as_deref(),
            lacks: header.lacks.as_deref(),
            uncovered: header.uncovered.as_deref(),
        }
    }
}

fn when(header: &Header) -> Timestamp {
    let time = i64::try_from(header.time).unwrap_or(i64::MAX);
    Timestamp::from_millisecond(time).unwrap_or(Timestamp::MAX)
}

impl Read {
    fn of(found: Found) -> Result<Self, Failure> {
        let (header, taken) = (found.header()?, found.taken()?);
        Ok(Self { found, header, taken })
    }
}

impl Desk<'_> {
    /// All entries, the oldest first. What cannot be read is told, and keeps nobody from the rest.
    fn all(&self) -> Result<Vec<Read>, Failure> {
        let mut all = Vec::new();
        for found in self.kept.store.found()? {
            match Read::of(found) {
                Ok(read) => all.push(read),
                Err(failure) => failure.note(),
            }
        }
        Ok(all)
    }

    /// Entries of lines that are not taken back, the newest first.
    fn of(&self, is_wanted: impl Fn(&Header) -> bool) -> Result<Vec<Read>, Failure> {
        let mut wanted = self.all()?;
        wanted.retain(|read| {
            read.taken.is_none() && is_of_a_line(&read.header) && is_wanted(&read.header)
        });
        wanted.reverse();
        Ok(wanted)
    }

    fn list(&self, reader: Reader) -> Result<u8, Failure> {
        let all = self.all()?;
        if reader == Reader::Program {
            let rows: Vec<WireEntry<'_>> = all.iter().map(Read::wire).collect();
            print(&format!("{}\n", serde_json::to_string(&rows)?))?;
            return Ok(0);
        }
        let output = Output::new();
        if all.is_empty() {
            say(&format!("{}\n", output.dim("nothing is kept")))?;
        }
        let zone = TimeZone::system();
        for read in &all {
            say(&row(read, output, &zone))?;
        }
        Ok(0)
    }

    fn show(&self, id: &str, reader: Reader) -> Result<u8, Failure> {
        let read = Read::of(self.kept.store.one(id)?)?;
        if let Some(by) = &read.taken {
            return Err(taken(&read.found.id, by));
        }
        let entry = read.found.entry()?;
        let standings = undo::compare(&read.found, &entry)?;
        // What git has of it no longer, is shown without what was in it.
        if let Err(error) = undo::unpack(&read.found, &entry, &standings) {
            Failure::from(error).note();
        }
        let page = show::Page {
            found: &read.found,
            entry: &entry,
            standings: &standings,
            home: self.kept.ground.home(),
            output: Output::new(),
        };
        match reader {
            Reader::Program => print(&format!("{}\n", serde_json::to_string(&page.wire())?))?,
            Reader::Person => say(&page.text())?,
        }
        Ok(0)
    }

    /// Takes entries back, one after the other, and stops at what was changed since.
    fn take_back(&self, wanted: &[Read], reader: Reader) -> Result<u8, Failure> {
        let mut done = Vec::new();
        let mut status = 0;
        if wanted.is_empty() {
            status = NOTHING;
            if reader == Reader::Person {
                say("there is nothing to take back\n")?;
            }
        }
        for read in wanted {
            if let Some(by) = &read.taken {
                return Err(taken(&read.found.id, by));
            }
            if read.header.tried {
                let id = &read.found.id;
                return Err(Failure::new(format!("{id} was only tried, and changed nothing"))
                    .status(NOTHING)
                    .hint(format!("`guarded-sh try --again {id}` carries it out")));
            }
            let entry = read.found.entry()?;
            let mut standings = undo::compare(&read.found, &entry)?;
            self.later(read, &entry, &mut standings)?;
            let wire = self.one(read, &entry, &standings, reader)?;
            let is_done = wire.done || self.arguments.dry_run && wire.conflicts.is_empty();
            done.push(wire);
            if !is_done {
                status = NOTHING;
                break;
            }
        }
        if reader == Reader::Program {
            print(&format!("{}\n", serde_json::to_string(&done)?))?;
        }
        Ok(status)
    }

    fn one<'r>(
        &self,
        read: &'r Read,
        entry: &Entry,
        standings: &Standings,
        reader: Reader,
    ) -> Result<WireDone<'r>, Failure> {
        let id = read.found.id.as_str();
        let home = self.kept.ground.home();
        let stops = |conflict: &&Conflict| !(self.arguments.force && conflict.may_be_forced);
        let stops: Vec<&Conflict> = standings.conflicts.iter().filter(stops).collect();
        let told = |text: &str| match reader {
            Reader::Person => say(&visible(text)),
            Reader::Program => Ok(()),
        };
        let changed = standings.changed(entry).count();
        let mut wire = WireDone { id, done: false, changed, by: None, conflicts: Vec::new() };
        if !stops.is_empty() {
            let mut text = format!("{id}: nothing was changed: {}\n", read.header.line);
            text.push_str(&conflicts(stops.iter().copied(), home));
            if stops.iter().all(|conflict| conflict.may_be_forced) {
                text.push_str("--force takes it back all the same; that can be taken back too\n");
            }
            told(&text)?;
            let wire_conflict = |conflict: &&Conflict| WireConflict {
                path: conflict.path.to_string_lossy().into_owned(),
                why: conflict.why,
            };
            wire.conflicts = stops.iter().map(wire_conflict).collect();
            return Ok(wire);
        }
        if self.arguments.dry_run {
            let mut text = format!("{id} would be taken back: {}\n", read.header.line);
            for (path, standing, item) in standings.changed(entry) {
                let path = short(&path.to_string_lossy(), home);
                let _ = writeln!(text, "  {} {path}", show::word(standing, item));
            }
            told(&text)?;
            return Ok(wire);
        }
        let done =
            undo::take_back(&self.kept.store, &read.found, entry, standings, &self.kept.limits)?;
        let s = if done.changed == 1 { "" } else { "s" };
        let mut text =
            format!("{id} is taken back ({} path{s}): {}\n", done.changed, read.header.line);
        if let Some(by) = &done.by {
            let _ = writeln!(text, "guarded-sh undo {by} takes that back in turn");
        }
        if let Some(lacks) = &read.header.lacks {
            let _ = writeln!(text, "not all that the line may have destroyed was kept: {lacks}");
        }
        if let Some(why) = &read.header.uncovered {
            let _ = writeln!(text, "the workspace was not covered as a whole: {why}");
        }
        told(&text)?;
        wire.done = true;
        wire.by = done.by;
        Ok(wire)
    }

    /// Adds to what was changed since what a later line has kept and changed as well: that is taken back first. So is an undo of an earlier line.
    fn later(&self, read: &Read, entry: &Entry, standings: &mut Standings) -> Result<(), Failure> {
        let all = self.all()?;
        // What an undo of a later line kept was there before it, and is not there now.
        let undoes_earlier =
            |header: &Header| header.undoes.as_ref().is_some_and(|id| *id < read.found.id);
        let is_later = |other: &&Read| {
            let counts = is_of_a_line(&other.header) || undoes_earlier(&other.header);
            other.taken.is_none() && counts && other.found.id > read.found.id
        };
        let mut later = all.iter().filter(is_later).peekable();
        if later.peek().is_none() {
            return Ok(());
        }
        let changed: HashSet<&Path> = standings.changed(entry).map(|(path, ..)| path).collect();
        let is_both = |item: &undo::Item| {
            let is_directory = matches!(item.was, undo::Was::Directory { .. });
            !is_directory && changed.contains(item.path.path())
        };
        let mut found = Vec::new();
        for other in later {
            let kept = other.found.entry()?;
            if !kept.items.iter().any(is_both) {
                continue;
            }
            // A workspace is kept as a whole, of which a line may change nothing.
            let of_other = undo::compare(&other.found, &kept)?;
            let both = of_other.changed(&kept).find(|(_, _, item)| item.is_some_and(is_both));
            if let Some((path, ..)) = both {
                let why = match other.header.undoes {
                    None => "was changed by a later line that is kept too: take that back first",
                    Some(_) => {
                        "was changed when an earlier line was taken back: take that back first"
                    }
                };
                found.push(Conflict { path: path.to_owned(), why, may_be_forced: true });
            }
        }
        standings.conflicts.extend(found);
        Ok(())
    }
}

/// Whether an entry has what a line destroyed.
const fn is_of_a_line(header: &Header) -> bool {
    header.undoes.is_none() && !header.tried
}

/// Says what was changed since, a row each.
pub(super) fn conflicts<'c>(
    conflicts: impl Iterator<Item = &'c Conflict>,
    home: Option<&str>,
) -> String {
    let row = |conflict: &Conflict| {
        format!("  {} {}\n", short(&conflict.path.to_string_lossy(), home), conflict.why)
    };
    conflicts.map(row).collect()
}

fn taken(id: &str, by: &str) -> Failure {
    let failure = Failure::new(format!("{id} is taken back already")).status(NOTHING);
    match by {
        "" => failure,
        by => failure.hint(format!("`guarded-sh undo {by}` takes that back in turn")),
    }
}

/// Id, time, how much, what became of it, and the line.
fn row(read: &Read, output: Output, zone: &TimeZone) -> String {
    let header = &read.header;
    let time = when(header).to_zoned(zone.clone());
    let time = time.strftime("%Y-%m-%d %H:%M:%S").to_string();
    let s = if header.files == 1 { " " } else { "s" };
    let columns = output.columns.unwrap_or(usize::MAX).saturating_sub(BEFORE).max(LEAST);
    let line = on_one_line(&header.line);
    let line = match &header.undoes {
        Some(id) => format!("undo {id}: {line}"),
        None => line,
    };
    format!(
        "{}  {}  {:>6} file{s} {:>9}  {}  {}\n",
        output.bold(&read.found.id),
        output.dim(&time),
        header.files,
        bytes(header.bytes),
        padded(read.state(), 10),
        cut(&visible(&line), columns),
    )
}

/// Returns a number of bytes as people read it.
#[allow(clippy::cast_precision_loss, reason = "only the first digits are shown")]
fn bytes(count: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.iter().find(|(unit, _)| count >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", count as f64 / *unit as f64),
        None => format!("{count} B"),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let failure = Self::new(with_causes(&error));
        match error {
            Error::Unknown(_) | Error::Ambiguous(_) => {
                failure.status(NOTHING).hint("`guarded-sh undo` lists what can be taken back")
            }
            _ => failure,
        }
    }
}
