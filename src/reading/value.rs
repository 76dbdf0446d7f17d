//! What is known of the value of a variable, and of one that is this or that.

use crate::model::Arg;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Exactly this text, or a pattern or beginning of it.
    Word(Arg),
    /// Text that fits a pattern and has blanks only where that shows them: numbers, what `mktemp` makes, the names that a
    /// command lists. Those that the shell finds itself are words, whatever they hold.
    Pattern(String),
    /// What a command prints that may print nothing: text that fits a pattern, or lines of names where that goes down (`**`).
    Printed(String),
    /// Some number.
    Number,
    /// Some number, or not set.
    PerhapsNumber,
    /// The number of this shell's own process, or of one that it started (`$$`, `$!`).
    Process,
    /// One word that is no option: the name of a branch, a commit, a user.
    Name,
    /// An indexed array.
    Array(Vec<Arg>),
    /// Not set.
    Unset,
    /// Anything.
    Unknown,
}

impl Value {
    /// Returns the value that is exactly this text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Word(Arg::Known(text.into()))
    }

    /// Returns the value that a command prints.
    pub(super) fn printed(word: Arg) -> Self {
        match word {
            Arg::Glob(pattern) => Self::Pattern(pattern),
            word => Self::Word(word),
        }
    }

    /// Returns what a program gets of it in a variable.
    pub(super) fn word(&self) -> Arg {
        match self {
            Self::Word(word) => word.clone(),
            Self::Pattern(pattern) | Self::Printed(pattern) => Arg::Glob(pattern.clone()),
            _ => Arg::Unknown,
        }
    }

    /// Returns whether it is longer than what anybody keeps in a variable. A line could double it again and again.
    pub(super) fn is_large(&self) -> bool {
        match self {
            Self::Word(word) => word.length() > LARGE,
            Self::Pattern(pattern) | Self::Printed(pattern) => pattern.len() > LARGE,
            Self::Array(elements) => are_large(elements),
            _ => false,
        }
    }

    /// Returns whether it is a number, whichever.
    pub(super) fn is_number(&self) -> bool {
        match self {
            Self::Number | Self::Process => true,
            Self::Word(Arg::Known(text)) => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                // Behind a zero it is octal, or an error.
                let is_plain = digits == "0" || !digits.starts_with('0');
                !digits.is_empty() && is_plain && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => false,
        }
    }

    /// Returns whether it is a number, or not set.
    pub(super) fn is_perhaps_number(&self) -> bool {
        matches!(self, Self::PerhapsNumber | Self::Unset) || self.is_number()
    }

    /// Returns what is known of a value that is this one or the other.
    pub(super) fn or(&self, other: &Self) -> Self {
        if self == other {
            self.clone()
        } else if self.is_number() && other.is_number() {
            Self::Number
        } else if self.is_perhaps_number() && other.is_perhaps_number() {
            Self::PerhapsNumber
        } else {
            Self::Unknown
        }
    }
}

/// Bytes of a value that is followed: half of what Linux takes for one word of an argv (`MAX_ARG_STRLEN`).
const LARGE: usize = 1 << 16;
/// Words of an array, or positional parameters, that are followed.
const MANY: usize = 1 << 12;

/// Returns whether these are more words than are followed.
pub(super) fn are_large(words: &[Arg]) -> bool {
    words.len() > MANY || words.iter().map(Arg::length).sum::<usize>() > LARGE
}
