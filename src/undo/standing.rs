//! How what an entry says stands to what is there now: which paths are as they were, which are brought back, and which were changed since by
//! somebody else. Changes nothing.
//!
//! When the line ended, nobody knows: guarded-sh has become the shell by then. So what a line may have written counts as its own if it was
//! touched within [`SETTLES`] of its start, and later as somebody else's. Where a line takes something away, whatever stands there afterwards is
//! somebody else's.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, OFlags, Stat};

use super::Error;
use super::files;
use super::journal::{Change, Entry, Header, How, Item, Meta, Was};
use super::keep::is_nothing;
use super::store::Found;

/// Milliseconds from the start of a line within which what is written counts as its own.
const SETTLES: u64 = 60_000;
/// Milliseconds by which a file system's clock is behind.
const COARSE: u64 = 20;

/// What is to be done about one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing: it is as it was.
    Same,
    /// It is brought back.
    Lost,
    /// Its content is written back into the file that stands there, which has other names too.
    Refilled,
    /// What is there now goes away.
    Added,
    /// Its permissions, owner or time are brought back.
    Undressed,
}

/// Something that was changed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What.
    pub path: PathBuf,
    /// What is the matter with it.
    pub why: &'static str,
    /// Whether it can be brought back all the same.
    pub may_be_forced: bool,
}

/// How an entry stands to what is there.
#[derive(Debug, Default)]
pub struct Standings {
    /// Of each item of the entry.
    pub items: Vec<Standing>,
    /// What the line put beside what was there.
    pub added: Vec<PathBuf>,
    /// What was changed since.
    pub conflicts: Vec<Conflict>,
    /// The kept contents that do not have the looks that they had.
    pub(super) undressed: HashSet<u32>,
}

impl Standings {
    /// Returns the paths that are changed, with what is done about each.
    pub fn changed<'a>(
        &'a self,
        entry: &'a Entry,
    ) -> impl Iterator<Item = (&'a Path, Standing, Option<&'a Item>)> {
        let items = entry.items.iter().zip(&self.items);
        let items = items.filter(|(_, standing)| **standing != Standing::Same);
        let items = items.map(|(item, standing)| (item.path.path(), *standing, Some(item)));
        items.chain(self.added.iter().map(|path| (path.as_path(), Standing::Added, None)))
    }
}

/// Compares an entry with what is there.
pub fn compare(found: &Found, entry: &Entry) -> Result<Standings, Error> {
    let path = found.content();
    let content = match File::open(&path) {
        Ok(content) => Some(content.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Error::io("open", &path, error)),
    };
    let mut comparing = Comparing {
        entry,
        content,
        parent: None,
        missing: None,
        standings: Standings::default(),
        known: entry.items.iter().map(|item| item.path.path()).collect(),
        kept: HashMap::new(),
    };
    for item in &entry.items {
        let standing = comparing.item(item)?;
        comparing.standings.items.push(standing);
    }
    Ok(comparing.standings)
}

struct Comparing<'e> {
    entry: &'e Entry,
    content: Option<OwnedFd>,
    /// The directory that was opened last: most items stand in the same one.
    parent: Option<(PathBuf, OwnedFd)>,
    /// The directory that was found missing last.
    missing: Option<PathBuf>,
    standings: Standings,
    known: HashSet<&'e Path>,
    /// What the store has of each content.
    kept: HashMap<u32, Option<Meta>>,
}

/// What stands at a path.
enum There {
    Nothing,
    Something(Box<Stat>),
    /// A link is on the way, where none was.
    Elsewhere,
}

impl Comparing<'_> {
    fn item(&mut self, item: &Item) -> Result<Standing, Error> {
        let path = item.path.path();
        let now = match self.there(path)? {
            There::Nothing => None,
            There::Something(found) => Some(*found),
            There::Elsewhere => {
                return Ok(self.conflict(path, "is reached by way of a link now", Forced::No));
            }
        };
        match (&item.was, now) {
            (Was::Absent, None) => Ok(Standing::Same),
            (Was::Absent, Some(now)) => Ok(self.added(path, &now)),
            (Was::File { meta, content, how }, now) => self.file(item, meta, *content, *how, now),
            (Was::Directory { .. } | Was::Link { .. }, None) => Ok(Standing::Lost),
            (Was::Directory { meta, left_out }, Some(now)) => {
                self.directory(item, meta, left_out.is_some(), &now)
            }
            (Was::Link { meta, target }, Some(now)) => {
                let is_link = files::kind(files::meta(&now).mode) == FileType::Symlink;
                let leads = |(directory, name): (&OwnedFd, &OsStr)| {
                    files::target(directory.as_fd(), name).ok()
                };
                let leads = self.place(path).and_then(leads);
                if is_link && leads.is_some_and(|leads| leads.as_bytes() == target.bytes()) {
                    return Ok(Standing::Same);
                }
                Ok(self.replaced(item, meta, &now))
            }
        }
    }

    fn file(
        &mut self,
        item: &Item,
        meta: &Meta,
        content: u32,
        how: How,
        now: Option<Stat>,
    ) -> Result<Standing, Error> {
        let path = item.path.path();
        let is_there = now.as_ref().map(files::meta);
        let is_same_file = is_there.as_ref().is_some_and(|now| now.identity == meta.identity);
        let kept = self.kept(content)?;
        if let Some(now) = &is_there {
            let is_kept_one = kept.as_ref().is_some_and(|kept| kept.identity == now.identity);
            // It was brought back before, by who did not come to an end.
            // What git has is in the store once it was needed, and stays there.
            let is_gone = kept.is_none() && !matches!(how, How::Blob(_));
            let is_brought_back = || is_gone || self.has_kept_content(path, content);
            if has_same_data(now, meta) && (is_same_file || is_kept_one || is_brought_back()) {
                let is_dressed = has_same_looks(now, meta);
                return Ok(if is_dressed { Standing::Same } else { Standing::Undressed });
            }
        }
        let is_whole = match (how, &kept) {
            // Whether git has it is seen when it is needed.
            (How::Blob(_), _) => true,
            (How::Link, Some(kept)) => has_same_data(kept, meta),
            (How::Clone | How::Copy, Some(kept)) => kept.size == meta.size,
            (_, None) => return Ok(self.conflict(path, "is not kept any more", Forced::No)),
        };
        if how != How::Link || kept.is_none_or(|kept| !has_same_looks(&kept, meta)) {
            self.standings.undressed.insert(content);
        }
        if !is_whole {
            return Ok(self.conflict(path, "was changed by another name of it", Forced::Yes));
        }
        let Some(now) = now else { return Ok(Standing::Lost) };
        if is_same_file && how != How::Link && meta.names > 1 {
            let standing = self.replaced(item, meta, &now);
            return Ok(if standing == Standing::Lost { Standing::Refilled } else { standing });
        }
        Ok(self.replaced(item, meta, &now))
    }

    fn directory(
        &mut self,
        item: &Item,
        meta: &Meta,
        is_listed: bool,
        now: &Stat,
    ) -> Result<Standing, Error> {
        let looks = files::meta(now);
        if files::kind(looks.mode) != FileType::Directory {
            return Ok(self.replaced(item, meta, now));
        }
        if is_listed {
            let is_another = looks.identity != meta.identity && self.is_lines(files::touched(now));
            self.additions(item, is_another)?;
        }
        let is_dressed = has_same_looks(&looks, meta);
        Ok(if is_dressed { Standing::Same } else { Standing::Undressed })
    }

    /// Finds what the line put into a directory of which all was noted. In another directory in its place, that is all.
    fn additions(&mut self, item: &Item, is_another: bool) -> Result<(), Error> {
        let Was::Directory { left_out: Some(left_out), .. } = &item.was else { return Ok(()) };
        let path = item.path.path();
        let failed = |source| Error::io("read", path, source);
        let directory = files::directory(path).map_err(failed)?;
        let listed = files::listed(directory.as_fd(), OsStr::new(".")).map_err(failed)?;
        for (name, _) in files::names(listed.as_fd()).map_err(failed)? {
            let below = path.join(&name);
            let is_left_out = left_out.iter().any(|left| *left.path() == *name);
            if is_left_out || self.known.contains(below.as_path()) {
                continue;
            }
            let Some(now) = files::look(listed.as_fd(), &name).map_err(failed)? else { continue };
            // What somebody else put there later is theirs.
            let is_new =
                self.is_lines(files::touched(&now)) && is_all(&below, &|t| self.is_lines(t));
            if is_another || is_new {
                self.standings.added.push(below);
            }
        }
        Ok(())
    }

    /// What stands where nothing was.
    fn added(&mut self, path: &Path, now: &Stat) -> Standing {
        if !self.is_lines(files::touched(now)) {
            return self.conflict(path, "was made since", Forced::Yes);
        }
        let is_directory = files::kind(files::meta(now).mode) == FileType::Directory;
        if is_directory && !is_all(path, &|touched| touched <= self.until()) {
            return self.conflict(path, "holds what was made since", Forced::Yes);
        }
        Standing::Added
    }

    /// Something else stands where this was.
    fn replaced(&mut self, item: &Item, meta: &Meta, now: &Stat) -> Standing {
        let path = item.path.path();
        let is_same_file = files::meta(now).identity == meta.identity;
        match item.change {
            Change::Removed if !is_same_file => self.conflict(path, "was made since", Forced::Yes),
            Change::Removed | Change::Written if self.is_lines(files::touched(now)) => {
                Standing::Lost
            }
            Change::Removed | Change::Written => {
                self.conflict(path, "was changed since", Forced::Yes)
            }
        }
    }

    /// Whether something was touched when the line ran; of one that was only tried, whether it was before: what was touched since is not what the
    /// line saw.
    fn is_lines(&self, touched: u64) -> bool {
        let Header { time, tried, .. } = self.entry.header;
        (tried || touched >= time.saturating_sub(COARSE)) && touched <= self.until()
    }

    /// Until when what was touched is no one else's.
    fn until(&self) -> u64 {
        let Header { time, tried, .. } = self.entry.header;
        if tried { time } else { time + SETTLES }
    }

    fn conflict(&mut self, path: &Path, why: &'static str, forced: Forced) -> Standing {
        let may_be_forced = forced == Forced::Yes;
        self.standings.conflicts.push(Conflict { path: path.to_owned(), why, may_be_forced });
        match forced {
            Forced::Yes => Standing::Lost,
            Forced::No => Standing::Same,
        }
    }

    /// Whether what stands at a path has the very bytes that are kept.
    fn has_kept_content(&self, path: &Path, content: u32) -> bool {
        let number = content.to_string();
        let open = |directory: &OwnedFd, name: &OsStr| {
            files::open(directory.as_fd(), name, OFlags::RDONLY).ok()
        };
        let kept = self.content.as_ref().and_then(|kept| open(kept, OsStr::new(&number)));
        let now = self.place(path).and_then(|(directory, name)| open(directory, name));
        kept.zip(now).is_some_and(|(kept, now)| files::are_alike(kept, now).unwrap_or(false))
    }

    fn kept(&mut self, content: u32) -> Result<Option<Meta>, Error> {
        if let Some(known) = self.kept.get(&content) {
            return Ok(known.clone());
        }
        let name = content.to_string();
        let look = |directory: &OwnedFd| files::look(directory.as_fd(), OsStr::new(&name));
        let found = self.content.as_ref().map(look).transpose();
        let found = found.map_err(|source| Error::io("read", Path::new(&name), source))?;
        let found = found.flatten().map(|found| files::meta(&found));
        self.kept.insert(content, found.clone());
        Ok(found)
    }

    fn there(&mut self, path: &Path) -> Result<There, Error> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else {
            return Ok(There::Nothing);
        };
        if self.missing.as_deref() == Some(parent) {
            return Ok(There::Nothing);
        }
        if self.parent.as_ref().is_none_or(|(known, _)| known != parent) {
            match files::directory(parent) {
                Ok(opened) => self.parent = Some((parent.to_owned(), opened)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.missing = Some(parent.to_owned());
                    return Ok(There::Nothing);
                }
                Err(error) if is_nothing(&error) || is_link(&error) => {
                    return Ok(self.behind(parent));
                }
                Err(error) => return Err(Error::io("read", parent, error)),
            }
        }
        let Some((_, directory)) = &self.parent else { return Ok(There::Nothing) };
        let found = files::look(directory.as_fd(), name);
        match found.map_err(|source| Error::io("read", path, source))? {
            Some(found) => Ok(There::Something(Box::new(found))),
            None => Ok(There::Nothing),
        }
    }

    /// What is in the way where a directory of the path is none: nothing is below what the journal has as a directory and will bring back.
    fn behind(&self, parent: &Path) -> There {
        let is_noted = parent.ancestors().any(|above| self.known.contains(above));
        if is_noted { There::Nothing } else { There::Elsewhere }
    }

    fn place<'p>(&self, path: &'p Path) -> Option<(&OwnedFd, &'p OsStr)> {
        let (known, directory) = self.parent.as_ref()?;
        (Some(known.as_path()) == path.parent()).then_some((directory, path.file_name()?))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Forced {
    Yes,
    No,
}

fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(nix::libc::ELOOP)
}

/// Whether all that stands at a path was touched at such times.
fn is_all(path: &Path, fits: &dyn Fn(u64) -> bool) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(found) = path.symlink_metadata() else { return true };
    let seconds = u64::try_from(found.ctime()).unwrap_or(0);
    let touched = seconds * 1000 + u64::try_from(found.ctime_nsec()).unwrap_or(0) / 1_000_000;
    // A directory that was moved holds what is older.
    if !found.is_dir() {
        return fits(touched);
    }
    let Ok(entries) = std::fs::read_dir(path) else { return false };
    entries.flatten().all(|entry| is_all(&entry.path(), fits))
}

fn has_same_data(now: &Meta, meta: &Meta) -> bool {
    let is_same_kind = files::kind(now.mode) == files::kind(meta.mode);
    is_same_kind && (now.size, now.modified) == (meta.size, meta.modified)
}

fn has_same_looks(now: &Meta, meta: &Meta) -> bool {
    (now.mode, now.uid, now.gid) == (meta.mode, meta.uid, meta.gid)
}
