//! What could not be known of a line, and why. Unknown is never quietly fine.

use serde::{Deserialize, Serialize};

use super::Span;

/// A part of the line that was not understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opaque {
    /// Why it could not be known.
    pub reason: Reason,
    /// Where it stands.
    pub span: Span,
}

/// Why a part of a line could not be known.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// A NUL byte, which no argument can hold.
    NulByte,
    /// Longer than the limit on bytes.
    TooLong,
    /// Nested deeper than the limit.
    TooDeep,
    /// More parts than the limit on nodes.
    TooManyParts,
    /// Reading took longer than the limit.
    TooSlow,
    /// Bash would refuse it, or the reader does not know the construct; the text says what was met.
    Syntax(String),
    /// The same, of text that is for another shell: which one, and what was met.
    SyntaxOf(String, String),
    /// Bash knows it, and the shell that will read it may read it otherwise.
    OtherShell,
    /// The second parser saw other commands.
    ParsersDisagree,
    /// The name of the command that will run is not known.
    DynamicCommand,
    /// Text that will run as code and is not known.
    DynamicCode,
    /// Code in a language that is not read.
    UnreadCode,
    /// A script file that is not read.
    UnreadScript,
    /// A program, given on standard input, that is not known.
    UnreadInput,
    /// A name that a function, alias or `hash -p` in the same line gave another meaning that is not known.
    ShadowedName,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotUtf8 => "bytes that are not UTF-8",
            Self::NulByte => "a NUL byte",
            Self::TooLong => "longer than what is read",
            Self::TooDeep => "nested deeper than what is read",
            Self::TooManyParts => "more parts than what is read",
            Self::TooSlow => "took too long to read",
            Self::Syntax(what) => return write!(f, "cannot be read as bash reads it: {what}"),
            Self::SyntaxOf(shell, what) => {
                return write!(f, "cannot be read as {shell} reads it: {what}");
            }
            Self::OtherShell => "bash's own way of writing, for a shell that may read it otherwise",
            Self::ParsersDisagree => "two readers of this line see different commands",
            Self::DynamicCommand => "the command that will run is only known when it runs",
            Self::DynamicCode => "the code that will run is only known when it runs",
            Self::UnreadCode => "code that is not read",
            Self::UnreadScript => "a script that is not read",
            Self::UnreadInput => "runs what it gets on standard input",
            Self::ShadowedName => "a name that this line gives another meaning",
        })
    }
}
