//! The screen of a terminal as its output makes it, so that what is drawn over can be put back.
//!
//! Follows what programs use of ECMA-48 and xterm: text with wide and combining characters, every attribute, margins, both
//! screens, charsets, tab stops, and the modes of [`Modes`]. Left and right margins, images and what a terminal does to
//! its text when its size changes are not followed. The crates that model a terminal (vt100, avt, alacritty_terminal)
//! either do not keep all of this or do not tell it (blinking and struck text, margins, what was saved by `ESC 7`), hence a
//! model of our own over the parser of one of them.

mod cell;
mod cursor;
mod modes;
mod output;
mod perform;
mod sequence;
mod style;
mod table;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use unicode_width::UnicodeWidthChar;
use vte::Perform;

pub use modes::Modes;
pub use output::{CANCEL, FOLLOWED};
pub use style::Style;

use cell::{Cell, Glyph, Row};
use cursor::Cursor;
use modes::Keys;
use sequence::{Begun, Ends};
use style::Colour;
use table::Table;

/// Bytes of a character with all that is combined with it. What is longer is cut.
const LONGEST_CLUSTER: usize = 64;

/// Bytes of a sequence that has no end yet which are kept. Of a longer one (an image) the rest is text where it was interrupted.
const LONGEST_SEQUENCE: usize = 1 << 20;

/// The screen of a terminal.
#[derive(Default)]
pub struct Screen {
    parser: vte::Parser,
    begun: Begun,
    state: State,
    /// What there is of a sequence that has no end yet.
    cut: Vec<u8>,
}

/// One of the two screens.
#[derive(Default)]
struct Grid {
    rows: Vec<Row>,
    saved: Option<Cursor>,
}

/// How the terminal shows what is written to it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Shown {
    #[default]
    AsFollowed,
    /// Something was set that changes how all that comes is shown, or where it goes, and is not followed.
    Otherwise,
}

/// Who has said how large the terminal's window is, and where.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Window {
    #[default]
    AsItCame,
    /// A program has had it made larger or smaller, or moved.
    Changed,
}

#[derive(Default)]
struct State {
    width: usize,
    height: usize,
    /// The usual screen, and the alternate one.
    grids: [Grid; 2],
    alternate: bool,
    cursor: Cursor,
    /// The first and the last row that scroll.
    margins: (usize, usize),
    tabs: Vec<bool>,
    modes: Modes,
    /// What kitty's protocol was told on each of the two screens.
    keys: [Keys; 2],
    /// By which mode the alternate screen was shown.
    entered: u16,
    window: Window,
    /// The last character that was written, which `CSI b` repeats.
    last: Option<char>,
    clusters: Table,
    links: Table,
    /// The parser has no sequence begun: what comes next is text, or begins one. Of text it sees nothing.
    between_sequences: bool,
    /// It is in a control string of which nothing is kept: not even a byte that would end it where characters are bytes.
    in_string: bool,
    shown: Shown,
    /// The first bytes of a character whose last are still to come.
    begun: Vec<u8>,
}

impl Screen {
    /// Returns an empty screen. The cursor is in the last row: that is where shells that ran for a while start programs, and
    /// where it is in truth cannot be known.
    #[must_use]
    pub fn new(rows: u16, columns: u16) -> Self {
        let mut screen = Self::default();
        screen.resize(rows, columns);
        screen.state.cursor.row = screen.state.height - 1;
        screen.state.between_sequences = true;
        screen
    }

    /// Follows output.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        let mut begins = bytes;
        while !bytes.is_empty() {
            // Most of all output is plain text, for which the parser costs more than the screen.
            if self.state.between_sequences {
                bytes = &bytes[self.state.write_plain(bytes)..];
                self.state.between_sequences = bytes.is_empty();
                self.cut.clear();
                begins = bytes;
            } else if self.state.in_string {
                let ends = |byte: &u8| matches!(byte, b'\x18' | b'\x1a' | b'\x1b');
                bytes = &bytes[bytes.iter().position(ends).unwrap_or(bytes.len())..];
                self.state.in_string = bytes.is_empty();
            }
            let (end, ends) = self.begun.follow(bytes);
            let parsed = self.parser.advance_until_terminated(&mut self.state, &bytes[..end]);
            // Of a sequence that makes no sense the parser says nothing, and takes what comes next for text.
            self.state.between_sequences |= ends == Ends::Here && parsed == end;
            if self.state.between_sequences || self.state.in_string {
                self.begun = Begun::Nothing;
            }
            bytes = &bytes[parsed..];
        }
        if self.state.between_sequences {
            self.cut.clear();
        } else {
            let room = (LONGEST_SEQUENCE + 1).saturating_sub(self.cut.len());
            self.cut.extend_from_slice(&begins[..begins.len().min(room)]);
        }
    }

    /// Follows a change of the terminal's size.
    pub fn resize(&mut self, rows: u16, columns: u16) {
        self.state.resize(usize::from(rows.max(1)), usize::from(columns.max(1)));
    }

    /// Returns whether something else can be written to the terminal here: no sequence and no character is cut.
    #[must_use]
    pub fn is_between_sequences(&self) -> bool {
        self.state.between_sequences && self.state.begun.is_empty()
    }

    /// Appends what there is of a sequence or a character that has no end yet: written again, the terminal is where it was in it.
    pub fn write_cut(&self, out: &mut Vec<u8>) {
        let cut = if self.state.between_sequences { &self.state.begun } else { &self.cut };
        if cut.len() <= LONGEST_SEQUENCE {
            out.extend_from_slice(cut);
        }
    }

    /// Returns whether the terminal may show what is written to it in a way that is not followed: between margins, in colours that nobody
    /// can read, on paper.
    #[must_use]
    pub fn is_strange(&self) -> bool {
        self.state.shown == Shown::Otherwise
    }

    /// Returns whether a program has had the terminal's window made larger or smaller, or moved: it may reach beyond what a person sees.
    #[must_use]
    pub fn changes_window(&self) -> bool {
        self.state.window == Window::Changed
    }

    /// Returns the modes that are in force.
    #[must_use]
    pub fn modes(&self) -> Modes {
        self.state.modes
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.state.height
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.state.width
    }

    /// Returns whether the alternate screen is shown.
    #[must_use]
    pub fn is_alternate(&self) -> bool {
        self.state.alternate
    }
}

impl State {
    fn grid(&mut self) -> &mut Grid {
        &mut self.grids[usize::from(self.alternate)]
    }

    fn rows(&mut self) -> &mut [Row] {
        &mut self.grid().rows
    }

    fn row(&mut self) -> &mut Row {
        let row = self.cursor.row;
        &mut self.rows()[row]
    }

    /// The colour that erasing leaves.
    fn back(&self) -> Colour {
        self.cursor.style.back
    }

    fn resize(&mut self, height: usize, width: usize) {
        if (height, width) == (self.height, self.width) {
            return;
        }
        // Rows below the cursor go first, then those at the top.
        let lost = (self.cursor.row + 1).saturating_sub(height);
        for grid in &mut self.grids {
            grid.rows.drain(..lost.min(grid.rows.len()));
            grid.rows.resize(height, Row::default());
            grid.rows.iter_mut().for_each(|row| row.cut(width));
            if let Some(saved) = &mut grid.saved {
                saved.row = saved.row.saturating_sub(lost);
                saved.keep_within(height, width);
            }
        }
        self.cursor.row -= lost;
        self.cursor.keep_within(height, width);
        self.margins = (0, height - 1);
        self.tabs = (0..width).map(|column| column % 8 == 0).collect();
        (self.height, self.width) = (height, width);
    }

    fn write(&mut self, character: char) {
        let graphics = self.cursor.graphics[self.cursor.shift];
        let character = if graphics { cursor::graphic(character) } else { character };
        let width = match character {
            ' '..='~' => 1,
            character => match character.width() {
                Some(width) => width,
                None => return,
            },
        };
        if width == 0 {
            self.combine(character);
            return;
        }
        self.last = Some(character);
        let wraps = self.modes.are_on(Modes::WRAP);
        if self.cursor.pending && wraps {
            self.wrap();
        }
        if self.cursor.column + width > self.width {
            if width > self.width {
                return;
            }
            if wraps {
                self.wrap();
            }
            self.cursor.column = self.cursor.column.min(self.width - width);
        }
        if self.modes.insert {
            let (column, whole, back) = (self.cursor.column, self.width, self.back());
            self.row().insert(column, width, whole, back);
        }
        let cursor = self.cursor;
        let row = self.row();
        row.put(cursor.column, Cell { glyph: Glyph::of(character), style: cursor.style });
        if width == 2 {
            row.put(cursor.column + 1, Cell { glyph: Glyph::TAIL, style: cursor.style });
        }
        self.cursor.column += width;
        if self.cursor.column == self.width {
            self.cursor.column -= 1;
            self.cursor.pending = true;
        }
    }

    /// Writes text up to a sequence; returns how long it is.
    fn write_plain(&mut self, bytes: &[u8]) -> usize {
        let mut at = self.write_begun(bytes);
        while let Some(&byte) = bytes.get(at) {
            let rest = &bytes[at..];
            let length = match byte {
                b' '..=b'~' => {
                    let end = rest.iter().position(|byte| !matches!(byte, b' '..=b'~'));
                    let length = end.unwrap_or(rest.len());
                    self.write_ascii(&rest[..length]);
                    length
                }
                b'\x1b' => break,
                ..b' ' => {
                    self.execute(byte);
                    1
                }
                b'\x7f' => 1,
                _ => self.write_utf8(rest),
            };
            at += length;
        }
        at
    }

    /// Writes what is not ASCII, up to what is; returns how long it is. Of a character that is cut the first part is kept.
    fn write_utf8(&mut self, bytes: &[u8]) -> usize {
        let end = bytes.iter().position(u8::is_ascii);
        let run = &bytes[..end.unwrap_or(bytes.len())];
        let mut chunks = run.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            chunk.valid().chars().for_each(|character| self.write(character));
            let invalid = chunk.invalid();
            let may_go_on = end.is_none()
                && chunks.peek().is_none()
                && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if may_go_on {
                self.begun.extend_from_slice(invalid);
            } else if !invalid.is_empty() {
                self.write(char::REPLACEMENT_CHARACTER);
            }
        }
        run.len()
    }

    /// Writes the character that was cut before, if it was; returns how many bytes were still to come.
    fn write_begun(&mut self, bytes: &[u8]) -> usize {
        if self.begun.is_empty() {
            return 0;
        }
        for (index, &byte) in bytes.iter().enumerate() {
            self.begun.push(byte);
            let character = match std::str::from_utf8(&self.begun) {
                Ok(text) => text.chars().next(),
                Err(error) if error.error_len().is_none() => continue,
                Err(_) => None,
            };
            self.begun.clear();
            self.write(character.unwrap_or(char::REPLACEMENT_CHARACTER));
            // The byte that does not go on with it begins something else.
            return index + usize::from(character.is_some());
        }
        bytes.len()
    }

    /// Writes printable ASCII: the same as writing each character, many at a time.
    fn write_ascii(&mut self, mut text: &[u8]) {
        let wraps = self.modes.are_on(Modes::WRAP);
        if self.modes.insert || !wraps || self.cursor.graphics[self.cursor.shift] {
            for &byte in text {
                self.write(char::from(byte));
            }
            return;
        }
        self.last = text.last().map(|&byte| char::from(byte));
        while !text.is_empty() {
            if self.cursor.pending {
                self.wrap();
            }
            let Cursor { column, style, .. } = self.cursor;
            let (now, later) = text.split_at(text.len().min(self.width - column));
            self.row().put_ascii(column, now, style);
            self.cursor.column += now.len();
            if self.cursor.column == self.width {
                self.cursor.column -= 1;
                self.cursor.pending = true;
            }
            text = later;
        }
    }

    fn wrap(&mut self) {
        self.cursor.column = 0;
        self.line_feed();
    }

    /// Adds a character without width to the one before the cursor.
    fn combine(&mut self, character: char) {
        let Cursor { column, pending, .. } = self.cursor;
        let Some(mut column) = (if pending { Some(column) } else { column.checked_sub(1) }) else {
            return;
        };
        let mut cell = self.row().cell(column);
        if cell.glyph == Glyph::TAIL && column > 0 {
            column -= 1;
            cell = self.row().cell(column);
        }
        let mut text = [0; 4];
        let mut text = match (cell.glyph.character(), cell.glyph.place()) {
            (Some(first), _) => first.encode_utf8(&mut text).as_bytes().to_vec(),
            (None, Some(place)) => self.clusters.text(place).unwrap_or_default().to_vec(),
            (None, None) => return,
        };
        text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        if text.len() > LONGEST_CLUSTER {
            return;
        }
        let mut place = self.clusters.number(&text);
        if place.is_none() && self.clusters.wants_room() {
            self.forget_clusters();
            place = self.clusters.number(&text);
        }
        if let Some(place) = place {
            self.row().set(column, Glyph::at(place));
        }
    }

    /// Returns the number of a hyperlink.
    fn link(&mut self, text: &[u8]) -> u16 {
        let mut place = self.links.number(text);
        if place.is_none() && self.links.wants_room() {
            self.forget_links();
            place = self.links.number(text);
        }
        place.unwrap_or(0)
    }

    fn forget_clusters(&mut self) {
        let cells = self.grids.iter().flat_map(|grid| &grid.rows).flat_map(Row::cells);
        let used: HashSet<u16> = cells.filter_map(|cell| cell.glyph.place()).collect();
        let kept = self.clusters.keep(&used);
        for row in self.grids.iter_mut().flat_map(|grid| &mut grid.rows) {
            for column in 0..row.cells().len() {
                let place = row.cell(column).glyph.place();
                if let Some(place) = place.and_then(|place| kept.get(&place)) {
                    row.set(column, Glyph::at(*place));
                }
            }
        }
    }

    fn forget_links(&mut self) {
        let mut styles: Vec<&mut style::Style> = vec![&mut self.cursor.style];
        for grid in &mut self.grids {
            styles.extend(grid.saved.as_mut().map(|saved| &mut saved.style));
            styles.extend(grid.rows.iter_mut().flat_map(Row::styles));
        }
        let kept = self.links.keep(&styles.iter().map(|style| style.link).collect());
        for style in styles {
            style.link = kept.get(&style.link).copied().unwrap_or(0);
        }
    }

    fn line_feed(&mut self) {
        self.cursor.pending = false;
        if self.cursor.row == self.margins.1 {
            self.scroll_up(self.margins.0, 1);
        } else if self.cursor.row + 1 < self.height {
            self.cursor.row += 1;
        }
    }

    fn reverse_line_feed(&mut self) {
        self.cursor.pending = false;
        if self.cursor.row == self.margins.0 {
            self.scroll_down(self.margins.0, 1);
        } else {
            self.cursor.row = self.cursor.row.saturating_sub(1);
        }
    }

    /// Scrolls what is between a row and the lower margin.
    fn scroll_up(&mut self, top: usize, count: usize) {
        let (back, bottom) = (self.back(), self.margins.1);
        let rows = &mut self.rows()[top..=bottom];
        let count = count.min(rows.len());
        rows.rotate_left(count);
        let kept = rows.len() - count;
        rows[kept..].iter_mut().for_each(|row| row.clear(back));
    }

    fn scroll_down(&mut self, top: usize, count: usize) {
        let (back, bottom) = (self.back(), self.margins.1);
        let rows = &mut self.rows()[top..=bottom];
        let count = count.min(rows.len());
        rows.rotate_right(count);
        rows[..count].iter_mut().for_each(|row| row.clear(back));
    }

    fn clear(&mut self) {
        let back = self.back();
        self.rows().iter_mut().for_each(|row| row.clear(back));
    }

    fn save(&mut self) {
        self.grid().saved = Some(self.cursor);
    }

    fn restore(&mut self) {
        self.cursor = self.grid().saved.unwrap_or_default();
        self.cursor.keep_within(self.height, self.width);
    }

    /// Follows `CSI ? 47`, `1047` and `1049`.
    fn show(&mut self, alternate: bool, number: u16) {
        if alternate {
            if number == 1049 {
                self.save();
            }
            if !self.alternate || number == 1049 {
                (self.alternate, self.entered) = (true, number);
                self.clear();
            }
        } else {
            if self.alternate && number == 1047 {
                self.clear();
            }
            self.alternate = false;
            if number == 1049 {
                self.restore();
            }
        }
    }
}
