//! Where the next character goes, and how it will look.

use super::style::Style;

/// The cursor: what `ESC 7` saves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The row, from 0.
    pub row: usize,
    /// The column, from 0.
    pub column: usize,
    /// The last column was written. Where text wraps, the next character goes to the next row; what combines goes to this one.
    pub pending: bool,
    /// How the next character will look.
    pub style: Style,
    /// Which of the four charsets are DEC's line drawing.
    pub graphics: [bool; 4],
    /// The charset that is in use.
    pub shift: usize,
    /// Rows are counted from the upper margin.
    pub origin: bool,
}

impl Cursor {
    /// Moves it onto a screen of this size.
    pub fn keep_within(&mut self, height: usize, width: usize) {
        self.row = self.row.min(height - 1);
        if self.column >= width {
            self.column = width - 1;
            self.pending = false;
        }
    }
}

/// Returns what DEC's line drawing has in a character's place.
pub fn graphic(character: char) -> char {
    // VT220 Programmer Reference, table 2-4.
    const SHAPES: [char; 31] = [
        '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─',
        '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
    ];
    match character {
        '_' => ' ',
        '`'..='~' => SHAPES[character as usize - '`' as usize],
        character => character,
    }
}
