//! `try`: a line runs where it changes nothing of the workspace; what it would change is shown, and carried out if the person says so.
//! For people alone.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

use super::arguments::TryArguments;
use super::check::joined;
use super::failure::Failure;
use super::ground::Ground;
use super::output::{Output, say};
use super::sheet::Colour;
use super::typed::types;
use super::undo::{Kept, conflicts, show};
use crate::approval::page::Look;
use crate::approval::visible;
use crate::language::Language;
use crate::model::Trial;
use crate::observe;
use crate::pipeline::{self, Stop};
use crate::undo::{self, Entry, Found, Standings, Store};

/// Status where what the line would change could not be carried out.
const NOT_DONE: u8 = 1;

pub(super) fn run(arguments: &TryArguments) -> Result<u8, Failure> {
    let desk = Desk { kept: Kept::persons("try a line")?, arguments };
    if let Some(id) = &arguments.again {
        let found = desk.kept.store.one(id)?;
        if !found.header()?.tried {
            let hint = format!("`guarded-sh undo {id}` takes it back");
            return Err(Failure::new(format!("{id} was not tried: it ran")).hint(hint));
        }
        return desk.settle(&found, 0);
    }
    let line = joined(&arguments.line);
    let tried = match pipeline::attempt(OsStr::from_bytes(&line).to_owned()) {
        Ok(tried) => tried,
        Err(stop @ Stop::Config(_)) => return Err(stop.into()),
        Err(stop) => return Ok(stop.report()),
    };
    let status = tried.ended.status();
    let mut text = format!("tried: {}\n", tried.ended);
    for untried in &tried.untried {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "not tried: {}", visible(untried));
    }
    let Some(id) = tried.id else {
        say(&format!("{text}it would change nothing in the workspace\n"))?;
        return Ok(status);
    };
    say(&text)?;
    desk.settle(&desk.kept.store.one(&id)?, status)
}

/// Returns the page about what came of a trial of a line that is asked about: what it would change, as far as that can be read here.
pub(super) fn told(trial: &Trial, look: Look, language: Language) -> String {
    let mut text = language.tell("trial-ended", &[("how", trial.ended.as_str().into())]);
    text.push('\n');
    for untried in &trial.untried {
        let values = [("what", visible(untried).into())];
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", language.tell("trial-untried", &values));
    }
    if !trial.printed.is_empty() {
        let _ = write!(text, "\n{}\n", language.say("trial-printed"));
        for row in trial.printed.lines() {
            let _ = writeln!(text, "  {}", visible(row));
        }
    }
    text.push('\n');
    match &trial.id {
        None => {
            let _ = writeln!(text, "{}", language.say("trial-nothing"));
        }
        Some(id) => text.push_str(&shown(id, look).unwrap_or_else(|why| {
            let why = why.to_string();
            language.tell("trial-unreadable", &[("why", visible(&why).into())]) + "\n"
        })),
    }
    text
}

/// Returns what an entry of a trial would change, as a text without colours: each path, and of texts the difference.
pub fn changes(id: &str) -> Result<String, undo::Error> {
    shown(id, Look::Mono)
}

fn shown(id: &str, look: Look) -> Result<String, undo::Error> {
    let ground = Ground::here();
    let Some(state) = ground.places.state() else {
        return Err(undo::Error::Unknown(id.to_owned()));
    };
    let found = Store::new(&state).one(id)?;
    let entry = found.entry()?;
    let standings = undo::compare(&found, &entry)?;
    let colour = match look {
        Look::Colour => Colour::On,
        Look::Mono => Colour::Off,
    };
    let output = Output { colour, columns: None };
    let home = ground.home();
    Ok(show::Page { found: &found, entry: &entry, standings: &standings, home, output }.text())
}

struct Desk<'a> {
    kept: Kept,
    arguments: &'a TryArguments,
}

impl Desk<'_> {
    /// Shows what a line would change, asks where it is not said, and carries it out or drops it. `status` is the line's.
    fn settle(&self, found: &Found, status: u8) -> Result<u8, Failure> {
        let entry = found.entry()?;
        let standings = undo::compare(found, &entry)?;
        let page = show::Page {
            found,
            entry: &entry,
            standings: &standings,
            home: self.kept.ground.home(),
            output: Output::new(),
        };
        say(&page.text())?;
        let id = &found.id;
        if self.arguments.drop {
            found.remove()?;
            return Ok(status);
        }
        if self.arguments.keep {
            if status == 0 {
                return self.carry_out(found, &entry, &standings);
            }
            found.remove()?;
            say("not carried out: the line failed\n")?;
            return Ok(status);
        }
        let Ok(terminal) = observe::person(&self.kept.ground.environment) else {
            say(&format!("`guarded-sh try --keep --again {id}` carries it out\n"))?;
            return Ok(status);
        };
        let prompt = "Type `keep` to carry this out, anything else to drop it: ";
        if !types(terminal, "keep", prompt)? {
            found.remove()?;
            say("dropped: nothing was changed\n")?;
            return Ok(status);
        }
        match self.carry_out(found, &entry, &standings)? {
            0 => Ok(status),
            not_done => Ok(not_done),
        }
    }

    fn carry_out(&self, found: &Found, entry: &Entry, shown: &Standings) -> Result<u8, Failure> {
        // It may have been looked at for long.
        let standings = undo::compare(found, entry)?;
        let id = &found.id;
        let is_as_shown = (&standings.items, &standings.added) == (&shown.items, &shown.added);
        if !is_as_shown || !standings.conflicts.is_empty() {
            let told = conflicts(standings.conflicts.iter(), self.kept.ground.home());
            let anew = format!("`guarded-sh try --again {id}` shows it anew");
            say(&visible(&format!(
                "not carried out: the workspace was changed since it was tried\n{told}{anew}\n"
            )))?;
            return Ok(NOT_DONE);
        }
        let done = undo::take_back(&self.kept.store, found, entry, &standings, &self.kept.limits)?;
        found.remove()?;
        let s = if done.changed == 1 { "" } else { "s" };
        let mut text = format!("carried out: {} path{s}\n", done.changed);
        if let Some(by) = &done.by {
            let _ = writeln!(text, "guarded-sh undo {by} takes that back");
        }
        say(&text)?;
        Ok(0)
    }
}
