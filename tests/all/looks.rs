//! A screen as text: its rows, and below each that is more than plain a row of letters that say how it looks. The form of the files in
//! `tests/screens/`.

use std::fmt::Write as _;

/// A screen in the making.
#[derive(Default)]
pub struct Looks {
    styles: Vec<String>,
    out: String,
}

impl Looks {
    /// Adds a row: its text, and of each column the names of what it looks like.
    pub fn row(&mut self, text: &str, columns: impl Iterator<Item = Vec<String>>) {
        let letters: String = columns.map(|style| self.letter(style.join(" "))).collect();
        let _ = writeln!(self.out, "|{}", text.trim_end());
        if !letters.trim().is_empty() {
            let _ = writeln!(self.out, ":{}", letters.trim_end());
        }
    }

    fn letter(&mut self, style: String) -> char {
        if style.is_empty() {
            return ' ';
        }
        let at = self.styles.iter().position(|known| *known == style).unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        char::from(b'a' + u8::try_from(at).unwrap())
    }

    /// Returns the rows, and behind them what the letters mean.
    pub fn end(mut self) -> String {
        for (at, style) in self.styles.iter().enumerate() {
            let _ =
                writeln!(self.out, "{} = {style}", char::from(b'a' + u8::try_from(at).unwrap()));
        }
        self.out
    }
}
