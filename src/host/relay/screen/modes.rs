//! The modes of a terminal that a question must know of: what keys and the mouse send, and how the cursor shows.

/// Modes that are on or off, by their number in `CSI ? … h`.
const SWITCHES: [(u32, u16); 9] = [
    (Modes::CURSOR_KEYS, 1),
    (Modes::WRAP, 7),
    (Modes::CURSOR, 25),
    (Modes::KEYPAD, 66),
    (Modes::FOCUS, 1004),
    (Modes::PASTE, 2004),
    (Modes::FROZEN, 2026),
    (Modes::THEME, 2031),
    (Modes::RESIZES, 2048),
];

/// What the terminal was told of modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modes {
    on: u32,
    /// What of the mouse is reported: 9, 1000, 1001, 1002, 1003; 0 for nothing. One ends the other.
    pub mouse: u16,
    /// How that is encoded: 1005, 1006, 1015, 1016; 0 for the oldest way.
    pub encoding: u16,
    /// Text is inserted (`CSI 4 h`).
    pub insert: bool,
    /// What modified keys send: the value of xterm's `modifyOtherKeys`.
    pub modified: u16,
    /// Whether anything was said about kitty's protocol of keys.
    pub kitty: bool,
}

impl Modes {
    /// Arrow keys send `SS3`.
    pub const CURSOR_KEYS: u32 = 1;
    /// Text goes on in the next row.
    pub const WRAP: u32 = 1 << 1;
    /// The cursor is shown.
    pub const CURSOR: u32 = 1 << 2;
    /// The keypad sends sequences.
    pub const KEYPAD: u32 = 1 << 3;
    /// Focus is reported.
    pub const FOCUS: u32 = 1 << 4;
    /// What is pasted stands in brackets.
    pub const PASTE: u32 = 1 << 5;
    /// Nothing is drawn until this ends.
    pub const FROZEN: u32 = 1 << 6;
    /// Changes between dark and light are reported.
    pub const THEME: u32 = 1 << 7;
    /// Changes of the size are reported.
    pub const RESIZES: u32 = 1 << 8;

    /// Returns whether all of these are on.
    pub fn are_on(&self, modes: u32) -> bool {
        self.on & modes == modes
    }

    /// Turns modes on or off.
    pub fn set(&mut self, modes: u32, on: bool) {
        self.on = if on { self.on | modes } else { self.on & !modes };
    }

    /// Follows `CSI ? number h` and `l`.
    pub fn switch(&mut self, number: u16, on: bool) {
        match number {
            9 | 1000..=1003 => self.mouse = if on { number } else { 0 },
            1005 | 1006 | 1015 | 1016 if on => self.encoding = number,
            1005 | 1006 | 1015 | 1016 if self.encoding == number => self.encoding = 0,
            number => {
                if let Some((bit, _)) = SWITCHES.iter().find(|(_, known)| *known == number) {
                    self.set(*bit, on);
                }
            }
        }
    }

    /// Follows `CSI ! p`, which leaves what is reported as it is.
    pub fn soft_reset(&mut self) {
        self.set(Self::CURSOR_KEYS | Self::KEYPAD, false);
        self.set(Self::CURSOR | Self::WRAP, true);
        self.insert = false;
    }

    /// Appends what leads from modes that the terminal is in to these. Kitty's keys have a stack of their own, and are not in it.
    pub fn write_from(&self, before: &Self, out: &mut Vec<u8>) {
        let mut switch = |number: u16, on: bool| {
            out.extend_from_slice(
                format!("\x1b[?{number}{}", if on { 'h' } else { 'l' }).as_bytes(),
            );
        };
        if self.mouse != before.mouse {
            switch(if self.mouse == 0 { before.mouse } else { self.mouse }, self.mouse != 0);
        }
        if self.encoding != before.encoding {
            switch(
                if self.encoding == 0 { before.encoding } else { self.encoding },
                self.encoding != 0,
            );
        }
        // Whether the terminal draws is for who draws to say.
        let changed = (self.on ^ before.on) & !Self::FROZEN;
        for (bit, number) in SWITCHES.iter().filter(|(bit, _)| changed & bit != 0) {
            let on = self.are_on(*bit);
            match *bit {
                // The older names of this mode are known to more terminals.
                Self::KEYPAD => out.extend_from_slice(if on { b"\x1b=" } else { b"\x1b>" }),
                _ => out.extend_from_slice(
                    format!("\x1b[?{number}{}", if on { 'h' } else { 'l' }).as_bytes(),
                ),
            }
        }
        if self.insert != before.insert {
            out.extend_from_slice(if self.insert { b"\x1b[4h" } else { b"\x1b[4l" });
        }
        if self.modified != before.modified {
            out.extend_from_slice(format!("\x1b[>4;{}m", self.modified).as_bytes());
        }
    }
}

/// What kitty's protocol of keys was told on one screen: how many states lie on its stack, and whether something was set in the last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Keys {
    pushed: usize,
    is_set: bool,
}

impl Keys {
    /// Follows `CSI > u`, `CSI < count u` and `CSI = flags u`.
    pub(super) fn follow(&mut self, how: u8, number: usize) {
        match how {
            b'>' => self.pushed += 1,
            b'<' => self.pushed = self.pushed.saturating_sub(number.max(1)),
            _ => self.is_set = number != 0,
        }
    }

    /// Appends what takes all of it back.
    pub(super) fn write_usual(self, out: &mut Vec<u8>) {
        if self.pushed > 0 {
            out.extend_from_slice(format!("\x1b[<{}u", self.pushed).as_bytes());
        }
        if self.is_set {
            out.extend_from_slice(b"\x1b[=0u");
        }
    }
}

impl Default for Modes {
    fn default() -> Self {
        let on = Self::WRAP | Self::CURSOR;
        Self { on, mouse: 0, encoding: 0, insert: false, modified: 0, kitty: false }
    }
}
