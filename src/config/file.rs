//! Opens and reads files that others may have put there: never waits, never reads more than it wants.
//! Does not know what the files mean.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

use super::Error;
use crate::sys::users::may_others_write;

/// The largest file of settings. People write these; the machine need not take more.
pub const LARGEST_SETTINGS: u64 = 1 << 20;

/// The largest file of rules: 10,000 rules are about 3 MB.
pub const LARGEST_RULES: u64 = 32 << 20;

/// A file that was read.
#[derive(Debug)]
pub struct Text {
    /// Its content.
    pub content: String,
    /// What it was when it was opened.
    pub metadata: Metadata,
}

/// Reads a regular file of text; none if there is no such file.
pub fn read(path: &Path, largest: u64) -> Result<Option<Text>, Error> {
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(source) => return Err(Error::Read { path: path.to_owned(), source }),
    };
    let metadata =
        file.metadata().map_err(|source| Error::Read { path: path.to_owned(), source })?;
    if !metadata.is_file() {
        return Err(Error::NotAFile { path: path.to_owned() });
    }
    let mut bytes = Vec::new();
    let mut limited = file.take(largest + 1);
    if metadata.len() <= largest {
        limited
            .read_to_end(&mut bytes)
            .map_err(|source| Error::Read { path: path.to_owned(), source })?;
    }
    // The second test is for a file that grew, or that does not tell its size.
    if metadata.len() > largest || bytes.len() as u64 > largest {
        return Err(Error::TooLarge { path: path.to_owned(), largest });
    }
    let content = String::from_utf8(bytes).map_err(|error| not_text(path, &error))?;
    if let Some(at) = content.find('\0') {
        let line = content[..at].matches('\n').count() + 1;
        return Err(Error::NotText { path: path.to_owned(), line, what: "a NUL byte" });
    }
    Ok(Some(Text { content, metadata }))
}

/// Opens for reading. A FIFO without a writer or a modem without a line does not make it wait.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
    OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)
}

/// Returns whether an error says that there is no such file.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Returns whether a directory is one of somebody else's that this user may not look into: no file in it is for this user.
pub fn is_closed(directory: &Path, uid: u32) -> bool {
    let inside = directory.join(".").metadata();
    let is_denied = inside.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
    let mut seen = directory.ancestors().filter_map(|above| above.metadata().ok());
    is_denied && seen.next().is_some_and(|metadata| metadata.uid() != uid)
}

/// Refuses what someone other than `uid` and root could have written.
pub fn require_ours(path: &Path, metadata: &Metadata, uid: u32) -> Result<(), Error> {
    let owner = metadata.uid();
    if owner != uid && owner != 0 {
        return Err(Error::OtherOwner { path: path.to_owned(), owner });
    }
    // A directory with the sticky bit lets others add, and what they add is theirs; it is still no place for settings.
    if may_others_write(metadata) {
        return Err(Error::OthersMayWrite {
            path: path.to_owned(),
            mode: metadata.mode() & 0o7777,
        });
    }
    Ok(())
}

fn not_text(path: &Path, error: &std::string::FromUtf8Error) -> Error {
    let valid = error.utf8_error().valid_up_to();
    let line = error.as_bytes()[..valid].split(|&byte| byte == b'\n').count();
    Error::NotText { path: path.to_owned(), line, what: "bytes that are not UTF-8" }
}
