//! What can go wrong when guarded-sh takes the place of the system's shells, or leaves it.

use std::io;
use std::path::PathBuf;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the texts say it")]
pub enum Error {
    #[error("only root can change the system's shells")]
    NotRoot,
    #[error("there is no bash and no sh in {0}")]
    NoShells(String),
    #[error("'{}' is there already, and nothing is remembered of it", path.display())]
    InTheWay { path: PathBuf },
    #[error("'{}' is no shell that works, and none is kept beside it", path.display())]
    Lost { path: PathBuf },
    #[error("'{}' is diverted to '{}' by the owner of this machine", path.display(), to.display())]
    Diverted { path: PathBuf, to: PathBuf },
    #[error("`dpkg-divert {words}` failed: {said}")]
    Divert { words: String, said: String },
    #[error("cannot run `dpkg-divert {words}`")]
    NoDivert { words: String, source: io::Error },
    #[error("the program does not work as '{name}', and takes no shell's place: {said}")]
    Unproven { name: String, said: String },
    #[error("cannot read '{}'", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("'{}' is broken: {what}", path.display())]
    Broken { path: PathBuf, what: String },
    #[error("cannot write '{}'", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("another `guarded-sh install system` or `uninstall system` is at work")]
    Busy,
}
