//! Files of settings as they are on disk: found through symbolic links, replaced as a whole, with the mode that they had.
//! Does not know what stands in them.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

use super::Error;
use crate::sys::Replacement;

/// The largest file of settings that is read.
pub(super) const LARGEST: u64 = 16 << 20;
/// How many symbolic links are followed.
const LINKS: usize = 40;

/// A file as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file itself, behind symbolic links.
    pub file: PathBuf,
    /// Its text; none if there is no such file.
    pub text: Option<String>,
}

/// Looks at a file.
pub(super) fn find(path: &Path) -> Result<Found, Error> {
    let file = resolve(path)?;
    let text = read(&file)?;
    Ok(Found { file, text })
}

/// Returns the file that symbolic links lead to, also if there is none.
fn resolve(path: &Path) -> Result<PathBuf, Error> {
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&at) {
            Ok(target) => at = at.parent().unwrap_or(Path::new("/")).join(target),
            // It is no link, or it is not there.
            Err(_) => return Ok(at),
        }
    }
    Err(Error::Read { path: path.to_owned(), source: io::Error::from(nix::errno::Errno::ELOOP) })
}

/// Reads a regular file of text; none if there is no such file. What else may be there is not waited for.
pub(super) fn read(path: &Path) -> Result<Option<String>, Error> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    let file = match OpenOptions::new().read(true).custom_flags(flags.bits()).open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(Error::NotAFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::TooLarge { path: path.to_owned() });
    }
    String::from_utf8(bytes).map(Some).map_err(|_| Error::NotText { path: path.to_owned() })
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Puts a text in the place of what was found, or takes the file away; whoever reads it sees the old or the new.
pub(super) fn replace(found: &Found, text: Option<&str>) -> Result<(), Error> {
    let path = &found.file;
    let failed = |source| Error::Write { path: path.clone(), source };
    let Some(text) = text else {
        unchanged(found)?;
        return fs::remove_file(path).map_err(failed);
    };
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory).map_err(failed)?;
    let new = Replacement::write_like(path, text.as_bytes()).and_then(Replacement::synced);
    let new = new.map_err(failed)?;
    unchanged(found)?;
    new.put().map_err(failed)
}

/// Refuses to go on where another program has written since.
fn unchanged(found: &Found) -> Result<(), Error> {
    let same = read(&found.file)? == found.text;
    same.then_some(()).ok_or_else(|| Error::Raced { path: found.file.clone() })
}

/// Returns a directory and those above it that are not there, outermost first.
pub(super) fn missing(directory: &Path) -> Vec<PathBuf> {
    let is_missing = |path: &&Path| path.symlink_metadata().is_err();
    let mut missing: Vec<PathBuf> =
        directory.ancestors().take_while(is_missing).map(Path::to_owned).collect();
    missing.reverse();
    missing
}
