//! The file `head`: how far the chain has come. Whoever appends holds its lock.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::libc;

use super::{Error, directory};

/// How long is waited for the lock. An append takes well under a millisecond, so two hundred that come at once are through long
/// before; a process that holds it longer is stuck, or means to stop us.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two tries.
const PAUSE: Duration = Duration::from_micros(300);

/// Bytes of the file: count, hash, name of the day's file and its length, each of one width, so that one write replaces all.
const WIDTH: usize = 20 + 1 + 64 + 1 + 16 + 1 + 20 + 1;

/// How far the chain has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// How many records there are.
    pub(super) count: u64,
    /// The hash of the last.
    pub(super) hash: String,
    /// The file that it is in.
    pub(super) file: String,
    /// The length of that file.
    pub(super) length: u64,
}

/// What the file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
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
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&path)
            .map_err(open)?;
        directory::check(&path, &file.metadata().map_err(open)?)?;
        let start = Instant::now();
        loop {
            match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(file) => return Ok(Self { file, path }),
                Err((_, Errno::EWOULDBLOCK)) if start.elapsed() > PATIENCE => {
                    return Err(Error::Locked { path });
                }
                Err((unlocked, Errno::EWOULDBLOCK | Errno::EINTR)) => file = unlocked,
                Err((_, errno)) => return Err(open(errno.into())),
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Reads what the file says.
    pub(super) fn read(&self) -> Result<Said, Error> {
        let read = |source| Error::Read { path: self.path.clone(), source };
        let mut bytes = [0; WIDTH + 1];
        let count = read_at_most(&self.file, &mut bytes).map_err(read)?;
        Ok(parse(&bytes[..count]))
    }

    /// Replaces what the file says.
    pub(super) fn write(&mut self, position: &Position) -> Result<(), Error> {
        let Position { count, hash, file, length } = position;
        let text = format!("{count:020} {hash:64} {file:16} {length:020}\n");
        let written = self.file.write_all_at(text.as_bytes(), 0);
        written.map_err(|source| Error::Write { path: self.path.clone(), source })
    }
}

/// Reads what the file says, without a lock: for who only looks.
pub(super) fn look(directory: &Path) -> Result<Option<Said>, Error> {
    let path = directory.join("head");
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(parse(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Read { path, source }),
    }
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
