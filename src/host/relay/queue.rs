//! Bytes on their way to a descriptor that may not take them all at once.

use std::io::{self, ErrorKind, Write};

/// Bytes that are still to be written.
#[derive(Debug, Default)]
pub struct Queue {
    bytes: Vec<u8>,
    written: usize,
}

impl Queue {
    /// Returns how many bytes wait.
    pub fn len(&self) -> usize {
        self.bytes.len() - self.written
    }

    /// Returns whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.is_empty() {
            self.clear();
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.written = 0;
    }

    /// Takes all that waits.
    pub fn take(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.drain(..std::mem::take(&mut self.written));
        bytes
    }

    /// Writes what can be written now, in pieces of at most `piece` bytes.
    pub fn write_to(&mut self, mut out: impl Write, piece: usize) -> io::Result<()> {
        while !self.is_empty() {
            let end = self.bytes.len().min(self.written.saturating_add(piece));
            match out.write(&self.bytes[self.written..end]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if piece != usize::MAX {
                break;
            }
        }
        if self.is_empty() {
            self.clear();
        }
        Ok(())
    }
}
