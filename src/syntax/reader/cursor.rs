//! Looking at bytes. A backslash before a newline joins two lines in the middle of any token (POSIX 2.2.1), so every
//! look skips it; only single quotes, comments and quoted here-documents look at raw bytes.

use super::{Read, Reader, refused, unfinished};

/// Returned by looks at the end of the text. A NUL byte is never in it.
pub(super) const END: u8 = 0;

/// Returns whether a byte ends a word outside quotes.
pub(super) const fn is_meta(byte: u8) -> bool {
    matches!(byte, END | b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>')
}

/// Returns whether a byte may stand in a name; its first may not be a digit.
pub(super) const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Reader<'_> {
    /// Returns the byte at a place, [`END`] after the last.
    #[inline]
    pub(super) fn raw(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(END)
    }

    /// Returns the place of the first byte from `at` on that no line continuation takes away.
    #[inline]
    pub(super) fn join(&self, mut at: usize) -> usize {
        while self.raw(at) == b'\\' && self.raw(at + 1) == b'\n' {
            at += 2;
        }
        at
    }

    /// Returns the next byte, and moves past line continuations before it.
    #[inline]
    pub(super) fn peek(&mut self) -> u8 {
        self.position = self.join(self.position);
        self.raw(self.position)
    }

    /// Returns the byte after the next one.
    pub(super) fn peek_second(&mut self) -> u8 {
        self.peek();
        self.raw(self.join(self.position + 1))
    }

    /// Returns whether the next bytes are these.
    pub(super) fn at(&self, bytes: &[u8]) -> bool {
        self.past(bytes).is_some()
    }

    /// Moves past these bytes if they are next.
    pub(super) fn eat(&mut self, bytes: &[u8]) -> bool {
        let Some(after) = self.past(bytes) else { return false };
        self.position = after;
        true
    }

    fn past(&self, bytes: &[u8]) -> Option<usize> {
        let mut at = self.position;
        for byte in bytes {
            at = self.join(at);
            if self.raw(at) != *byte || at >= self.text.len() {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// Moves past the next byte, whatever it is.
    #[inline]
    pub(super) fn bump(&mut self) {
        self.position += 1;
    }

    /// Moves past blanks and a comment: a `#` where a token may begin.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.bump();
        }
        if self.raw(self.position) == b'#' {
            while !matches!(self.raw(self.position), END | b'\n') {
                self.bump();
            }
        }
    }

    /// Moves past blanks, comments and newlines.
    pub(super) fn skip_newlines(&mut self) -> Read<()> {
        loop {
            let start = self.position;
            self.skip_blanks();
            self.steps(self.position - start + 1)?;
            if self.raw(self.position) != b'\n' {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Moves past a newline and the bodies of the here-documents that its line announced.
    pub(super) fn newline(&mut self) -> Read<()> {
        self.bump();
        if self.pending.is_empty() {
            return Ok(());
        }
        self.here_documents()
    }

    /// Returns the error for what comes next.
    pub(super) fn unexpected(&mut self) -> super::Stop {
        match self.peek() {
            END => unfinished("the text ends where a command is not complete"),
            b'\n' => refused("a line ends where a command is not complete"),
            _ => {
                let rest = &self.text[self.position..];
                let end = rest
                    .iter()
                    .skip(1)
                    .position(|byte| is_meta(*byte))
                    .map_or(rest.len(), |at| at + 1);
                let token = String::from_utf8_lossy(&rest[..end.min(20)]).into_owned();
                refused(format!("unexpected '{token}'"))
            }
        }
    }
}
