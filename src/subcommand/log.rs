//! `log`: the record, one line a decision for people, one object a line for programs.

use std::collections::VecDeque;
use std::io::{self, Write};

use jiff::tz::TimeZone;

use super::arguments::LogArguments;
use super::failure::Failure;
use super::fenced;
use super::ground::Ground;
use super::output::{Output, cut, padded, short, width};
use super::sheet::severity_style;
use crate::approval::visible;
use crate::audit::{CallOutcome, DecidedBy, Door, Entry, Error, Filter, Line, Record};
use crate::model::{Action, Mode, Severity};
use crate::pipeline;

/// Columns of the directory; half of them on a narrow terminal.
const DIRECTORY: usize = 20;
/// Columns of severity and score.
const SEVERITY: usize = 11;
/// Columns from which a terminal is no narrow one.
const WIDE: usize = 110;
/// Columns that the line has at least, however narrow the terminal.
const LEAST: usize = 16;
/// Columns of a line where there is no terminal: what is longer is in `--json`.
const LONGEST: usize = 400;
/// Bytes from which the length of a line that is cut is told.
const LONG: u64 = 1000;
/// Status where lines of the record are damaged.
const DAMAGED: u8 = 1;

pub(super) fn run(arguments: LogArguments) -> Result<u8, Failure> {
    let ground = Ground::here();
    let store = pipeline::store(&ground.settings()?, &ground.places)?;
    let (json, last) = (arguments.json, arguments.last);
    let is_all = json || arguments.all || arguments.text.is_some();
    let asked = arguments.fenced.as_deref().map(fenced::Asked::about);
    let entries = store.entries(filter(arguments))?;
    let output = Output::new();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let sheet = Sheet { output, home: ground.home(), zone: TimeZone::system() };
    let mut damaged = 0;
    let mut left_out = 0;
    let entries = entries.filter(|found| {
        asked.is_none() || found.as_ref().map_or(true, |entry| fenced::of(entry).is_some())
    });
    let entries = entries.filter(|found| {
        let is_aside = !is_all && found.as_ref().is_ok_and(is_aside);
        left_out += usize::from(is_aside);
        !is_aside
    });
    let mut write = |out: &mut dyn Write, found: Result<Entry, Error>| -> Result<(), Failure> {
        match found {
            Ok(entry) if json => {
                serde_json::to_writer(&mut *out, &entry)?;
                Ok(writeln!(out)?)
            }
            Ok(entry) => {
                writeln!(out, "{}", sheet.row(&entry))?;
                let held = asked.as_ref().zip(fenced::of(&entry));
                for text in held.iter().flat_map(|(asked, held)| asked.answer(held)) {
                    writeln!(out, "    {}", output.dim(&visible(&text)))?;
                }
                Ok(())
            }
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
    if left_out > 0 && output.columns.is_some() {
        let s = if left_out == 1 { "" } else { "s" };
        let text = format!("{left_out} more line{s} of what agents do for themselves: --all");
        // Nothing is left to do if stderr is gone.
        let _ = writeln!(io::stderr(), "{}", output.dim(&text));
    }
    Ok(if damaged == 0 { 0 } else { DAMAGED })
}

/// Whether an entry says nothing that a person looks for: what an agent ran for itself and was let run, and events of which nothing was
/// decided and that hold no text.
fn is_aside(entry: &Entry) -> bool {
    let decisive = entry.decisive();
    let is_quiet = decisive.action == Action::Allow && decisive.severity == Severity::Low;
    let is_own = entry.records().all(|record| record.purpose.is_some());
    let is_told = entry.records().all(|record| record.decided_by == DecidedBy::Observed);
    let has_text = !entry.first.record.line.text.is_empty();
    let has_tool = entry.records().any(|r| r.hook.as_ref().is_some_and(|hook| hook.tool.is_some()));
    is_quiet && (is_own || is_told && !has_text && !has_tool)
}

fn filter(arguments: LogArguments) -> Filter {
    Filter {
        session: arguments.session,
        action: arguments.action.map(Into::into),
        severity: arguments.severity.map(Into::into),
        text: arguments.text,
        since: arguments.since,
        ..Filter::default()
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
        let start = format!("{time}  {action:<7}  ");
        let middle = format!("  {:<7}  ", decider(decisive));
        let used = width(&start) + SEVERITY + width(&middle) + width(&cwd) + 2;
        let line = format!("{}{}", doors(entry), record.line.text);
        let line = visible(&line);
        let room = self.output.columns.map_or(LONGEST, |c| c.saturating_sub(used).max(LEAST));
        let line = shortened(&line, room, length(&record.line));
        format!(
            "{}{}{}{cwd}  {line}",
            self.output.dim(&start),
            self.output
                .colour
                .paint(severity_style(decisive.severity), &padded(&severity, SEVERITY)),
            self.output.dim(&middle),
        )
    }
}

/// A line in one row of this many columns at most, with its length where it is long and cut.
fn shortened(line: &str, room: usize, bytes: u64) -> String {
    let line = line.replace('\n', "⏎");
    if width(&line) <= room && bytes <= line.len() as u64 {
        return line;
    }
    let length = if bytes > LONG { format!(" ({bytes} bytes)") } else { String::new() };
    let kept = cut(&line, room.saturating_sub(length.len()).max(LEAST));
    let dots = if kept.ends_with('…') { "" } else { "…" };
    format!("{kept}{dots}{length}")
}

/// How many bytes a line has, with what of it is not kept.
fn length(line: &Line) -> u64 {
    line.text.len() as u64 + line.rest.as_ref().map_or(0, |rest| rest.bytes)
}

/// By which doors a call came, and what came of it; nothing of what the shell alone saw.
fn doors(entry: &Entry) -> String {
    let hooks = entry.records().filter_map(|record| record.hook.as_deref());
    let mut words: Vec<&str> = hooks
        .filter(|hook| hook.outcome.is_none() || entry.views.is_empty())
        .map(|hook| hook.event.as_str())
        .collect();
    if words.is_empty() {
        let is_trial = entry.records().any(|record| record.door == Door::Trial);
        return if is_trial { "[try] ".to_owned() } else { String::new() };
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
    fn a_long_line_is_cut_and_its_length_told() {
        assert_eq!(shortened("ls\npwd", 20, 6), "ls⏎pwd");
        assert_eq!(shortened("0123456789abcdefghijkl", 20, 22), "0123456789abcdefghi…");
        let row = shortened(&"x".repeat(6812), 40, 6812);
        assert_eq!((width(&row), row.ends_with("x… (6812 bytes)")), (40, true), "{row}");
        // Of what is not kept, the length is known.
        assert!(shortened(&"x".repeat(2000), 4000, 9000).ends_with("x… (9000 bytes)"));
    }

    #[test]
    fn of_a_long_path_the_end_is_kept() {
        assert_eq!(tail("/a/b", 8), "/a/b");
        assert_eq!(tail("/home/dev/project", 8), "…project");
        assert_eq!(width(&tail("/漢字/漢字/漢字", 8)), 8);
    }
}
