//! A command line as people see it: highlighted, with the risky bytes underlined, nothing in it able to move the cursor.

use std::fmt::Write as _;

use anstyle::Style;

use crate::approval::line::{self, Row};
use crate::approval::visible;
use crate::model::{Severity, Span};
use crate::syntax;

pub use crate::approval::line::severity_style;

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

/// Draws `line` in at most this many columns with `marks` underlined; the worse mark wins where they overlap. Of a line that
/// takes many rows, those around marks are shown.
#[must_use]
pub fn draw(line: &str, marks: &[(Span, Severity)], columns: usize, colour: Colour) -> String {
    let cells = line::cells(line, &syntax::highlight(line), marks);
    let rows = line::rows(cells, columns.saturating_sub(INDENT).max(8));
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
