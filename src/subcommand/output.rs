//! Where a subcommand writes for people: whether in colours, and how wide.

use std::io::{self, IsTerminal, Write};

use super::failure::Failure;
use super::sheet::Colour;
pub(super) use crate::approval::text::{cut, padded, short, width, wrapped};
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

    /// Returns text that stands out.
    pub(super) fn bold(self, text: &str) -> String {
        self.colour.paint(Style::new().bold(), text)
    }
}

/// Writes text to stdout as it is, in one piece.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}
