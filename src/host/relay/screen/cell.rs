//! Cells and rows of cells. A row keeps only what was written into it, so that erasing a row costs nothing.

use super::style::{Colour, Style};

/// What stands in a cell: a character, a place in the screen's table of longer ones, or the right half of what is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph(u32);

/// Numbers from here on are places in the table: no character has them.
const TABLE: u32 = 0x0020_0000;

impl Glyph {
    /// The right half of a wide character.
    pub const TAIL: Self = Self(0);
    /// Nothing.
    pub const BLANK: Self = Self(' ' as u32);

    /// Returns what a cell holds that was written with one character.
    pub const fn of(character: char) -> Self {
        Self(character as u32)
    }

    /// Returns what a cell holds whose characters stand in the table.
    pub const fn at(place: u16) -> Self {
        Self(TABLE + place as u32)
    }

    /// Returns the character, if it is one.
    pub fn character(self) -> Option<char> {
        (self != Self::TAIL).then(|| char::from_u32(self.0)).flatten()
    }

    /// Returns the place in the table, if it is in there.
    pub fn place(self) -> Option<u16> {
        u16::try_from(self.0.checked_sub(TABLE)?).ok()
    }
}

/// One place on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What stands there.
    pub glyph: Glyph,
    /// How it looks.
    pub style: Style,
}

impl Cell {
    /// Returns what erasing leaves.
    pub fn blank(back: Colour) -> Self {
        Self { glyph: Glyph::BLANK, style: Style::erased(back) }
    }
}

/// A row of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    cells: Vec<Cell>,
    /// What the cells that are not kept were erased with.
    rest: Colour,
}

impl Row {
    /// Returns the cells that are kept: all behind them are blank.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Returns the styles of the cells that are kept.
    pub fn styles(&mut self) -> impl Iterator<Item = &mut Style> {
        self.cells.iter_mut().map(|cell| &mut cell.style)
    }

    /// Returns the colour behind the cells that are not kept.
    pub fn rest(&self) -> Colour {
        self.rest
    }

    /// Returns one cell.
    pub fn cell(&self, column: usize) -> Cell {
        self.cells.get(column).copied().unwrap_or_else(|| Cell::blank(self.rest))
    }

    /// Writes a cell. What it leaves of a wide character is blank.
    #[inline]
    pub fn put(&mut self, column: usize, cell: Cell) {
        if self.cells.len() <= column {
            self.fill(column + 1);
        }
        if cell.glyph != Glyph::TAIL && self.cells[column].glyph == Glyph::TAIL {
            self.part(column);
        }
        if self.cells.get(column + 1).is_some_and(|next| next.glyph == Glyph::TAIL) {
            self.part(column + 1);
        }
        self.cells[column] = cell;
    }

    /// Writes cells of one column each.
    pub fn put_ascii(&mut self, column: usize, text: &[u8], style: Style) {
        let end = column + text.len();
        self.fill(column);
        self.part(column);
        self.part(end);
        let cell = |&byte: &u8| Cell { glyph: Glyph(u32::from(byte)), style };
        let over = text.len().min(self.cells.len() - column);
        for (kept, byte) in self.cells[column..column + over].iter_mut().zip(text) {
            *kept = cell(byte);
        }
        self.cells.extend(text[over..].iter().map(cell));
    }

    /// Changes what stands in a cell that is kept, and nothing else.
    pub fn set(&mut self, column: usize, glyph: Glyph) {
        if let Some(cell) = self.cells.get_mut(column) {
            cell.glyph = glyph;
        }
    }

    /// Makes sure that no wide character reaches over the left edge of a column: both of its halves become blank.
    fn part(&mut self, column: usize) {
        if self.cells.get(column).is_some_and(|cell| cell.glyph == Glyph::TAIL) {
            self.set(column, Glyph::BLANK);
            self.set(column.wrapping_sub(1), Glyph::BLANK);
        }
    }

    /// Erases columns, in a row of `width`.
    pub fn erase(&mut self, from: usize, to: usize, width: usize, back: Colour) {
        if from >= to {
            return;
        }
        self.part(from);
        self.part(to);
        if to < width {
            self.fill(to);
            self.cells[from..to].fill(Cell::blank(back));
        } else {
            if self.rest != back {
                self.fill(from);
            }
            self.cells.truncate(from);
            self.rest = back;
        }
    }

    /// Moves the cells from a column on to the right, in a row of `width`; blank ones come in.
    pub fn insert(&mut self, column: usize, count: usize, width: usize, back: Colour) {
        let count = count.min(width - column);
        self.fill(width);
        self.part(column);
        self.part(width - count);
        self.cells[column..].rotate_right(count);
        self.cells[column..column + count].fill(Cell::blank(back));
    }

    /// Takes cells out at a column, in a row of `width`; blank ones come in from the right.
    pub fn delete(&mut self, column: usize, count: usize, width: usize, back: Colour) {
        let count = count.min(width - column);
        self.fill(width);
        self.part(column);
        self.part(column + count);
        self.cells[column..].rotate_left(count);
        self.cells[width - count..].fill(Cell::blank(back));
    }

    /// Erases the whole row.
    #[inline]
    pub fn clear(&mut self, back: Colour) {
        self.cells.clear();
        self.rest = back;
    }

    /// Makes the row this wide at most.
    pub fn cut(&mut self, width: usize) {
        self.part(width);
        self.cells.truncate(width);
    }

    #[inline]
    fn fill(&mut self, width: usize) {
        if self.cells.len() < width {
            self.cells.resize(width, Cell::blank(self.rest));
        }
    }
}
