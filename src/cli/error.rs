//! Why an argv is no call of the shell.

use crate::model::Shell;

/// Why an argv was not accepted. The shell's own errors have the text that the shell would print.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// `-c`, or an option that takes a value, is the last word.
    #[error("{name}: {option}: option requires an argument")]
    MissingValue {
        /// `argv[0]`.
        name: String,
        /// The option as the shell names it.
        option: String,
    },
    /// The shell has no such option.
    #[error("{name}: {option}: invalid option")]
    InvalidOption {
        /// `argv[0]`.
        name: String,
        /// The option as given.
        option: String,
    },
    /// What the option means to this shell is not known, so neither is what would run.
    #[error("what the option '{option}' makes {} run is not known", shell.name())]
    UnknownOption {
        /// The shell.
        shell: Shell,
        /// The option as given.
        option: String,
    },
}

impl Error {
    /// Returns the exit status: the shell's for bad usage, 126 where we refuse what we do not know.
    #[must_use]
    pub const fn status(&self) -> u8 {
        match self {
            Self::MissingValue { .. } | Self::InvalidOption { .. } => 2,
            Self::UnknownOption { .. } => 126,
        }
    }
}
