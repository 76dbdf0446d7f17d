//! Where entries are: a directory below the state directory, its owner's alone. Knows their names, ages and sizes, and removes the oldest.
//!
//! The name of an entry's directory says what it is: `ID.new` is being made, `ID.BYTES` is whole, and `ID.gone` is being removed. So a look at the
//! directory tells all, and one rename makes an entry whole or takes it away: whoever is killed leaves nothing that counts.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufReader};
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::fcntl::Flock;
use nix::libc;

use super::files;
use super::journal::{self, Entry, Header};
use super::{Error, Limits};
use crate::sys::lock_within;
use crate::sys::users::may_others_write;

/// The file with what an entry is about, in its directory.
pub(super) const JOURNAL: &str = "journal";
/// The directory with what was kept, in that of the entry.
pub(super) const CONTENT: &str = "content";
/// The file that says that an entry was taken back, and by which it is taken back in turn.
pub(super) const TAKEN: &str = "taken";

/// What the name of a second name ends in that stands beside a copy.
pub(super) const SAME: &str = ".same";

/// Letters of an id, in the order of their bytes; none looks like another.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Letters that an id has: tenths of a second, for a hundred years.
const LENGTH: usize = 7;
/// Milliseconds that an id stands for.
const UNIT: u64 = 100;

/// How long is waited for whoever looks for a name as well: that takes far less than a millisecond.
const PATIENCE: Duration = Duration::from_secs(2);
/// After so many milliseconds nobody makes an entry any more.
const ABANDONED: u64 = 3_600_000;
/// For so many milliseconds a line of a hook's may come to the shell: a person may be asked in between.
const RECENT: u64 = 600_000;
/// So many entries are taken away at once.
const AT_ONCE: usize = 16;
/// So many files of what was taken away are removed before a line.
const FILES_AT_ONCE: usize = 1000;

/// The entries of this user.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
}

/// An entry as it is found, before it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its name.
    pub id: String,
    /// How many bytes it keeps.
    pub bytes: u64,
    path: PathBuf,
}

/// What a name in the directory says.
enum Named {
    New(String),
    Whole(String, u64),
    Gone,
}

fn named(name: &str) -> Option<Named> {
    let (id, rest) = name.split_once('.')?;
    let is_id = id.len() == LENGTH && id.bytes().all(|byte| LETTERS.contains(&byte));
    match rest {
        _ if !is_id => None,
        "new" => Some(Named::New(id.to_owned())),
        "gone" => Some(Named::Gone),
        bytes => Some(Named::Whole(id.to_owned(), bytes.parse().ok()?)),
    }
}

/// Returns the milliseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn id_of(unit: u64) -> String {
    let letter = |place: usize| {
        let index = unit >> (5 * (LENGTH - 1 - place)) & 31;
        char::from(LETTERS[usize::try_from(index).unwrap_or(0)])
    };
    (0..LENGTH).map(letter).collect()
}

/// The milliseconds since 1970 that an id stands for.
fn time_of(id: &str) -> u64 {
    let value = |byte: u8| LETTERS.iter().position(|letter| *letter == byte).unwrap_or(0) as u64;
    id.bytes().fold(0, |sum, byte| (sum << 5) | value(byte)) * UNIT
}

/// A directory for a new entry, which nobody else has.
pub(super) struct Room {
    pub(super) id: String,
    pub(super) path: PathBuf,
}

impl Store {
    /// Returns the entries below a state directory, whether there are any or not.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self { directory: state.join("undo") }
    }

    /// Returns the directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the entries that are whole, the oldest first.
    pub fn found(&self) -> Result<Vec<Found>, Error> {
        let mut found: Vec<Found> = Vec::new();
        for (name, path) in self.names()? {
            if let Some(Named::Whole(id, bytes)) = named(&name) {
                found.push(Found { id, bytes, path });
            }
        }
        found.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(found)
    }

    /// Returns the one entry whose id begins so.
    pub fn one(&self, begins: &str) -> Result<Found, Error> {
        let mut fits: Vec<Found> = self.found()?;
        fits.retain(|found| !begins.is_empty() && found.id.starts_with(begins));
        match fits.len() {
            1 => Ok(fits.remove(0)),
            0 => Err(Error::Unknown(begins.to_owned())),
            _ => Err(Error::Ambiguous(begins.to_owned())),
        }
    }

    fn names(&self) -> Result<Vec<(String, PathBuf)>, Error> {
        let failed = |source| Error::io("read", &self.directory, source);
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().into_string() {
                names.push((name, entry.path()));
            }
        }
        Ok(names)
    }

    /// Makes room for a new entry; the oldest go where there are too many.
    pub(super) fn room(&self, limits: &Limits) -> Result<Room, Error> {
        self.prepare()?;
        let lock = self.lock()?;
        let names = self.names()?;
        self.expire(&names, limits)?;
        let taken: Vec<&str> = names.iter().filter_map(|(name, _)| name.get(..LENGTH)).collect();
        let mut unit = now() / UNIT;
        let room = loop {
            let id = id_of(unit);
            let path = self.directory.join(format!("{id}.new"));
            unit += 1;
            if taken.contains(&id.as_str()) {
                continue;
            }
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => break Room { id, path },
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::io("make", &path, error)),
            }
        };
        drop(lock);
        let content = room.path.join(CONTENT);
        let made = DirBuilder::new().mode(0o700).create(&content);
        made.map_err(|source| Error::io("make", &content, source))?;
        Ok(room)
    }

    /// Makes a new entry whole.
    pub(super) fn put(&self, room: &Room, bytes: u64) -> Result<PathBuf, Error> {
        let path = self.directory.join(format!("{}.{bytes}", room.id));
        fs::rename(&room.path, &path).map_err(|source| Error::io("make", &path, source))?;
        Ok(path)
    }

    /// Takes away what an agent's hook had kept of a line a moment ago, where its shell has kept the same.
    pub(super) fn replace(&self, digest: &str, by: &str) {
        let oldest = now().saturating_sub(RECENT);
        let found = self.found().unwrap_or_default();
        let recent = found.iter().rev().take_while(|found| time_of(&found.id) >= oldest);
        for found in recent.filter(|found| found.id != by).take(AT_ONCE) {
            let is_same = |header: Header| header.by_hook && header.digest == digest;
            if found.header().is_ok_and(is_same) && found.taken().is_ok_and(|by| by.is_none()) {
                // Where it stays, the line can be taken back twice, the second time without effect.
                let _ = remove_directory(&found.path);
                return;
            }
        }
    }

    fn prepare(&self) -> Result<(), Error> {
        let failed = |source| Error::io("make", &self.directory, source);
        let found = match self.directory.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let mut builder = DirBuilder::new();
                builder.recursive(true).mode(0o700).create(&self.directory).map_err(failed)?;
                self.directory.symlink_metadata().map_err(failed)?
            }
            found => found.map_err(failed)?,
        };
        let problem = if !found.is_dir() {
            "is not a directory"
        } else if found.uid() != nix::unistd::geteuid().as_raw() {
            "belongs to another user"
        } else if may_others_write(&found) {
            "may be written by others"
        } else {
            return Ok(());
        };
        Err(Error::NotOurs { path: self.directory.clone(), problem })
    }

    /// Locks the names until the lock is dropped.
    fn lock(&self) -> Result<Flock<File>, Error> {
        let path = self.directory.join("lock");
        let failed = |source| Error::io("open", &path, source);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&path)
            .map_err(failed)?;
        lock_within(file, PATIENCE).map_err(|errno| failed(errno.into()))
    }

    /// Takes away what is too old, too much, or was never finished, and removes some of the files of it.
    fn expire(&self, names: &[(String, PathBuf)], limits: &Limits) -> Result<(), Error> {
        let now = now();
        let oldest = now.saturating_sub(u64::from(limits.days) * 86_400_000);
        let (mut whole, mut gone) = (Vec::new(), Vec::new());
        for (name, path) in names {
            match named(name) {
                Some(Named::New(id)) if now.saturating_sub(time_of(&id)) > ABANDONED => {
                    gone.push((id, path));
                }
                Some(Named::Whole(id, bytes)) => whole.push((id, bytes, path)),
                _ => {}
            }
        }
        whole.sort();
        let mut total: u64 = whole.iter().map(|(_, bytes, _)| bytes).sum();
        for (id, bytes, path) in whole {
            if time_of(&id) >= oldest && total <= limits.size {
                break;
            }
            total -= bytes;
            gone.push((id, path));
        }
        for (id, path) in gone.into_iter().take(AT_ONCE) {
            let to = self.directory.join(format!("{id}.gone"));
            fs::rename(path, &to).map_err(|source| Error::io("remove", &to, source))?;
        }
        let mut left = FILES_AT_ONCE;
        for (name, path) in names {
            if matches!(named(name), Some(Named::Gone)) && left > 0 {
                // What cannot be removed now is tried again before the next line.
                let _ = remove_some(path, &mut left);
            }
        }
        Ok(())
    }
}

/// Removes so many files of an entry, and the entry where no more are left.
fn remove_some(path: &Path, left: &mut usize) -> io::Result<()> {
    if let Ok(entries) = fs::read_dir(path.join(CONTENT)) {
        for entry in entries {
            if *left == 0 {
                return Ok(());
            }
            fs::remove_file(entry?.path())?;
            *left -= 1;
        }
    }
    remove_directory(path)
}

/// Removes an entry's directory as a whole.
pub(super) fn remove_directory(path: &Path) -> io::Result<()> {
    let Some((parent, name)) = path.parent().zip(path.file_name()) else { return Ok(()) };
    files::remove(File::open(parent)?.as_fd(), name)
}

/// Reads a file of an entry.
fn opened<T>(
    path: &Path,
    read: impl FnOnce(&mut BufReader<File>) -> io::Result<T>,
) -> Result<T, Error> {
    let open = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(path);
    let read = open.and_then(|file| read(&mut BufReader::new(file)));
    read.map_err(|source| Error::io("read", path, source))
}

impl Found {
    /// Removes the entry.
    pub fn remove(&self) -> Result<(), Error> {
        remove_directory(&self.path).map_err(|source| Error::io("remove", &self.path, source))
    }

    /// Reads what the entry was kept for.
    pub fn header(&self) -> Result<Header, Error> {
        let path = self.path.join(JOURNAL);
        opened(&path, journal::read_header)
    }

    /// Reads the entry.
    pub fn entry(&self) -> Result<Entry, Error> {
        let path = self.path.join(JOURNAL);
        opened(&path, Entry::read)
    }

    /// Returns by which entry it was taken back; none where it was not.
    pub fn taken(&self) -> Result<Option<String>, Error> {
        let path = self.path.join(TAKEN);
        match fs::read_to_string(&path) {
            Ok(by) => Ok(Some(by.trim_end().to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("read", &path, error)),
        }
    }

    /// Notes by which entry it was taken back. What was kept is not needed any more.
    pub(super) fn take(&self, by: Option<&str>) -> Result<(), Error> {
        let path = self.path.join(TAKEN);
        let new = self.path.join("taken.new");
        let write = || -> io::Result<()> {
            fs::write(&new, by.unwrap_or_default())?;
            File::open(&new)?.sync_all()?;
            fs::rename(&new, &path)
        };
        write().map_err(|source| Error::io("write", &path, source))?;
        // What cannot be removed goes with the entry.
        let _ = remove_directory(&self.content());
        Ok(())
    }

    /// Returns the directory with what was kept.
    #[must_use]
    pub fn content(&self) -> PathBuf {
        self.path.join(CONTENT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_when_and_sorts_by_it() {
        let units = [0, 1, 31, 32, 17_640_000_000, 17_640_000_001, 34_359_738_367];
        let ids = units.map(id_of);
        assert!(ids.is_sorted());
        assert_eq!(ids.each_ref().map(|id| time_of(id) / UNIT), units);
    }
}
