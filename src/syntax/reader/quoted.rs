//! Quotes, and text that is read as if it stood in them: bodies of here-documents and arithmetic.

use super::cursor::END;
use super::parts::{Parts, Quoting};
use super::{Read, Reader, refused, unfinished};
use crate::model::Reason;
use crate::syntax::script::{PartKind, Word};

/// What is special besides `$`, backticks and the backslash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// Outside quotes.
    Bare,
    /// Between double quotes: up to `"`.
    Double,
    /// In `"${…}"`: up to `}`.
    Braced,
    /// The same in a body or an expression.
    BracedText,
    /// Up to the end of the text: a body, an expression, a subscript.
    Text,
}

impl Context {
    /// Returns how what is found there is quoted.
    pub(super) const fn quoting(self) -> Quoting {
        match self {
            Self::Bare => Quoting::Bare,
            Self::Double | Self::Braced | Self::BracedText | Self::Text => Quoting::Quoted,
        }
    }

    /// Returns the context of a word inside `${…}` that stands here.
    pub(super) const fn braced(self) -> Self {
        match self {
            Self::Bare => Self::Bare,
            Self::Double | Self::Braced => Self::Braced,
            Self::Text | Self::BracedText => Self::BracedText,
        }
    }

    /// Returns the context of an expression that stands here.
    pub(super) const fn text(self) -> Self {
        match self {
            Self::Bare | Self::Text | Self::BracedText => Self::Text,
            Self::Double | Self::Braced => Self::Double,
        }
    }

    /// Returns whether a backslash quotes a byte here (bash manual, 3.1.2.3).
    pub(super) const fn escapes(self, byte: u8) -> bool {
        match byte {
            b'$' | b'`' | b'\\' => true,
            b'"' => matches!(self, Self::Double | Self::Braced),
            b'}' => matches!(self, Self::Braced | Self::BracedText),
            _ => false,
        }
    }
}

impl Reader<'_> {
    /// Reads `'…'`.
    pub(super) fn single(&mut self, parts: &mut Parts) -> Read<()> {
        let start = self.position;
        let Some(length) = self.text[start + 1..].iter().position(|byte| *byte == b'\'') else {
            return Err(unfinished("a single quote is not closed"));
        };
        self.flush(parts);
        let bytes = self.text[start + 1..start + 1 + length].to_vec();
        self.position = start + length + 2;
        let part = self.literal(bytes, start, self.position, Quoting::Quoted);
        parts.list.push(part);
        self.steps(length)
    }

    /// Reads `"…"`.
    pub(super) fn double(&mut self, parts: &mut Parts) -> Read<()> {
        self.flush(parts);
        let start = self.position;
        let first = parts.list.len();
        self.bump();
        self.deeper(|reader| reader.quoted(Context::Double, parts))?;
        if self.peek() != b'"' {
            return Err(unfinished("a double quote is not closed"));
        }
        self.bump();
        self.flush(parts);
        self.steps(self.position - start)?;
        let span = self.span(start, self.position);
        if parts.list.len() == first {
            let part = self.literal(Vec::new(), start, self.position, Quoting::Quoted);
            parts.list.push(part);
        }
        // The quotes belong to the parts beside them.
        parts.list[first].span.start = span.start;
        if let Some(last) = parts.list.last_mut() {
            last.span.end = span.end;
        }
        Ok(())
    }

    /// Reads up to what ends the context, without it.
    pub(super) fn quoted(&mut self, context: Context, parts: &mut Parts) -> Read<()> {
        loop {
            let byte = self.peek();
            let at = self.position;
            match byte {
                END => return Ok(()),
                b'"' if context == Context::Double => return Ok(()),
                b'}' if matches!(context, Context::Braced | Context::BracedText) => return Ok(()),
                // Also in a body, where it ends what it began and goes.
                b'"' if matches!(context, Context::Braced | Context::BracedText) => {
                    self.double(parts)?;
                }
                b'\'' if matches!(context, Context::Braced | Context::BracedText) => {
                    self.single_in_braces(parts)?;
                }
                // Bash looks for its end, and then keeps it as text.
                b'<' | b'>'
                    if matches!(context, Context::Braced | Context::BracedText)
                        && self.peek_second() == b'(' =>
                {
                    return Err(refused("a process substitution inside a quoted ${…}"));
                }
                b'\\' => {
                    let next = self.raw(at + 1);
                    self.position += 2;
                    if context.escapes(next) {
                        self.add_bytes(parts, at + 1..at + 2, at..at + 2, Quoting::Quoted);
                    } else {
                        self.position = at + 1;
                        self.add_text(parts, at, at + 1, Quoting::Quoted);
                    }
                }
                b'$' => self.dollar(parts, context)?,
                b'`' => self.backticks(parts, context)?,
                _ => {
                    self.bump();
                    while !matches!(
                        self.raw(self.position),
                        END | b'"' | b'}' | b'\'' | b'\\' | b'$' | b'`' | b'<' | b'>'
                    ) {
                        self.bump();
                    }
                    self.add_text(parts, at, self.position, Quoting::Quoted);
                }
            }
        }
    }

    /// In `"${x-'…'}"` bash looks for the closing quote, so that a `}` between them ends nothing, and then keeps the
    /// quotes as text and expands what stands between them.
    fn single_in_braces(&mut self, parts: &mut Parts) -> Read<()> {
        let start = self.position;
        let Some(length) = self.text[start + 1..].iter().position(|byte| *byte == b'\'') else {
            return Err(unfinished("a single quote inside ${…} is not closed"));
        };
        let end = start + length + 2;
        self.steps(length)?;
        if self.text[start + 1..end].iter().any(|byte| matches!(byte, b'$' | b'`' | b'"' | b'\\')) {
            let what = "expansions between single quotes inside a quoted ${…}";
            self.note(Reason::Syntax(what.to_owned()), self.span(start, end));
        }
        self.position = end;
        self.add_text(parts, start, end, Quoting::Quoted);
        Ok(())
    }

    /// Reads the bytes from here up to `end` as one word of text and expansions.
    pub(super) fn text_until(&mut self, end: usize) -> Read<Word> {
        let start = self.position;
        self.until(end, |reader| {
            let mut parts = Parts::default();
            reader.quoted(Context::Text, &mut parts)?;
            reader.finish_word(parts, start)
        })
    }

    /// Adds a part that an expansion gave.
    pub(super) fn add_expansion(
        &mut self,
        parts: &mut Parts,
        start: usize,
        context: Context,
        kind: PartKind,
    ) -> Read<()> {
        self.add_part(parts, start, context.quoting(), kind)
    }
}
