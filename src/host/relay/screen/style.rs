//! How a cell looks: colours and marks, read from SGR sequences and written as one.
//! Knows nothing of where the cell is.

use vte::Params;

/// A colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// The terminal's own.
    #[default]
    Default,
    /// Of the palette.
    Index(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// Marks that are on or off, as bits of [`Style::marks`], with the SGR parameter that turns each on.
const MARKS: [(u16, u16); 8] = [
    (Style::BOLD, 1),
    (Style::FAINT, 2),
    (Style::ITALIC, 3),
    (Style::BLINK, 5),
    (Style::INVERSE, 7),
    (Style::HIDDEN, 8),
    (Style::STRUCK, 9),
    (Style::OVERLINED, 53),
];

/// How a cell looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Of the text.
    pub fore: Colour,
    /// Behind the text.
    pub back: Colour,
    /// Of the underline.
    pub line: Colour,
    /// The kind of underline: 0 none, 1 plain, 2 double, 3 curly, 4 dotted, 5 dashed.
    pub underline: u8,
    marks: u16,
    /// The hyperlink: a place in the screen's table, or 0 for none. No part of SGR.
    pub link: u16,
}

impl Style {
    const BOLD: u16 = 1;
    const FAINT: u16 = 1 << 1;
    const ITALIC: u16 = 1 << 2;
    const BLINK: u16 = 1 << 3;
    const INVERSE: u16 = 1 << 4;
    const HIDDEN: u16 = 1 << 5;
    const STRUCK: u16 = 1 << 6;
    const OVERLINED: u16 = 1 << 7;

    /// Returns how a cell looks that was erased.
    pub fn erased(back: Colour) -> Self {
        Self { back, ..Self::default() }
    }

    /// Reads `CSI … m`.
    pub fn select(&mut self, parameters: &Params) {
        let mut rest = parameters.iter();
        while let Some(parameter) = rest.next() {
            let [code, sub @ ..] = parameter else { continue };
            match code {
                38 | 48 | 58 => {
                    let colour = match sub {
                        [] => colour(&mut rest.by_ref().map(|next| next.first().copied())),
                        sub => in_one_parameter(sub),
                    };
                    if let Some(colour) = colour {
                        *self.colour_of(*code) = colour;
                    }
                }
                4 => {
                    self.underline = sub.first().map_or(1, |&kind| u8::try_from(kind).unwrap_or(1));
                }
                code => self.select_one(*code),
            }
        }
    }

    fn colour_of(&mut self, code: u16) -> &mut Colour {
        match code {
            38 => &mut self.fore,
            48 => &mut self.back,
            _ => &mut self.line,
        }
    }

    fn select_one(&mut self, code: u16) {
        let index = |base: u16| Colour::Index(u8::try_from(code - base).unwrap_or(0));
        match code {
            0 => *self = Self { link: self.link, ..Self::default() },
            6 => self.marks |= Self::BLINK,
            21 => self.underline = 2,
            22 => self.marks &= !(Self::BOLD | Self::FAINT),
            23 => self.marks &= !Self::ITALIC,
            24 => self.underline = 0,
            25 => self.marks &= !Self::BLINK,
            27 => self.marks &= !Self::INVERSE,
            28 => self.marks &= !Self::HIDDEN,
            29 => self.marks &= !Self::STRUCK,
            30..=37 => self.fore = index(30),
            39 => self.fore = Colour::Default,
            40..=47 => self.back = index(40),
            49 => self.back = Colour::Default,
            55 => self.marks &= !Self::OVERLINED,
            59 => self.line = Colour::Default,
            90..=97 => self.fore = index(82),
            100..=107 => self.back = index(92),
            code => {
                let mark = MARKS.iter().find(|(_, on)| *on == code);
                self.marks |= mark.map_or(0, |(bit, _)| *bit);
            }
        }
    }

    /// Appends the SGR sequence that selects this style, whatever was selected before.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\x1b[0");
        for (_, on) in MARKS.iter().filter(|(bit, _)| self.marks & bit != 0) {
            number(out, b";", *on);
        }
        match self.underline {
            0 => {}
            1 => out.extend_from_slice(b";4"),
            kind => number(out, b";4:", u16::from(kind)),
        }
        write_colour(out, self.fore, [30, 90, 38], b';');
        write_colour(out, self.back, [40, 100, 48], b';');
        // Only the form with colons is known to all that know the colour of underlines.
        write_colour(out, self.line, [0, 0, 58], b':');
        out.push(b'm');
    }
}

/// Reads a colour whose parts are parameters of their own: `38;5;N`, `38;2;R;G;B`.
fn colour(parts: &mut impl Iterator<Item = Option<u16>>) -> Option<Colour> {
    let mut part = || u8::try_from(parts.next()??).ok();
    match part()? {
        5 => Some(Colour::Index(part()?)),
        2 => Some(Colour::Rgb(part()?, part()?, part()?)),
        _ => None,
    }
}

/// Reads a colour whose parts are one parameter: `38:5:N`, `38:2:R:G:B`, and `38:2::R:G:B` with a colour space (ISO 8613-6).
fn in_one_parameter(parts: &[u16]) -> Option<Colour> {
    match parts {
        [2, _, rest @ ..] if rest.len() >= 3 => {
            colour(&mut std::iter::once(2).chain(rest.iter().copied()).map(Some))
        }
        parts => colour(&mut parts.iter().copied().map(Some)),
    }
}

fn write_colour(out: &mut Vec<u8>, colour: Colour, [low, high, any]: [u16; 3], between: u8) {
    match colour {
        Colour::Default => {}
        Colour::Index(index @ 0..=7) if low > 0 => number(out, b";", low + u16::from(index)),
        Colour::Index(index @ 8..=15) if high > 0 => number(out, b";", high + u16::from(index) - 8),
        Colour::Index(index) => {
            number(out, b";", any);
            number(out, &[between, b'5', between], u16::from(index));
        }
        Colour::Rgb(red, green, blue) => {
            number(out, b";", any);
            // Between the colons there is an empty colour space.
            let kind: &[u8] = if between == b':' { b":2::" } else { b";2;" };
            number(out, kind, u16::from(red));
            number(out, &[between], u16::from(green));
            number(out, &[between], u16::from(blue));
        }
    }
}

fn number(out: &mut Vec<u8>, before: &[u8], value: u16) {
    out.extend_from_slice(before);
    out.extend_from_slice(value.to_string().as_bytes());
}
