//! Where a subcommand writes for people: whether in colours, and how wide.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anstyle::Style;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::failure::Failure;
use super::sheet::Colour;

/// The standard output, as far as it shapes what is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    /// Whether colours are written.
    pub(super) colour: Colour,
    /// The columns of the terminal; none where it is no terminal.
    pub(super) columns: Option<usize>,
}

impl Output {
    /// Returns what stdout is.
    pub(super) fn new() -> Self {
        let out = io::stdout();
        let is_terminal = out.is_terminal();
        // no-color.org: set and not empty.
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let colour = if is_terminal && wanted { Colour::On } else { Colour::Off };
        let size = terminal_size::terminal_size_of(&out);
        let columns = size.map(|(width, _)| usize::from(width.0)).filter(|columns| *columns > 0);
        Self { colour, columns: columns.filter(|_| is_terminal) }
    }

    /// Returns text that is less important.
    pub(super) fn dim(self, text: &str) -> String {
        self.colour.paint(Style::new().dimmed(), text)
    }

    /// Returns text that stands out.
    pub(super) fn bold(self, text: &str) -> String {
        self.colour.paint(Style::new().bold(), text)
    }
}

/// Writes text to stdout as it is, in one piece.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Returns the columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// Returns the text on one line and in at most this many columns, the last of them `…` if it was longer.
pub(super) fn cut(text: &str, columns: usize) -> String {
    let text = text.replace('\n', "⏎").replace('\t', " ");
    if width(&text) <= columns {
        return text;
    }
    let mut kept = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// Returns the text broken at spaces into rows of at most this many columns; a word that is longer is broken anywhere.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let mut rows = vec![String::new()];
    for word in text.split_whitespace() {
        let mut word = word.to_owned();
        loop {
            let row = rows.last().map_or(0, |row| width(row));
            let gap = usize::from(row > 0);
            if row + gap + width(&word) <= columns {
                if let Some(last) = rows.last_mut() {
                    last.push_str(&" ".repeat(gap));
                    last.push_str(&word);
                }
                break;
            }
            if row > 0 {
                rows.push(String::new());
                continue;
            }
            let (head, tail) = split(&word, columns);
            rows = rows
                .into_iter()
                .filter(|row| !row.is_empty())
                .chain([head, String::new()])
                .collect();
            word = tail;
        }
    }
    rows
}

fn split(word: &str, columns: usize) -> (String, String) {
    let mut used = 0;
    let at = word.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > columns
    });
    let at = at.map_or(word.len(), |(at, _)| at).max(word.chars().next().map_or(0, char::len_utf8));
    (word[..at].to_owned(), word[at..].to_owned())
}

/// Returns the text, filled with spaces up to this many columns.
pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Returns a path as people write it: `~` for the home.
pub(super) fn short(path: &str, home: Option<&str>) -> String {
    let below = home.and_then(|home| Path::new(path).strip_prefix(home).ok());
    match below {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_text_fits_and_stays_on_one_line() {
        assert_eq!(cut("echo hi", 7), "echo hi");
        assert_eq!(cut("echo hi!", 7), "echo h…");
        assert_eq!(cut("a\nb", 9), "a⏎b");
        assert_eq!(width(&cut("漢字漢字", 5)), 5);
    }

    #[test]
    fn wrapped_text_loses_no_word() {
        assert_eq!(wrapped("deletes a thing for good", 11), ["deletes a", "thing for", "good"]);
        assert_eq!(wrapped("x abcdefghijkl", 8), ["x", "abcdefgh", "ijkl"]);
        assert_eq!(wrapped("", 8), [""]);
    }

    #[test]
    fn the_home_is_a_tilde() {
        assert_eq!(short("/home/dev/x", Some("/home/dev")), "~/x");
        assert_eq!(short("/home/dev", Some("/home/dev")), "~");
        assert_eq!(short("/home/developer", Some("/home/dev")), "/home/developer");
    }
}
