//! Files of settings as they are on disk: found through symbolic links, replaced as a whole, with the mode that they had.
//! Does not know what stands in them.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

use super::Error;

/// The largest file of settings that is read.
const LARGEST: u64 = 16 << 20;
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
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}.new", std::process::id()));
    let new = PathBuf::from(new);
    let written = write(&new, path, text).map_err(failed);
    let written = written.and_then(|()| unchanged(found));
    let written = written.and_then(|()| fs::rename(&new, path).map_err(failed));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&new);
    }
    written
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

/// Writes a new file beside the one that it replaces, with the mode and the owner of that.
fn write(new: &Path, old: &Path, text: &str) -> io::Result<()> {
    let old = old.metadata().ok();
    let mode = old.as_ref().map_or(0o600, |old| old.mode() & 0o7777);
    let mut file: File =
        OpenOptions::new().write(true).create_new(true).mode(mode & 0o777).open(new)?;
    if let Some(old) = old {
        let ours = file.metadata()?;
        if (ours.uid(), ours.gid()) != (old.uid(), old.gid()) {
            fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
