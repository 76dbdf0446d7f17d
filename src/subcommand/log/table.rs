//! Entries as rows. At a terminal by days and as wide as it is: where a column finds no room it moves to a row of its own. Elsewhere one line an
//! entry, for `grep`.

use jiff::Zoned;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::approval::text::on_one_line;
use crate::approval::visible;
use crate::audit::words::{self, happened};
use crate::audit::{DecidedBy, Entry, Line, Record};
use crate::model::{Action, Severity};
use crate::subcommand::output::{Output, cut, padded, short, width};
use crate::subcommand::sheet::severity_style;

/// Columns of the place, where it has a column.
const PLACE: usize = 20;
/// Columns of the severity.
const SEVERITY: usize = 8;
/// Columns of the id.
const ID: usize = 5;
/// Columns of the time of a day.
const TIME: usize = 8;
/// Columns from which place and score have their columns.
const WIDE: usize = 110;
/// Columns of a terminal that are used at least.
const NARROW: usize = 40;
/// Columns that a line has at least beside the others: with less it gets a row of its own.
const LEAST: usize = 24;
/// Columns of a line where there is no terminal: what is longer is in `--json`.
const LONGEST: usize = 400;
/// Bytes from which the length of a line that is cut is told.
const LONG: u64 = 1000;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// For all columns.
    Wide,
    /// For the first ones, and perhaps the line.
    Narrow,
}

/// The rows of one list.
pub(super) struct Table<'a> {
    pub(super) output: Output,
    home: Option<&'a str>,
    zone: TimeZone,
    /// Columns of what happened, and of the ids.
    happened: usize,
    id: usize,
    /// The day and the place of the entry before.
    day: Option<Date>,
    place: Option<String>,
}

impl<'a> Table<'a> {
    pub(super) fn new(output: Output, home: Option<&'a str>) -> Self {
        let (zone, happened) = (TimeZone::system(), words::LONGEST);
        Self { output, home, zone, happened, id: ID, day: None, place: None }
    }

    /// Makes columns no wider than these entries need, where there is a terminal to fit.
    pub(super) fn fit<'e>(&mut self, entries: impl Iterator<Item = &'e Entry> + Clone) {
        if self.output.columns.is_some() {
            let ids = entries.clone().map(|entry| entry.first.sequence.to_string().len());
            self.id = ids.max().unwrap_or(ID);
            let words = entries.map(|entry| width(&happened(entry)));
            self.happened = words.max().unwrap_or(words::LONGEST);
        }
    }

    /// Returns the rows of an entry.
    pub(super) fn rows(&mut self, entry: &Entry) -> String {
        let time = entry.first.record.time.to_zoned(self.zone.clone());
        // One that comes later may need more room.
        self.id = self.id.max(entry.first.sequence.to_string().len());
        self.happened = self.happened.max(width(&happened(entry)));
        match self.output.columns {
            Some(columns) => self.fitted(entry, &time, columns.max(NARROW)),
            None => self.one(entry, &time),
        }
    }

    /// One line: id, time, what happened, severity, place, the line.
    fn one(&self, entry: &Entry, time: &Zoned) -> String {
        let decisive = entry.decisive();
        let line = shortened(&text(entry), LONGEST, length(&entry.first.record.line));
        format!(
            "{}  {}  {}  {}  {}  {line}\n",
            padded(&entry.first.sequence.to_string(), self.id),
            time.strftime("%Y-%m-%d %H:%M:%S"),
            padded(&happened(entry), self.happened),
            padded(decisive.severity.name(), SEVERITY),
            padded(&in_one_row(&self.place_of(&entry.first.record)), PLACE),
        )
    }

    /// What stands beside one another, then the line, then why and where, each in a row of its own where it finds no room.
    fn fitted(&mut self, entry: &Entry, time: &Zoned, columns: usize) -> String {
        let heading = self.heading(time.date());
        let place = in_one_row(&self.place_of(&entry.first.record));
        let shape = if columns >= WIDE { Shape::Wide } else { Shape::Narrow };
        let below = self.id + TIME + 2 * 2;
        let indent = " ".repeat(below);
        let beside = columns.saturating_sub(self.start_columns(shape) + 2);
        let text = text(entry);
        // Where there are few columns, a line that would be cut gets all of them.
        let is_beside = beside >= LEAST && (shape == Shape::Wide || width(&text) <= beside);
        let room = if is_beside { beside } else { columns.saturating_sub(below) };
        let line = shortened(&text, room, length(&entry.first.record.line));
        let gap = if is_beside { "  ".to_owned() } else { format!("\n{indent}") };
        let start = self.start(entry, time, &place, shape);
        // Nothing stands behind the last column.
        let start = if is_beside { start } else { start.trim_end().to_owned() };
        let mut rows = format!("{heading}{start}{gap}{line}\n");
        if let Some(note) = self.note(entry.decisive(), place, shape) {
            let note = cut(&note, columns.saturating_sub(below));
            rows.extend([indent, self.output.dim(&note), "\n".to_owned()]);
        }
        rows
    }

    /// Id, time, what happened and severity; where there is room, the place.
    fn start(&self, entry: &Entry, time: &Zoned, place: &str, shape: Shape) -> String {
        let decisive = entry.decisive();
        let severity = decisive.severity.name();
        let id = format!("{:>1$}", entry.first.sequence, self.id);
        let clock = time.strftime("%H:%M:%S").to_string();
        let gap = " ".repeat(SEVERITY.saturating_sub(severity.len()));
        let start = format!(
            "{}  {}  {}  {}{gap}",
            self.output.bold(&id),
            self.output.dim(&clock),
            padded(&happened(entry), self.happened),
            self.output.colour.paint(severity_style(decisive.severity), severity),
        );
        match shape {
            Shape::Narrow => start,
            Shape::Wide => {
                let place = padded(&tail(place, PLACE), PLACE);
                format!("{start}  {}", self.output.dim(&place))
            }
        }
    }

    /// How many columns that takes.
    const fn start_columns(&self, shape: Shape) -> usize {
        let both = self.id + TIME + self.happened + 3 * 2;
        match shape {
            Shape::Narrow => both + SEVERITY,
            Shape::Wide => both + SEVERITY + 2 + PLACE,
        }
    }

    /// Why it was decided so, and where it ran, if that has no column and is another place than before.
    fn note(&mut self, record: &Record, place: String, shape: Shape) -> Option<String> {
        let is_told = shape == Shape::Wide || self.place.as_ref() == Some(&place);
        let place_told = (!is_told).then(|| format!("in {place}"));
        self.place = Some(place);
        let both: Vec<String> = reason(record).into_iter().chain(place_told).collect();
        (!both.is_empty()).then(|| visible(&both.join("; ")).into_owned())
    }

    /// The day, where it is another one than before.
    fn heading(&mut self, day: Date) -> String {
        if self.day == Some(day) {
            return String::new();
        }
        let gap = if self.day.is_some() { "\n" } else { "" };
        self.day = Some(day);
        let day = day.strftime("%A, %-d %B %Y").to_string();
        format!("{gap}{}\n", self.output.bold(&day))
    }

    fn place_of(&self, record: &Record) -> String {
        let cwd = record.cwd.as_deref();
        let place = cwd.map_or_else(|| "(gone)".to_owned(), |cwd| short(cwd, self.home));
        visible(&place).into_owned()
    }
}

/// Why it was decided so: the worst that was found, where it is more than harmless.
fn reason(record: &Record) -> Option<String> {
    let is_quiet = record.action == Action::Allow && record.severity == Severity::Low;
    let first = record.findings.first().filter(|_| !is_quiet);
    first.map(|noted| noted.reason.clone())
}

/// The line; of an event of which nothing was decided, its name before what was told.
fn text(entry: &Entry) -> String {
    let record = &entry.first.record;
    let hook = record.hook.as_deref().filter(|_| record.decided_by == DecidedBy::Observed);
    let event = hook.map(|hook| format!("[{}] ", hook.event)).unwrap_or_default();
    in_one_row(&visible(&format!("{event}{}", record.line.text)))
}

fn in_one_row(text: &str) -> String {
    on_one_line(text).replace('\t', "⇥")
}

/// A text in one row of this many columns at most, with the length of the line where that is long and cut.
fn shortened(line: &str, room: usize, bytes: u64) -> String {
    if width(line) <= room && bytes <= line.len() as u64 {
        return line.to_owned();
    }
    let length = if bytes > LONG { format!(" ({bytes} bytes)") } else { String::new() };
    let kept = cut(line, room.saturating_sub(length.len()).max(1));
    let dots = if kept.ends_with('…') { "" } else { "…" };
    format!("{kept}{dots}{length}")
}

/// How many bytes a line has, with what of it is not kept.
fn length(line: &Line) -> u64 {
    line.text.len() as u64 + line.rest.as_ref().map_or(0, |rest| rest.bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_and_its_length_told() {
        assert_eq!(shortened("ls⏎pwd", 20, 6), "ls⏎pwd");
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
