//! The lines of a file, found by their bytes, from the end or from anywhere. Holds none of them but the one that is asked for, and of that one no more than
//! [`squeeze::LONGEST`](super::squeeze::LONGEST).

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde_json::Value;

use super::squeeze::Squeezed;

/// Bytes that are read at once.
const BLOCK: usize = 64 << 10;

/// Where a line stands, without its newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) at: u64,
    pub(super) bytes: u64,
    /// Whether it has a newline: the last line of a file that is written just now has none.
    pub(super) is_ended: bool,
}

impl Span {
    /// Returns where the next line begins.
    pub(super) const fn end(&self) -> u64 {
        self.at + self.bytes + self.is_ended as u64
    }
}

/// A line that was read.
#[derive(Debug)]
pub(super) struct Line {
    /// What it says; none where it cannot be read.
    pub(super) value: Option<Value>,
    /// What is wrong with it, for people.
    pub(super) damage: Option<String>,
}

/// The lines of a file, as long as it was when it was opened.
pub(super) struct Lines<'f> {
    file: &'f File,
    pub(super) length: u64,
    /// What was read last, and from where on.
    block: Vec<u8>,
    block_at: u64,
    /// Bytes that were read of the file.
    pub(super) read: u64,
}

impl<'f> Lines<'f> {
    pub(super) fn of(file: &'f File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file, length, block: Vec::new(), block_at: 0, read: 0 })
    }

    /// Returns what stands from a byte on, `most` bytes or less; none where the file ends.
    fn from(&mut self, at: u64, most: u64) -> io::Result<&[u8]> {
        let most = usize::try_from(most).unwrap_or(BLOCK).min(BLOCK);
        let is_there = (self.block_at..self.block_at + self.block.len() as u64).contains(&at);
        if !is_there {
            self.block.resize(most, 0);
            let mut filled = 0;
            while filled < most {
                match self.file.read_at(&mut self.block[filled..], at + filled as u64) {
                    Ok(0) => break,
                    Ok(count) => filled += count,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            self.block.truncate(filled);
            self.block_at = at;
            self.read += filled as u64;
        }
        let begin = usize::try_from(at - self.block_at).unwrap_or_default();
        let rest = &self.block[begin..];
        Ok(&rest[..rest.len().min(most)])
    }

    /// Returns the lines before a byte, the last first, until `most` are found or `bytes` were gone through. One line is found in any case.
    pub(super) fn back(&mut self, before: u64, most: usize, bytes: u64) -> io::Result<Vec<Span>> {
        let mut found = Vec::new();
        let before = before.min(self.length);
        // The byte behind the line of which the beginning is looked for; behind its newline, if it has one.
        let (mut end, mut at) = (before, before);
        let mut is_ended = None;
        while at > 0 && found.len() < most && (found.is_empty() || before - at < bytes) {
            let start = at.saturating_sub(BLOCK as u64);
            let block = self.from(start, at - start)?;
            let mut rest = block;
            if is_ended.is_none() {
                let ends = block.last() == Some(&b'\n');
                is_ended = Some(ends);
                rest = &block[..block.len() - usize::from(ends)];
            }
            while let Some(newline) = memchr::memrchr(b'\n', rest) {
                let begin = start + newline as u64 + 1;
                found.push(span(begin, end, is_ended == Some(true)));
                (end, is_ended) = (begin, Some(true));
                rest = &rest[..newline];
                if found.len() == most {
                    return Ok(found);
                }
            }
            at = start;
        }
        if at == 0 && end > 0 && found.len() < most {
            found.push(span(0, end, is_ended == Some(true)));
        }
        Ok(found)
    }

    /// Returns the line that begins at a byte; none where the file ends, or where the line is longer than `most`.
    pub(super) fn next(&mut self, at: u64, most: u64) -> io::Result<Option<Span>> {
        let mut end = at;
        while end < self.length && end - at <= most {
            let block = self.from(end, BLOCK as u64)?;
            if block.is_empty() {
                break;
            }
            if let Some(newline) = memchr::memchr(b'\n', block) {
                let bytes = end - at + newline as u64;
                return Ok(Some(Span { at, bytes, is_ended: true }));
            }
            end += block.len() as u64;
        }
        let is_over = end >= self.length && end > at;
        Ok(is_over.then_some(Span { at, bytes: end - at, is_ended: false }))
    }

    /// Reads a line.
    pub(super) fn line(&mut self, span: &Span) -> io::Result<Line> {
        let mut squeezed = Squeezed::default();
        let mut at = span.at;
        let end = span.at + span.bytes;
        while at < end {
            let block = self.from(at, end - at)?;
            if block.is_empty() {
                break;
            }
            let count = block.len() as u64;
            let again = squeezed.take(block) as u64;
            at += count;
            // An escape that the block cuts comes again with what follows it; at the end nothing does.
            if again > 0 && at < end && again < count {
                at -= again;
                self.block.clear();
            }
        }
        let (kept, left) = squeezed.end();
        Ok(read(kept.as_deref(), left, span))
    }
}

fn span(begin: u64, end: u64, is_ended: bool) -> Span {
    Span { at: begin, bytes: end - begin - u64::from(is_ended), is_ended }
}

/// Returns what a line says, and what is wrong with it.
fn read(kept: Option<&[u8]>, left: u64, span: &Span) -> Line {
    let size = size(span.bytes);
    let Some(kept) = kept else {
        let damage = format!("A line of {size} is too long to be read.");
        return Line { value: None, damage: Some(damage) };
    };
    if kept.iter().all(u8::is_ascii_whitespace) {
        return Line { value: None, damage: None };
    }
    let cut =
        (left > 0).then(|| format!("Of a line of {size}, {} are not shown.", self::size(left)));
    let error = match serde_json::from_slice(kept) {
        Ok(value) => return Line { value: Some(value), damage: cut },
        Err(error) => error,
    };
    if !span.is_ended {
        let damage = format!("The last line is not finished: {size} of it are there.");
        return Line { value: None, damage: Some(damage) };
    }
    // What a client wrote as it came from a program may be no text: the rest of the line counts.
    if std::str::from_utf8(kept).is_err() {
        let value = serde_json::from_str(&String::from_utf8_lossy(kept)).ok();
        let damage = format!("A line of {size} is no UTF-8: what is no text in it is replaced.");
        return Line { value, damage: Some(damage) };
    }
    let damage = if error.is_eof() {
        format!("A line of {size} ends in the middle, so it is passed over.")
    } else {
        format!("A line of {size} is no JSON, so it is passed over.")
    };
    Line { value: None, damage: Some(damage) }
}

/// Returns a number of bytes for people.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
