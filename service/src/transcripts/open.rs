//! Opening what stands below a directory, if it is a regular file that is there: nothing that a transcript's directory holds leads anywhere else.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, open, openat2};
use rustix::io::Errno;

use super::Error;

/// Opens the file of this path below a directory. What is no regular file is not opened: a pipe would wait, and a device may act.
pub(super) fn regular(root: &Path, path: &Path) -> Result<File, Error> {
    let whole = root.join(path);
    let failed = |errno: Errno| match errno {
        Errno::LOOP | Errno::XDEV => {
            Error::NotRead { path: whole.clone(), problem: "leads elsewhere by a symbolic link" }
        }
        errno => Error::Read { path: whole.clone(), source: errno.into() },
    };
    let directory = OFlags::DIRECTORY | OFlags::PATH | OFlags::CLOEXEC;
    let directory = open(root, directory, Mode::empty()).map_err(failed)?;
    let below = |flags: OFlags| {
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let flags = flags | OFlags::CLOEXEC;
        openat2(&directory, path, flags, Mode::empty(), resolve).map_err(failed)
    };
    let is_regular = |fd: OwnedFd| {
        let file = File::from(fd);
        let metadata = file.metadata();
        let metadata = metadata.map_err(|source| Error::Read { path: whole.clone(), source })?;
        match problem(metadata.file_type()) {
            None => Ok(file),
            Some(problem) => Err(Error::NotRead { path: whole.clone(), problem }),
        }
    };
    is_regular(below(OFlags::PATH)?)?;
    // It may be another one by now; whatever it is, opening it so waits for nothing.
    is_regular(below(OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?)
}

/// Returns what is wrong with a file of this type, for people.
pub(super) fn problem(kind: std::fs::FileType) -> Option<&'static str> {
    if kind.is_file() {
        return None;
    }
    Some(match () {
        () if kind.is_symlink() => "is a symbolic link",
        () if kind.is_dir() => "is a directory",
        () if kind.is_fifo() => "is a pipe",
        () if kind.is_socket() => "is a socket",
        () => "is a device",
    })
}

/// Opens a new file in a directory that has no name, and is gone with whoever holds it.
pub(super) fn nameless(directory: &Path) -> std::io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(CWD, directory, flags, Mode::RUSR | Mode::WUSR)?;
    Ok(File::from(fd))
}
