//! The text of `explain` in rows, with its colours. Whatever else is in it is shown and not acted on.

use anstyle::{Ansi256Color, AnsiColor, Color, Style};

/// Rows that are kept of it.
const MOST_ROWS: usize = 5_000;

/// A row: texts, each with its style.
pub(super) type Runs = Vec<(String, Style)>;

/// The text in rows.
#[derive(Debug)]
pub(super) struct Explained {
    pub(super) rows: Vec<Runs>,
}

impl Explained {
    pub(super) fn new(text: &str) -> Self {
        let mut style = Style::new();
        let rows = text.trim_end().lines().take(MOST_ROWS).map(|row| runs(row, &mut style));
        Self { rows: rows.collect() }
    }
}

fn runs(row: &str, style: &mut Style) -> Runs {
    let mut runs = Vec::new();
    let mut parts = row.split("\x1b[");
    runs.push((parts.next().unwrap_or("").to_owned(), *style));
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        if part[end..].starts_with('m') {
            select(&part[..end], style);
            runs.push((part[end + 1..].to_owned(), *style));
        } else {
            runs.push((format!("\x1b[{part}"), *style));
        }
    }
    runs.retain(|(text, _)| !text.is_empty());
    runs
}

fn select(codes: &str, style: &mut Style) {
    for code in codes.split(';') {
        *style = match code.parse::<u8>() {
            Err(_) | Ok(0) => Style::new(),
            Ok(1) => style.bold(),
            Ok(2) => style.dimmed(),
            Ok(4) => style.underline(),
            Ok(code @ (30..=37 | 90..=97)) => style.fg_color(colour(code)),
            Ok(39) => style.fg_color(None),
            Ok(_) => *style,
        };
    }
}

fn colour(code: u8) -> Option<Color> {
    let index = if code >= 90 { code - 82 } else { code - 30 };
    Ansi256Color(index).into_ansi().map(|colour: AnsiColor| Color::Ansi(colour))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_are_acted_on() {
        let bold = Style::new().bold();
        let red = bold.fg_color(Some(Color::Ansi(AnsiColor::Red)));
        for (text, rows) in [
            ("a\nb\n", vec![vec![("a", Style::new())], vec![("b", Style::new())]]),
            ("\x1b[1m\x1b[31mhigh\x1b[0m x", vec![vec![("high", red), (" x", Style::new())]]),
            ("\x1b[2Jx\x1b[1", vec![vec![("\x1b[2Jx", Style::new()), ("\x1b[1", Style::new())]]),
            ("\x1b]0;t\x07", vec![vec![("\x1b]0;t\x07", Style::new())]]),
            ("", vec![]),
        ] {
            let own = |row: Vec<(&str, Style)>| -> Runs {
                row.into_iter().map(|(text, style)| (text.to_owned(), style)).collect()
            };
            let rows: Vec<Runs> = rows.into_iter().map(own).collect();
            assert_eq!(Explained::new(text).rows, rows, "{text:?}");
        }
    }
}
