//! `log`: the record, one line a decision for people, one object a line for programs.

use std::collections::VecDeque;
use std::io::{self, Write};

use jiff::tz::TimeZone;

use super::arguments::LogArguments;
use super::failure::Failure;
use super::ground::Ground;
use super::output::{Output, cut, padded, short, width};
use super::sheet::severity_style;
use crate::approval::visible;
use crate::audit::{CallOutcome, DecidedBy, Door, Entry, Error, Filter, Record};
use crate::model::Mode;
use crate::pipeline;

/// Columns of the directory; half of them on a narrow terminal.
const DIRECTORY: usize = 20;
/// Columns of severity and score.
const SEVERITY: usize = 11;
/// Columns from which a terminal is no narrow one.
const WIDE: usize = 110;
/// Columns that the line has at least, however narrow the terminal.
const LEAST: usize = 16;
/// Status where lines of the record are damaged.
const DAMAGED: u8 = 1;

pub(super) fn run(arguments: LogArguments) -> Result<u8, Failure> {
    let ground = Ground::here();
    let store = pipeline::store(&ground.settings()?, &ground.places)?;
    let (json, last) = (arguments.json, arguments.last);
    let entries = store.entries(filter(arguments))?;
    let output = Output::new();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let sheet = Sheet { output, home: ground.home(), zone: TimeZone::system() };
    let mut damaged = 0;
    let mut write = |out: &mut dyn Write, found: Result<Entry, Error>| -> Result<(), Failure> {
        match found {
            Ok(entry) if json => {
                serde_json::to_writer(&mut *out, &entry)?;
                Ok(writeln!(out)?)
            }
            Ok(entry) => Ok(writeln!(out, "{}", sheet.row(&entry))?),
            Err(error) => {
                damaged += 1;
                // What stands before it has been written before it is said.
                out.flush()?;
                // Nothing is left to do if stderr is gone.
                let _ = writeln!(io::stderr(), "guarded-sh: {}", visible(&error.to_string()));
                Ok(())
            }
        }
    };
    match last {
        None => {
            for found in entries {
                write(&mut out, found)?;
            }
        }
        Some(last) => {
            let mut kept = VecDeque::new();
            for found in entries {
                kept.push_back(found);
                if kept.len() > last {
                    kept.pop_front();
                }
            }
            for found in kept {
                write(&mut out, found)?;
            }
        }
    }
    out.flush()?;
    Ok(if damaged == 0 { 0 } else { DAMAGED })
}

fn filter(arguments: LogArguments) -> Filter {
    Filter {
        session: arguments.session,
        action: arguments.action.map(Into::into),
        severity: arguments.severity.map(Into::into),
        text: arguments.text,
        since: arguments.since,
    }
}

struct Sheet<'a> {
    output: Output,
    home: Option<&'a str>,
    zone: TimeZone,
}

impl Sheet<'_> {
    /// Time, action, severity and score, who decided, directory, by which doors it came, line.
    fn row(&self, entry: &Entry) -> String {
        let (record, decisive) = (&entry.first.record, entry.decisive());
        let is_narrow = self.output.columns.is_some_and(|columns| columns < WIDE);
        let time = record.time.to_zoned(self.zone.clone());
        let time = time.strftime(if is_narrow { "%m-%d %H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" });
        let severity = format!("{} {}", decisive.severity.name(), decisive.score.get());
        let cwd = record.cwd.as_deref();
        let cwd = cwd.map_or_else(|| "(gone)".to_owned(), |cwd| short(cwd, self.home));
        let directory = if is_narrow { DIRECTORY / 2 } else { DIRECTORY };
        let cwd = padded(&tail(&visible(&cwd), directory), directory);
        let action = match decisive.decided_by {
            DecidedBy::Observed => "-",
            _ => decisive.action.name(),
        };
        let start = format!("{time}  {action:<5}  ");
        let middle = format!("  {:<7}  ", decider(decisive));
        let used = width(&start) + SEVERITY + width(&middle) + width(&cwd) + 2;
        let line = format!("{}{}", doors(entry), record.line.text);
        let line = visible(&line);
        let line = match self.output.columns {
            Some(columns) => cut(&line, columns.saturating_sub(used).max(LEAST)),
            None => line.replace('\n', "⏎"),
        };
        format!(
            "{}{}{}{cwd}  {line}{}",
            self.output.dim(&start),
            self.output
                .colour
                .paint(severity_style(decisive.severity), &padded(&severity, SEVERITY)),
            self.output.dim(&middle),
            if record.line.rest.is_some() && !line.ends_with('…') { "…" } else { "" },
        )
    }
}

/// By which doors a call came, and what came of it; nothing of what the shell alone saw.
fn doors(entry: &Entry) -> String {
    let hooks = entry.records().filter_map(|record| record.hook.as_deref());
    let mut words: Vec<&str> = hooks
        .filter(|hook| hook.outcome.is_none() || entry.views.is_empty())
        .map(|hook| hook.event.as_str())
        .collect();
    if words.is_empty() {
        return String::new();
    }
    if entry.records().any(|record| record.door == Door::Shell) {
        words.push("shell");
    }
    if !entry.views.is_empty()
        && let Some(outcome) = entry.outcome().and_then(|hook| hook.outcome)
    {
        words.push(match outcome {
            CallOutcome::Done => "done",
            CallOutcome::Failed => "failed",
            CallOutcome::Interrupted => "interrupted",
        });
    }
    format!("[{}] ", words.join(", "))
}

/// The end of a path says more than its beginning.
fn tail(path: &str, columns: usize) -> String {
    if width(path) <= columns {
        return path.to_owned();
    }
    let mut kept: Vec<char> = path.chars().collect();
    while width(&kept.iter().collect::<String>()) >= columns {
        kept.remove(0);
    }
    format!("…{}", kept.into_iter().collect::<String>())
}

const fn decider(record: &Record) -> &'static str {
    if matches!(record.mode, Mode::Shadow) {
        return "shadow";
    }
    match record.decided_by {
        DecidedBy::Policy => "policy",
        DecidedBy::PersonOnce => "once",
        DecidedBy::PersonSession => "session",
        DecidedBy::PersonAlways => "always",
        DecidedBy::PersonDeny => "person",
        DecidedBy::PersonEdit => "edited",
        DecidedBy::Grant => "grant",
        DecidedBy::Inherited => "inherit",
        DecidedBy::Model => "model",
        DecidedBy::Nobody => "nobody",
        DecidedBy::System => "system",
        DecidedBy::Shadow => "shadow",
        DecidedBy::Client => "agent",
        DecidedBy::Custom => "custom",
        DecidedBy::Observed => "told",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_path_the_end_is_kept() {
        assert_eq!(tail("/a/b", 8), "/a/b");
        assert_eq!(tail("/home/dev/project", 8), "…project");
        assert_eq!(width(&tail("/漢字/漢字/漢字", 8)), 8);
    }
}
