//! Where a subcommand writes for people: whether in colours, and how wide.

use std::io::{self, IsTerminal, Write};

use super::failure::Failure;
use super::sheet::Colour;
pub(super) use crate::approval::text::{cut, padded, short, width, wrapped};
use crate::approval::visible;
use anstyle::Style;

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
        let out = io::stdout();
        let is_terminal = out.is_terminal();
        // no-color.org: set and not empty.
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let colour = if is_terminal && wanted { Colour::On } else { Colour::Off };
        let size = terminal_size::terminal_size_of(&out);
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

    /// Returns text that stands out.
    pub(super) fn bold(self, text: &str) -> String {
        self.colour.paint(Style::new().bold(), text)
    }
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

/// Writes text to stdout as it is, in one piece.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
