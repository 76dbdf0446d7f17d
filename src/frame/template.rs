//! What a frame's text is made of: pieces that are known to the byte, and holes that hold one narrow kind of text each.

use super::measured::Measured;
use crate::model::{Facts, ParentAgent};

/// One piece of a frame's text.
pub(super) enum Piece {
    /// Exactly this text.
    Text(&'static str),
    /// This text, with holes in it: `⟦NAME⟧` stands for the pieces of that name, and for the same text wherever it stands again.
    Template(&'static str, HoleKinds),
    /// This text, known by its measure alone, with pieces for the holes in it.
    Measured(&'static Measured, HoleKinds),
    /// These pieces or nothing.
    Maybe(&'static [Piece]),
    /// The first of these that fits.
    Either(&'static [&'static [Piece]]),
    /// One or more digits.
    Digits,
    /// One or more digits and lower-case letters from a to f.
    Hexadecimal,
    /// One or more digits and letters.
    Alphanumeric,
    /// Digits and letters from a to f, in groups with `-` between them.
    Identifier,
    /// One shell word, plain or in single quotes as agents quote, whose value is these pieces.
    Word(&'static [Piece]),
    /// These pieces, of characters that mean nothing to a shell, in double quotes or out of them.
    Plain(&'static [Piece]),
    /// The home directory.
    Home,
    /// The agent's own directory below the home directory: of this name, or where this variable puts it.
    Own(&'static str, &'static str),
    /// One of the temporary directories.
    Temporary,
    /// The file that the agent itself runs from.
    Program,
    /// The same, two names shorter: the directory that the agent is installed in.
    Installation,
    /// The rest of one line.
    Line,
    /// A path below what stands before it, with no name of `.` or `..` in it.
    Below,
}

/// Takes text off the front, piece by piece.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    facts: &'a Facts,
    parent: Option<&'a ParentAgent>,
}

/// Returns a word as agents quote it, so that [`Cursor::word`] takes it.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\"'\"'"))
}

/// A shell word as agents quote it.
pub(super) struct Quoted {
    /// Its value.
    pub(super) value: String,
    /// How many bytes its value begins behind the word, where the value stands there byte for byte.
    pub(super) verbatim: Option<usize>,
}

/// What may stand in the holes of a text, by name.
pub(super) type HoleKinds = &'static [(&'static str, &'static [Piece])];

/// What the holes of a text hold.
pub(super) type Holes = Vec<(&'static str, String)>;

impl<'a> Cursor<'a> {
    /// Starts at the beginning of a text that may be of this agent.
    pub(super) fn new(text: &'a str, facts: &'a Facts, agent: &str) -> Self {
        let parent = facts.parent_agent.as_ref().filter(|parent| parent.name == agent);
        Self { text, at: 0, facts, parent }
    }

    /// Returns whether it is the agent itself that called.
    pub(super) const fn is_agents(&self) -> bool {
        self.parent.is_some()
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes exactly this text.
    pub(super) fn literal(&mut self, text: &str) -> bool {
        let fits = self.rest().starts_with(text);
        if fits {
            self.at += text.len();
        }
        fits
    }

    /// Takes so many bytes, if they are whole characters.
    pub(super) fn bytes(&mut self, length: usize) -> Option<&'a str> {
        let text = self.rest().get(..length)?;
        self.at += length;
        Some(text)
    }

    /// Takes these pieces; nothing if they do not fit.
    pub(super) fn take(&mut self, pieces: &'static [Piece]) -> Option<&'a str> {
        let start = self.at;
        let fits = pieces.iter().all(|piece| self.piece(piece));
        if !fits {
            self.at = start;
            return None;
        }
        Some(&self.text[start..self.at])
    }

    /// Takes these pieces; returns whether nothing is left behind them.
    pub(super) fn takes_all(&mut self, pieces: &'static [Piece]) -> bool {
        self.take(pieces).is_some() && self.rest().is_empty()
    }

    /// Takes characters of this kind.
    pub(super) fn run(&mut self, is_part: impl Fn(char) -> bool) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| &rest[..end])
    }

    /// Takes one shell word: plain, or in single quotes with `'"'"'` for each quote in it.
    pub(super) fn word(&mut self) -> Option<Quoted> {
        if !self.literal("'") {
            let value = self.run(is_plain)?.to_owned();
            return Some(Quoted { value, verbatim: Some(0) });
        }
        let mut value = String::new();
        let mut is_verbatim = true;
        loop {
            let end = self.rest().find('\'')?;
            value.push_str(&self.rest()[..end]);
            self.at += end + 1;
            if !self.literal("\"'\"'") {
                return Some(Quoted { value, verbatim: is_verbatim.then_some(1) });
            }
            value.push('\'');
            is_verbatim = false;
        }
    }

    fn piece(&mut self, piece: &'static Piece) -> bool {
        match piece {
            Piece::Text(text) => self.literal(text),
            Piece::Template(text, holes) => self.template(text, holes, &mut Vec::new()),
            Piece::Measured(measured, holes) => measured.take(self, holes, Vec::new()),
            Piece::Maybe(pieces) => {
                self.take(pieces);
                true
            }
            Piece::Either(choices) => choices.iter().any(|pieces| self.take(pieces).is_some()),
            Piece::Digits => self.run(|c| c.is_ascii_digit()).is_some(),
            Piece::Hexadecimal => self.run(is_hexadecimal).is_some(),
            Piece::Alphanumeric => self.run(|c| c.is_ascii_alphanumeric()).is_some(),
            Piece::Identifier => self.run(|c| is_hexadecimal(c) || c == '-').is_some(),
            Piece::Line => {
                self.run(|c| c != '\n' && c != '\r');
                true
            }
            Piece::Below => {
                let path = self.run(|c| is_plain(c) || c == '/').unwrap_or("");
                !path.is_empty() && path.split('/').all(|name| !matches!(name, "" | "." | ".."))
            }
            Piece::Word(pieces) => {
                let Some(word) = self.word() else { return false };
                let value = &word.value;
                Cursor { text: value, at: 0, facts: self.facts, parent: self.parent }
                    .takes_all(pieces)
            }
            Piece::Plain(pieces) => {
                let found = self.take(pieces);
                found.is_some_and(|found| found.chars().all(|c| is_plain(c) || c == ' '))
            }
            Piece::Home => {
                let home = self.facts.home.as_deref();
                home.is_some_and(|home| is_absolute(home) && self.literal(home))
            }
            Piece::Own(name, variable) => self.own(name, variable),
            Piece::Temporary => {
                let facts = self.facts;
                facts.temporary.iter().any(|path| is_absolute(path) && self.literal(path))
            }
            Piece::Program => {
                let program = self.parent.and_then(|parent| parent.program.as_deref());
                program.is_some_and(|program| is_absolute(program) && self.literal(program))
            }
            Piece::Installation => {
                let program = self.parent.and_then(|parent| parent.program.as_deref());
                let above = program.and_then(|path| path.rsplitn(3, '/').nth(2));
                above.is_some_and(|above| is_absolute(above) && self.literal(above))
            }
        }
    }

    /// Takes the agent's directory. A variable may name another, but only below the home: it is no way to other files.
    fn own(&mut self, name: &str, variable: &str) -> bool {
        let Some(home) = self.facts.home.as_deref().filter(|home| is_absolute(home)) else {
            return false;
        };
        let named = self.facts.environment.get(variable).filter(|path| {
            let below = path.strip_prefix(home).and_then(|below| below.strip_prefix('/'));
            below.is_some_and(|below| below.split('/').all(|name| !matches!(name, "" | "." | "..")))
        });
        if let Some(named) = named
            && self.literal(named)
        {
            return true;
        }
        self.literal(&format!("{home}/{name}"))
    }

    fn template(&mut self, text: &'static str, holes: HoleKinds, held: &mut Holes) -> bool {
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('⟦') {
            let Some((name, after)) = after.split_once('⟧') else { return false };
            if !self.literal(before) || !self.hole(name, holes, held) {
                return false;
            }
            rest = after;
        }
        self.literal(rest)
    }

    /// Takes what a hole holds: what it held before, else what may stand there.
    pub(super) fn hole(&mut self, name: &'static str, holes: HoleKinds, held: &mut Holes) -> bool {
        if let Some((_, text)) = held.iter().find(|(hole, _)| *hole == name) {
            return self.literal(text);
        }
        let Some((_, pieces)) = holes.iter().find(|(hole, _)| *hole == name) else {
            return false;
        };
        let Some(text) = self.take(pieces) else { return false };
        held.push((name, text.to_owned()));
        true
    }
}

/// The characters that agents leave unquoted.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_./:=@+,-".contains(c)
}

const fn is_hexadecimal(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, 'a'..='f')
}

/// Paths that are facts are taken only where they are whole: nothing that ends in `/` or is empty fits anything.
fn is_absolute(path: &str) -> bool {
    path.len() > 1 && path.starts_with('/') && !path.ends_with('/')
}
