//! A rectangle of cells at the bottom of a terminal, and the bytes that draw it there. Nothing is written outside of it, whatever
//! the text is and however wide the terminal takes a character to be.

use std::fmt::Write as _;

use anstyle::{Color, Effects, Style};

use super::super::text::pieces;

/// How much of a style is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Colours and attributes.
    Colour,
    /// Attributes alone: `NO_COLOR` is set.
    Mono,
}

impl Look {
    /// Returns how a terminal is drawn to, by what `TERM` and `NO_COLOR` say; none where nothing can be drawn at a place.
    #[must_use]
    pub fn of(term: Option<&str>, no_color: Option<&str>) -> Option<Self> {
        match (term, no_color) {
            (None | Some("" | "dumb" | "unknown"), _) => None,
            // no-color.org: set and not empty.
            (Some(_), Some(value)) if !value.is_empty() => Some(Self::Mono),
            _ => Some(Self::Colour),
        }
    }

    const fn apply(self, style: Style) -> Style {
        match self {
            Self::Colour => style,
            Self::Mono => style.fg_color(None).bg_color(None),
        }
    }
}

/// One column of a row.
#[derive(Clone, Debug, PartialEq)]
struct Slot {
    /// What is drawn; nothing where a wide character goes on.
    text: String,
    style: Style,
}

/// A rectangle of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    columns: usize,
    rows: Vec<Vec<Slot>>,
}

impl Surface {
    /// Returns an empty one.
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        let blank = Slot { text: " ".to_owned(), style: Style::new() };
        Self { columns, rows: vec![vec![blank; columns]; rows] }
    }

    /// Returns how many rows it has.
    #[must_use]
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// Writes a text into a row from a column on, as far as the row goes; returns the column behind it.
    pub(super) fn put(&mut self, row: usize, column: usize, text: &str, style: Style) -> usize {
        let Some(slots) = self.rows.get_mut(row) else { return column };
        // Of a wide character of which a half is written over nothing is left.
        if slots.get(column).is_some_and(|slot| slot.text.is_empty())
            && let Some(half) = column.checked_sub(1).and_then(|at| slots.get_mut(at))
        {
            " ".clone_into(&mut half.text);
        }
        let mut column = column;
        for piece in pieces(text) {
            // One written out takes a column for each of its characters, all of them plain.
            let parts: Vec<(String, usize)> = if piece.text.is_ascii() && piece.width > 1 {
                piece.text.chars().map(|c| (c.to_string(), 1)).collect()
            } else if piece.text == "\n" {
                vec![("⏎".to_owned(), 1)]
            } else {
                vec![(piece.text, piece.width)]
            };
            for (text, width) in parts {
                if column + width > self.columns {
                    return self.columns;
                }
                slots[column] = Slot { text, style };
                for slot in &mut slots[column + 1..column + width] {
                    *slot = Slot { text: String::new(), style };
                }
                column += width;
            }
        }
        column
    }

    /// Returns the column behind the last of a row that is no blank.
    pub(super) fn end(&self, row: usize) -> usize {
        let slots = self.rows.get(row).map_or(&[][..], Vec::as_slice);
        slots.iter().rposition(|slot| slot.text != " ").map_or(0, |last| last + 1)
    }

    /// Leaves nothing of a row from a column on.
    pub(super) fn clear(&mut self, row: usize, column: usize) {
        let blank = Slot { text: " ".to_owned(), style: Style::new() };
        self.rows
            .get_mut(row)
            .and_then(|slots| slots.get_mut(column..))
            .into_iter()
            .flatten()
            .for_each(|slot| slot.clone_from(&blank));
    }

    /// Returns the cells of a row that begin a character: the column, what is drawn, how.
    pub fn cells(&self, row: usize) -> impl Iterator<Item = (usize, &str, Style)> {
        let slots = self.rows.get(row).into_iter().flatten().enumerate();
        let begins = slots.filter(|(_, slot)| !slot.text.is_empty());
        begins.map(|(column, slot)| (column, slot.text.as_str(), slot.style))
    }

    /// Returns its rows as text with SGR sequences.
    pub(super) fn rows(&self, look: Look) -> Vec<Vec<u8>> {
        let drawn = |row| {
            let (mut out, mut style) = (String::new(), Style::new());
            for (_, text, wanted) in self.cells(row) {
                let wanted = look.apply(wanted);
                if wanted != style {
                    out.push_str(&sgr(wanted));
                    style = wanted;
                }
                out.push_str(text);
            }
            out.push_str("\x1b[m");
            out.into_bytes()
        };
        (0..self.rows.len()).map(drawn).collect()
    }
}

/// Selects a style, and nothing of the one before.
fn sgr(style: Style) -> String {
    let mut codes = String::from("\x1b[0");
    let effects = style.get_effects();
    for (effect, code) in [
        (Effects::BOLD, ";1"),
        (Effects::DIMMED, ";2"),
        (Effects::ITALIC, ";3"),
        (Effects::UNDERLINE, ";4"),
        (Effects::INVERT, ";7"),
    ] {
        if effects.contains(effect) {
            codes.push_str(code);
        }
    }
    if let Some(Color::Ansi(colour)) = style.get_fg_color() {
        let code = match anstyle::Ansi256Color::from_ansi(colour).0 {
            dark @ 0..=7 => 30 + dark,
            bright => 82 + bright,
        };
        // Writing to a string cannot fail.
        let _ = write!(codes, ";{code}");
    }
    codes.push('m');
    codes
}
