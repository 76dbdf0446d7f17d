//! Files that are their owner's alone: they are read if nobody else has a hand in them, and made for nobody else.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use guarded_sh::sys::lock_within;
use nix::fcntl::{Flock, OFlag};

/// Bytes that are read at most.
const LONGEST: u64 = 1 << 20;

/// Why a file is not read.
#[derive(Debug)]
pub enum Fault {
    /// It cannot be.
    Io(io::Error),
    /// It is not the owner's alone, for this reason.
    NotOurs(&'static str),
}

impl Fault {
    /// Returns it as an error about a file.
    pub fn of(self, path: &Path) -> io::Error {
        match self {
            Self::Io(error) => error,
            Self::NotOurs(problem) => io::Error::other(format!("'{}' {problem}", path.display())),
        }
    }
}

/// What is done about a symbolic link in the place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// What it leads to is read: the owner names the file.
    Followed,
    /// It is an error: the file is named by us.
    Refused,
}

/// Reads a file. Of one that is no plain file nothing is waited for.
pub fn read(path: &Path, links: Links) -> Result<Vec<u8>, Fault> {
    let mut flags = OFlag::O_NONBLOCK;
    if links == Links::Refused {
        flags |= OFlag::O_NOFOLLOW;
    }
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path);
    let file = opened.map_err(Fault::Io)?;
    hold(&file)?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).map_err(Fault::Io)?;
    Ok(bytes)
}

/// Reads a file that is named by us; none where there is none.
pub fn read_own(path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    match read(path, Links::Refused) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Fault::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// Opens a file of the owner's that is named by us, and makes it if it is not there. It is followed through no link, and nothing is waited for.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    options.create(true).mode(0o600).custom_flags(flags.bits()).open(path)
}

/// Locks a file of the owner's, which is made if it is not there, until what comes back is dropped. Others are waited for, but not for longer than this.
pub fn lock(path: &Path, patience: Duration) -> io::Result<Flock<File>> {
    let file = open(path, OpenOptions::new().write(true).truncate(false))?;
    lock_within(file, patience).map_err(io::Error::from)
}

/// Holds that a file is the owner's alone.
fn hold(file: &File) -> Result<(), Fault> {
    let metadata = file.metadata().map_err(Fault::Io)?;
    Err(Fault::NotOurs(if !metadata.is_file() {
        "is not a plain file"
    } else if metadata.uid() != nix::unistd::geteuid().as_raw() {
        "belongs to another user"
    } else if metadata.mode() & 0o077 != 0 {
        "is open to others"
    } else {
        return Ok(());
    }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_others_have_a_hand_in_is_not_read() {
        let place = tempfile::tempdir().unwrap();
        let (file, link) = (place.path().join("file"), place.path().join("link"));
        fs::write(&file, "text").unwrap();
        symlink(&file, &link).unwrap();
        for mode in [0o644, 0o620, 0o601] {
            fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
            let read = read(&file, Links::Refused);
            assert!(matches!(read, Err(Fault::NotOurs("is open to others"))), "{mode:o}");
        }
        fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).unwrap();
        assert_eq!(read(&file, Links::Refused).unwrap(), b"text");
        assert_eq!(read(&link, Links::Followed).unwrap(), b"text");
        assert!(matches!(read(&link, Links::Refused), Err(Fault::Io(_))));
        assert!(matches!(read(place.path(), Links::Refused), Err(Fault::NotOurs(_))));
        // One that nobody writes to is not waited for.
        let pipe = place.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRUSR).unwrap();
        assert!(matches!(read(&pipe, Links::Refused), Err(Fault::NotOurs("is not a plain file"))));
        let gone = read(&place.path().join("gone"), Links::Refused);
        assert!(matches!(gone, Err(Fault::Io(error)) if error.kind() == io::ErrorKind::NotFound));
    }
}
