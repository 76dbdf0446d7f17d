//! One word of an argv, as far as it can be known before the shell runs.

/// Names that a command prints, which begin with no dash, dot or slash.
pub const NAMES: &str = "[!-.]**";

/// The last part of a pattern for all that a repository tracks, as a command lists it.
pub const TRACKED: &str = "?**";

/// A word that a program will receive, as far as reading can tell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// Exactly this text.
    Known(String),
    /// The file names that match this pattern, or the pattern itself where none does: one word or more.
    /// With `**` in it, or with nothing that makes it a pattern, it is what a command prints, which may be nothing.
    Glob(String),
    /// One word that begins with this text; the rest is not known.
    Prefix(String),
    /// One word of which nothing is known.
    Unknown,
    /// No word, one, or several; nothing is known of them.
    Many,
}

impl Arg {
    /// Returns the text if the word is wholly known.
    #[must_use]
    pub fn known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Glob(_) | Self::Prefix(_) | Self::Unknown | Self::Many => None,
        }
    }

    /// Returns the text or pattern that the word is, if that is known.
    #[must_use]
    pub fn pattern(&self) -> Option<&str> {
        match self {
            Self::Known(text) | Self::Glob(text) => Some(text),
            Self::Prefix(_) | Self::Unknown | Self::Many => None,
        }
    }

    /// Returns how many bytes are known of it.
    #[must_use]
    pub const fn length(&self) -> usize {
        match self {
            Self::Known(text) | Self::Prefix(text) | Self::Glob(text) => text.len(),
            Self::Unknown | Self::Many => 0,
        }
    }

    /// Returns the text that the word is sure to begin with: all of it if known, else what stands before the first unknown or pattern character.
    #[must_use]
    pub fn prefix(&self) -> &str {
        match self {
            Self::Known(text) | Self::Prefix(text) => text,
            Self::Glob(pattern) => pattern.split(['*', '?', '[']).next().unwrap_or(pattern),
            Self::Unknown | Self::Many => "",
        }
    }
}
