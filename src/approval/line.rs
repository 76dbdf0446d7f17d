//! A command line in cells: coloured, the risky bytes marked, broken into rows. Draws nothing itself, and knows no grammar: what
//! each piece of the line is comes as data.

use anstyle::{AnsiColor, Color, Style};

use super::text::{Piece, pieces};
use crate::model::{Finding, HighlightKind, Severity, Span};

/// Pieces of a line that have a colour, as `syntax::highlight` returns them.
pub type Highlights = Vec<(Span, HighlightKind)>;

/// Returns the style in which a severity is written.
#[must_use]
pub const fn severity_style(severity: Severity) -> Style {
    let colour = match severity {
        Severity::Low => AnsiColor::Green,
        Severity::Medium => AnsiColor::Yellow,
        Severity::High => AnsiColor::Red,
        Severity::Critical => AnsiColor::Magenta,
    };
    Style::new().fg_color(Some(Color::Ansi(colour))).bold()
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
    style.fg_color(Some(Color::Ansi(colour)))
}

/// Returns what of a line is underlined: all that was found and is not harmless.
#[must_use]
pub fn marks(findings: &[Finding]) -> Vec<(Span, Severity)> {
    let risky = findings.iter().filter(|finding| finding.severity > Severity::Low);
    risky.map(|finding| (finding.span, finding.severity)).collect()
}

/// One piece of a line with how it looks.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What is drawn.
    pub text: String,
    /// Columns that it takes.
    pub width: usize,
    /// Its colour.
    pub style: Style,
    /// How severe what it belongs to is.
    pub mark: Option<Severity>,
}

/// One row of a line.
#[derive(Clone, Debug)]
pub struct Row {
    /// What stands in it.
    pub cells: Vec<Cell>,
    /// Whether it goes on where the row before was full.
    pub continued: bool,
}

impl Row {
    const fn new(continued: bool) -> Self {
        Self { cells: Vec::new(), continued }
    }

    /// Returns whether something in it is marked.
    #[must_use]
    pub fn is_marked(&self) -> bool {
        self.worst().is_some()
    }

    /// Returns the worst mark in it.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.cells.iter().filter_map(|cell| cell.mark).max()
    }
}

/// Returns the cells of a line; the worse mark wins where they overlap.
#[must_use]
pub fn cells(
    line: &str,
    highlights: &[(Span, HighlightKind)],
    marks: &[(Span, Severity)],
) -> Vec<Cell> {
    let mut styles = vec![Style::new(); line.len()];
    for (span, kind) in highlights {
        let end = span.end.min(styles.len());
        if span.start < end {
            styles[span.start..end].fill(highlight_style(*kind));
        }
    }
    let mut worst: Vec<Option<Severity>> = vec![None; line.len()];
    for (span, severity) in marks {
        let end = span.end.min(worst.len());
        for mark in worst.get_mut(span.start.min(end)..end).into_iter().flatten() {
            *mark = (*mark).max(Some(*severity));
        }
    }
    let cell = |Piece { text, width, at }| Cell { text, width, style: styles[at], mark: worst[at] };
    pieces(line).into_iter().map(cell).collect()
}

/// Breaks at newlines, and where a row is full: at the last space near its end, if there is one.
#[must_use]
pub fn rows(cells: Vec<Cell>, columns: usize) -> Vec<Row> {
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
