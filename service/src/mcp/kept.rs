//! What a line wrote, as far as it is kept: its end, and the digest of all of it. Never more than so many bytes, however much comes.

use guarded_sh::sys::hex::hex;
use ring::digest::{Context, SHA256};

/// Bytes that are kept of one stream.
pub const KEPT: usize = 512 << 10;
/// Bytes that are given at once.
pub const GIVEN: usize = 64 << 10;

/// One stream.
pub struct Kept {
    bytes: Vec<u8>,
    /// How many came before the first that is kept.
    before: u64,
    digest: Context,
}

impl Default for Kept {
    fn default() -> Self {
        Self { bytes: Vec::new(), before: 0, digest: Context::new(&SHA256) }
    }
}

/// A part of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    /// Where it begins.
    pub from: u64,
    /// Where the next begins.
    pub to: u64,
    /// How much there is.
    pub size: u64,
    /// Whether every byte of it is text.
    pub is_text: bool,
}

impl Kept {
    /// Adds what came.
    pub fn add(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 2 * KEPT {
            let gone = self.bytes.len() - KEPT;
            self.bytes.drain(..gone);
            self.before += gone as u64;
        }
    }

    /// Returns how much came.
    pub fn size(&self) -> u64 {
        self.before + self.bytes.len() as u64
    }

    /// Returns how much is kept.
    pub fn kept(&self) -> usize {
        self.bytes.capacity()
    }

    /// Returns how much came, and the SHA-256 of all of it.
    pub fn sum(&self) -> (u64, String) {
        (self.size(), hex(self.digest.clone().finish().as_ref()))
    }

    /// Returns the last of it.
    pub fn end(&self) -> Part {
        self.part(self.size().saturating_sub(GIVEN as u64))
    }

    /// Returns a part from there on; of what is gone, from the first that is kept.
    pub fn part(&self, from: u64) -> Part {
        let from = from.clamp(self.before, self.size());
        let start = usize::try_from(from - self.before).unwrap_or(self.bytes.len());
        let mut end = self.bytes.len().min(start + GIVEN);
        // A letter that is cut comes with the next part.
        if end < self.bytes.len() {
            while end > start && self.bytes[end] & 0xc0 == 0x80 {
                end -= 1;
            }
            if end == start {
                end = self.bytes.len().min(start + GIVEN);
            }
        }
        let bytes = &self.bytes[start..end];
        Part {
            text: String::from_utf8_lossy(bytes).into_owned(),
            from,
            to: from + bytes.len() as u64,
            size: self.size(),
            is_text: std::str::from_utf8(bytes).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_one_another_and_no_letter_is_cut() {
        let mut kept = Kept::default();
        let text = "aü€".repeat(20_000);
        for piece in text.as_bytes().chunks(999) {
            kept.add(piece);
        }
        let (mut read, mut from) = (String::new(), 0);
        while from < kept.size() {
            let part = kept.part(from);
            assert!(part.is_text && part.from == from && part.to > from);
            read.push_str(&part.text);
            from = part.to;
        }
        assert_eq!(read, text);
        assert_eq!(kept.part(u64::MAX).text, "");
        assert_eq!(kept.sum(), (text.len() as u64, guarded_sh::audit::sha256(text.as_bytes())));
    }

    #[test]
    fn of_much_only_the_end_is_kept_and_all_of_it_counts() {
        let mut kept = Kept::default();
        let piece = vec![b'x'; 64 << 10];
        for _ in 0..200 {
            kept.add(&piece);
        }
        kept.add(b"end");
        assert_eq!(kept.size(), 200 * (64 << 10) + 3);
        assert!(kept.kept() <= 4 * KEPT, "{}", kept.kept());
        assert!(kept.end().text.ends_with("xend"));
        assert!(kept.part(0).from > 0);
        let not_text = |bytes: &[u8]| {
            let mut kept = Kept::default();
            kept.add(bytes);
            !kept.end().is_text
        };
        assert!(not_text(b"\xff") && not_text(&vec![0x80; 100_000]));
    }
}
