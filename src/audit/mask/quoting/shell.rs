//! Follows a line as a shell reads it: quotes, substitutions, here-documents, and which words are names of commands.

use std::collections::VecDeque;

use super::{BREAK, CLOSES, Kind, NAME, OPENS, Region, SEPARATOR, Text};

/// Quotes and substitutions within each other that are followed.
const DEEPEST: usize = 64;

/// Bytes behind a delimiter in which a pipe is looked for.
const NEAR: usize = 256;

/// Words after which a command follows.
const BEFORE: [&str; 10] = ["then", "do", "else", "elif", "if", "while", "until", "!", "{", "time"];

/// Words that begin something else than a command.
const NONE: [&str; 5] = ["for", "select", "function", "case", "in"];

/// Programs that run the command behind them.
const WRAPPERS: [&str; 14] = [
    "sudo", "doas", "env", "command", "exec", "nohup", "nice", "xargs", "builtin", "eval",
    "setsid", "stdbuf", "ionice", "chronic",
];

struct Shell<'text, 'a> {
    text: &'text mut Text<'a>,
    frames: Vec<Frame>,
    /// Here-documents whose bodies begin behind the line.
    documents: VecDeque<Document>,
    /// Where the innermost here-document ends.
    limit: usize,
}

/// What is being read.
#[allow(clippy::struct_excessive_bools, reason = "each is another thing that a shell knows there")]
struct Frame {
    kind: Kind,
    place: u32,
    opener: usize,
    /// Whether a backslash keeps the next byte, and substitutions are made.
    expands: bool,
    /// `$'…'`
    is_dollar: bool,
    is_backtick: bool,
    is_arithmetic: bool,
    /// Parentheses within it.
    parens: usize,
    /// `case` within it, whose patterns end with a parenthesis.
    cases: usize,
    word: Option<usize>,
    /// Whether the next word is a command's name.
    expects: bool,
    /// Whether the next word belongs to a redirection.
    redirects: bool,
    /// Whether the command is `cat` or `tee`.
    copies: bool,
    /// Of a here-document: where the one around it ends.
    outer: Option<usize>,
}

struct Document {
    delimiter: Vec<u8>,
    /// `<<-`
    strips: bool,
    expands: bool,
    is_file: bool,
}

pub(super) fn follow(text: &mut Text<'_>) {
    let length = text.len();
    let mut shell = Shell { text, frames: Vec::new(), documents: VecDeque::new(), limit: length };
    shell.frames.push(Frame::new(Kind::Command, 0, 0));
    let mut at = 0;
    while at < length {
        if at >= shell.limit && shell.frames.iter().any(|frame| frame.outer.is_some()) {
            at = shell.end_document(at);
            continue;
        }
        let (next, place) = shell.step(at);
        let next = next.clamp(at + 1, length);
        shell.text.places[at..next].fill(place);
        at = next;
    }
    shell.end_word(length);
}

impl Frame {
    const fn new(kind: Kind, place: u32, opener: usize) -> Self {
        Self {
            kind,
            place,
            opener,
            expands: !matches!(kind, Kind::Single),
            is_dollar: false,
            is_backtick: false,
            is_arithmetic: false,
            parens: 0,
            cases: 0,
            word: None,
            expects: true,
            redirects: false,
            copies: false,
            outer: None,
        }
    }
}

impl Shell<'_, '_> {
    fn frame(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Reads what begins at a place. Returns where the next begins, and the region to which it belongs.
    fn step(&mut self, at: usize) -> (usize, u32) {
        let frame = self.frame();
        let (kind, place, expands) = (frame.kind, frame.place, frame.expands);
        let is_dollar = frame.is_dollar;
        match (kind, self.byte(at).unwrap_or(0)) {
            (Kind::Command, byte) => self.command(at, byte),
            (Kind::Single, b'\'') | (Kind::Double, b'"') => self.close_quote(at),
            (Kind::Single, b'\\') if is_dollar => (at + 2, place),
            (Kind::Parameter, b'}') => {
                self.close(at + 1);
                (at + 1, place)
            }
            (Kind::Default, b'}') => {
                self.close(at);
                let place = self.frame().place;
                self.close(at + 1);
                (at + 1, place)
            }
            (_, b'\\') if expands => (at + 2, place),
            (Kind::Default, b'\'') if self.is_quoted() => (at + 1, place),
            (Kind::Parameter | Kind::Default, quote @ (b'"' | b'\'')) => {
                self.open_quote(at, at, quote)
            }
            (_, b'$' | b'`') if expands => self.substitution(at).unwrap_or((at + 1, place)),
            _ => (at + 1, place),
        }
    }

    /// Reads what begins at a place among commands.
    fn command(&mut self, at: usize, byte: u8) -> (usize, u32) {
        let place = self.frame().place;
        let next = self.byte(at + 1);
        match byte {
            b'`' if self.frame().is_backtick => return self.close_command(at),
            b')' if self.ends_substitution() => return self.close_command(at),
            b'\\' if next == Some(b'\n') => {
                self.break_at(at);
                self.text.marks[at + 1] |= BREAK;
                return (at + 2, place);
            }
            b'\\' => {
                self.begin_word(at);
                return (at + 2, place);
            }
            b' ' | b'\t' | b'\r' => self.break_at(at),
            b'\n' => {
                self.separate(at);
                self.begin_document(at + 1);
            }
            b'&' if next == Some(b'>') || self.is_redirection(at) => self.break_at(at),
            b'|' if self.is_redirection(at) => self.break_at(at),
            b';' | b'|' | b'&' => self.separate(at),
            b'(' => {
                // `NAME=(…)` is no command.
                let is_array = at > 0 && self.byte(at - 1) == Some(b'=');
                self.frame().parens += 1;
                if is_array {
                    self.break_at(at);
                } else {
                    self.separate(at);
                }
                let is_arithmetic = !is_array && next == Some(b'(');
                self.frame().is_arithmetic |= is_arithmetic;
                self.frame().expects = !is_array && !is_arithmetic;
            }
            b')' => {
                let frame = self.frame();
                frame.parens = frame.parens.saturating_sub(1);
                self.separate(at);
            }
            b'<' | b'>' => return self.redirection(at, byte),
            b'\'' | b'"' => return self.open_quote(at, at, byte),
            b'$' if matches!(next, Some(b'\'' | b'"')) => {
                let quote = next.unwrap_or(byte);
                let opened = self.open_quote(at, at + 1, quote);
                self.frame().is_dollar = quote == b'\'';
                return opened;
            }
            b'$' | b'`' => {
                self.begin_word(at);
                return self.substitution(at).unwrap_or((at + 1, place));
            }
            b'#' if self.frame().word.is_none() => {
                let rest = &self.text.as_bytes()[at..];
                let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
                return (at + length, place);
            }
            _ => self.begin_word(at),
        }
        (at + 1, place)
    }

    fn redirection(&mut self, at: usize, byte: u8) -> (usize, u32) {
        let place = self.frame().place;
        if self.byte(at + 1) == Some(b'(') {
            self.begin_word(at);
            return self.open(Kind::Command, at, at + 2);
        }
        let rest = &self.text.as_bytes()[at..];
        let length = rest.iter().take_while(|one| **one == byte).count().min(3);
        self.break_at(at);
        self.text.marks[at..at + length].fill(BREAK);
        self.frame().redirects = true;
        if byte == b'<' && length == 2 && !self.frame().is_arithmetic {
            return (self.document(at + 2), place);
        }
        (at + length, place)
    }

    /// Reads the delimiter of a here-document.
    fn document(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let strips = bytes.get(start) == Some(&b'-');
        let mut at = start + usize::from(strips);
        at += bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b";|&<>()".contains(byte);
        let length = bytes[at..].iter().position(ends).unwrap_or(bytes.len() - at);
        let word = &bytes[at..at + length];
        let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'\\');
        let delimiter: Vec<u8> = word.iter().copied().filter(|byte| !is_quote(byte)).collect();
        if delimiter.is_empty() {
            return at;
        }
        let goes_on =
            bytes[at..].iter().take(NEAR).take_while(|b| **b != b'\n').any(|b| *b == b'|');
        let expands = !word.iter().any(is_quote);
        let is_file = self.frame().copies && !goes_on;
        self.documents.push_back(Document { delimiter, strips, expands, is_file });
        self.frame().redirects = false;
        at + length
    }

    /// Opens the next here-document whose body begins here.
    fn begin_document(&mut self, start: usize) {
        if self.frames.len() > DEEPEST {
            return;
        }
        let Some(document) = self.documents.pop_front() else { return };
        let mut at = start;
        while at < self.limit {
            let rest = &self.text.as_bytes()[at..self.limit];
            let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let line = &rest[..length];
            let tabs = line.iter().take_while(|byte| document.strips && **byte == b'\t').count();
            if line[tabs..] == document.delimiter {
                break;
            }
            at += length + 1;
        }
        let kind = if document.is_file { Kind::File } else { Kind::Document };
        let (_, place) = self.open(kind, start, start);
        let end = at.min(self.limit);
        self.text.regions[place as usize].range.end = end;
        let outer = self.limit;
        self.limit = end;
        let frame = self.frame();
        frame.outer = Some(outer);
        frame.expands = document.expands;
    }

    /// Closes the here-document that ends here, with all that is open in it. Returns where the line with its delimiter ends.
    fn end_document(&mut self, at: usize) -> usize {
        while let Some(frame) = self.frames.pop() {
            let range = &mut self.text.regions[frame.place as usize].range;
            range.end = range.end.min(at);
            if let Some(outer) = frame.outer {
                self.limit = outer;
                break;
            }
        }
        let place = self.frame().place;
        let rest = &self.text.as_bytes()[at..self.limit.max(at)];
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.text.places[at..at + length].fill(place);
        at + length
    }

    fn open(&mut self, kind: Kind, opener: usize, start: usize) -> (usize, u32) {
        let place = u32::try_from(self.text.regions.len()).unwrap_or(0);
        let inner = if kind.is_live() { opener } else { start };
        self.text.regions.push(Region { kind, range: inner..self.limit.max(inner) });
        self.frames.push(Frame::new(kind, place, opener));
        (start, place)
    }

    fn open_quote(&mut self, start: usize, opener: usize, quote: u8) -> (usize, u32) {
        let place = self.frame().place;
        self.begin_word(start);
        if self.frames.len() <= DEEPEST {
            let kind = if quote == b'"' { Kind::Double } else { Kind::Single };
            self.open(kind, opener, opener + 1);
        }
        (opener + 1, place)
    }

    fn close_quote(&mut self, at: usize) -> (usize, u32) {
        let opener = self.frame().opener;
        self.close(at);
        self.text.marks[opener] |= OPENS;
        self.text.closes[opener] = at;
        self.text.marks[at] |= CLOSES;
        (at + 1, self.frame().place)
    }

    fn close_command(&mut self, at: usize) -> (usize, u32) {
        self.break_at(at);
        let place = self.frame().place;
        self.close(at + 1);
        (at + 1, place)
    }

    fn close(&mut self, end: usize) {
        if let Some(frame) = self.frames.pop() {
            self.text.regions[frame.place as usize].range.end = end;
        }
    }

    /// Opens `$(…)`, `` `…` `` or `${…}`.
    fn substitution(&mut self, at: usize) -> Option<(usize, u32)> {
        if self.frames.len() > DEEPEST {
            return None;
        }
        let opened = match (self.byte(at)?, self.byte(at + 1)) {
            (b'`', _) => {
                let opened = self.open(Kind::Command, at, at + 1);
                self.frame().is_backtick = true;
                opened
            }
            (_, Some(b'(')) => {
                let is_arithmetic = self.byte(at + 2) == Some(b'(');
                let opened = self.open(Kind::Command, at, at + 2);
                self.frame().is_arithmetic = is_arithmetic;
                opened
            }
            (_, Some(b'{')) => {
                let word = self.default(at + 2);
                let opened = self.open(Kind::Parameter, at, at + 2);
                if let Some(start) = word {
                    self.open(Kind::Default, start, start);
                    return Some((start, opened.1));
                }
                opened
            }
            _ => return None,
        };
        Some(opened)
    }

    /// Where the word begins that stands for a parameter or for a part of it: `NAME:-WORD`, `NAME/PATTERN/WORD`.
    fn default(&self, start: usize) -> Option<usize> {
        let near = &self.text.as_bytes()[start..self.limit.min(start + NEAR).max(start)];
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'!');
        let special = near.first().is_some_and(|byte| b"@*?$".contains(byte));
        let mut at = near.iter().take_while(is_name).count().max(usize::from(special));
        if at > 0 && near.get(at) == Some(&b'[') {
            at += near[at..].iter().position(|byte| *byte == b']')? + 1;
        }
        let behind = match near.get(at..).filter(|_| at > 0)? {
            [b':', b'-' | b'=' | b'+' | b'?', ..] => at + 2,
            [b'-' | b'=' | b'+' | b'?', ..] => at + 1,
            [b'/', pattern @ ..] => {
                let is_end =
                    |at: &usize| *at > 0 && pattern[*at] == b'/' && pattern[*at - 1] != b'\\';
                let end = pattern.iter().position(|byte| *byte == b'}').unwrap_or(pattern.len());
                at + 1 + (0..end).find(is_end)? + 1
            }
            _ => return None,
        };
        Some(start + behind)
    }

    /// Whether the parameter whose word is read stands in double quotes or in a here-document, where a single quote is none.
    fn is_quoted(&self) -> bool {
        let around = self
            .frames
            .iter()
            .rev()
            .find(|frame| !matches!(frame.kind, Kind::Parameter | Kind::Default));
        around.is_some_and(|frame| frame.kind != Kind::Command)
    }

    fn ends_substitution(&mut self) -> bool {
        let is_inner = self.frames.len() > 1;
        let frame = self.frame();
        is_inner && !frame.is_backtick && frame.parens == 0 && frame.cases == 0
    }

    /// Whether a redirection stands right before: `>&`, `>|`.
    fn is_redirection(&self, at: usize) -> bool {
        at > 0 && matches!(self.byte(at - 1), Some(b'<' | b'>'))
    }

    fn begin_word(&mut self, at: usize) {
        self.frame().word.get_or_insert(at);
    }

    fn break_at(&mut self, at: usize) {
        self.end_word(at);
        self.text.marks[at] |= BREAK;
    }

    fn separate(&mut self, at: usize) {
        self.end_word(at);
        self.text.marks[at] |= BREAK | SEPARATOR;
        let frame = self.frame();
        frame.expects = true;
        frame.redirects = false;
        frame.copies = false;
    }

    fn end_word(&mut self, end: usize) {
        let frame = self.frame();
        let Some(start) = frame.word.take() else { return };
        if std::mem::take(&mut frame.redirects) || frame.is_arithmetic {
            return;
        }
        let place = frame.place;
        let is_inner = frame.kind == Kind::Command && place > 0;
        let word = &self.text.source[start..end];
        let frame = self.frames.iter_mut().rev().find(|frame| frame.place == place);
        let Some(frame) = frame else { return };
        if word == "esac" {
            frame.cases = frame.cases.saturating_sub(1);
        }
        if !frame.expects {
            return;
        }
        frame.cases += usize::from(is_inner && word == "case");
        if is_assignment(word) || word.starts_with('-') || BEFORE.contains(&word) {
            return;
        }
        let name = word.rsplit('/').next().unwrap_or(word);
        frame.expects = WRAPPERS.contains(&name);
        frame.copies = matches!(name, "cat" | "tee");
        // What is quoted with blanks is a line of its own, as behind `eval`.
        if !NONE.contains(&word) && !word.contains([' ', '\n']) {
            for mark in &mut self.text.marks[start..end] {
                *mark |= NAME;
            }
        }
    }
}

/// `NAME=…`, `NAME+=…`, `NAME[…]=…`
fn is_assignment(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let name = name.split('[').next().unwrap_or(name).trim_end_matches('+');
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'"' | b'\'');
    word.contains('=') && !name.is_empty() && name.bytes().all(is_word)
}
