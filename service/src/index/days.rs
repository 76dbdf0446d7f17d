//! The files of the record, and whether they are still those that the index was made of.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use guarded_sh::audit::{self, Error, open_day};

use super::read::{Content, content};

/// What a file is, apart from what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) inode: u64,
    pub(super) size: u64,
    /// When it was last written, in nanoseconds; none where it grew while it was read.
    pub(super) written: Option<i64>,
}

impl Stat {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let seconds = metadata.mtime().saturating_mul(1_000_000_000);
        let written = seconds.saturating_add(metadata.mtime_nsec());
        Self { inode: metadata.ino(), size: metadata.size(), written: Some(written) }
    }
}

/// A file of the record, and how far it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Day {
    pub(super) name: String,
    pub(super) stat: Stat,
    /// How much of it was read.
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// Lines that are records, the hash of the last, and the byte behind it.
    pub(super) sound: u64,
    pub(super) hash: String,
    pub(super) hash_end: u64,
}

impl Day {
    /// Returns a file of which nothing was read. How long it is, is for who waits.
    fn new(directory: &Path, name: &str) -> Self {
        let size = directory.join(name).symlink_metadata().map_or(0, |metadata| metadata.size());
        let stat = Stat { size, ..Stat::default() };
        Self { name: name.to_owned(), stat, ..Self::default() }
    }

    fn content(&self) -> Content {
        Content { lines: self.lines, sound: self.sound, hash: self.hash.clone() }
    }
}

/// What is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// What stands behind what was read, in these files. Others are as they were.
    On(Vec<Day>),
    /// All of them, because the index is not of these files any more.
    Anew {
        /// What is otherwise.
        why: String,
        /// The files.
        days: Vec<Day>,
    },
}

/// Compares the files of a directory with what was read of them.
pub(super) fn standing(directory: &Path, known: &[Day]) -> Result<Standing, Error> {
    let names = match directory.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        _ => audit::days(directory)?,
    };
    let anew = |why: String| {
        let days = names.iter().map(|name| Day::new(directory, name)).collect();
        Ok(Standing::Anew { why, days })
    };
    if let Some(gone) = known.iter().find(|day| !names.contains(&day.name)) {
        return anew(format!("'{}' is gone", gone.name));
    }
    let last = known.last().map(|day| day.name.as_str()).unwrap_or_default();
    let mut days = Vec::new();
    for name in &names {
        let Some(day) = known.iter().find(|day| day.name == *name) else {
            if name.as_str() < last {
                return anew(format!("'{name}' is new, and older than what was read"));
            }
            days.push(Day::new(directory, name));
            continue;
        };
        let path = directory.join(name);
        let changed = |source| Error::Read { path: path.clone(), source };
        let Some(file) = open_day(&path)? else { return anew(format!("'{name}' is gone")) };
        match compared(file, day).map_err(changed)? {
            Compared::Same(now) if now.size > day.bytes && name.as_str() < last => {
                return anew(format!("'{name}' grew, and a later file was read"));
            }
            Compared::Same(now) if now == day.stat && now.size == day.bytes => {}
            Compared::Same(now) => days.push(Day { stat: now, ..day.clone() }),
            Compared::Otherwise(what) => return anew(format!("'{name}' {what}")),
        }
    }
    Ok(Standing::On(days))
}

/// Whether a file is the one that was read.
enum Compared {
    Same(Stat),
    Otherwise(&'static str),
}

fn compared(file: File, day: &Day) -> io::Result<Compared> {
    let now = Stat::of(&file.metadata()?);
    if now.inode != day.stat.inode {
        return Ok(Compared::Otherwise("was replaced"));
    }
    if now.size < day.bytes {
        return Ok(Compared::Otherwise("shrank"));
    }
    let is_written = day.stat.written.is_some_and(|written| now.written != Some(written));
    // A record that could not be written is taken back, so a file that was written may be the same.
    let is_same = match now.size == day.stat.size {
        true if !is_written => true,
        true => content(file, day.bytes)? == day.content(),
        false => has_last(&file, day)?,
    };
    let changed = Compared::Otherwise("was changed");
    Ok(if is_same { Compared::Same(now) } else { changed })
}

/// Returns whether the last record that was read stands where it stood.
fn has_last(file: &File, day: &Day) -> io::Result<bool> {
    let end = format!("{}\"}}\n", day.hash);
    let Some(at) = day.hash_end.checked_sub(end.len() as u64).filter(|_| day.sound > 0) else {
        return Ok(true);
    };
    let mut bytes = vec![0; end.len()];
    match file.read_exact_at(&mut bytes, at) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| bytes == end.as_bytes()),
    }
}
