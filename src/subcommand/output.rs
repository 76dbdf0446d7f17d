//! Where a subcommand writes for people: whether in colours, and how wide.

use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

use super::failure::Failure;
use super::sheet::Colour;
pub(super) use crate::approval::text::{cut, cut_at_word, padded, short, width, wrapped};
use crate::approval::visible;
use anstyle::{AnsiColor, Style};

/// The standard output, as far as it shapes what is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    /// Whether colours are written.
    pub(super) colour: Colour,
    /// The columns of the terminal; none where it is no terminal.
    pub(super) columns: Option<usize>,
}

impl Output {
    /// Returns what stdout is.
    pub(super) fn new() -> Self {
        Self::of(&io::stdout())
    }

    /// Returns what such a stream is.
    pub(super) fn of(out: &(impl IsTerminal + AsFd)) -> Self {
        let is_terminal = out.is_terminal();
        // no-color.org: set and not empty.
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let colour = if is_terminal && wanted { Colour::On } else { Colour::Off };
        let size = terminal_size::terminal_size_of(out);
        let columns = size.map(|(width, _)| usize::from(width.0)).filter(|columns| *columns > 0);
        Self { colour, columns: columns.filter(|_| is_terminal) }
    }

    /// Returns text that is less important.
    pub(super) fn dim(self, text: &str) -> String {
        self.colour.paint(Style::new().dimmed(), text)
    }

    /// Says something about the output beside it.
    pub(super) fn note(self, text: &str) {
        // Nothing is left to do if stderr is gone.
        let _ = writeln!(io::stderr(), "{}", self.dim(text));
    }

    /// Returns text that says what must not be missed.
    pub(super) fn alarm(self, text: &str) -> String {
        let red = Style::new().fg_color(Some(AnsiColor::Red.into()));
        self.colour.paint(red.bold(), text)
    }

    /// Returns text that stands out.
    pub(super) fn bold(self, text: &str) -> String {
        self.colour.paint(Style::new().bold(), text)
    }

    /// Returns text as the terminal shows it best: a row that is wider is broken between words, and goes on below its last column. Where
    /// there is no terminal it stays as it is.
    pub(super) fn fit(self, text: &str) -> String {
        let Some(columns) = self.columns else { return text.to_owned() };
        let rows = text.split_inclusive('\n');
        rows.map(
            |row| if shown_width(row) > columns { broken(row, columns) } else { row.to_owned() },
        )
        .collect()
    }
}

/// Returns the columns that a row takes: escape sequences take none.
fn shown_width(row: &str) -> usize {
    width(&shown(row))
}

/// Returns what a row shows: of what our own colours are written by (`ESC [ … m`), nothing.
fn shown(row: &str) -> String {
    let mut parts = row.trim_end_matches('\n').split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| shown + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// Returns a row in as many as it takes, the later ones indented.
fn broken(row: &str, columns: usize) -> String {
    let indent = indent(&shown(row), columns);
    let (mut text, mut at) = (String::new(), 0);
    for word in row.split_inclusive(' ') {
        let room = shown_width(word.trim_end_matches([' ', '\n']));
        if at + room > columns && at > indent {
            text.truncate(text.trim_end_matches(' ').len());
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            at = indent;
        }
        text.push_str(word);
        at += shown_width(word);
    }
    // A word that fits only without its indent has less of it.
    let outdented = |row: &str| {
        let spaces = row.len() - row.trim_start_matches(' ').len();
        let over = shown_width(row.trim_end()).saturating_sub(columns);
        row[over.min(spaces)..].to_owned()
    };
    text.split_inclusive('\n').map(outdented).collect()
}

/// Returns the column in which the rest of a row goes on: that of its last column of words, behind its sign.
fn indent(row: &str, columns: usize) -> usize {
    let half = row.char_indices().take_while(|(at, _)| width(&row[..*at]) <= columns / 2);
    let half = half.last().map_or(0, |(at, _)| at);
    let spaces = row.len() - row.trim_start().len();
    let column = row[..half].rfind("  ").map_or(spaces, |at| at + 2).max(spaces);
    let rest = &row[column.min(row.len())..];
    let is_sign = ["→ ", "· ", "- ", "+ "].iter().any(|sign| rest.starts_with(sign));
    width(&row[..column.min(row.len())]) + if is_sign { 2 } else { 0 }
}

/// Columns of a page where there is no terminal.
const COLUMNS: usize = 80;
/// Columns of a page at most: longer rows are hard to read.
const WIDEST: usize = 110;

/// A page for people, as far as it is written.
pub(super) struct Page {
    pub(super) output: Output,
    pub(super) columns: usize,
    pub(super) text: String,
}

impl Page {
    /// Returns an empty page for this output.
    pub(super) fn new(output: Output) -> Self {
        let columns = output.columns.unwrap_or(COLUMNS).clamp(40, WIDEST);
        Self { output, columns, text: String::new() }
    }

    /// Writes the title of a part.
    pub(super) fn title(&mut self, text: &str) {
        let title = self.output.colour.paint(Style::new().bold().underline(), text);
        self.row(&format!("\n{title}"));
    }

    /// Writes a row as it is.
    pub(super) fn row(&mut self, row: &str) {
        self.text.push_str(row);
        self.text.push('\n');
    }

    /// Writes text in as many rows as it takes, each behind the indent; the first one behind the sign instead.
    pub(super) fn says(&mut self, sign: &str, indent: usize, text: &str) {
        let mut sign = format!("{sign}{}", " ".repeat(indent.saturating_sub(width(sign))));
        for row in wrapped(&visible(text), self.columns.saturating_sub(indent)) {
            self.row(&format!("{sign}{row}"));
            sign = " ".repeat(indent);
        }
    }
}

/// Writes text for people to stdout, in one piece and as the terminal shows it best.
pub(super) fn say(text: &str) -> Result<(), Failure> {
    print(&Output::new().fit(text))
}

/// Writes text to stdout as it is, in one piece.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_broken_within_a_word() {
        let output = |columns| Output { colour: Colour::Off, columns };
        for (columns, text, shown) in [
            (Some(20), "short\n", "short\n"),
            (Some(20), "one two three four five\n", "one two three four\nfive\n"),
            (Some(20), "  → one two three four\n", "  → one two three\n    four\n"),
            (Some(20), "a  guarded one two three\n", "a  guarded one two\n   three\n"),
            (
                Some(20),
                "\x1b[1ma\x1b[0m  one two three fo\n",
                "\x1b[1ma\x1b[0m  one two three fo\n",
            ),
            (Some(20), "a word-that-is-longer-than-it\nb\n", "a\nword-that-is-longer-than-it\nb\n"),
            (Some(20), "           a-word-of-14-\n", "       a-word-of-14-\n"),
            (None, "one two three four five six\n", "one two three four five six\n"),
        ] {
            assert_eq!(output(columns).fit(text), shown, "{columns:?}");
        }
    }
}
