//! The screen as sequences: what a terminal must be sent to show it again, and to go on where it was.

use std::ops::Range;

use super::cell::{Cell, Glyph, Row};
use super::cursor::Cursor;
use super::style::Style;
use super::{Modes, Screen, State};

/// Ends whatever sequence was begun. Some terminals (tmux) take the first for a part of a control string, which the second ends (ECMA-48, ST); where
/// the first has ended it, the second does nothing.
pub const CANCEL: &[u8] = b"\x18\x1b\\";
/// Ends what the model does not follow: VT52, Tektronix, the printer, left and right margins, new lines by themselves, keys as Windows has them.
/// What a program had set of them is not set again.
pub const FOLLOWED: &[u8] = b"\x1b<\x1b\x03\x1b[4i\x1b[?69l\x1b[20l\x1b[?9001l";
/// Ends a hyperlink.
const NO_LINK: &[u8] = b"\x1b]8;;\x1b\\";

impl Screen {
    /// Appends what draws rows where they are. They must be drawn with wrapping and origin mode off.
    pub fn write_rows(&self, rows: Range<usize>, out: &mut Vec<u8>) {
        self.write_rows_from(rows.start, rows, out);
    }

    /// Appends what draws rows from another one than their first on.
    pub fn write_rows_from(&self, first: usize, rows: Range<usize>, out: &mut Vec<u8>) {
        let grid = &self.state.grids[usize::from(self.state.alternate)];
        let count = rows.len();
        for (index, row) in grid.rows.iter().skip(rows.start).take(count).enumerate() {
            out.extend_from_slice(format!("\x1b[{};1H", first + index + 1).as_bytes());
            self.state.write_row(row, out);
        }
    }

    /// Returns the row behind the last one that has something in it or the cursor.
    #[must_use]
    pub fn end(&self) -> usize {
        let state = &self.state;
        let rows = &state.grids[usize::from(state.alternate)].rows;
        let last = rows.iter().rposition(|row| !row.cells().is_empty());
        last.unwrap_or(0).max(state.cursor.row) + 1
    }

    /// Appends what selects the style and the charsets that the next character has.
    pub fn write_pen(&self, out: &mut Vec<u8>) {
        self.state.write_pen(&self.state.cursor, out);
    }

    /// Returns whether programs count rows from the top here: on the alternate screen, and where something has its own rows. There
    /// the model knows where things are. Elsewhere only the terminal does: it may have moved its text, as some do when their
    /// size changes.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        let state = &self.state;
        state.alternate || state.cursor.origin || state.margins != (0, state.height - 1)
    }

    /// Appends what puts the cursor where it is, on a screen that is as here.
    pub fn write_position(&self, out: &mut Vec<u8>) {
        self.state.write_place(&self.state.cursor, out);
    }

    /// Appends what leads from what programs have left to a terminal as shells expect it, with what they wrote in sight; nothing where they left
    /// nothing.
    pub fn write_usual(&self, out: &mut Vec<u8>) {
        let state = &self.state;
        if !self.is_between_sequences() {
            out.extend_from_slice(CANCEL);
        }
        if self.is_strange() {
            out.extend_from_slice(FOLLOWED);
        }
        if state.modes.are_on(Modes::FROZEN) {
            out.extend_from_slice(b"\x1b[?2026l");
        }
        state.keys[usize::from(state.alternate)].write_usual(out);
        if state.margins != (0, state.height - 1) || state.cursor.origin {
            // It sends the cursor home.
            out.extend_from_slice(b"\x1b[r");
            state.write_place(&Cursor { origin: false, ..state.cursor }, out);
        }
        if state.alternate {
            if state.entered == 1049 {
                out.extend_from_slice(b"\x1b[?1049l");
            } else {
                // It moves no cursor: where that is, something else stands.
                let end = format!("\x1b[?{}l\x1b[{};1H\r\n", state.entered, state.height);
                out.extend_from_slice(end.as_bytes());
            }
            state.keys[0].write_usual(out);
        }
        Modes::default().write_from(&state.modes, out);
        let Cursor { style, graphics, shift, .. } = Cursor::default();
        let pen = &state.cursor;
        if (pen.style, pen.graphics, pen.shift) != (style, graphics, shift) {
            out.extend_from_slice(NO_LINK);
            state.write_pen(&Cursor::default(), out);
        }
    }

    /// Appends what makes the next character go to the next row, where it would. The cursor must be in its place.
    pub fn write_pending(&self, out: &mut Vec<u8>) {
        let Cursor { row, column, pending, .. } = self.state.cursor;
        if !pending || !self.state.modes.are_on(Modes::WRAP) {
            return;
        }
        let row = &self.state.grids[usize::from(self.state.alternate)].rows[row];
        let is_tail = row.cell(column).glyph == Glyph::TAIL && column > 0;
        let column = if is_tail { column - 1 } else { column };
        let cell = row.cell(column);
        // A terminal that kept this by itself would write in the next row now.
        out.extend_from_slice(format!("\x1b[{}G", column + 1).as_bytes());
        // The charset may be another one by now.
        out.extend_from_slice(b"\x1b(B\x0f");
        self.state.write_style(&cell.style, out);
        self.state.write_cell(&cell, out);
    }

    /// Appends what makes `ESC 8` lead to where it would. The pen is another one afterwards, and so is the cursor's place where it
    /// is counted. Elsewhere it must be in its place, and moves are relative; so where nothing was saved, and `ESC 8` would
    /// lead to the first row, there is no way to that and back.
    pub fn write_saved(&self, out: &mut Vec<u8>) {
        let state = &self.state;
        let saved = state.grids[usize::from(state.alternate)].saved;
        if self.is_counted() {
            let saved = saved.unwrap_or_default();
            state.write_place(&saved, out);
            state.write_pen(&saved, out);
            out.extend_from_slice(b"\x1b7");
        } else if let Some(saved) = saved {
            step(state.cursor, saved, out);
            state.write_pen(&saved, out);
            out.extend_from_slice(b"\x1b7");
            step(saved, state.cursor, out);
        }
    }
}

/// Moves from one place to another.
fn step(from: Cursor, to: Cursor, out: &mut Vec<u8>) {
    let rows = to.row.abs_diff(from.row);
    if rows > 0 {
        let way = if to.row < from.row { 'A' } else { 'B' };
        out.extend_from_slice(format!("\x1b[{rows}{way}").as_bytes());
    }
    out.extend_from_slice(format!("\x1b[{}G", to.column + 1).as_bytes());
}

impl State {
    fn write_row(&self, row: &Row, out: &mut Vec<u8>) {
        let mut style = Style::default();
        self.write_style(&style, out);
        for cell in row.cells() {
            if cell.style != style {
                style = cell.style;
                self.write_style(&style, out);
            }
            self.write_cell(cell, out);
        }
        if row.cells().len() < self.width {
            self.write_style(&Cell::blank(row.rest()).style, out);
            out.extend_from_slice(b"\x1b[K");
        }
    }

    fn write_cell(&self, cell: &Cell, out: &mut Vec<u8>) {
        if let Some(character) = cell.glyph.character() {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        } else if let Some(text) = cell.glyph.place().and_then(|place| self.clusters.text(place)) {
            out.extend_from_slice(text);
        }
    }

    fn write_style(&self, style: &Style, out: &mut Vec<u8>) {
        style.write(out);
        match self.links.text(style.link) {
            Some(link) => {
                out.extend_from_slice(b"\x1b]8;");
                out.extend_from_slice(link);
                out.extend_from_slice(b"\x1b\\");
            }
            // Only where there are links at all: not every terminal knows them.
            None if !self.links.is_empty() => out.extend_from_slice(NO_LINK),
            None => {}
        }
    }

    fn write_place(&self, at: &Cursor, out: &mut Vec<u8>) {
        let Cursor { row, column, origin, .. } = *at;
        let first = if origin { self.margins.0.min(row) } else { 0 };
        let mode = if origin { 'h' } else { 'l' };
        let text = format!("\x1b[?6{mode}\x1b[{};{}H", row - first + 1, column + 1);
        out.extend_from_slice(text.as_bytes());
    }

    fn write_pen(&self, cursor: &Cursor, out: &mut Vec<u8>) {
        self.write_style(&cursor.style, out);
        for (set, graphics) in cursor.graphics.iter().enumerate() {
            // The first two are always said: drawing has changed them.
            if set < 2 || *graphics {
                out.extend_from_slice(&[
                    b'\x1b',
                    b"()*+"[set],
                    if *graphics { b'0' } else { b'B' },
                ]);
            }
        }
        let shift: &[u8] = match cursor.shift {
            0 => b"\x0f",
            1 => b"\x0e",
            2 => b"\x1bn",
            _ => b"\x1bo",
        };
        out.extend_from_slice(shift);
    }
}
