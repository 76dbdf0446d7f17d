//! What comes from a terminal, taken apart while a guest's page is shown: keys and pastes are the guest's, and what the terminal
//! answers to the agent's questions or reports by itself is the agent's. Does not know what a key means.

/// The longest answer of a terminal that is waited for; what is longer comes in parts.
const LONGEST: usize = 1 << 16;

const PASTE_BEGINS: &[u8] = b"\x1b[200~";
const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// One part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A key.
    Key(Vec<u8>),
    /// Text that was pasted.
    Pasted(Vec<u8>),
    /// What the terminal says by itself.
    Report(Vec<u8>),
}

/// Input of which the end may still be missing.
#[derive(Debug, Default)]
pub struct Keys {
    rest: Vec<u8>,
    pasting: bool,
}

impl Keys {
    /// Takes bytes; returns the parts that are whole.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Part> {
        self.rest.extend_from_slice(bytes);
        let mut parts = Vec::new();
        while let Some((part, length)) = self.next() {
            parts.extend(part);
            self.rest.drain(..length);
        }
        parts
    }

    /// Returns whether the end of something is missing. A lone ESC is a key, but only time can tell.
    pub fn is_waiting(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Returns what is there, although its end is missing.
    pub fn flush(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rest)
    }

    /// Returns the first part and its length in bytes; a part of the brackets of a paste is none.
    fn next(&mut self) -> Option<(Option<Part>, usize)> {
        let rest = self.rest.as_slice();
        if self.pasting {
            return self.next_pasted();
        }
        let first = *rest.first()?;
        if first != b'\x1b' {
            let length = character(rest)?;
            return Some((Some(Part::Key(rest[..length].to_vec())), length));
        }
        if rest.starts_with(PASTE_BEGINS) {
            self.pasting = true;
            return Some((None, PASTE_BEGINS.len()));
        }
        let (length, is_report) = match rest.get(1)? {
            b'[' => control(rest)?,
            b']' | b'P' | b'_' | b'^' | b'X' => (string(rest)?, true),
            b'O' => (3, false),
            b'\x1b' => (1, false),
            _ => (1 + character(&rest[1..])?, false),
        };
        let part = rest.get(..length)?.to_vec();
        Some((Some(if is_report { Part::Report(part) } else { Part::Key(part) }), length))
    }

    fn next_pasted(&mut self) -> Option<(Option<Part>, usize)> {
        let rest = self.rest.as_slice();
        let end = rest.windows(PASTE_ENDS.len()).position(|window| window == PASTE_ENDS);
        if end == Some(0) {
            self.pasting = false;
            return Some((None, PASTE_ENDS.len()));
        }
        // The end of the paste may have begun.
        let is_begun = |at: &usize| PASTE_ENDS.starts_with(&rest[*at..]);
        let first = rest.len().saturating_sub(PASTE_ENDS.len() - 1);
        let length = end.or_else(|| (first..rest.len()).find(is_begun)).unwrap_or(rest.len());
        (length > 0).then(|| (Some(Part::Pasted(rest[..length].to_vec())), length))
    }
}

/// Returns the length of a character; what is no UTF-8 is one byte.
fn character(bytes: &[u8]) -> Option<usize> {
    let length = match bytes.first()? {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    };
    let there = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(there) {
        Ok(_) => Some(length),
        Err(error) if error.error_len().is_none() => None,
        Err(_) => Some(1),
    }
}

/// Returns the length of a control sequence, and whether it is no key.
fn control(bytes: &[u8]) -> Option<(usize, bool)> {
    let end = bytes.iter().skip(2).position(|byte| !(b' '..=b'?').contains(byte))?;
    let (parameters, last, length) = (&bytes[2..2 + end], bytes[2 + end], 3 + end);
    // The oldest reports of the mouse have three bytes behind.
    if parameters.is_empty() && last == b'M' {
        return Some((length + 3, true));
    }
    let is_report = match last {
        b'R' | b'c' | b'n' | b'y' | b't' => true,
        b'I' | b'O' => parameters.is_empty(),
        b'M' | b'm' => true,
        b'u' => parameters.starts_with(b"?"),
        _ => false,
    };
    Some((length, is_report))
}

/// Returns the length of a control string.
fn string(bytes: &[u8]) -> Option<usize> {
    let bell = bytes.iter().position(|&byte| byte == b'\x07').map(|at| at + 1);
    let terminator = bytes.windows(2).skip(2).position(|two| two == b"\x1b\\").map(|at| at + 4);
    let end = bell.into_iter().chain(terminator).min();
    end.or_else(|| (bytes.len() >= LONGEST).then_some(bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(bytes: &[u8]) -> Part {
        Part::Key(bytes.to_vec())
    }

    fn report(bytes: &[u8]) -> Part {
        Part::Report(bytes.to_vec())
    }

    fn pasted(bytes: &[u8]) -> Part {
        Part::Pasted(bytes.to_vec())
    }

    #[test]
    fn keys_are_told_from_what_the_terminal_says() {
        for (bytes, parts) in [
            (b"yn" as &[u8], vec![key(b"y"), key(b"n")]),
            ("ü漢".as_bytes(), vec![key("ü".as_bytes()), key("漢".as_bytes())]),
            (b"\x1b[A\x1bOA\x1b[1;5C", vec![key(b"\x1b[A"), key(b"\x1bOA"), key(b"\x1b[1;5C")]),
            (b"\x1bx\x1b\x1b[B", vec![key(b"\x1bx"), key(b"\x1b"), key(b"\x1b[B")]),
            (b"\x1b[97u\x1b[?1u", vec![key(b"\x1b[97u"), report(b"\x1b[?1u")]),
            (b"\x1b[24;80Ry", vec![report(b"\x1b[24;80R"), key(b"y")]),
            (b"\x1b[?62;22c\x1b[0n", vec![report(b"\x1b[?62;22c"), report(b"\x1b[0n")]),
            (b"\x1b[I\x1b[O", vec![report(b"\x1b[I"), report(b"\x1b[O")]),
            (
                b"\x1b[<0;1;2M\x1b[M !!y",
                vec![report(b"\x1b[<0;1;2M"), report(b"\x1b[M !!"), key(b"y")],
            ),
            (b"\x1b]11;rgb:0/0/0\x1b\\y", vec![report(b"\x1b]11;rgb:0/0/0\x1b\\"), key(b"y")]),
            (b"\x1b]11;rgb:0/0/0\x07y", vec![report(b"\x1b]11;rgb:0/0/0\x07"), key(b"y")]),
            (b"\x1bP>|XTerm\x1b\\", vec![report(b"\x1bP>|XTerm\x1b\\")]),
            (b"\x1b[200~y\x1b[A\x1b[201~n", vec![pasted(b"y\x1b[A"), key(b"n")]),
            (b"\xff\x80", vec![key(b"\xff"), key(b"\x80")]),
            (b"\x03\r\x7f", vec![key(b"\x03"), key(b"\r"), key(b"\x7f")]),
        ] {
            let mut whole = Keys::default();
            assert_eq!(whole.take(bytes), parts, "{bytes:?}");
            assert!(!whole.is_waiting(), "{bytes:?}");

            let mut split = Keys::default();
            let mut one_by_one: Vec<Part> = Vec::new();
            for part in bytes.iter().flat_map(|byte| split.take(&[*byte])) {
                match (one_by_one.last_mut(), part) {
                    (Some(Part::Pasted(before)), Part::Pasted(more)) => before.extend(more),
                    (_, part) => one_by_one.push(part),
                }
            }
            assert_eq!(one_by_one, parts, "{bytes:?}, byte by byte");
        }
    }

    #[test]
    fn what_is_cut_waits_and_is_not_lost() {
        for bytes in [b"\x1b" as &[u8], b"\x1b[", b"\x1b[1;", b"\x1b]11;", b"\xe6\xbc", b"\x1b[M "]
        {
            let mut keys = Keys::default();
            assert_eq!(keys.take(bytes), []);
            assert!(keys.is_waiting());
            assert_eq!(keys.flush(), bytes);
        }
    }

    #[test]
    fn an_answer_without_an_end_does_not_grow_for_ever() {
        let mut keys = Keys::default();
        assert_eq!(keys.take(b"\x1b]"), []);
        let parts: Vec<Part> = (0..100).flat_map(|_| keys.take(&[b'x'; 4096])).collect();
        assert!(!parts.is_empty());
        assert!(keys.rest.len() < LONGEST);
    }
}
