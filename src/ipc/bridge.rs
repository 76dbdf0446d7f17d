//! What `guarded-sh host` and the bridge say to each other, once the bridge has taken the connection over from HTTP: pieces with a head of five bytes, the
//! kind and the length of what follows, lowest byte first.

use serde::{Deserialize, Serialize};

/// The name of this protocol, as `Upgrade` has it. Any change that an older program would misread counts it up.
pub const BRIDGE: &str = "guarded-sh-host/2";

/// Bytes of a head.
pub const HEAD: usize = 5;
/// Bytes of one piece at most.
pub const PIECE: usize = 256 << 10;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Piece {
    /// What is to be run: a [`Begin`].
    Begin = 1,
    /// Bytes for standard input, as many as were asked for at most.
    Input = 2,
    /// Standard input is over.
    InputEnds = 3,
    /// A signal for the process group: its number, one byte.
    Signal = 4,
    /// The size of the window: rows and columns, two bytes each.
    Size = 5,
    /// Nobody reads an output any more: 1 or 2, one byte.
    Closed = 6,
    /// Bytes of standard output.
    Output = 16,
    /// Bytes of standard error.
    Errors = 17,
    /// So many more bytes of standard input are taken, four bytes.
    More = 18,
    /// Words for the person at the client, as text.
    Note = 19,
    /// It is over: a [`Over`].
    Over = 20,
    /// A signal was passed on.
    Passed = 21,
}

impl Piece {
    /// Returns the kind of this number.
    #[must_use]
    pub const fn of(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Begin,
            2 => Self::Input,
            3 => Self::InputEnds,
            4 => Self::Signal,
            5 => Self::Size,
            6 => Self::Closed,
            16 => Self::Output,
            17 => Self::Errors,
            18 => Self::More,
            19 => Self::Note,
            20 => Self::Over,
            21 => Self::Passed,
            _ => return None,
        })
    }

    /// Returns the head of such a piece; none where it is too long for one.
    #[must_use]
    pub fn head(self, length: usize) -> Option<[u8; HEAD]> {
        let length = u32::try_from(length).ok().filter(|_| length <= PIECE)?;
        let [a, b, c, d] = length.to_le_bytes();
        Some([self as u8, a, b, c, d])
    }

    /// Reads a head: the kind and the length; none where it is none.
    #[must_use]
    pub fn read(head: [u8; HEAD]) -> Option<(Self, usize)> {
        let [kind, a, b, c, d] = head;
        let length = usize::try_from(u32::from_le_bytes([a, b, c, d])).ok()?;
        (length <= PIECE).then_some((Self::of(kind)?, length))
    }
}

/// What a client wants to be run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begin {
    /// Program and words.
    pub words: Vec<String>,
    /// The directory, as it is called there.
    pub cwd: Option<String>,
    /// What it claims that it is for.
    #[serde(default)]
    pub purpose: Option<String>,
    /// Variables that it wants to set.
    #[serde(default)]
    pub set: Vec<(String, String)>,
    /// Which of its standard streams are a terminal.
    pub terminals: [bool; 3],
    /// Which of them are closed.
    #[serde(default)]
    pub closed: [bool; 3],
    /// The size of that, in rows and columns.
    #[serde(default)]
    pub size: Option<(u16, u16)>,
    /// The kind of that.
    #[serde(default)]
    pub term: Option<String>,
}

/// How it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Over {
    /// The exit status.
    #[serde(default)]
    pub status: Option<i32>,
    /// The signal that ended it.
    #[serde(default)]
    pub signal: Option<i32>,
    /// Why it did not run.
    #[serde(default)]
    pub refused: Option<String>,
    /// What can be done then.
    #[serde(default)]
    pub hint: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_they_were_written_and_no_other() {
        for kind in [Piece::Begin, Piece::Input, Piece::Signal, Piece::Output, Piece::Over] {
            for length in [0, 1, 255, 256, PIECE] {
                assert_eq!(Piece::read(kind.head(length).unwrap()), Some((kind, length)));
            }
            assert_eq!(kind.head(PIECE + 1), None);
        }
        for head in
            [[0, 0, 0, 0, 0], [7, 0, 0, 0, 0], [255; 5], [1, 1, 0, 4, 0], [b'G', b'E', b'T', 0, 0]]
        {
            assert_eq!(Piece::read(head), None, "{head:?}");
        }
    }
}
