//! A word while it is being read: finished parts and the text that is still growing.

use super::cursor::END;
use super::{Read, Reader};
use crate::model::Reason;
use crate::syntax::script::{Part, PartKind, Word};

/// Whether text stands in quotes or behind a backslash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Quoting {
    #[default]
    Bare,
    Quoted,
}

/// The parts of a word so far. Places are those of the text being read.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) list: Vec<Part>,
    text: Vec<u8>,
    from: usize,
    to: usize,
    quoting: Quoting,
}

impl Parts {
    /// Returns the last byte outside quotes if the word ends in one.
    pub(super) fn last_bare(&self) -> Option<u8> {
        if self.quoting == Quoting::Bare { self.text.last().copied() } else { None }
    }

    /// Takes back the last byte.
    pub(super) fn take_back(&mut self) {
        self.text.pop();
        self.to -= 1;
    }
}

impl Reader<'_> {
    /// Adds the bytes from `from` up to `to`.
    pub(super) fn add_text(&mut self, parts: &mut Parts, from: usize, to: usize, quoting: Quoting) {
        self.add_bytes(parts, from..to, from..to, quoting);
    }

    /// Adds the bytes of one range, written as those of another.
    pub(super) fn add_bytes(
        &mut self,
        parts: &mut Parts,
        bytes: std::ops::Range<usize>,
        written: std::ops::Range<usize>,
        quoting: Quoting,
    ) {
        if !parts.text.is_empty() && parts.quoting != quoting {
            self.flush(parts);
        }
        if parts.text.is_empty() {
            parts.from = written.start;
            parts.quoting = quoting;
        }
        parts.text.extend_from_slice(&self.text[bytes]);
        parts.to = written.end;
    }

    /// Makes a part of the text that has grown.
    pub(super) fn flush(&mut self, parts: &mut Parts) {
        if parts.text.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut parts.text);
        let part = self.literal(bytes, parts.from, parts.to, parts.quoting);
        // Most words are one part.
        parts.list.reserve_exact(usize::from(parts.list.is_empty()));
        parts.list.push(part);
    }

    /// Makes a literal of bytes. Those that are not UTF-8 make it opaque.
    pub(super) fn literal(
        &mut self,
        bytes: Vec<u8>,
        from: usize,
        to: usize,
        quoting: Quoting,
    ) -> Part {
        let span = self.span(from, to);
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            self.note(Reason::NotUtf8, span);
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        Part { span, quoted: quoting == Quoting::Quoted, kind: PartKind::Literal(text) }
    }

    /// Adds a part that ends here.
    pub(super) fn add_part(
        &mut self,
        parts: &mut Parts,
        from: usize,
        quoting: Quoting,
        kind: PartKind,
    ) -> Read<()> {
        self.node()?;
        self.flush(parts);
        let span = self.span(from, self.position);
        parts.list.push(Part { span, quoted: quoting == Quoting::Quoted, kind });
        Ok(())
    }

    /// Makes a word that ends here.
    pub(super) fn finish_word(&mut self, mut parts: Parts, start: usize) -> Read<Word> {
        self.flush(&mut parts);
        self.node()?;
        self.steps(self.position - start)?;
        self.meter.nodes += u32::try_from(parts.list.len()).unwrap_or(u32::MAX / 2);
        Ok(Word { span: self.span(start, self.position), parts: parts.list })
    }

    /// Reads what a backslash quotes: one character, of which a multi-byte one has several bytes.
    pub(super) fn add_escaped(&mut self, parts: &mut Parts) {
        let start = self.position;
        if self.raw(start + 1) == END {
            self.bump();
            return self.add_text(parts, start, start + 1, Quoting::Quoted);
        }
        let mut end = start + 2;
        while self.raw(start + 1) >= 0x80 && matches!(self.raw(end), 0x80..=0xBF) {
            end += 1;
        }
        self.position = end;
        self.add_bytes(parts, start + 1..end, start..end, Quoting::Quoted);
    }
}
