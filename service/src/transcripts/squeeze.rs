//! One line of JSON, with the rest of long strings left out: what is left can be held, and is JSON as before.
//!
//! Pictures and files stand in transcripts as strings of megabytes (base64). Whoever reads a line holds no more of it than [`LONGEST`], however long it is.

/// Bytes of a string that are kept.
const STRING: usize = 256 << 10;
/// Bytes of a line that are kept at most. A line of which more is left cannot be read.
pub(super) const LONGEST: usize = 4 << 20;

/// A line that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Squeezed {
    kept: Vec<u8>,
    state: State,
    /// Bytes of the string that is being read.
    string: usize,
    /// Bytes that were left out.
    left: u64,
    is_too_long: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Outside of strings.
    #[default]
    Out,
    /// In a string that is kept.
    Kept,
    /// In one of which the rest is left out.
    Left,
}

impl Squeezed {
    /// Takes a piece of the line. Returns what of it ends within an escape, and must come again before the next piece.
    pub(super) fn take(&mut self, piece: &[u8]) -> usize {
        let mut at = 0;
        while at < piece.len() {
            if self.kept.len() > LONGEST {
                self.is_too_long = true;
                self.left += (piece.len() - at) as u64;
                return 0;
            }
            if self.state == State::Out {
                let end =
                    memchr::memchr(b'"', &piece[at..]).map_or(piece.len(), |quote| at + quote + 1);
                self.kept.extend_from_slice(&piece[at..end.min(at + LONGEST + 1)]);
                if piece[end - 1] == b'"' {
                    (self.state, self.string) = (State::Kept, 0);
                }
                at = end;
                continue;
            }
            let run =
                memchr::memchr2(b'"', b'\\', &piece[at..]).map_or(piece.len(), |end| at + end);
            self.plain(&piece[at..run]);
            at = run;
            match piece.get(at) {
                None => {}
                Some(b'"') => {
                    self.kept.push(b'"');
                    self.state = State::Out;
                    at += 1;
                }
                Some(_) => {
                    let length = if piece.get(at + 1) == Some(&b'u') { 6 } else { 2 };
                    let Some(escape) = piece.get(at..at + length) else { return piece.len() - at };
                    self.escape(escape);
                    at += length;
                }
            }
        }
        0
    }

    /// Takes characters of a string that stand for themselves.
    fn plain(&mut self, bytes: &[u8]) {
        if self.state == State::Left {
            self.left += bytes.len() as u64;
            return;
        }
        let mut room = STRING.saturating_sub(self.string).min(bytes.len());
        // No character is cut in the middle.
        while room < bytes.len() && bytes[room] & 0xc0 == 0x80 {
            room += 1;
        }
        self.kept.extend_from_slice(&bytes[..room]);
        self.string += room;
        if room < bytes.len() {
            self.state = State::Left;
            self.left += (bytes.len() - room) as u64;
        }
    }

    fn escape(&mut self, escape: &[u8]) {
        // The second half of a pair stays with the first.
        let is_second = matches!(escape, [b'\\', b'u', b'd' | b'D', b'c'..=b'f' | b'C'..=b'F', ..]);
        if self.state == State::Kept && self.string >= STRING && !is_second {
            self.state = State::Left;
        }
        if self.state == State::Left {
            self.left += escape.len() as u64;
            return;
        }
        self.kept.extend_from_slice(escape);
        self.string += escape.len();
    }

    /// Returns what is left of the line, and how many bytes were left out; nothing where too much is left.
    pub(super) fn end(self) -> (Option<Vec<u8>>, u64) {
        let is_too_long = self.is_too_long || self.kept.len() > LONGEST;
        ((!is_too_long).then_some(self.kept), self.left)
    }
}
