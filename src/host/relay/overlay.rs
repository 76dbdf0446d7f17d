//! A page over the bottom of the screen, and the screen as it was: which sequences draw the one and bring back the other.
//!
//! Over the usual screen the page is drawn on the alternate one, with a copy of the last rows above it. So what the agent wrote is
//! not touched at all: a terminal that has moved it since (some do when their size changes) brings it back by itself. Over
//! the alternate screen, of which there is no second, and on terminals without one, the rows below the page are drawn again
//! from the model.

use unicode_width::UnicodeWidthChar;
use vte::{Params, Perform};

use super::guest::{Page, Purpose};
use super::screen::{CANCEL, FOLLOWED, Modes, Screen, Style};
use crate::approval::others::{HEALED, narrow};

/// Nothing is shown until what follows is complete, on terminals that know it.
const FREEZE: &[u8] = b"\x1b[?2026h";
const THAW: &[u8] = b"\x1b[?2026l";
/// No turning of what is written from right to left, and turning it again: in a line that a person is asked about each character is
/// where it is (ECMA-48, BDSM).
const AS_WRITTEN: &[u8] = b"\x1b[8l";
const TURNED: &[u8] = b"\x1b[8h";
/// Ends colours of the terminal's own.
const COLOURS: &[u8] = b"\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\";
/// The usual style and charset, no link.
const PLAIN: &[u8] = b"\x1b[0m\x1b(B\x0f";

/// A page that is shown.
#[derive(Debug)]
pub struct Overlay {
    page: Page,
    /// What it was first drawn for.
    purpose: Purpose,
    /// The rows of the screen that it covers, from this one on.
    top: usize,
    /// How many rows above it the screen's rows are shown: what was written last is what it is about.
    lift: usize,
    height: usize,
    /// The modes to go back to.
    modes: Modes,
}

/// The modes in which a page is shown: keys come as whoever they are for wants them. For a page that asks they come plainly, and what is
/// pasted is known as such.
fn modes_for_pages(purpose: Purpose, before: Modes) -> Modes {
    let mut modes = before;
    if purpose == Purpose::Ask {
        modes = Modes::default();
        modes.encoding = before.encoding;
        modes.set(Modes::PASTE, true);
    }
    modes.insert = false;
    modes.set(Modes::WRAP | Modes::CURSOR, false);
    modes
}

impl Overlay {
    /// Draws a page for the first time, within so many rows of the screen.
    pub fn begin(screen: &Screen, rows: usize, page: Page, out: &mut Vec<u8>) -> Self {
        let height = rows.min(screen.height());
        let modes = screen.modes();
        let purpose = page.purpose;
        let mut overlay =
            Self { page: Page::default(), purpose, top: height, lift: 0, height, modes };
        if !screen.is_between_sequences() {
            out.extend_from_slice(CANCEL);
        }
        if screen.is_strange() {
            out.extend_from_slice(FOLLOWED);
            out.extend_from_slice(COLOURS);
        }
        out.extend_from_slice(FREEZE);
        out.extend_from_slice(b"\x1b7");
        if !screen.is_alternate() {
            out.extend_from_slice(b"\x1b[?1047h");
        }
        modes_for_pages(purpose, modes).write_from(&modes, out);
        if overlay.takes_kittys_keys() {
            out.extend_from_slice(b"\x1b[>0u");
        }
        out.extend_from_slice(b"\x1b[?6l");
        out.extend_from_slice(AS_WRITTEN);
        out.extend_from_slice(PLAIN);
        if !screen.is_alternate() {
            out.extend_from_slice(b"\x1b[2J");
        }
        overlay.write(screen, page, out);
        out.extend_from_slice(THAW);
        overlay
    }

    /// Returns within how many rows of the screen it is drawn.
    pub const fn height(&self) -> usize {
        self.height
    }

    /// Returns what it was first drawn for.
    pub const fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Whether keys come otherwise than the agent was told by kitty's protocol.
    fn takes_kittys_keys(&self) -> bool {
        self.modes.kitty && self.purpose == Purpose::Ask
    }

    /// Draws the page again if it has changed.
    pub fn change(&mut self, screen: &Screen, page: Page, out: &mut Vec<u8>) {
        if page == self.page {
            return;
        }
        out.extend_from_slice(FREEZE);
        self.write(screen, page, out);
        out.extend_from_slice(THAW);
    }

    /// Draws all of it again, where others may have written to the terminal.
    pub fn repair(&mut self, screen: &Screen, page: Page, out: &mut Vec<u8>) {
        out.extend_from_slice(HEALED);
        out.extend_from_slice(FREEZE);
        out.extend_from_slice(AS_WRITTEN);
        if !screen.is_alternate() {
            out.extend_from_slice(b"\x1b[?1047h");
        }
        narrow(screen.height(), out);
        let healed = modes_for_pages(Purpose::Ask, self.modes);
        modes_for_pages(self.purpose, self.modes).write_from(&healed, out);
        self.resize(screen, self.height, page, out);
    }

    /// Draws the page after the terminal's size has changed: anything may be anywhere.
    pub fn resize(&mut self, screen: &Screen, rows: usize, page: Page, out: &mut Vec<u8>) {
        self.height = rows.min(screen.height());
        self.top = self.height;
        self.lift = 0;
        out.extend_from_slice(FREEZE);
        out.extend_from_slice(PLAIN);
        out.extend_from_slice(b"\x1b[2J");
        if screen.is_alternate() {
            screen.write_rows(0..screen.height(), out);
        }
        self.write(screen, page, out);
        out.extend_from_slice(THAW);
    }

    fn write(&mut self, screen: &Screen, page: Page, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b[?25l");
        let rows = &page.rows[page.rows.len().saturating_sub(self.height)..];
        let top = self.height - rows.len();
        if screen.is_alternate() {
            if top > self.top {
                screen.write_rows(self.top..top, out);
            }
        } else if top != self.top {
            self.lift = screen.end().saturating_sub(top);
            screen.write_rows_from(0, self.lift..self.lift + top, out);
        }
        self.top = top;
        for (index, row) in rows.iter().enumerate() {
            out.extend_from_slice(format!("\x1b[{};1H", top + index + 1).as_bytes());
            out.extend_from_slice(PLAIN);
            // Before the text: behind one that fills the row the cursor still stands on its last character.
            out.extend_from_slice(b"\x1b[K");
            write_harmless(row, screen.width(), out);
        }
        out.extend_from_slice(PLAIN);
        if let Some((row, column)) = page.cursor {
            let hidden = page.rows.len() - rows.len();
            let row = top + row.saturating_sub(hidden).min(rows.len().saturating_sub(1));
            let column = column.min(screen.width() - 1);
            out.extend_from_slice(format!("\x1b[{};{}H\x1b[?25h", row + 1, column + 1).as_bytes());
        }
        self.page = page;
    }

    /// Brings the screen back.
    pub fn end(self, screen: &Screen, out: &mut Vec<u8>) {
        out.extend_from_slice(FREEZE);
        out.extend_from_slice(b"\x1b[?25l");
        // On a terminal without an alternate screen all of it may be covered.
        let first = if self.lift > 0 { 0 } else { self.top };
        screen.write_rows(first..self.height, out);
        out.extend_from_slice(TURNED);
        if self.takes_kittys_keys() {
            out.extend_from_slice(b"\x1b[<1u");
        }
        if !screen.is_alternate() {
            out.extend_from_slice(b"\x1b[?1047l");
        }
        out.extend_from_slice(b"\x1b8");
        screen.write_saved(out);
        if screen.is_counted() {
            screen.write_position(out);
        }
        // While a page is shown the cursor is hidden and shown without the model.
        let mut now = modes_for_pages(self.purpose, self.modes);
        now.set(Modes::CURSOR, false);
        self.modes.write_from(&now, out);
        screen.write_pending(out);
        screen.write_pen(out);
        if !self.modes.are_on(Modes::FROZEN) {
            out.extend_from_slice(THAW);
        }
        screen.write_cut(out);
    }
}

/// Appends the text of a row and its styles, and nothing else that a terminal would act on.
fn write_harmless(row: &[u8], width: usize, out: &mut Vec<u8>) {
    let mut filter = Filter { out, style: Style::default(), room: width };
    vte::Parser::<1024>::new_with_size().advance(&mut filter, row);
}

struct Filter<'a> {
    out: &'a mut Vec<u8>,
    style: Style,
    room: usize,
}

impl Perform for Filter<'_> {
    fn print(&mut self, character: char) {
        let Some(room) = character.width().and_then(|width| self.room.checked_sub(width)) else {
            return;
        };
        self.room = room;
        self.out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn csi_dispatch(&mut self, parameters: &Params, intermediates: &[u8], ignore: bool, end: char) {
        if end == 'm' && intermediates.is_empty() && !ignore {
            self.style.select(parameters);
            self.style.write(self.out);
        }
    }
}
