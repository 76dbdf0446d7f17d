//! A command line as people see it: highlighted, with the risky bytes underlined, nothing in it able to move the cursor.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthChar;

use crate::approval::visible;
use crate::model::{Severity, Span};
use crate::syntax::{self, HighlightKind};

/// Columns before the line.
const INDENT: usize = 2;
/// Rows that are shown of a line at most, underlines not counted.
const MOST_ROWS: usize = 24;
/// Rows from the beginning that are shown of a longer one.
const FIRST_ROWS: usize = 6;

/// Whether colours are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Escape sequences colour the text.
    On,
    /// Plain text.
    Off,
}

impl Colour {
    /// Returns the text in this style, or as it is.
    #[must_use]
    pub fn paint(self, style: Style, text: &str) -> String {
        match self {
            Self::On => format!("{style}{text}{style:#}"),
            Self::Off => text.to_owned(),
        }
    }
}

/// Returns the style in which a severity is written.
#[must_use]
pub const fn severity_style(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Low => AnsiColor::Green,
        Severity::Medium => AnsiColor::Yellow,
        Severity::High => AnsiColor::Red,
        Severity::Critical => AnsiColor::Magenta,
    };
    Style::new().fg_color(Some(anstyle::Color::Ansi(colour))).bold()
}

const fn highlight_style(kind: HighlightKind) -> Style {
    let style = Style::new();
    let colour = match kind {
        HighlightKind::Argument => return style,
        HighlightKind::Command => return style.bold(),
        HighlightKind::Keyword | HighlightKind::Operator | HighlightKind::Redirect => {
            AnsiColor::Blue
        }
        HighlightKind::String => AnsiColor::Green,
        HighlightKind::Variable => AnsiColor::Cyan,
        HighlightKind::Option => AnsiColor::Yellow,
        HighlightKind::Comment => return style.dimmed(),
        HighlightKind::Number => AnsiColor::Magenta,
    };
    style.fg_color(Some(anstyle::Color::Ansi(colour)))
}

struct Cell {
    text: String,
    width: usize,
    style: Style,
    mark: Option<Severity>,
}

/// One row of what is drawn.
struct Row {
    cells: Vec<Cell>,
    /// Whether it goes on where the row before was full.
    continued: bool,
}

impl Row {
    const fn new(continued: bool) -> Self {
        Self { cells: Vec::new(), continued }
    }

    fn is_marked(&self) -> bool {
        self.cells.iter().any(|cell| cell.mark.is_some())
    }
}

/// Draws `line` in at most this many columns with `marks` underlined; the worse mark wins where they overlap. Of a line that
/// takes many rows, those around marks are shown.
#[must_use]
pub fn draw(line: &str, marks: &[(Span, Severity)], columns: usize, colour: Colour) -> String {
    let rows = rows(cells(line, marks), columns.saturating_sub(INDENT).max(8));
    let shown = shown(&rows);
    let mut out = String::new();
    let mut left_out = 0;
    let dim = |text: &str| colour.paint(Style::new().dimmed(), text);
    let gap = |left_out: usize| match left_out {
        0 => String::new(),
        1 => format!("{}\n", dim("  ⋮ 1 row")),
        _ => format!("{}\n", dim(&format!("  ⋮ {left_out} rows"))),
    };
    for (row, is_shown) in rows.iter().zip(shown) {
        if !is_shown {
            left_out += 1;
            continue;
        }
        out.push_str(&gap(std::mem::take(&mut left_out)));
        out.push_str(&if row.continued { dim("↪ ") } else { "  ".to_owned() });
        for cells in row.cells.chunk_by(|one, next| one.style == next.style) {
            let text: String = cells.iter().map(|cell| cell.text.as_str()).collect();
            out.push_str(&colour.paint(cells[0].style, &text));
        }
        out.push('\n');
        if row.is_marked() {
            out.push_str(&underline(row, colour));
        }
    }
    out.push_str(&gap(left_out));
    out
}

/// Which rows are shown: all of a few; else the first, and marked ones with those around them.
fn shown(rows: &[Row]) -> Vec<bool> {
    if rows.len() <= MOST_ROWS {
        return vec![true; rows.len()];
    }
    let is_near =
        |at: usize| rows[at.saturating_sub(1)..rows.len().min(at + 2)].iter().any(Row::is_marked);
    let mut left = MOST_ROWS;
    (0..rows.len())
        .map(|at| {
            let is_shown = left > 0 && (at < FIRST_ROWS || is_near(at));
            left -= usize::from(is_shown);
            is_shown
        })
        .collect()
}

fn underline(row: &Row, colour: Colour) -> String {
    let mut text = String::new();
    let mut blank = INDENT;
    // Spaces before the first word of a row are not what is meant.
    let words = row.cells.iter().position(|cell| !cell.text.trim().is_empty()).unwrap_or(0);
    let mark = |at: usize| row.cells[at].mark.filter(|_| at >= words);
    for at in 0..row.cells.len() {
        let width = row.cells[at].width;
        let Some(severity) = mark(at) else {
            blank += width;
            continue;
        };
        let sign = match severity {
            Severity::Low => ".",
            Severity::Medium => "~",
            Severity::High | Severity::Critical => "^",
        };
        text.push_str(&" ".repeat(std::mem::take(&mut blank)));
        text.push_str(&colour.paint(severity_style(severity), &sign.repeat(width)));
    }
    text.push('\n');
    text
}

fn cells(line: &str, marks: &[(Span, Severity)]) -> Vec<Cell> {
    let mut styles = vec![Style::new(); line.len()];
    for (span, kind) in syntax::highlight(line) {
        let end = span.end.min(styles.len());
        if span.start < end {
            styles[span.start..end].fill(highlight_style(kind));
        }
    }
    let mut worst: Vec<Option<Severity>> = vec![None; line.len()];
    for (span, severity) in marks {
        let end = span.end.min(worst.len());
        for mark in worst.get_mut(span.start.min(end)..end).into_iter().flatten() {
            *mark = (*mark).max(Some(*severity));
        }
    }
    line.char_indices()
        .map(|(at, c)| {
            let text = match c {
                '\n' => "\n".to_owned(),
                '\t' => "    ".to_owned(),
                c => visible(&c.to_string()).into_owned(),
            };
            let width = text.chars().map(|c| c.width().unwrap_or(0)).sum();
            Cell { text, width, style: styles[at], mark: worst[at] }
        })
        .collect()
}

/// Breaks at newlines, and where a row is full: at the last space near its end, if there is one.
fn rows(cells: Vec<Cell>, columns: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = Row::new(false);
    let mut width = 0;
    for cell in cells {
        if cell.text == "\n" {
            rows.push(std::mem::replace(&mut row, Row::new(false)));
            width = 0;
            continue;
        }
        if width + cell.width > columns {
            let near = row.cells.len().saturating_sub(columns / 3);
            let space = row.cells[near..].iter().rposition(|cell| cell.text == " ");
            let rest = space.map_or_else(Vec::new, |at| row.cells.split_off(near + at + 1));
            width = rest.iter().map(|cell| cell.width).sum();
            let next = Row { cells: rest, continued: true };
            rows.push(std::mem::replace(&mut row, next));
        }
        width += cell.width;
        row.cells.push(cell);
    }
    rows.push(row);
    rows
}

/// Returns `words` as a person would type them, with nothing in them able to move the cursor.
#[must_use]
pub fn words(argv: &[crate::model::Arg]) -> String {
    use crate::model::Arg;
    let mut text = String::new();
    for word in argv {
        if !text.is_empty() {
            text.push(' ');
        }
        let _ = match word {
            Arg::Known(word) => write!(text, "{}", shell_words::quote(word)),
            Arg::Glob(pattern) => write!(text, "{pattern}"),
            Arg::Prefix(start) => write!(text, "{start}…"),
            Arg::Unknown => write!(text, "…"),
            Arg::Many => write!(text, "……"),
        };
    }
    visible(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_marked_is_underlined() {
        let drawn =
            draw("ls; rm -rf /", &[(Span::new(4, 12), Severity::Critical)], 80, Colour::Off);
        assert_eq!(drawn, "  ls; rm -rf /\n      ^^^^^^^^\n");
    }

    #[test]
    fn underlines_stand_below_wide_characters_and_tabs() {
        let line = "echo 漢\t; rm x";
        let at = line.find("rm").unwrap();
        let drawn = draw(line, &[(Span::new(at, at + 4), Severity::Medium)], 80, Colour::Off);
        assert_eq!(drawn, "  echo 漢    ; rm x\n               ~~~~\n");
    }

    #[test]
    fn nothing_in_a_line_moves_the_cursor() {
        let drawn = draw("echo \u{1b}[2J\u{202e}x\ry", &[], 80, Colour::Off);
        assert!(!drawn.contains('\u{1b}') && !drawn.contains('\u{202e}') && !drawn.contains('\r'));
    }

    #[test]
    fn long_lines_are_broken_at_spaces() {
        let drawn =
            draw("echo aaaa bbbb cccc", &[(Span::new(15, 19), Severity::High)], 18, Colour::Off);
        assert_eq!(drawn, "  echo aaaa bbbb \n↪ cccc\n  ^^^^\n");
        let line = "x".repeat(78 * 2 + 5);
        assert_eq!(draw(&line, &[], 80, Colour::Off).lines().count(), 3);
    }

    #[test]
    fn of_many_rows_the_marked_ones_are_shown() {
        let line = "echo x\n".repeat(50) + "rm y\n" + &"echo z\n".repeat(50);
        let drawn = draw(&line, &[(Span::new(350, 354), Severity::High)], 80, Colour::Off);
        assert!(
            drawn.contains("  ⋮ 43 rows\n  echo x\n  rm y\n  ^^^^\n  echo z\n  ⋮ 50 rows\n"),
            "{drawn}"
        );
    }
}
