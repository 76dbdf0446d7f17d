//! Reserved words, which are so only where a command may begin and only if no part of them is quoted.

use super::cursor::is_meta;
use super::{Read, Reader};

/// The reserved words of bash 5.2. `in` is one too where a command may begin: it is an error there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    If,
    Then,
    Elif,
    Else,
    Fi,
    While,
    Until,
    For,
    Select,
    Do,
    Done,
    Case,
    In,
    Esac,
    Function,
    Coproc,
    Time,
    Not,
    Open,
    Close,
    Condition,
    ConditionEnd,
}

impl Keyword {
    fn named(text: &[u8]) -> Option<Self> {
        Some(match text {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"for" => Self::For,
            b"select" => Self::Select,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"case" => Self::Case,
            b"in" => Self::In,
            b"esac" => Self::Esac,
            b"function" => Self::Function,
            b"coproc" => Self::Coproc,
            b"time" => Self::Time,
            b"!" => Self::Not,
            b"{" => Self::Open,
            b"}" => Self::Close,
            b"[[" => Self::Condition,
            b"]]" => Self::ConditionEnd,
            _ => return None,
        })
    }

    /// Returns whether a list ends before it.
    pub(super) const fn closes(self) -> bool {
        matches!(
            self,
            Self::Then
                | Self::Elif
                | Self::Else
                | Self::Fi
                | Self::Do
                | Self::Done
                | Self::Esac
                | Self::In
                | Self::Close
                | Self::ConditionEnd
        )
    }
}

/// Returns whether a word is reserved where a command may begin (POSIX 2.4, and what bash adds).
pub(in crate::syntax) fn is_reserved(word: &str) -> bool {
    Keyword::named(word.as_bytes()).is_some()
}

/// The longest reserved word has eight letters.
const LONGEST: usize = 8;

impl Reader<'_> {
    /// Returns the reserved word that comes next, and where it ends.
    pub(super) fn keyword(&mut self) -> Option<(Keyword, usize)> {
        if !matches!(self.peek(), b'a'..=b'z' | b'!' | b'{' | b'}' | b'[' | b']') {
            return None;
        }
        let mut text = [0; LONGEST];
        let mut length = 0;
        let mut at = self.position;
        loop {
            let byte = self.raw(at);
            if is_meta(byte) {
                break;
            }
            if length == LONGEST {
                return None;
            }
            text[length] = byte;
            length += 1;
            at = self.join(at + 1);
        }
        Keyword::named(&text[..length]).map(|keyword| (keyword, at))
    }

    /// Moves past a reserved word if it comes next.
    pub(super) fn eat_keyword(&mut self, wanted: Keyword) -> bool {
        let Some((keyword, end)) = self.keyword() else { return false };
        if keyword != wanted {
            return false;
        }
        self.position = end;
        true
    }

    /// Moves past a reserved word that must come next.
    pub(super) fn expect_keyword(&mut self, wanted: Keyword) -> Read<()> {
        self.skip_blanks();
        if self.eat_keyword(wanted) { Ok(()) } else { Err(self.unexpected()) }
    }
}
