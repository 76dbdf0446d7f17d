//! Words outside quotes: where they end, and what is special in them, depends on where they stand.

use super::cursor::{END, is_meta};
use super::parts::{Parts, Quoting};
use super::tilde::Tilde;
use super::{Read, Reader};
use crate::syntax::script::{PartKind, Word};

/// What ends a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// A blank or operator.
    Meta,
    /// `}`
    Brace,
    /// `}` or `/`
    Slash,
    /// `|` or `)`
    Alternative,
    /// As [`Until::Meta`], but bars and what stands between parentheses belong to the word.
    Regex,
}

/// Whether braces are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Braces {
    Expand,
    Keep,
}

/// Whether patterns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Globs {
    Plain,
    /// Also `!(…)` and the like, whatever `shopt` says.
    Extended,
    Keep,
}

/// How a word is read at one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    pub(super) until: Until,
    pub(super) braces: Braces,
    pub(super) globs: Globs,
    pub(super) tilde: Tilde,
}

/// Words of simple commands and loops, targets of redirections.
pub(super) const ARGUMENT: Rules = Rules {
    until: Until::Meta,
    braces: Braces::Expand,
    globs: Globs::Plain,
    tilde: Tilde::StartOrAssignment,
};
/// What is assigned.
pub(super) const VALUE: Rules = Rules {
    until: Until::Meta,
    braces: Braces::Keep,
    globs: Globs::Keep,
    tilde: Tilde::StartAndColon,
};
/// Words that are neither split nor globbed: here-strings, words of `case` and of `[[`.
pub(super) const PLAIN: Rules = Rules { tilde: Tilde::Start, ..VALUE };
/// Patterns of `case`.
pub(super) const PATTERN: Rules = Rules { globs: Globs::Plain, ..PLAIN };
/// The right side of `==` in `[[`.
pub(super) const TEST_PATTERN: Rules = Rules { globs: Globs::Extended, ..PLAIN };
/// The right side of `=~`.
pub(super) const REGEX: Rules = Rules { until: Until::Regex, ..PLAIN };
/// Defaults and replacements in `${…}`.
pub(super) const DEFAULT: Rules = Rules { until: Until::Brace, globs: Globs::Plain, ..PLAIN };
/// Patterns in `${…}`.
pub(super) const REMOVED: Rules = Rules { tilde: Tilde::Start, ..DEFAULT };
/// The pattern of `${…/…/…}`.
pub(super) const REPLACED: Rules = Rules { until: Until::Slash, ..DEFAULT };
/// What stands between the bars of `!(…|…)`.
const ALTERNATIVE: Rules =
    Rules { until: Until::Alternative, globs: Globs::Extended, tilde: Tilde::Keep, ..PLAIN };

impl Until {
    const fn stops(self, byte: u8) -> bool {
        match self {
            Self::Meta => is_meta(byte),
            Self::Brace => matches!(byte, END | b'}'),
            Self::Slash => matches!(byte, END | b'}' | b'/'),
            Self::Alternative => matches!(byte, END | b'|' | b')'),
            Self::Regex => is_meta(byte) && byte != b'|',
        }
    }
}

/// Returns whether a byte has a meaning of its own in some word.
const fn is_special(byte: u8) -> bool {
    is_meta(byte) || matches!(byte, b'\\' | b'\'' | b'"' | b'`' | b'$' | b'}' | b'/')
}

impl Reader<'_> {
    /// Reads a word, if one comes next.
    pub(super) fn word(&mut self, rules: Rules) -> Read<Option<Word>> {
        self.peek();
        let start = self.position;
        let mut parts = Parts::default();
        self.bare(rules, &mut parts)?;
        if self.position == start {
            return Ok(None);
        }
        let word = self.finish_word(parts, start)?;
        if word.parts.is_empty() {
            // Nothing but a line continuation.
            return Ok(None);
        }
        self.shape(word, rules).map(Some)
    }

    /// Reads the rest of a word, or nothing: for places where an empty word is one.
    pub(super) fn word_or_empty(&mut self, rules: Rules) -> Read<Word> {
        self.peek();
        let at = self.position;
        let word = self.word(rules)?;
        Ok(word.unwrap_or_else(|| Word { span: self.span(at, at), parts: Vec::new() }))
    }

    /// Finds in the text outside quotes what expands there, in the order in which bash does.
    fn shape(&mut self, word: Word, rules: Rules) -> Read<Word> {
        let word = match rules.braces {
            Braces::Expand => self.braces(word)?,
            Braces::Keep => word,
        };
        self.finish_shape(word, rules)
    }

    pub(super) fn finish_shape(&mut self, word: Word, rules: Rules) -> Read<Word> {
        let word = Self::tilde(word, rules.tilde);
        match rules.globs {
            Globs::Plain | Globs::Extended => self.globs(word),
            Globs::Keep => Ok(word),
        }
    }

    fn bare(&mut self, rules: Rules, parts: &mut Parts) -> Read<()> {
        let mut open = 0_u32;
        loop {
            let byte = self.peek();
            let at = self.position;
            match byte {
                b'\\' => self.add_escaped(parts),
                b'\'' => self.single(parts)?,
                b'"' => self.double(parts)?,
                b'`' => self.backticks(parts, super::quoted::Context::Bare)?,
                b'$' => self.dollar(parts, super::quoted::Context::Bare)?,
                b'<' | b'>' if self.peek_second() == b'(' => self.process(parts, byte)?,
                b'(' if self.qualifiers(rules, parts)? => {}
                b'(' if self.begins_extended(rules, parts) => self.extended(parts)?,
                b'(' if rules.until == Until::Regex => {
                    open += 1;
                    self.bump();
                    self.add_text(parts, at, at + 1, Quoting::Bare);
                }
                b')' if open > 0 => {
                    open -= 1;
                    self.bump();
                    self.add_text(parts, at, at + 1, Quoting::Bare);
                }
                END if open > 0 => return Err(self.unexpected()),
                _ if open == 0 && rules.until.stops(byte) => return Ok(()),
                _ => {
                    self.bump();
                    while !is_special(self.raw(self.position)) {
                        self.bump();
                    }
                    self.add_text(parts, at, self.position, Quoting::Bare);
                }
            }
        }
    }

    /// Patterns like `!(a)` are read where bash is sure to, and where `shopt -s extglob` came before.
    fn begins_extended(&self, rules: Rules, parts: &Parts) -> bool {
        let on = rules.globs == Globs::Extended || self.found.extended_globs;
        on && rules.until != Until::Regex
            && matches!(parts.last_bare(), Some(b'?' | b'*' | b'+' | b'@' | b'!'))
    }

    fn extended(&mut self, parts: &mut Parts) -> Read<()> {
        parts.take_back();
        let mut start = self.position - 1;
        while self.raw(start) == b'\n' || self.raw(start) == b'\\' {
            start -= 1;
        }
        self.bump();
        let words = self.deeper(|reader| {
            let mut words = vec![reader.word_or_empty(ALTERNATIVE)?];
            while reader.eat(b"|") {
                words.push(reader.word_or_empty(ALTERNATIVE)?);
            }
            Ok(words)
        })?;
        if !self.eat(b")") {
            return Err(self.unexpected());
        }
        let text = String::from_utf8_lossy(&self.text[start..self.position]).into_owned();
        self.add_part(parts, start, Quoting::Bare, PartKind::ExtendedGlob(text, words))
    }

    fn process(&mut self, parts: &mut Parts, byte: u8) -> Read<()> {
        let start = self.position;
        self.bump();
        let script = Box::new(self.substitution()?);
        let kind = if byte == b'<' {
            PartKind::ProcessInput(script)
        } else {
            PartKind::ProcessOutput(script)
        };
        self.add_part(parts, start, Quoting::Bare, kind)
    }
}
