//! What lines of a session leave for those after them: which files hold what was downloaded, decoded or taken from secrets.
//! No line's output and no file's contents: what later reading needs, and no more.

use serde::{Deserialize, Serialize};

/// What data comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlowSource {
    /// A command that reads from a host.
    Download,
    /// A command that reads or prints secrets.
    Secret,
    /// A command that decodes.
    Decode,
    /// A command that moves what is of worth.
    Work,
    /// A command that prints without end.
    Endless,
    /// Any command.
    Any,
    /// Whoever saw secrets that were read before.
    Seen,
}

/// What a line leaves for those after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traces {
    /// The line, secrets masked.
    pub line: String,
    /// Files that it writes, and what comes into them. Each path is absolute.
    pub files: Vec<(String, Vec<FlowSource>)>,
    /// Whether it reads secrets.
    pub secrets: bool,
}

impl Traces {
    /// Returns whether it leaves nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.secrets
    }
}

/// What is remembered of the lines before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recent {
    /// Files, the latest first.
    pub files: Vec<Trace>,
    /// The latest line that read secrets, secrets masked.
    pub secrets: Option<String>,
}

/// A file that an earlier line wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Its name then, absolute.
    pub path: String,
    /// What came into it.
    pub sources: Vec<FlowSource>,
    /// The line, secrets masked.
    pub line: String,
    /// What it was when the line had ended; none where that is not known.
    pub print: Option<Print>,
}

/// By what a file is known again, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// The device and the number that it has there.
    pub file: (u64, u64),
    /// How many bytes at its beginning were looked at.
    pub length: u64,
    /// The SHA-256 of these.
    pub sha256: [u8; 32],
}
