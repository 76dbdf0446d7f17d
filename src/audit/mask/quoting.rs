//! Where the quotes, here-documents and substitutions of a line begin and end, followed from its start as a shell follows them, and the
//! quotes of the code, settings or prose within them. What the shell runs is never part of a value.

mod shell;

use std::cell::RefCell;
use std::ops::{Deref, Range};

/// A text with its quoting.
pub(super) struct Text<'a> {
    source: &'a str,
    /// The number of the region in which each byte stands.
    places: Vec<u32>,
    /// What each byte is; see the marks below.
    marks: Vec<u8>,
    /// Where the quote closes that opens at a byte.
    closes: Vec<usize>,
    regions: Vec<Region>,
    /// Where a variable or a substitution stands in the place of a secret.
    references: RefCell<Vec<usize>>,
    /// Those of them that stand where nothing but a secret is given.
    certain: RefCell<Vec<usize>>,
}

struct Region {
    kind: Kind,
    range: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Commands: the line itself, and what a substitution holds.
    Command,
    /// `${…}`.
    Parameter,
    /// The word of `${NAME:-WORD}` and the like.
    Default,
    Single,
    Double,
    /// What an edit replaces, or what it puts there: `s/OLD/NEW/`.
    Edit,
    /// The body of a here-document that `cat` or `tee` writes to a file.
    File,
    /// The body of another one.
    Document,
}

impl Kind {
    const fn is_live(self) -> bool {
        matches!(self, Self::Command | Self::Parameter)
    }
}

/// A quote opens here.
const OPENS: u8 = 1;
/// A quote closes here.
const CLOSES: u8 = 2;
/// A byte of a command's name.
const NAME: u8 = 4;
/// An unquoted blank, redirection or separator.
const BREAK: u8 = 8;
/// What ends a command.
const SEPARATOR: u8 = 16;

/// Bytes to which values are measured before it is known that they are secrets. Measuring no further keeps the search linear.
const MOST: usize = 2048;

/// References that are noted.
const REFERENCES: usize = 32;

/// How a text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// As a shell reads it.
    Shell,
    /// As people read it: its words are no commands.
    Prose,
}

/// A byte as a quote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// It opens, and closes at this place.
    Opens(usize),
    Closes,
    /// It is none, or nothing closes it.
    None,
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.source
    }
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str, written: Written) -> Self {
        let length = text.len();
        let mut this = Self {
            source: text,
            places: vec![0; length],
            marks: vec![0; length],
            closes: vec![0; length],
            regions: vec![Region { kind: Kind::Command, range: 0..length }],
            references: RefCell::default(),
            certain: RefCell::default(),
        };
        match written {
            Written::Shell if !is_data(text) => shell::follow(&mut this),
            Written::Shell | Written::Prose => {
                this.regions[0].kind = Kind::Document;
                this.quote_within(0);
            }
        }
        for place in 1..this.regions.len() {
            this.divide(place);
        }
        for place in 1..this.regions.len() {
            this.quote_within(place);
        }
        this
    }

    pub(super) const fn text(&self) -> &'a str {
        self.source
    }

    /// Notes that a variable or a substitution stands where a secret may.
    pub(super) fn refer(&self, at: usize) {
        let mut references = self.references.borrow_mut();
        if !references.contains(&at) && references.len() < REFERENCES {
            references.push(at);
        }
    }

    /// The same where nothing but a secret is given.
    pub(super) fn refer_surely(&self, at: usize) {
        self.refer(at);
        let mut certain = self.certain.borrow_mut();
        if !certain.contains(&at) && certain.len() < REFERENCES {
            certain.push(at);
        }
    }

    /// Returns whether a reference stands where nothing but a secret is given.
    pub(super) fn is_certain(&self, at: usize) -> bool {
        self.certain.borrow().contains(&at)
    }

    /// Returns where the reference of this number stands.
    pub(super) fn reference(&self, number: usize) -> Option<usize> {
        self.references.borrow().get(number).copied()
    }

    pub(super) fn quote(&self, at: usize) -> Quote {
        match self.marks.get(at) {
            Some(marks) if marks & OPENS != 0 => Quote::Opens(self.closes[at]),
            Some(marks) if marks & CLOSES != 0 => Quote::Closes,
            _ => Quote::None,
        }
    }

    fn region(&self, at: usize) -> &Region {
        let place = self.places.get(at).map_or(0, |place| *place as usize);
        &self.regions[place]
    }

    /// Whether the byte stands among commands, and not in quotes or a here-document.
    pub(super) fn is_command(&self, at: usize) -> bool {
        self.region(at).kind.is_live()
    }

    /// Whether the byte stands in quotes of a shell's.
    pub(super) fn is_quoted(&self, at: usize) -> bool {
        matches!(self.region(at).kind, Kind::Single | Kind::Double)
    }

    /// Whether the byte stands in single quotes, of which a shell leaves everything as it is.
    pub(super) fn is_literal(&self, at: usize) -> bool {
        self.region(at).kind == Kind::Single
    }

    /// The quotes, the here-document or the substitution in which a byte stands.
    pub(super) fn around(&self, at: usize) -> Range<usize> {
        self.region(at).range.clone()
    }

    /// What stands from a place on in the same quotes, here-document or substitution, as far as values are measured.
    pub(super) fn rest(&self, start: usize) -> &'a str {
        let length = self.around(start).end.saturating_sub(start);
        self.behind(start, length.min(MOST))
    }

    /// What stands behind a place, at most so many bytes of it.
    pub(super) fn behind(&self, start: usize, most: usize) -> &'a str {
        let end = self.source.len().min(start + most);
        let end = (start..=end).rev().find(|end| self.source.is_char_boundary(*end));
        self.source.get(start..end.unwrap_or(start)).unwrap_or("")
    }

    /// What stands before a place, at most so many bytes of it: looking no further keeps a search linear.
    pub(super) fn before(&self, at: usize, most: usize) -> &'a str {
        self.between(at.saturating_sub(most), at)
    }

    /// The same of what stands in the same quotes, here-document or substitution, and whether all of that is there.
    pub(super) fn before_within(&self, at: usize, most: usize) -> (&'a str, bool) {
        let start = self.around(at).start;
        let before = self.between(start.max(at.saturating_sub(most)), at);
        (before, start + before.len() == at)
    }

    /// What stands between a byte, which may be any of a character, and a place behind it.
    fn between(&self, start: usize, at: usize) -> &'a str {
        let start = (start..at).find(|start| self.source.is_char_boundary(*start));
        &self.source[start.unwrap_or(at)..at]
    }

    /// The word of the `${NAME:-WORD}` that begins here.
    pub(super) fn default(&self, at: usize) -> Option<Range<usize>> {
        let rest = self.rest(at).strip_prefix("${")?;
        let place = self.places[at] as usize;
        if self.regions[place].kind == Kind::Parameter && self.regions[place].range.start == at {
            let word = self.regions.get(place + 1).filter(|word| word.kind == Kind::Default)?;
            return Some(word.range.clone());
        }
        // In a file, or where a shell leaves it as it is.
        let is_name = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let name = rest.find(is_name).filter(|length| *length > 0)?;
        let word = rest[name..].strip_prefix(':').unwrap_or(&rest[name..]);
        let word = word.strip_prefix(['-', '=', '+'])?;
        let start = at + "${".len() + rest.len() - word.len();
        let length = word.find(['}', '\n']).filter(|end| word[*end..].starts_with('}'))?;
        Some(start..start + length)
    }

    /// Whether the byte stands in a parameter, or in its word.
    pub(super) fn is_parameter(&self, at: usize) -> bool {
        matches!(self.region(at).kind, Kind::Parameter | Kind::Default)
    }

    /// Whether the byte belongs to the name or the operator of a parameter.
    pub(super) fn is_operator(&self, at: usize) -> bool {
        self.region(at).kind == Kind::Parameter
    }

    /// Where the region ends in which a byte stands, if it ends before `end`.
    pub(super) fn end_of_region(&self, at: usize, end: usize) -> usize {
        let place = self.places[at];
        let other = self.places[at..end].iter().position(|other| *other != place);
        other.map_or(end, |length| at + length)
    }

    /// Where the word ends that begins here among commands.
    pub(super) fn end_of_word(&self, start: usize) -> usize {
        let marks = &self.marks[start..self.marks.len().min(start + MOST)];
        let length = marks.iter().position(|marks| marks & BREAK != 0).unwrap_or(marks.len());
        start + self.rest(start).get(..length).map_or(self.rest(start).len(), str::len)
    }

    /// Extends a value that was not measured to its end.
    pub(super) fn extend(&self, range: Range<usize>) -> Range<usize> {
        if range.len() + 4 < MOST {
            return range;
        }
        let end = self.around(range.start).end.max(range.end);
        let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '`');
        let rest = &self.source[range.end..end];
        range.start..range.end + rest.find(ends).unwrap_or(rest.len())
    }

    /// Adds what of a range may be masked: no more than the quotes, the here-document or the command in which it begins, without
    /// substitutions and names of commands.
    pub(super) fn clip(&self, range: Range<usize>, found: &mut Vec<Range<usize>>) {
        let mut range = range;
        while self.is_operator(range.start) && !range.is_empty() {
            let place = self.places[range.start] as usize;
            let word = self.regions.get(place + 1).filter(|word| word.kind == Kind::Default);
            if let Some(Region { range: word, .. }) = word {
                self.clip(word.start.max(range.start)..word.end.min(range.end), found);
            }
            range.start = self.regions[place].range.end.clamp(range.start + 1, range.end);
        }
        let Some(place) = self.places.get(range.start).copied() else { return };
        let own = &self.regions[place as usize];
        let end = range.end.min(own.range.end);
        let mut add = |start: usize, end: usize| {
            let is_value = |byte: &u8| !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'');
            if start < end && self.as_bytes()[start..end].iter().any(is_value) {
                found.push(start..end);
            }
        };
        let (mut at, mut start) = (range.start, range.start);
        while at < end && self.marks[at] & SEPARATOR == 0 {
            let region = &self.regions[self.places[at] as usize];
            let next = if self.places[at] != place && region.kind.is_live() {
                region.range.end.max(at + 1)
            } else if self.marks[at] & NAME != 0 {
                at + 1
            } else {
                at += 1;
                continue;
            };
            add(start, at);
            at = next;
            start = next;
        }
        add(start, at.min(end));
        // The rest of a word of which the first part is quoted.
        let rest = own.range.end + 1;
        if matches!(own.kind, Kind::Single | Kind::Double) && at == end && rest < range.end {
            let breaks = |marks: &u8| marks & (BREAK | SEPARATOR) != 0;
            let length = self.marks[rest..range.end].iter().position(breaks);
            self.clip(rest..length.map_or(range.end, |length| rest + length), found);
        }
    }

    /// Makes regions of the parts of edits in quotes, as of `sed 's/OLD/NEW/'`: a value ends with them.
    fn divide(&mut self, place: usize) {
        let Region { kind, range } = &self.regions[place];
        if !matches!(kind, Kind::Single | Kind::Double) {
            return;
        }
        let mut rest = range.clone();
        while let Some([old, new]) = self.edit(rest.clone()) {
            rest.start = new.end + 1;
            for part in [old, new] {
                let number = u32::try_from(self.regions.len()).unwrap_or(0);
                let own = self.places[part.clone()].iter_mut();
                own.filter(|own| **own as usize == place).for_each(|own| *own = number);
                self.regions.push(Region { kind: Kind::Edit, range: part });
            }
        }
    }

    /// The parts of the next edit.
    fn edit(&self, range: Range<usize>) -> Option<[Range<usize>; 2]> {
        let bytes = &self.as_bytes()[..range.end];
        let is_sign = |byte: &u8| b"/|#,@~!:%".contains(byte);
        let begins = |at: &usize| {
            let before = at.checked_sub(1).filter(|before| *before >= range.start);
            bytes[*at] == b's'
                && bytes.get(at + 1).is_some_and(is_sign)
                && before.is_none_or(|before| matches!(bytes[before], b' ' | b';' | b'/' | b'\n'))
        };
        // Of a text of any length, the first line may hold one.
        let start = (range.start..range.end.min(range.start + MOST)).find(begins)?;
        let sign = bytes[start + 1];
        let end = |from: usize| {
            let mut at = from;
            while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'\n') {
                if *byte == sign {
                    return Some(at);
                }
                at += if *byte == b'\\' { 2 } else { 1 };
            }
            None
        };
        let old = end(start + 2)?;
        let new = end(old + 1)?;
        Some([start + 2..old, old + 1..new])
    }

    /// Marks the quotes within a region, line by line.
    fn quote_within(&mut self, place: usize) {
        let Region { kind, range } = &self.regions[place];
        if kind.is_live() {
            return;
        }
        let range = range.clone();
        let mut start = range.start;
        while start < range.end {
            let rest = &self.source.as_bytes()[start..range.end];
            let end = start + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            self.quote_line(start..end, place);
            start = end + 1;
        }
    }

    /// Marks the quotes of one line. One that nothing closes on it is none, nor is an apostrophe.
    fn quote_line(&mut self, line: Range<usize>, place: usize) {
        let mut last = [0; 6];
        self.each_quote(line.clone(), place, |_, at, kind| last[kind] = at);
        let mut open: Option<(usize, usize)> = None;
        let mut pairs = Vec::new();
        self.each_quote(line, place, |bytes, at, kind| match open {
            Some((start, of)) if of == kind => {
                pairs.push((start, at, kind >= 3));
                open = None;
            }
            Some(_) => {}
            None if last[kind] > at && (kind % 3 != 1 || opens(bytes, at)) => {
                open = Some((at, kind));
            }
            None => {}
        });
        for (start, end, is_escaped) in pairs {
            for byte in 0..=usize::from(is_escaped) {
                self.marks[start + byte] |= OPENS;
                self.closes[start + byte] = end;
                self.marks[end + byte] |= CLOSES;
            }
        }
    }

    /// Calls with each quote that a region itself has on a line, its place and its kind: three of them, and the same behind a backslash.
    fn each_quote(
        &self,
        line: Range<usize>,
        place: usize,
        mut call: impl FnMut(&[u8], usize, usize),
    ) {
        let bytes = self.source.as_bytes();
        let kind = |byte: u8| b"\"'`".iter().position(|quote| *quote == byte);
        let mut at = line.start;
        while at < line.end {
            let here = self.places[at] as usize;
            if here != place {
                at = self.regions[here].range.end.max(at + 1);
                continue;
            }
            if bytes[at] == b'\\' {
                if let Some(kind) = bytes.get(at + 1).and_then(|byte| kind(*byte)) {
                    call(bytes, at, kind + 3);
                }
                at += 2;
                continue;
            }
            if let Some(kind) = kind(bytes[at]) {
                call(bytes, at, kind);
            }
            at += 1;
        }
    }
}

/// Whether a single quote can open: it is no apostrophe. One letter before it is a prefix (`b'…'`).
fn opens(bytes: &[u8], at: usize) -> bool {
    let is_word = |back: usize| at >= back && bytes[at - back].is_ascii_alphanumeric();
    !is_word(1) || !is_word(2) && bytes.get(at + 1).is_some_and(|byte| *byte != b' ')
}

/// Whether a text is an object or a list of JSON and nothing else, in which a shell would find no command.
fn is_data(text: &str) -> bool {
    let bytes = text.trim().as_bytes();
    let opens = |byte: &u8| matches!(byte, b'{' | b'[');
    let first = bytes.iter().find(|byte| !opens(byte) && !byte.is_ascii_whitespace());
    if !bytes.first().is_some_and(opens)
        || first != Some(&b'"')
        || text.contains("$(")
        || text.contains('`')
    {
        return false;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return depth == 1 && at + 1 == bytes.len(),
            b'}' | b']' => depth -= 1,
            b',' | b':' | b'.' | b'+' | b'-' => {}
            _ if byte.is_ascii_whitespace() || byte.is_ascii_alphanumeric() => {}
            _ => return false,
        }
        at += 1;
    }
    false
}
