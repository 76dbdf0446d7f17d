//! A small editor of text: a command line, a message, a word. Holds the text as it is; what of it shows is for who draws it.

use unicode_width::UnicodeWidthChar;

use super::keys::Key;

/// Bytes of a text at most.
const LONGEST: usize = 64 * 1024;

/// Whether a text may have several lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    One,
    Many,
}

/// A text and a cursor in it.
#[derive(Clone, Debug)]
pub(super) struct Editor {
    text: String,
    /// A byte between characters.
    cursor: usize,
    lines: Lines,
}

impl Editor {
    pub(super) fn new(text: &str, lines: Lines) -> Self {
        Self { text: text.to_owned(), cursor: text.len(), lines }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Takes a key; returns whether it meant anything.
    pub(super) fn key(&mut self, key: &Key) -> bool {
        match key {
            Key::Char(c) => self.insert(c.encode_utf8(&mut [0; 4])),
            Key::Paste(text) => self.insert(text),
            Key::NewLine | Key::Control('j') if self.lines == Lines::Many => self.insert("\n"),
            Key::Backspace | Key::Control('h') => self.delete(self.before(self.cursor)),
            Key::Delete | Key::Control('d') => self.delete(self.behind(self.cursor)),
            Key::Left | Key::Control('b') => self.cursor = self.before(self.cursor),
            Key::Right | Key::Control('f') => self.cursor = self.behind(self.cursor),
            Key::Home | Key::Control('a') => self.cursor = self.line_start(self.cursor),
            Key::End | Key::Control('e') => self.cursor = self.line_end(self.cursor),
            Key::Up | Key::Control('p') if self.lines == Lines::Many => self.up(),
            Key::Down | Key::Control('n') if self.lines == Lines::Many => self.down(),
            Key::Control('u') => self.delete(self.line_start(self.cursor)),
            Key::Control('k') => self.delete(match self.line_end(self.cursor) {
                // At the end of a line, the line break itself.
                end if end == self.cursor => self.behind(self.cursor),
                end => end,
            }),
            Key::Control('w') => self.delete(self.word_start()),
            _ => return false,
        }
        true
    }

    fn insert(&mut self, text: &str) {
        let text = match self.lines {
            Lines::Many => text.to_owned(),
            Lines::One => text.replace('\n', " "),
        };
        if self.text.len() + text.len() <= LONGEST.max(self.text.len()) {
            self.text.insert_str(self.cursor, &text);
            self.cursor += text.len();
        }
    }

    /// Deletes between the cursor and another place.
    fn delete(&mut self, to: usize) {
        let (start, end) = (to.min(self.cursor), to.max(self.cursor));
        self.text.replace_range(start..end, "");
        self.cursor = start;
    }

    /// The place before the character, with its marks, that ends here.
    fn before(&self, at: usize) -> usize {
        let mut characters = self.text[..at].char_indices().rev();
        characters.find(|(_, c)| !is_mark(*c)).map_or(0, |(at, _)| at)
    }

    /// The place behind the character, with its marks, that begins here.
    fn behind(&self, at: usize) -> usize {
        let mut characters = self.text[at..].char_indices().skip(1);
        characters.find(|(_, c)| !is_mark(*c)).map_or(self.text.len(), |(more, _)| at + more)
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |at| at + 1)
    }

    fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |more| at + more)
    }

    fn word_start(&self) -> usize {
        let before = self.text[..self.cursor].trim_end();
        before
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8))
    }

    fn up(&mut self) {
        let start = self.line_start(self.cursor);
        if start > 0 {
            self.move_to(self.line_start(start - 1), start - 1);
        }
    }

    fn down(&mut self) {
        let end = self.line_end(self.cursor);
        if end < self.text.len() {
            self.move_to(end + 1, self.line_end(end + 1));
        }
    }

    /// Moves into a line, as many characters from its beginning as now.
    fn move_to(&mut self, start: usize, end: usize) {
        let count = self.text[self.line_start(self.cursor)..self.cursor].chars().count();
        let line = &self.text[start..end];
        self.cursor = start + line.char_indices().nth(count).map_or(line.len(), |(at, _)| at);
    }
}

fn is_mark(c: char) -> bool {
    c.width() == Some(0) && !c.is_control()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_edit_a_text() {
        let control = Key::Control;
        for (text, keys, then, cursor) in [
            ("ab", vec![Key::Left, Key::Char('x')], "axb", 2),
            ("ab", vec![Key::Home, Key::Delete], "b", 0),
            ("a\nb", vec![Key::Backspace, Key::Backspace], "a", 1),
            ("npm install x", vec![control('w'), control('w')], "npm ", 4),
            ("a b  ", vec![control('w')], "a ", 2),
            ("a\nbc", vec![control('u')], "a\n", 2),
            ("a\nbc", vec![control('a'), control('k')], "a\n", 2),
            ("a\nbc", vec![Key::Up, control('k')], "abc", 1),
            ("a\nbc", vec![Key::Up, Key::Down, Key::Char('x')], "a\nbxc", 4),
            ("e\u{301}é漢", vec![Key::Left, Key::Left, Key::Backspace], "é漢", 0),
            ("", vec![Key::Delete, Key::Backspace, Key::Left, Key::Right, Key::Up], "", 0),
            ("a", vec![Key::NewLine, Key::Paste("x\ny".into())], "a\nx\ny", 5),
        ] {
            let mut editor = Editor::new(text, Lines::Many);
            for key in &keys {
                editor.key(key);
            }
            assert_eq!((editor.text(), editor.cursor()), (then, cursor), "{text:?} {keys:?}");
        }
    }

    #[test]
    fn one_line_stays_one_and_none_grows_without_end() {
        let mut editor = Editor::new("", Lines::One);
        for key in [Key::Paste("a\nb".into()), Key::NewLine, Key::Up, Key::Control('j')] {
            editor.key(&key);
        }
        assert_eq!(editor.text(), "a b");
        editor.key(&Key::Paste("x".repeat(LONGEST)));
        assert_eq!(editor.text(), "a b");
    }
}
