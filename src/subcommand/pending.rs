//! `pending`: what is open, one question a row for people, an array for programs.

use std::io::{self, Write};

use super::arguments::Reader;
use super::desk;
use super::failure::Failure;
use super::output::{Output, cut, padded, print, short};
use super::sheet::severity_style;
use crate::approval::visible;
use crate::ipc::{Entry, State};
use crate::observe;

/// Columns before the line.
const BEFORE: usize = 38;
/// Columns that the line has at least, however narrow the terminal.
const LEAST: usize = 24;

pub(super) fn run(reader: Reader) -> Result<u8, Failure> {
    let environment = desk::person("see what is open")?;
    let mut entries = Vec::new();
    for (_, open) in desk::questions(&environment)? {
        entries.extend(open);
    }
    if reader == Reader::Program {
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &entries)?;
        writeln!(out)?;
        return Ok(0);
    }
    let output = Output::new();
    if entries.is_empty() {
        print(&format!("{}\n", output.dim("nothing is open")))?;
    }
    let home = observe::facts(&environment).home;
    for entry in &entries {
        print(&row(entry, output, home.as_deref()))?;
    }
    Ok(0)
}

/// Id, age, severity and score, who asks, and the line; below it why, and where.
pub(super) fn row(entry: &Entry, output: Output, home: Option<&str>) -> String {
    let question = &entry.question;
    let severity = format!("{} {}", question.severity.name(), question.score.get());
    let agent = visible(question.agent.as_deref().unwrap_or("-")).into_owned();
    let state = match entry.state {
        State::Waiting => "waits",
        State::Left => "left",
        State::Answered { .. } => "done",
    };
    let columns = output.columns.unwrap_or(usize::MAX).saturating_sub(BEFORE).max(LEAST);
    let cwd = question.cwd.as_deref().map_or_else(|| "(gone)".to_owned(), |cwd| short(cwd, home));
    format!(
        "{}  {}  {}  {} {}  {}\n{}{}\n",
        output.bold(&entry.id),
        output.dim(&format!("{:>5}", age(entry.age))),
        output.colour.paint(severity_style(question.severity), &padded(&severity, 11)),
        padded(&cut(&agent, 8), 8),
        output.dim(&padded(state, 5)),
        cut(&visible(&question.line), columns),
        " ".repeat(7),
        output
            .dim(&cut(&visible(&format!("{} (in {cwd})", question.reason)), columns + BEFORE - 7)),
    )
}

/// Returns a time that passed, in few columns.
pub(super) fn age(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        _ => format!("{}h", seconds / 3600),
    }
}
