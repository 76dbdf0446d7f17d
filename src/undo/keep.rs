//! Keeps what is at stake in a new entry of the store: reads and links what is there, and changes nothing of it.
//! What is not finished is no entry.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, FileType, OFlags, Stat};

use super::files;
use super::journal::{Change, Entry, FORM, Header, How, Item, Name, Was};
use super::store::{CONTENT, JOURNAL, Room, SAME, Store, now, remove_directory};
use super::whole::Blobs;
use super::{Error, Limits};

/// What is kept of a file: its number, how it is kept, and the names that are to be put beside one another.
type Content = (u32, How, Vec<(Name, Name)>);

/// How a file's content is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The line takes its name away, or puts another file there: a second name keeps it as it is.
    Name,
    /// The line may write in the very file: only a copy keeps what was in it.
    Copy,
}

/// How much of a path is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// What stands there alone.
    Itself,
    /// A directory with all that is in it.
    Tree,
    /// The same, and what the line puts in it is found out by what was there.
    Listed,
}

/// When what was noted is an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// If something was there: what a line makes anew destroys nothing.
    IfFiles,
    /// If anything was noted.
    IfItems,
    /// Whatever was noted.
    Always,
}

/// What is asked for of a path.
pub(super) struct Wish<'w> {
    pub(super) change: Change,
    pub(super) way: Way,
    pub(super) depth: Depth,
    /// What below it is not kept.
    pub(super) leaves_out: &'w dyn Fn(&Path, FileType) -> bool,
    /// What git has of it, if anything is left to git.
    pub(super) blobs: Option<&'w Blobs>,
}

/// An entry that is being made. Dropped, nothing of it is left.
pub(super) struct Draft<'s> {
    store: &'s Store,
    room: Room,
    content: OwnedFd,
    limits: Limits,
    start: Instant,
    pub(super) items: Vec<Item>,
    /// Directories of git's objects that hold contents.
    objects: Vec<Name>,
    /// Where each path is among the items.
    seen: HashMap<PathBuf, usize>,
    /// Files with several names that are kept already.
    known: HashMap<(u64, u64), (u32, How)>,
    /// The directory that was opened last: mostly the next path stands in it too.
    parent: Option<(PathBuf, OwnedFd)>,
    /// The directory that was found missing last, and is noted as such.
    missing: Option<PathBuf>,
    next: u32,
    copied: u64,
    bytes: u64,
    is_finished: bool,
}

/// An entry that is whole. Unless it is said to stay, it goes away again.
#[must_use = "what is not said to stay goes away again"]
#[derive(Debug)]
pub struct Kept {
    /// By which name it is taken back.
    pub id: String,
    /// How many files, links and directories.
    pub files: u64,
    /// How many bytes they have.
    pub bytes: u64,
    /// Why not all that was at stake is kept, if so.
    pub lacks: Option<String>,
    /// Why the workspace is not kept as a whole, if so.
    pub uncovered: Option<String>,
    path: PathBuf,
    stays: bool,
}

impl Kept {
    /// Lets the entry stay.
    #[must_use = "the record names the entry by it"]
    pub fn stay(mut self) -> String {
        self.stays = true;
        std::mem::take(&mut self.id)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if !self.stays {
            // The line did not run. What cannot be removed goes when its time has come.
            let _ = remove_directory(&self.path);
        }
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            // What cannot be removed is no entry, and goes later.
            let _ = remove_directory(&self.room.path);
        }
    }
}

impl<'s> Draft<'s> {
    /// Begins an entry.
    pub(super) fn begin(store: &'s Store, limits: &Limits) -> Result<Self, Error> {
        let start = Instant::now();
        let room = store.room(limits)?;
        let path = room.path.join(CONTENT);
        let opened = File::open(&path).map_err(|source| Error::io("open", &path, source));
        let content = match opened {
            Ok(content) => content.into(),
            Err(error) => {
                let _ = remove_directory(&room.path);
                return Err(error);
            }
        };
        Ok(Self {
            store,
            room,
            content,
            limits: limits.clone(),
            start,
            items: Vec::new(),
            objects: Vec::new(),
            seen: HashMap::new(),
            known: HashMap::new(),
            parent: None,
            missing: None,
            next: 0,
            copied: 0,
            bytes: 0,
            is_finished: false,
        })
    }

    pub(super) fn id(&self) -> &str {
        &self.room.id
    }

    /// Returns its directory, as long as it is being made.
    pub(super) fn room(&self) -> &Path {
        &self.room.path
    }

    /// Keeps what stands at a path that is reached by way of no link, whatever it is itself.
    pub(super) fn keep(&mut self, path: &Path, wish: &Wish<'_>) -> Result<(), Error> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else { return Ok(()) };
        if self.missing.as_ref().is_some_and(|missing| path.starts_with(missing)) {
            return Ok(());
        }
        let known = self.parent.take().filter(|(known, _)| known == parent);
        let opened = match known.map_or_else(|| files::directory(parent), |(_, opened)| Ok(opened))
        {
            Ok(opened) => opened,
            // What is in nothing is nothing.
            Err(error) if is_nothing(&error) => {
                // What will be made is the first directory that is missing.
                let missing = |above: &&Path| above.symlink_metadata().is_err();
                let first = path.ancestors().take_while(missing).last().unwrap_or(path);
                self.nothing(first, wish.change)?;
                self.missing = (wish.change == Change::Written).then(|| first.to_owned());
                return Ok(());
            }
            Err(source) => return Err(Error::io("read", parent, source)),
        };
        self.one(opened.as_fd(), name, path, wish)?;
        self.parent = Some((parent.to_owned(), opened));
        Ok(())
    }

    /// Keeps what stands at a name in a directory as what is at a path.
    pub(super) fn one(
        &mut self,
        parent: BorrowedFd<'_>,
        name: &OsStr,
        path: &Path,
        wish: &Wish<'_>,
    ) -> Result<(), Error> {
        let failed = |source| Error::io("keep", path, source);
        let Some(found) = files::look(parent, name).map_err(failed)? else {
            return self.nothing(path, wish.change);
        };
        let mut meta = files::meta(&found);
        let is_directory = files::kind(meta.mode) == FileType::Directory;
        let is_seen = self.is_seen(path, wish.change);
        if is_seen && (!is_directory || wish.depth == Depth::Itself) {
            return Ok(());
        }
        match files::kind(meta.mode) {
            FileType::Directory => {
                let opened = files::listed(parent, name).map_err(failed)?;
                meta.attributes = named(files::attributes(&opened).map_err(failed)?);
                if !is_seen {
                    self.note(path, wish.change, Was::Directory { meta, left_out: None })?;
                }
                let at = self.seen.get(path).copied().unwrap_or(self.items.len() - 1);
                if wish.depth == Depth::Itself {
                    return Ok(());
                }
                let left_out = self.inside(opened.as_fd(), path, wish)?;
                if let (Depth::Listed, Was::Directory { left_out: into, .. }) =
                    (wish.depth, &mut self.items[at].was)
                {
                    *into = Some(left_out);
                }
                Ok(())
            }
            FileType::Symlink => {
                let target = files::target(parent, name).map_err(failed)?.into_bytes().into();
                self.note(path, wish.change, Was::Link { meta, target })
            }
            _ => {
                let (content, how, attributes) = self.content(parent, name, path, &found, wish)?;
                meta.attributes = attributes;
                if !matches!(how, How::Blob(_)) {
                    self.bytes += stored(&found);
                }
                self.note(path, wish.change, Was::File { meta, content, how })
            }
        }
    }

    /// Notes that nothing stands where the line may put something.
    pub(super) fn nothing(&mut self, path: &Path, change: Change) -> Result<(), Error> {
        if change == Change::Removed || self.is_seen(path, change) {
            return Ok(());
        }
        self.note(path, change, Was::Absent)
    }

    /// Returns whether a path is kept already. What is written as well is not only taken away.
    fn is_seen(&mut self, path: &Path, change: Change) -> bool {
        let Some(at) = self.seen.get(path) else { return false };
        if change == Change::Written {
            self.items[*at].change = change;
        }
        true
    }

    /// Keeps what is in a directory; returns the names that are left out.
    fn inside(
        &mut self,
        directory: BorrowedFd<'_>,
        path: &Path,
        wish: &Wish<'_>,
    ) -> Result<Vec<Name>, Error> {
        let names = files::names(directory).map_err(|source| Error::io("read", path, source))?;
        let mut left_out = Vec::new();
        for (name, kind) in names {
            let below = path.join(&name);
            if (wish.leaves_out)(&below, kind) {
                left_out.push(name.into());
                continue;
            }
            self.one(directory, &name, &below, wish)?;
        }
        Ok(left_out)
    }

    /// Keeps a file's content; returns its number, how, and the attributes that a copy does not have.
    fn content(
        &mut self,
        parent: BorrowedFd<'_>,
        name: &OsStr,
        path: &Path,
        found: &Stat,
        wish: &Wish<'_>,
    ) -> Result<Content, Error> {
        let meta = files::meta(found);
        if let Some((number, how)) = self.known.get(&meta.identity) {
            return Ok((*number, *how, Vec::new()));
        }
        let number = self.next;
        let kept = number.to_string();
        let is_file = files::kind(meta.mode) == FileType::RegularFile;
        let failed = |source| Error::io("keep", path, source);
        let blob = wish.blobs.filter(|_| meta.names == 1).and_then(|blobs| blobs.of(path, found));
        if let Some(blob) = blob.filter(|_| !files::has_attributes(path)) {
            self.next += 1;
            return Ok((number, How::Blob(blob), Vec::new()));
        }
        let mut how = How::Copy;
        let mut attributes = Vec::new();
        if wish.way == Way::Name || !is_file {
            let linked = rustix::fs::linkat(parent, name, &self.content, &*kept, AtFlags::empty());
            match linked {
                Ok(()) => how = How::Link,
                // To another file system, or of a file of someone else's, no name can be made.
                Err(_) if is_file => {}
                Err(error) => return Err(failed(error.into())),
            }
        }
        if how != How::Link {
            let from = files::open(parent, name, OFlags::RDONLY).map_err(failed)?;
            let to = files::create(self.content.as_fd(), OsStr::new(&kept))
                .map_err(|source| Error::io("write", &self.room.path, source))?;
            attributes = named(files::attributes(&from).map_err(failed)?);
            if meta.size > 0 && files::share(&from, &to).map_err(failed)? {
                how = How::Clone;
            } else {
                self.copy(&from, &to, found).map_err(|error| match error {
                    Stopped::Over(error) => error,
                    Stopped::Failed(source) => failed(source),
                })?;
            }
        }
        self.next += 1;
        if meta.names > 1 {
            if how != How::Link {
                // So that it can be put back as the file of its other names, where it still is what it was. Without, it is a file of its own.
                let same = format!("{kept}{SAME}");
                let _ = rustix::fs::linkat(parent, name, &self.content, &*same, AtFlags::empty());
            }
            self.known.insert(meta.identity, (number, how));
        }
        Ok((number, how, attributes))
    }

    /// Returns the directory of the guard's own state, which stands beside the store.
    pub(super) fn state(&self) -> &Path {
        let directory = self.store.directory();
        directory.parent().unwrap_or(directory)
    }

    /// Returns by which number contents in a directory of git's objects are found.
    pub(super) fn objects(&mut self, directory: &Path) -> usize {
        self.objects.push(directory.into());
        self.objects.len() - 1
    }

    /// Keeps something that a line may leave alone, or nothing of it where that fails; then returns why. Only copies count: what has a second
    /// name mostly has its first one afterwards.
    pub(super) fn attempt(
        &mut self,
        keep: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Option<String> {
        let (items, next) = (self.items.len(), self.next);
        let (copied, bytes, objects) = (self.copied, self.bytes, self.objects.len());
        let Err(error) = keep(self) else {
            self.bytes = bytes + (self.copied - copied);
            return None;
        };
        for number in next..=self.next {
            for name in [number.to_string(), format!("{number}{SAME}")] {
                // What cannot be removed goes with the entry.
                let _ = rustix::fs::unlinkat(&self.content, &*name, AtFlags::empty());
            }
        }
        self.items.truncate(items);
        self.objects.truncate(objects);
        self.seen.retain(|_, at| *at < items);
        self.known.retain(|_, (number, _)| *number < next);
        (self.next, self.copied, self.bytes) = (next, copied, bytes);
        self.missing = None;
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        Some(format!("{error}{}", cause.unwrap_or_default()))
    }

    fn copy(&mut self, from: &File, to: &File, found: &Stat) -> Result<(), Stopped> {
        self.copied += stored(found);
        if self.copied > self.limits.bytes {
            return Err(Stopped::Over(Error::Bytes(self.limits.bytes)));
        }
        let until = self.start + Duration::from_millis(self.limits.millis);
        match files::copy(from, to, files::meta(found).size, Some(until)) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                Err(Stopped::Over(Error::Slow(self.limits.millis)))
            }
            Err(error) => Err(Stopped::Failed(error)),
        }
    }

    fn note(&mut self, path: &Path, change: Change, was: Was) -> Result<(), Error> {
        self.seen.insert(path.to_owned(), self.items.len());
        self.items.push(Item { path: path.into(), change, was });
        if self.items.len() as u64 > self.limits.files {
            return Err(Error::Files(self.limits.files));
        }
        if self.start.elapsed() > Duration::from_millis(self.limits.millis) {
            return Err(Error::Slow(self.limits.millis));
        }
        Ok(())
    }

    /// Makes the entry whole, on the disk. None: `finish` wants no entry for what was noted.
    pub(super) fn finish(mut self, header: Header, finish: Finish) -> Result<Option<Kept>, Error> {
        let files = self.items.iter().filter(|item| item.was != Was::Absent).count() as u64;
        let is_one = match finish {
            Finish::IfFiles => files > 0,
            Finish::IfItems => !self.items.is_empty(),
            Finish::Always => true,
        };
        if !is_one {
            return Ok(None);
        }
        let mut items = std::mem::take(&mut self.items);
        // Directories before what is in them, and what is in one together.
        items.sort_by(|one, other| {
            let (one, other) = (one.path.path(), other.path.path());
            (one.parent(), one).cmp(&(other.parent(), other))
        });
        let id = self.room.id.clone();
        let time = if header.tried { header.time } else { now() };
        let objects = std::mem::take(&mut self.objects);
        let header = Header {
            form: FORM,
            id: id.clone(),
            time,
            files,
            bytes: self.bytes,
            objects,
            ..header
        };
        let (lacks, uncovered) = (header.lacks.clone(), header.uncovered.clone());
        let is_shells = finish == Finish::IfFiles && !header.by_hook;
        let replaces = is_shells.then(|| header.digest.clone());
        let path = self.room.path.join(JOURNAL);
        let write = || -> io::Result<u64> {
            let mut out = BufWriter::new(File::create(&path)?);
            Entry { header, items }.write(&mut out)?;
            out.flush()?;
            out.get_ref().sync_all()?;
            Ok(out.get_ref().metadata()?.len())
        };
        let journal = write().map_err(|source| Error::io("write", &path, source))?;
        let path = self.store.put(&self.room, self.bytes + journal)?;
        self.is_finished = true;
        if let Some(digest) = replaces {
            self.store.replace(&digest, &id);
        }
        Ok(Some(Kept { id, files, bytes: self.bytes, lacks, uncovered, path, stays: false }))
    }
}

/// Why a copy ended early.
enum Stopped {
    Over(Error),
    Failed(io::Error),
}

/// Bytes that a file takes up: its holes are none.
#[allow(clippy::cast_sign_loss, reason = "no file takes less than nothing")]
fn stored(found: &Stat) -> u64 {
    files::meta(found).size.min(found.st_blocks as u64 * 512)
}

fn named(attributes: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<(Name, Name)> {
    attributes.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// Returns whether an error says that nothing stands there.
pub(super) fn is_nothing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
