//! `pending`: what is open, one question a row for people, an array for programs.

use std::io::{self, Write};

use super::arguments::Reader;
use super::failure::Failure;
use super::output::{Output, cut, padded, say, short};
use super::sheet::severity_style;
use super::{desk, pause};
use crate::approval::{visible, words};
use crate::ipc::{Entry, State};
use crate::language::Language;
use crate::observe;
use crate::pipeline;

/// Columns before the line.
const BEFORE: usize = 45;
/// Columns that the line has at least; where there are fewer, it has a row of its own.
const LEAST: usize = 35;
/// Columns before what stands in a row of its own.
const INDENT: usize = 7;

pub(super) fn run(reader: Reader) -> Result<u8, Failure> {
    let environment = desk::person("see what is open")?;
    let hosts = desk::questions(&environment)?;
    let paused = desk::paused(&hosts);
    let entries: Vec<Entry> = hosts.into_iter().flat_map(|(_, open)| open).collect();
    if reader == Reader::Program {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &entries)?;
        writeln!(out)?;
        return Ok(0);
    }
    let (output, language) = (Output::new(), pipeline::language(&environment));
    say(&pause::row(paused, output, language))?;
    if entries.is_empty() {
        say(&format!("{}\n", output.dim(&language.say("watch-no-questions"))))?;
    }
    let home = observe::facts(&environment).home;
    for entry in &entries {
        say(&row(entry, output, home.as_deref(), language))?;
    }
    Ok(0)
}

/// Id, age, severity, who asks, how it stands, and the line; below it why, and where.
pub(super) fn row(entry: &Entry, output: Output, home: Option<&str>, language: Language) -> String {
    let question = &entry.question;
    let severity = padded(&language.severity(question.severity.name()), 8);
    let who = visible(&words::who(question, language)).into_owned();
    let columns = output.columns.unwrap_or(usize::MAX);
    let indent = " ".repeat(INDENT);
    let (gap, room) = match columns.saturating_sub(BEFORE) {
        room if room < LEAST => (format!("\n{indent}"), columns.saturating_sub(INDENT)),
        room => ("  ".to_owned(), room),
    };
    let gone = || language.say("watch-gone").into_owned();
    let cwd = question.cwd.as_deref().map_or_else(gone, |cwd| short(cwd, home));
    let values = [("why", language.meaning(&question.reason).into()), ("place", cwd.into())];
    let why = visible(&language.tell("watch-why-where", &values)).into_owned();
    format!(
        "{}  {}  {}  {} {}{gap}{}\n{indent}{}\n",
        output.bold(&entry.id),
        output.dim(&format!("{:>4}", age(entry.age, language))),
        output.colour.paint(severity_style(question.severity), &severity),
        padded(&cut(&who, 9), 9),
        output.dim(&padded(&stands(&entry.state, language), 10)),
        cut(&visible(&question.line), room),
        output.dim(&cut(&why, columns.saturating_sub(INDENT))),
    )
}

/// Returns how a question stands, in few columns: `waits 48s` of one that is given up then.
pub(super) fn stands(state: &State, language: Language) -> String {
    match state {
        State::Waiting { left: Some(left) } => {
            language.tell("short-waits-for", &[("time", age(*left, language).into())])
        }
        State::Waiting { left: None } => language.say("short-waits").into_owned(),
        State::Left => language.say("short-left").into_owned(),
        State::Answered { answer } => words::answered_in_short(answer, language).into_owned(),
    }
}

/// Returns a time that passed, in few columns.
pub(super) fn age(seconds: u64, language: Language) -> String {
    let (key, count) = match seconds {
        0..120 => ("short-seconds", seconds),
        120..7200 => ("short-minutes", seconds / 60),
        _ => ("short-hours", seconds / 3600),
    };
    language.tell(key, &[("count", count.into())])
}
