//! The few things that are done to files here: looked at, copied with their holes, given back their looks. Never by way of a symbolic link.
//! Knows no entry and no line.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::time::Instant;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, RawMode, SeekFrom, Stat, Timespec, Timestamps,
    Uid, XattrFlags,
};
use rustix::io::Errno;

use super::journal::Meta;
use super::trial::is_mark;

/// Bytes that the list of a file's extended attributes, or one of them, has at most (xattr(7)).
const ATTRIBUTE_LIMIT: usize = 64 * 1024;
/// Bytes that are copied between two looks at the clock.
const PIECE: u64 = 8 << 20;

/// Returns what the file system knows of what stands at a name; none if nothing does.
pub(super) fn look(directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(Some(found)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns which kind of file it is.
pub(super) const fn kind(mode: u32) -> FileType {
    FileType::from_raw_mode(mode as RawMode)
}

/// Returns what is kept of what the file system knows.
#[allow(
    clippy::unnecessary_cast,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the fields have other types on other systems"
)]
pub(super) fn meta(found: &Stat) -> Meta {
    Meta {
        mode: found.st_mode as u32,
        uid: found.st_uid,
        gid: found.st_gid,
        modified: (found.st_mtime as i64, found.st_mtime_nsec as u32),
        size: found.st_size as u64,
        identity: (found.st_dev as u64, found.st_ino as u64),
        names: found.st_nlink as u32,
        attributes: Vec::new(),
    }
}

/// Returns when something was done to it last, whatever it was, in milliseconds since 1970.
#[allow(clippy::cast_sign_loss, reason = "what is before 1970 is made zero")]
pub(super) fn touched(found: &Stat) -> u64 {
    let (seconds, nanoseconds) = changed(found);
    seconds.max(0) as u64 * 1000 + u64::from(nanoseconds) / 1_000_000
}

/// Returns when something was done to it last, in seconds and nanoseconds.
#[allow(
    clippy::unnecessary_cast,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as above"
)]
pub(super) fn changed(found: &Stat) -> (i64, u32) {
    (found.st_ctime as i64, found.st_ctime_nsec as u32)
}

/// Opens a directory by a path of which no part is a link.
pub(super) fn directory(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut at = rustix::fs::openat(CWD, "/", flags, Mode::empty())?;
    for part in path.components() {
        if let Component::Normal(name) = part {
            at = rustix::fs::openat(&at, name, flags, Mode::empty())?;
        }
    }
    Ok(at)
}

/// Opens a directory to be listed.
pub(super) fn listed(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(parent, name, flags, Mode::empty())?)
}

/// Returns the names in a directory and what stands there, as far as the file system says it with the name. Directories come last.
pub(super) fn names(directory: BorrowedFd<'_>) -> io::Result<Vec<(OsString, FileType)>> {
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let into = match entry.file_type() {
            FileType::Directory => &mut directories,
            _ => &mut files,
        };
        into.push((OsString::from_vec(name.to_vec()), entry.file_type()));
    }
    files.append(&mut directories);
    Ok(files)
}

/// Fills an empty file with what is in another one by sharing its blocks. Returns whether their file system can.
pub(super) fn share(from: &File, to: &File) -> io::Result<bool> {
    match rustix::fs::ioctl_ficlone(to, from) {
        Ok(()) => Ok(true),
        // Not every file system can, and none to another one; what is wrong with these files, a copy says.
        Err(
            Errno::OPNOTSUPP
            | Errno::XDEV
            | Errno::INVAL
            | Errno::NOTTY
            | Errno::NOSYS
            | Errno::PERM
            | Errno::BADF
            | Errno::TXTBSY
            | Errno::ISDIR,
        ) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Copies what is in a file into another one that is empty: its data without its holes. Fails with [`io::ErrorKind::TimedOut`] where that
/// takes longer than until then.
pub(super) fn copy(from: &File, to: &File, size: u64, until: Option<Instant>) -> io::Result<()> {
    let mut at = 0;
    while at < size {
        let data = match rustix::fs::seek(from, SeekFrom::Data(at)) {
            Ok(data) => data,
            // Nothing but a hole is left.
            Err(Errno::NXIO) => break,
            // This file system knows no holes.
            Err(Errno::INVAL) => at,
            Err(error) => return Err(error.into()),
        };
        let hole = rustix::fs::seek(from, SeekFrom::Hole(data)).unwrap_or(size).max(data + 1);
        let mut start = data;
        while start < hole {
            if until.is_some_and(|until| Instant::now() > until) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let end = hole.min(start + PIECE);
            piece(from, to, start, end)?;
            start = end;
        }
        at = hole;
    }
    Ok(rustix::fs::ftruncate(to, size)?)
}

fn piece(from: &File, to: &File, start: u64, end: u64) -> io::Result<()> {
    let (mut read, mut written) = (start, start);
    while read < end {
        let most = usize::try_from(end - read).unwrap_or(usize::MAX).min(1 << 30);
        let copied = match rustix::fs::copy_file_range(
            from,
            Some(&mut read),
            to,
            Some(&mut written),
            most,
        ) {
            Ok(copied) => copied,
            Err(Errno::XDEV | Errno::INVAL | Errno::OPNOTSUPP | Errno::NOSYS) => {
                return by_hand(from, to, read, end);
            }
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        };
        if copied == 0 {
            // Some file systems say so of files that have no length of their own.
            return by_hand(from, to, read, end);
        }
    }
    Ok(())
}

fn by_hand(from: &File, to: &File, start: u64, end: u64) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    let mut buffer = vec![0; 64 * 1024];
    let mut at = start;
    while at < end {
        let most = usize::try_from(end - at).unwrap_or(usize::MAX).min(buffer.len());
        let count = match from.read_at(&mut buffer[..most], at) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all_at(&buffer[..count], at)?;
        at += count as u64;
    }
    Ok(())
}

/// Returns whether two files hold the same bytes.
pub(super) fn are_alike(one: File, other: File) -> io::Result<bool> {
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let count = left.len().min(right.len());
        if count == 0 {
            return Ok(left.len() == right.len());
        }
        if left[..count] != right[..count] {
            return Ok(false);
        }
        one.consume(count);
        other.consume(count);
    }
}

/// Returns the extended attributes of an open file, without those by which the kernel marks what a trial leaves.
pub(super) fn attributes(file: impl AsFd) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut found = attributes_with_marks(file)?;
    found.retain(|(name, _)| !is_mark(name));
    Ok(found)
}

/// Returns whether what stands at a path has extended attributes, or may have.
pub(super) fn has_attributes(path: &Path) -> bool {
    match rustix::fs::llistxattr(path, &mut [0_u8; 0][..]) {
        Ok(bytes) => bytes > 0,
        Err(error) => error != Errno::OPNOTSUPP,
    }
}

/// Returns all extended attributes of an open file. Those that this user may not read are not this user's to keep.
pub(super) fn attributes_with_marks(file: impl AsFd) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let file = file.as_fd();
    let mut list = [0; 1024];
    let names = match rustix::fs::flistxattr(file, &mut list[..]) {
        Ok(count) => list[..count].to_vec(),
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(Errno::RANGE) => {
            let mut list = vec![0; ATTRIBUTE_LIMIT];
            let count = rustix::fs::flistxattr(file, &mut list[..])?;
            list.truncate(count);
            list
        }
        Err(error) => return Err(error.into()),
    };
    let mut found = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; ATTRIBUTE_LIMIT];
        match rustix::fs::fgetxattr(file, OsStr::from_bytes(name), &mut value[..]) {
            Ok(count) => {
                value.truncate(count);
                found.push((name.to_vec(), value));
            }
            Err(Errno::NODATA | Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// Gives an open file or directory its owner, attributes, permissions and times.
pub(super) fn dress(file: impl AsFd, meta: &Meta) -> io::Result<()> {
    let file = file.as_fd();
    let now = self::meta(&rustix::fs::fstat(file)?);
    if (now.uid, now.gid) != (meta.uid, meta.gid) {
        rustix::fs::fchown(file, Some(Uid::from_raw(meta.uid)), Some(Gid::from_raw(meta.gid)))?;
    }
    for (name, value) in &meta.attributes {
        let flags = XattrFlags::empty();
        match rustix::fs::fsetxattr(file, OsStr::from_bytes(name.bytes()), value.bytes(), flags) {
            // Labels that the system itself gives to new files.
            Ok(()) | Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // After the owner: a new owner takes setuid away.
    rustix::fs::fchmod(file, Mode::from_raw_mode((meta.mode & 0o7777) as RawMode))?;
    rustix::fs::futimens(file, &times(meta))?;
    Ok(())
}

/// Gives a symbolic link its owner and times.
pub(super) fn dress_link(directory: BorrowedFd<'_>, name: &OsStr, meta: &Meta) -> io::Result<()> {
    let here = AtFlags::SYMLINK_NOFOLLOW;
    if let Some(now) = look(directory, name)?.map(|found| self::meta(&found))
        && (now.uid, now.gid) != (meta.uid, meta.gid)
    {
        let (uid, gid) = (Uid::from_raw(meta.uid), Gid::from_raw(meta.gid));
        rustix::fs::chownat(directory, name, Some(uid), Some(gid), here)?;
    }
    Ok(rustix::fs::utimensat(directory, name, &times(meta), here)?)
}

fn times(meta: &Meta) -> Timestamps {
    let (seconds, nanoseconds) = meta.modified;
    let modified = Timespec { tv_sec: seconds, tv_nsec: i64::from(nanoseconds) };
    let omitted = Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT };
    Timestamps { last_access: omitted, last_modification: modified }
}

/// Opens a file, without waiting for whoever is at its other end.
pub(super) fn open(directory: BorrowedFd<'_>, name: &OsStr, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(directory, name, flags, Mode::empty())?.into())
}

/// Makes a file that is its owner's alone.
pub(super) fn create(directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(directory, name, flags, Mode::from_raw_mode(0o600))?.into())
}

/// Removes what stands at a name, directories with all that is in them. Nothing there is fine.
pub(super) fn remove(directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    match rustix::fs::unlinkat(directory, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    let inner = listed(directory, name)?;
    for (name, _) in names(inner.as_fd())? {
        remove(inner.as_fd(), &name)?;
    }
    Ok(rustix::fs::unlinkat(directory, name, AtFlags::REMOVEDIR)?)
}

/// Returns where a link leads.
pub(super) fn target(directory: BorrowedFd<'_>, name: &OsStr) -> io::Result<CString> {
    Ok(rustix::fs::readlinkat(directory, name, Vec::new())?)
}

/// Returns a path by which its last part is reached by way of no link; the last part itself may be one.
pub(super) fn real(path: &Path) -> io::Result<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
        _ => path.canonicalize(),
    }
}
