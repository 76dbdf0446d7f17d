//! The file `head`: how far the chain has come. Whoever appends holds its lock.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::Flock;
use nix::libc;

use super::{Error, directory};
use crate::sys::lock_within;

/// How long is waited for the lock. An append takes well under a millisecond, so two hundred that come at once are through long
/// before; a process that holds it longer is stuck, or means to stop us.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of the file: count, hash, name of the day's file and its length, each of one width, so that one write replaces all.
const WIDTH: usize = 20 + 1 + 64 + 1 + 16 + 1 + 20 + 1;

/// How far the chain has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// How many records there are.
    pub count: u64,
    /// The hash of the last.
    pub hash: String,
    /// The file that it is in.
    pub file: String,
    /// The length of that file.
    pub length: u64,
}

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// It was made just now.
    Nothing,
    /// It cannot be understood.
    Nonsense,
    /// How far the chain has come.
    Position(Position),
}

/// The file, locked until it is dropped.
pub(super) struct Head {
    file: Flock<File>,
    path: PathBuf,
}

impl Head {
    /// Opens and locks the file.
    pub(super) fn lock(directory: &Path) -> Result<Self, Error> {
        let path = directory.join("head");
        let open = |source| Error::Open { path: path.clone(), source };
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&path)
            .map_err(open)?;
        directory::check(&path, &file.metadata().map_err(open)?)?;
        match lock_within(file, PATIENCE) {
            Ok(file) => Ok(Self { file, path }),
            Err(Errno::EWOULDBLOCK) => Err(Error::Locked { path }),
            Err(errno) => Err(open(errno.into())),
        }
    }

    /// Reads what the file says.
    pub(super) fn read(&self) -> Result<Said, Error> {
        let read = |source| Error::Read { path: self.path.clone(), source };
        said(&self.file).map_err(read)
    }

    /// Replaces what the file says, with whatever someone else wrote behind it.
    pub(super) fn write(&mut self, position: &Position) -> Result<(), Error> {
        let Position { count, hash, file, length } = position;
        let text = format!("{count:020} {hash:64} {file:16} {length:020}\n");
        let length = text.len() as u64;
        let cut = || match self.file.metadata()?.len() {
            found if found > length => self.file.set_len(length),
            _ => Ok(()),
        };
        let written = self.file.write_all_at(text.as_bytes(), 0);
        written
            .and_then(|()| cut())
            .map_err(|source| Error::Write { path: self.path.clone(), source })
    }
}

/// Reads what the file says, without a lock: for who only looks.
pub fn look(directory: &Path) -> Result<Option<Said>, Error> {
    let path = directory.join("head");
    let Some(file) = directory::open(&path)? else { return Ok(None) };
    said(&file).map(Some).map_err(|source| Error::Read { path, source })
}

/// What a file says. No more of it is read than tells that it is too long.
fn said(file: &File) -> io::Result<Said> {
    let mut bytes = [0; WIDTH + 1];
    let count = read_at_most(file, &mut bytes)?;
    Ok(parse(&bytes[..count]))
}

fn read_at_most(file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], filled as u64)? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

fn parse(bytes: &[u8]) -> Said {
    if bytes.is_empty() {
        return Said::Nothing;
    }
    position(bytes).map_or(Said::Nonsense, Said::Position)
}

fn position(bytes: &[u8]) -> Option<Position> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() == WIDTH)?;
    let mut fields = text.strip_suffix('\n')?.split(' ');
    let count = fields.next()?.parse().ok()?;
    let hash = fields.next()?.to_owned();
    let file = fields.next()?.to_owned();
    let length = fields.next()?.parse().ok()?;
    let plain = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    (plain && directory::is_day(&file)).then_some(Position { count, hash, file, length })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_stands_behind_it_goes_with_the_next_write() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path();
        let file = "2026-11-21.jsonl".to_owned();
        let position = Position { count: 3, hash: "0".repeat(64), file, length: 7 };
        let look = || look(directory).unwrap().unwrap();
        assert_eq!(super::look(directory).unwrap(), None);
        let mut head = Head::lock(directory).unwrap();
        assert_eq!(look(), Said::Nothing);
        head.write(&position).unwrap();
        assert_eq!(look(), Said::Position(position.clone()));
        let mut other = OpenOptions::new().append(true).open(directory.join("head")).unwrap();
        other.write_all(&[b'x'; 3000]).unwrap();
        assert_eq!((look(), head.read().unwrap()), (Said::Nonsense, Said::Nonsense));
        head.write(&position).unwrap();
        assert_eq!((look(), head.read().unwrap()), {
            let said = Said::Position(position);
            (said.clone(), said)
        });
    }
}
