//! Text for people: measured in columns, cut, broken into rows, and taken apart into what a terminal shows of it; and errors as text.

use std::path::Path;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::visible;

/// Marks that are drawn over one character at most: a pile of them would reach into the rows around it.
const MOST_MARKS: usize = 3;

/// What is shown for a tab.
const TAB: &str = "    ";

/// A part of a text that is drawn as one: a character with its marks, or a hidden one written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What is drawn; `\n` where a row ends.
    pub text: String,
    /// Columns that it takes.
    pub width: usize,
    /// The byte of the text at which it begins.
    pub at: usize,
}

/// Takes a text apart. No piece but a line break does anything but show, and none takes no room of its own.
#[must_use]
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut marks = MOST_MARKS;
    for (at, c) in text.char_indices() {
        let mut buffer = [0; 4];
        let written = match c {
            '\t' => TAB.into(),
            c => visible(c.encode_utf8(&mut buffer)),
        };
        let is_plain = written.len() == c.len_utf8();
        let width = written.width();
        if c != '\n' && c.width() == Some(0) && is_plain {
            if marks < MOST_MARKS
                && !is_overlay(c)
                && let Some(base) = pieces.last_mut()
            {
                base.text.push(c);
                marks += 1;
                continue;
            }
            let text = format!("\\u{{{:x}}}", u32::from(c));
            pieces.push(Piece { width: text.len(), text, at });
            continue;
        }
        // A mark needs a letter to stand on: over a sign it makes another one (`=`, `≠`).
        let takes_marks = is_plain && !c.is_whitespace() && (c.is_alphabetic() || !c.is_ascii());
        marks = if takes_marks { 0 } else { MOST_MARKS };
        let width = if c == '\n' { 0 } else { width };
        pieces.push(Piece { text: written.into_owned(), width, at });
    }
    pieces
}

/// Whether a mark is drawn through a character, or around it, so that it is taken for another one.
const fn is_overlay(c: char) -> bool {
    matches!(c, '\u{334}'..='\u{338}' | '\u{20d2}' | '\u{20d3}' | '\u{20d8}'..='\u{20da}' | '\u{20dd}'..='\u{20f0}')
}

/// Returns the columns that a text takes.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// Returns the text on one line.
#[must_use]
pub fn on_one_line(text: &str) -> String {
    text.replace('\n', "⏎")
}

/// Returns the text on one line and in at most this many columns, the last of them `…` if it was longer.
#[must_use]
pub fn cut(text: &str, columns: usize) -> String {
    let text = on_one_line(text).replace('\t', " ");
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

/// Returns the text on one line and in at most this many columns, with `…` in the place of what is left out within it.
#[must_use]
pub fn cut_within(text: &str, columns: usize) -> String {
    let text = on_one_line(text);
    if width(&text) <= columns {
        return text;
    }
    let head = cut(&text, columns.div_ceil(3));
    let mut tail = Vec::new();
    let mut room = columns.saturating_sub(width(&head));
    for c in text.chars().rev() {
        let Some(left) = room.checked_sub(c.width().unwrap_or(0)) else { break };
        room = left;
        tail.push(c);
    }
    head.chars().chain(tail.into_iter().rev()).collect()
}

/// Returns the text on one line and in at most this many columns, cut behind a word, with `…` if it was longer.
#[must_use]
pub fn cut_at_word(text: &str, columns: usize) -> String {
    let short = cut(text, columns);
    let Some(kept) = short.strip_suffix('…').filter(|_| width(text) > columns) else {
        return short;
    };
    match kept.rfind(' ') {
        Some(end) if !text[kept.len()..].starts_with(' ') => {
            format!("{}…", kept[..end].trim_end_matches([' ', ',', ';', ':']))
        }
        _ => short,
    }
}

/// Returns the text broken at spaces, and between wide characters, into rows of at most this many columns; a word that is longer is broken anywhere.
/// Of the blanks between two words all are there, but one where a row ends.
#[must_use]
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let text = text.trim().replace('\n', " ").replace('\t', TAB);
    let (mut rows, mut row) = (Vec::new(), None::<String>);
    for word in text.split(' ') {
        let mut gap = " ";
        for part in unbroken(word) {
            row = match row {
                Some(row) if width(&row) + gap.len() + width(part) <= columns => {
                    Some(format!("{row}{gap}{part}"))
                }
                full => {
                    rows.extend(full);
                    let mut rest = part;
                    while width(rest) > columns {
                        let (head, tail) = split(rest, columns);
                        rows.push(head.to_owned());
                        rest = tail;
                    }
                    Some(rest.to_owned())
                }
            };
            gap = "";
        }
    }
    rows.extend(row);
    rows
}

/// Signs that no row begins with, and such as no row ends with, in Japanese and Chinese (JIS X 4051, GB/T 15834).
const NOT_FIRST: &str = "、。，．：；？！）」』】”’ーっゃゅょッャュョ…・";
const NOT_LAST: &str = "（「『【“‘";

/// Takes a word apart where a row may end within it: before and behind wide characters. The word alone where it has none.
fn unbroken(word: &str) -> Vec<&str> {
    let is_wide = |c: char| c.width() == Some(2);
    let (mut parts, mut start, mut before) = (Vec::new(), 0, None::<char>);
    for (at, c) in word.char_indices() {
        let may_break = before.is_some_and(|before| {
            (is_wide(c) || is_wide(before))
                && c.width() != Some(0)
                && !NOT_FIRST.contains(c)
                && !NOT_LAST.contains(before)
        });
        if may_break {
            parts.push(&word[start..at]);
            start = at;
        }
        before = Some(c);
    }
    parts.push(&word[start..]);
    parts
}

fn split(word: &str, columns: usize) -> (&str, &str) {
    let mut used = 0;
    let at = word.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > columns
    });
    let at = at.map_or(word.len(), |(at, _)| at).max(word.chars().next().map_or(0, char::len_utf8));
    word.split_at(at)
}

/// Returns the text, filled with spaces up to this many columns.
#[must_use]
pub fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Returns a path as people write it: `~` for the home.
#[must_use]
pub fn short(path: &str, home: Option<&str>) -> String {
    let below = home.and_then(|home| Path::new(path).strip_prefix(home).ok());
    match below {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.to_owned(),
    }
}

/// Returns an error with its causes, on one line.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
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
    fn text_that_is_cut_within_keeps_both_ends() {
        assert_eq!(cut_within("/home/dev/project", 20), "/home/dev/project");
        assert_eq!(cut_within("/home/dev/a/long/way/project", 12), "/ho…/project");
        assert_eq!(width(&cut_within("/漢字/漢字/漢字/漢字", 9)), 9);
    }

    #[test]
    fn wrapped_text_loses_no_word() {
        assert_eq!(wrapped("deletes a thing for good", 11), ["deletes a", "thing for", "good"]);
        assert_eq!(wrapped("x abcdefghijkl", 8), ["x", "abcdefgh", "ijkl"]);
        assert_eq!(wrapped("", 8), [""]);
    }

    #[test]
    fn wide_characters_are_broken_between_where_their_signs_let_them() {
        assert_eq!(wrapped("x 漢字漢字漢字", 8), ["x 漢字漢", "字漢字"]);
        assert_eq!(wrapped("npm は、漢字", 8), ["npm は、", "漢字"]);
        assert_eq!(wrapped("a漢（bcd）字", 8), ["a漢", "（bcd）", "字"]);
        assert_eq!(wrapped("漢字 word", 9), ["漢字 word"]);
    }

    #[test]
    fn wrapped_text_keeps_its_blanks() {
        assert_eq!(wrapped("reads 'a  b'", 20), ["reads 'a  b'"]);
        assert_eq!(wrapped("reads 'a   b'", 8), ["reads 'a", "  b'"]);
        assert_eq!(wrapped("a\tb\nc ", 20), ["a    b c"]);
    }

    #[test]
    fn the_home_is_a_tilde() {
        assert_eq!(short("/home/dev/x", Some("/home/dev")), "~/x");
        assert_eq!(short("/home/dev", Some("/home/dev")), "~");
        assert_eq!(short("/home/developer", Some("/home/dev")), "/home/developer");
    }

    #[test]
    fn pieces_only_show() {
        for (text, shown) in [
            ("a\u{301}b", &["a\u{301}", "b"][..]),
            ("\u{301}x", &["\\u{301}", "x"]),
            (" \u{301}", &[" ", "\\u{301}"]),
            ("e\u{301}\u{302}\u{303}\u{304}", &["e\u{301}\u{302}\u{303}", "\\u{304}"]),
            ("\t漢\n\x1b", &["    ", "漢", "\n", "\\x1b"]),
            ("\u{200d}\u{301}", &["\\u{200d}", "\\u{301}"]),
            ("=\u{338}1\u{301}", &["=", "\\u{338}", "1", "\\u{301}"]),
            ("o\u{338}", &["o", "\\u{338}"]),
        ] {
            let pieces = pieces(text);
            let texts: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
            assert_eq!(texts, shown, "{text:?}");
            assert!(pieces.iter().all(|piece| piece.text == "\n" || piece.width > 0));
        }
    }
}
