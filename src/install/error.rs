//! What can go wrong with agents' settings. Nothing was changed then, unless it says so.

use std::io;
use std::path::PathBuf;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum Error {
    #[error("cannot read '{}'", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("'{}' is no regular file", path.display())]
    NotAFile { path: PathBuf },
    #[error("'{}' is larger than what is read", path.display())]
    TooLarge { path: PathBuf },
    #[error("cannot keep what was there before in '{}': it would be larger than what is read back", path.display())]
    Unkept { path: PathBuf },
    #[error("'{}' is no text", path.display())]
    NotText { path: PathBuf },
    #[error("'{}' is broken at line {line}, column {column}: {what}", path.display())]
    Broken { path: PathBuf, line: usize, column: usize, what: String },
    #[error("{title} takes nothing of '{}' as it is: at line {line}, column {column}, {what}; it reads JSON without comments and without commas behind what is last", path.display())]
    Unread { title: String, path: PathBuf, line: usize, column: usize, what: String },
    #[error("'{}' is {what}", path.display())]
    Whole { path: PathBuf, what: &'static str },
    #[error("in '{}', `{key}` is {what}", path.display())]
    Unexpected { path: PathBuf, key: String, what: &'static str },
    #[error("cannot write '{}'", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("'{}' was changed by another program meanwhile", path.display())]
    Raced { path: PathBuf },
    #[error("'{}' is not a link of ours", path.display())]
    Foreign { path: PathBuf },
    #[error("there is no home directory to install to")]
    NoHome,
    #[error("cannot find the file of this program")]
    NoProgram { source: io::Error },
    #[error("{title} has no settings of a project to install to: {why}")]
    NoProject { title: String, why: String },
    #[error("the data of '{name}' is broken: {what}")]
    Data { name: String, what: String },
}
