//! Brings back what an entry keeps. First what is there now is kept in an entry of its own: so it can be taken back in turn, and nothing is
//! lost whatever happens. Then each path is put in place in one step.
//!
//! Who is stopped half-way leaves an entry that is not taken back, and whose paths that are back count as being as they were: it is done again from
//! the start. Paths are reached by way of no link, and nothing beside what the journal says is touched.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::files;
use super::journal::{Change, Entry, Header, How, Item, Meta, Name, Was};
use super::keep::{Depth, Draft, Finish, Way, Wish, is_nothing};
use super::objects::unpack;
use super::standing::{Standing, Standings};
use super::store::{Found, SAME, Store};
use super::{Error, Limits};

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// By which name it is taken back in turn; none where nothing was to be done.
    pub by: Option<String>,
    /// How many paths were changed.
    pub changed: usize,
}

/// Takes an entry back.
pub fn take_back(
    store: &Store,
    found: &Found,
    entry: &Entry,
    standings: &Standings,
    limits: &Limits,
) -> Result<Done, Error> {
    let changed = standings.changed(entry).count();
    if changed == 0 {
        found.take(None)?;
        return Ok(Done { by: None, changed });
    }
    let by = keep_present(store, entry, standings, limits)?;
    let path = found.content();
    let content = File::open(&path).map_err(|source| Error::io("open", &path, source))?;
    let mut uses: HashMap<u32, usize> = HashMap::new();
    for (_, standing, item) in standings.changed(entry) {
        if let (Standing::Lost, Some(Item { was: Was::File { content, how, .. }, .. })) =
            (standing, item)
        {
            // What git has stays in the store as well: where it is not there, it has not been fetched.
            let stays = usize::from(matches!(how, How::Blob(_)));
            *uses.entry(*content).or_insert(stays) += 1;
        }
    }
    let mut restoring = Restoring {
        id: &entry.header.id,
        content: content.into(),
        parent: None,
        uses,
        undressed: &standings.undressed,
        placed: HashMap::new(),
        made: HashSet::new(),
    };
    // Git's objects come first, for what it has is read from them.
    let is_gits = |path: &Path| {
        let mut objects = entry.header.objects.iter().map(Name::path);
        objects.any(|objects| path.starts_with(objects) || objects.starts_with(path))
    };
    restoring.all(standings.changed(entry).filter(|(path, ..)| is_gits(path)))?;
    unpack(found, entry, standings)?;
    // Then what is written back into files that are there: other names of them are put beside it then.
    let rest = || standings.changed(entry).filter(|(path, ..)| !is_gits(path));
    let is_refilled = |standing: Standing| standing == Standing::Refilled;
    restoring.all(rest().filter(|(_, standing, _)| is_refilled(*standing)))?;
    restoring.all(rest().filter(|(_, standing, _)| !is_refilled(*standing)))?;
    restoring.dress_directories(entry)?;
    found.take(Some(&by))?;
    Ok(Done { by: Some(by), changed })
}

/// Keeps what is there now of all that will be changed.
fn keep_present(
    store: &Store,
    entry: &Entry,
    standings: &Standings,
    limits: &Limits,
) -> Result<String, Error> {
    let limits = limits.none();
    let mut draft = Draft::begin(store, &limits)?;
    for (path, standing, _) in standings.changed(entry) {
        let way = if standing == Standing::Refilled { Way::Copy } else { Way::Name };
        let depth = match standing {
            Standing::Undressed | Standing::Same => Depth::Itself,
            Standing::Lost | Standing::Refilled | Standing::Added => Depth::Tree,
        };
        let change = Change::Written;
        draft.keep(path, &Wish { change, way, depth, leaves_out: &|_, _| false, blobs: None })?;
    }
    let id = entry.header.id.clone();
    let header = Header {
        line: entry.header.line.clone(),
        session: entry.header.session.clone(),
        cwd: entry.header.cwd.clone(),
        pid: std::process::id(),
        // What carries a tried line out is taken back like what a line did.
        undoes: (!entry.header.tried).then_some(id),
        ..Header::default()
    };
    let by = draft.id().to_owned();
    Ok(draft.finish(header, Finish::Always)?.map_or(by, super::Kept::stay))
}

struct Restoring<'e> {
    id: &'e str,
    content: OwnedFd,
    /// The directory that was opened last: most paths stand in the same one.
    parent: Option<(PathBuf, OwnedFd)>,
    /// How many paths still need each content.
    uses: HashMap<u32, usize>,
    undressed: &'e HashSet<u32>,
    /// Where the first name of each content is, in a file system that is not the store's.
    placed: HashMap<u32, PathBuf>,
    /// Directories that were made.
    made: HashSet<PathBuf>,
}

impl Restoring<'_> {
    fn all<'a>(
        &mut self,
        changed: impl Iterator<Item = (&'a Path, Standing, Option<&'a Item>)>,
    ) -> Result<(), Error> {
        for (path, standing, item) in changed {
            self.one(path, standing, item).map_err(|source| Error::io("restore", path, source))?;
        }
        Ok(())
    }

    fn one(&mut self, path: &Path, standing: Standing, item: Option<&Item>) -> io::Result<()> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else { return Ok(()) };
        match (standing, item.map(|item| &item.was)) {
            (Standing::Same, _) => Ok(()),
            (Standing::Added, _) | (Standing::Lost, Some(Was::Absent) | None) => {
                match self.enter(parent, Missing::Fails) {
                    // What was in a directory in whose place something else stands is gone with it.
                    Err(error) if is_nothing(&error) => return Ok(()),
                    entered => entered?,
                }
                files::remove(self.here(), name)
            }
            (Standing::Lost, Some(was)) => {
                self.enter(parent, Missing::Made)?;
                self.put(path, name, was)
            }
            (Standing::Refilled, Some(Was::File { meta, content, .. })) => {
                self.enter(parent, Missing::Fails)?;
                self.refill(name, meta, *content)
            }
            (Standing::Undressed, Some(Was::File { meta, .. })) => {
                self.enter(parent, Missing::Fails)?;
                self.undressed(name, meta)
            }
            // Directories get their looks when all is in them.
            (Standing::Refilled | Standing::Undressed, _) => Ok(()),
        }
    }

    /// Puts something where it was.
    fn put(&mut self, path: &Path, name: &OsStr, was: &Was) -> io::Result<()> {
        match was {
            Was::Absent => Ok(()),
            Was::File { meta, content, .. } => {
                // Mostly nothing stands there, and then nothing is looked for.
                match self.file(name, meta, *content, RenameFlags::NOREPLACE) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                        self.clear_directory(name)?;
                        self.file(name, meta, *content, RenameFlags::empty())
                    }
                    done => done,
                }
            }
            Was::Link { meta, target } => {
                self.clear_directory(name)?;
                let new = self.temporary();
                files::remove(self.here(), OsStr::new(&new))?;
                rustix::fs::symlinkat(target.path(), self.here(), &*new)?;
                files::dress_link(self.here(), OsStr::new(&new), meta)?;
                Ok(rustix::fs::renameat(self.here(), &*new, self.here(), name)?)
            }
            Was::Directory { .. } => {
                if self.kind(name)?.is_some_and(|kind| kind != FileType::Directory) {
                    files::remove(self.here(), name)?;
                }
                match rustix::fs::mkdirat(self.here(), name, Mode::from_raw_mode(0o700)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
                self.made.insert(path.to_owned());
                Ok(())
            }
        }
    }

    /// Removes a directory that stands where something else was: it has been kept.
    fn clear_directory(&self, name: &OsStr) -> io::Result<()> {
        if self.kind(name)? == Some(FileType::Directory) {
            files::remove(self.here(), name)?;
        }
        Ok(())
    }

    fn kind(&self, name: &OsStr) -> io::Result<Option<FileType>> {
        Ok(files::look(self.here(), name)?.map(|now| files::kind(files::meta(&now).mode)))
    }

    /// Moves a kept file to where it was; the last path that needs it gets the file of the store itself.
    fn file(
        &mut self,
        name: &OsStr,
        meta: &Meta,
        content: u32,
        flags: RenameFlags,
    ) -> io::Result<()> {
        let number = content.to_string();
        if self.undressed.contains(&content) {
            self.dress(&number, meta)?;
        }
        let is_last = self.uses.get(&content).is_none_or(|uses| *uses <= 1);
        let same = format!("{number}{SAME}");
        let is_same = meta.names > 1 && self.is_same(&same, meta)?;
        let source = if is_last && !is_same { number.clone() } else { format!("{number}.next") };
        if source != number {
            files::remove(self.content.as_fd(), OsStr::new(&source))?;
            let (content, from) = (&self.content, if is_same { &same } else { &number });
            rustix::fs::linkat(content, from.as_str(), content, &*source, AtFlags::empty())?;
        }
        match self.moved(&self.content, &source, name, flags) {
            Err(Errno::XDEV) => self.copied(content, meta, name, flags)?,
            done => done?,
        }
        if let Some(uses) = self.uses.get_mut(&content) {
            *uses -= 1;
        }
        Ok(())
    }

    /// Whether the very file that was copied is still what it was, by the names that it has.
    fn is_same(&self, name: &str, meta: &Meta) -> io::Result<bool> {
        let found = files::look(self.content.as_fd(), OsStr::new(name))?;
        Ok(found.is_some_and(|found| {
            let found = files::meta(&found);
            (found.identity, found.size, found.modified)
                == (meta.identity, meta.size, meta.modified)
        }))
    }

    /// Puts a file in place by one rename.
    fn moved(
        &self,
        from: &OwnedFd,
        source: &str,
        name: &OsStr,
        flags: RenameFlags,
    ) -> Result<(), Errno> {
        match rustix::fs::renameat_with(from, source, self.here(), name, flags) {
            // Not every file system knows how not to replace.
            Err(Errno::INVAL | Errno::NOSYS) if !flags.is_empty() => {
                if rustix::fs::statat(self.here(), name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                    return Err(Errno::EXIST);
                }
                rustix::fs::renameat(from, source, self.here(), name)
            }
            done => done,
        }
    }

    /// Makes a file beside its place, where the store is in another file system.
    fn copied(
        &mut self,
        content: u32,
        meta: &Meta,
        name: &OsStr,
        flags: RenameFlags,
    ) -> io::Result<()> {
        let new = self.temporary();
        files::remove(self.here(), OsStr::new(&new))?;
        if let Some(first) = self.placed.get(&content) {
            // Another name of a file that is in its place already.
            rustix::fs::linkat(CWD, first, self.here(), &*new, AtFlags::empty())?;
        } else {
            let number = content.to_string();
            let from = files::open(self.content.as_fd(), OsStr::new(&number), OFlags::RDONLY)?;
            let to = files::create(self.here(), OsStr::new(&new))?;
            if meta.size > 0 && !files::share(&from, &to)? {
                files::copy(&from, &to, meta.size, None)?;
            }
            files::dress(&to, meta)?;
        }
        let Some((path, here)) = &self.parent else { return Err(io::ErrorKind::NotFound.into()) };
        let path = path.join(name);
        if let Err(error) = self.moved(here, &new, name, flags) {
            // What could not be put in place is in nobody's way.
            let _ = files::remove(self.here(), OsStr::new(&new));
            return Err(error.into());
        }
        self.placed.entry(content).or_insert(path);
        Ok(())
    }

    /// Gives a kept file its looks before it is in its place.
    fn dress(&self, number: &str, meta: &Meta) -> io::Result<()> {
        if files::kind(meta.mode) != FileType::RegularFile {
            return Ok(());
        }
        let kept = files::open(self.content.as_fd(), OsStr::new(number), OFlags::RDONLY)?;
        files::dress(kept, meta)
    }

    /// Writes a kept content into the file that is there.
    fn refill(&self, name: &OsStr, meta: &Meta, content: u32) -> io::Result<()> {
        let number = content.to_string();
        let from = files::open(self.content.as_fd(), OsStr::new(&number), OFlags::RDONLY)?;
        let to = files::open(self.here(), name, OFlags::RDWR)?;
        to.set_len(0)?;
        files::copy(&from, &to, meta.size, None)?;
        files::dress(&to, meta)
    }

    fn undressed(&self, name: &OsStr, meta: &Meta) -> io::Result<()> {
        // A file that nobody may read can still be told what it was.
        let file = match files::open(self.here(), name, OFlags::RDONLY) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let mode = Mode::from_raw_mode(meta.mode & 0o7777);
                return Ok(rustix::fs::chmodat(self.here(), name, mode, AtFlags::empty())?);
            }
            Err(error) => return Err(error),
        };
        files::dress(file, meta)
    }

    /// Gives directories their looks, those in others first.
    fn dress_directories(&mut self, entry: &Entry) -> Result<(), Error> {
        for item in entry.items.iter().rev() {
            let Was::Directory { meta, left_out } = &item.was else { continue };
            let path = item.path.path();
            if left_out.is_none() && !self.made.contains(path) && is_dressed(path, meta) {
                continue;
            }
            let Some((parent, name)) = path.parent().zip(path.file_name()) else { continue };
            let dress = || {
                let parent = files::directory(parent)?;
                files::dress(files::listed(parent.as_fd(), name)?, meta)
            };
            match dress() {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::io("restore", path, source));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Opens the directory in which the next path stands.
    fn enter(&mut self, parent: &Path, missing: Missing) -> io::Result<()> {
        if self.parent.as_ref().is_some_and(|(known, _)| known == parent) {
            return Ok(());
        }
        let opened = match files::directory(parent) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && missing == Missing::Made => {
                // A directory that is in no journal was there when the line ran.
                if let (Some(above), Some(name)) = (parent.parent(), parent.file_name()) {
                    self.enter(above, missing)?;
                    rustix::fs::mkdirat(self.here(), name, Mode::from_raw_mode(0o777))?;
                }
                files::directory(parent)?
            }
            opened => opened?,
        };
        self.parent = Some((parent.to_owned(), opened));
        Ok(())
    }

    fn here(&self) -> std::os::fd::BorrowedFd<'_> {
        // Before the first path is entered, nothing is asked for.
        self.parent.as_ref().map_or(self.content.as_fd(), |(_, directory)| directory.as_fd())
    }

    /// The name of what is made beside its place: always the same, so that who comes after one that was stopped replaces it.
    fn temporary(&self) -> String {
        format!(".guarded-sh-undo-{}", self.id)
    }
}

/// Whether a missing directory is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Made,
    Fails,
}

fn is_dressed(path: &Path, meta: &Meta) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata()
        .is_ok_and(|now| (now.mode(), now.uid(), now.gid()) == (meta.mode, meta.uid, meta.gid))
}
