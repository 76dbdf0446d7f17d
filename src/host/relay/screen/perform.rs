//! What each control character and sequence does to the screen. A sequence that is not here changes nothing that is kept.

use vte::{Params, Perform};

use super::cursor::Cursor;
use super::{Modes, Shown, State, Style, Window};

/// A hyperlink as long as what the parser keeps of a sequence may have been cut: it is none.
pub(super) const LONGEST_LINK: usize = 1000;

impl Perform for State {
    #[inline]
    fn print(&mut self, character: char) {
        self.write(character);
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\x08' => self.move_to_column(self.cursor.column.saturating_sub(1)),
            b'\t' => self.tab(1),
            b'\n' | b'\x0b' | b'\x0c' => self.line_feed(),
            b'\r' => self.move_to_column(0),
            b'\x0e' => self.cursor.shift = 1,
            b'\x0f' => self.cursor.shift = 0,
            // A sequence is given up.
            b'\x18' | b'\x1a' => self.between_sequences = true,
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], ignore: bool, byte: u8) {
        self.between_sequences = true;
        if ignore {
            return;
        }
        match (intermediates, byte) {
            ([], b'7') => self.save(),
            ([], b'8') => self.restore(),
            ([], b'D') => self.line_feed(),
            ([], b'E') => self.wrap(),
            ([], b'H') => self.tabs[self.cursor.column] = true,
            ([], b'M') => self.reverse_line_feed(),
            ([], b'c') => self.reset(),
            ([], b'=') => self.modes.set(Modes::KEYPAD, true),
            ([], b'>') => self.modes.set(Modes::KEYPAD, false),
            ([], b'n') => self.cursor.shift = 2,
            ([], b'o') => self.cursor.shift = 3,
            ([set @ b'('..=b'+'], set_to) => {
                self.cursor.graphics[usize::from(set - b'(')] = set_to == b'0';
            }
            ([b'#'], b'8') => self.align(),
            _ => {}
        }
    }

    fn csi_dispatch(&mut self, parameters: &Params, intermediates: &[u8], ignore: bool, end: char) {
        self.between_sequences = true;
        if ignore {
            return;
        }
        if is_strange(parameters, intermediates, end) {
            self.shown = Shown::Otherwise;
        }
        if changes_window(parameters, intermediates, end) {
            self.window = Window::Changed;
        }
        match intermediates {
            [] => self.control(parameters, end),
            b"?" => self.private(parameters, end),
            b"!" if end == 'p' => self.soft_reset(),
            b">" if end == 'm' => self.modify_keys(parameters),
            [how @ (b'<' | b'=' | b'>')] if end == 'u' => {
                self.modes.kitty = true;
                let screen = usize::from(self.alternate);
                self.keys[screen].follow(*how, parameter(parameters, 0, 0));
            }
            _ => {}
        }
    }

    fn terminated(&self) -> bool {
        self.between_sequences || self.in_string
    }

    fn hook(&mut self, _: &Params, _: &[u8], _: bool, _: char) {
        self.in_string = true;
    }

    fn osc_dispatch(&mut self, parameters: &[&[u8]], by_bell: bool) {
        // Otherwise a part of its end is still to come.
        self.between_sequences = by_bell;
        // Colours of the terminal itself, which a program may set or ask for.
        let is_colour = matches!(parameters, [b"4" | b"10" | b"11", ..]);
        if is_colour && parameters[1..].iter().any(|value| *value != b"?") {
            self.shown = Shown::Otherwise;
        }
        let [b"8", options, address @ ..] = parameters else { return };
        let address = address.join(&b';');
        let length = options.len() + address.len();
        self.cursor.style.link = if address.is_empty() || length > LONGEST_LINK {
            0
        } else {
            self.link(&[options, &address[..]].join(&b';'))
        };
    }
}

/// Whether a sequence sets what is not followed: lines that go on by themselves (LNM), the printer, Tektronix, left and right margins, keys
/// as Windows has them, a terminal without sequences (VT52).
fn is_strange(parameters: &Params, intermediates: &[u8], end: char) -> bool {
    let numbers: &[u16] = match (intermediates, end) {
        (b"", 'h') => &[20],
        (b"" | b"?", 'i') => &[5],
        (b"?", 'h') => &[38, 69, 9001],
        (b"?", 'l') => &[2],
        _ => return false,
    };
    parameters.iter().any(|parts| parts.first().is_some_and(|number| numbers.contains(number)))
}

/// Whether a sequence has the window made larger or smaller, moved or hidden: xterm's operations, and those of terminals before it (DECSLPP, DECCOLM,
/// DECSCPP, DECSNLS).
fn changes_window(parameters: &Params, intermediates: &[u8], end: char) -> bool {
    let first = parameter(parameters, 0, 0);
    match (intermediates, end) {
        (b"", 't') => matches!(first, 1..=10 | 24..),
        (b"?", 'h' | 'l') => parameters.iter().any(|parts| parts.first() == Some(&3)),
        (b"$" | b"*", '|') => true,
        _ => false,
    }
}

/// Returns a parameter; what is missing or 0 is `otherwise`.
fn parameter(parameters: &Params, index: usize, otherwise: u16) -> usize {
    let value = parameters.iter().nth(index).and_then(|parts| parts.first().copied());
    usize::from(value.filter(|value| *value > 0).unwrap_or(otherwise))
}

impl State {
    fn control(&mut self, parameters: &Params, end: char) {
        let first = parameter(parameters, 0, 1);
        let Cursor { row, column, .. } = self.cursor;
        let (width, back) = (self.width, self.back());
        match end {
            '@' => self.row().insert(column, first, width, back),
            'A' => self.move_up(first),
            'B' | 'e' => self.move_down(first),
            'C' | 'a' => self.move_to_column(column + first),
            'D' => self.move_to_column(column.saturating_sub(first)),
            'E' => {
                self.move_down(first);
                self.move_to_column(0);
            }
            'F' => {
                self.move_up(first);
                self.move_to_column(0);
            }
            'G' | '`' => self.move_to_column(first - 1),
            'H' | 'f' => {
                self.move_to_row(first - 1);
                self.move_to_column(parameter(parameters, 1, 1) - 1);
            }
            'I' => self.tab(first),
            'J' => self.erase_display(parameter(parameters, 0, 0)),
            'K' => self.erase_line(parameter(parameters, 0, 0)),
            'L' if self.is_between_margins() => self.scroll_down(row, first),
            'M' if self.is_between_margins() => self.scroll_up(row, first),
            'P' => self.row().delete(column, first, width, back),
            'S' => self.scroll_up(self.margins.0, first),
            'T' if parameters.len() <= 1 => self.scroll_down(self.margins.0, first),
            'X' => self.row().erase(column, (column + first).min(width), width, back),
            'Z' => self.tab_back(first),
            'b' => self.repeat(first),
            'd' => self.move_to_row(first - 1),
            'g' => self.clear_tabs(parameter(parameters, 0, 0)),
            'h' | 'l' if parameter(parameters, 0, 0) == 4 => self.modes.insert = end == 'h',
            'm' => self.cursor.style.select(parameters),
            'r' => self.set_margins(first - 1, parameter(parameters, 1, 0)),
            's' => self.save(),
            'u' => self.restore(),
            _ => {}
        }
        if matches!(end, '@' | 'J' | 'K' | 'L' | 'M' | 'P' | 'X') {
            self.cursor.pending = false;
        }
    }

    fn private(&mut self, parameters: &Params, end: char) {
        let on = match end {
            'h' => true,
            'l' => false,
            'J' => return self.erase_display(parameter(parameters, 0, 0)),
            'K' => return self.erase_line(parameter(parameters, 0, 0)),
            _ => return,
        };
        for parts in parameters {
            match parts.first().copied().unwrap_or(0) {
                6 => {
                    self.cursor.origin = on;
                    self.move_to_row(0);
                    self.move_to_column(0);
                }
                number @ (47 | 1047 | 1049) => self.show(on, number),
                1048 if on => self.save(),
                1048 => self.restore(),
                7 => {
                    self.cursor.pending = false;
                    self.modes.switch(7, on);
                }
                number => self.modes.switch(number, on),
            }
        }
    }

    fn modify_keys(&mut self, parameters: &Params) {
        let resource = parameter(parameters, 0, 0);
        if matches!(resource, 0 | 4) {
            let value = if resource == 4 { parameter(parameters, 1, 0) } else { 0 };
            self.modes.modified = u16::try_from(value).unwrap_or(0);
        }
    }

    fn is_between_margins(&self) -> bool {
        (self.margins.0..=self.margins.1).contains(&self.cursor.row)
    }

    fn move_to_column(&mut self, column: usize) {
        self.cursor.column = column.min(self.width - 1);
        self.cursor.pending = false;
    }

    fn move_to_row(&mut self, row: usize) {
        let (first, last) = if self.cursor.origin { self.margins } else { (0, self.height - 1) };
        self.cursor.row = (first + row).min(last);
        self.cursor.pending = false;
    }

    fn move_up(&mut self, count: usize) {
        let stop = if self.cursor.row >= self.margins.0 { self.margins.0 } else { 0 };
        self.cursor.row = self.cursor.row.saturating_sub(count).max(stop);
        self.cursor.pending = false;
    }

    fn move_down(&mut self, count: usize) {
        let above = self.cursor.row <= self.margins.1;
        let stop = if above { self.margins.1 } else { self.height - 1 };
        self.cursor.row = (self.cursor.row + count).min(stop);
        self.cursor.pending = false;
    }

    fn tab(&mut self, count: usize) {
        for _ in 0..count {
            if self.cursor.column + 1 == self.width {
                return;
            }
            let next = self.tabs.iter().skip(self.cursor.column + 1).position(|stop| *stop);
            let next = next.map_or(self.width - 1, |distance| self.cursor.column + 1 + distance);
            self.cursor.column = next;
        }
    }

    fn tab_back(&mut self, count: usize) {
        for _ in 0..count {
            if self.cursor.column == 0 {
                return;
            }
            let before = &self.tabs[..self.cursor.column];
            self.move_to_column(before.iter().rposition(|stop| *stop).unwrap_or(0));
        }
    }

    fn clear_tabs(&mut self, which: usize) {
        match which {
            0 => self.tabs[self.cursor.column] = false,
            3 => self.tabs.fill(false),
            _ => {}
        }
    }

    fn erase_display(&mut self, which: usize) {
        let (row, back) = (self.cursor.row, self.back());
        match which {
            0 => {
                self.erase_line(0);
                self.rows()[row + 1..].iter_mut().for_each(|row| row.clear(back));
            }
            1 => {
                self.erase_line(1);
                self.rows()[..row].iter_mut().for_each(|row| row.clear(back));
            }
            2 => self.clear(),
            _ => {}
        }
    }

    fn erase_line(&mut self, which: usize) {
        let (column, width, back) = (self.cursor.column, self.width, self.back());
        match which {
            0 => self.row().erase(column, width, width, back),
            1 => self.row().erase(0, column + 1, width, back),
            2 => self.row().clear(back),
            _ => {}
        }
    }

    fn repeat(&mut self, count: usize) {
        let Some(last) = self.last else { return };
        // Once the screen is full of it, each further row changes nothing.
        let most = self.width * (self.height + 1);
        let count = if count > most { most + (count - most) % self.width } else { count };
        if last.is_ascii() {
            return self.write_ascii(&vec![last as u8; count]);
        }
        for _ in 0..count {
            self.write(last);
        }
    }

    fn set_margins(&mut self, top: usize, bottom: usize) {
        let last = self.height - 1;
        let bottom = if bottom == 0 { last } else { (bottom - 1).min(last) };
        if top < bottom {
            self.margins = (top, bottom);
            self.move_to_row(0);
            self.move_to_column(0);
        }
    }

    fn align(&mut self) {
        self.margins = (0, self.height - 1);
        self.cursor = Cursor::default();
        let row = vec![b'E'; self.width];
        for cells in self.rows() {
            cells.put_ascii(0, &row, Style::default());
        }
    }

    fn soft_reset(&mut self) {
        self.modes.soft_reset();
        self.margins = (0, self.height - 1);
        let Cursor { row, column, .. } = self.cursor;
        self.cursor = Cursor { row, column, ..Cursor::default() };
        self.grid().saved = None;
    }

    fn reset(&mut self) {
        let (height, width) = (self.height, self.width);
        *self = Self { between_sequences: true, ..Self::default() };
        self.resize(height, width);
    }
}
