//! What a line leaves that is only tried: other directories take what it writes, and out of these an entry is made that says what would be there.
//! Taking such an entry back carries the line out. Changes nothing of what the line was tried on.

use std::collections::HashSet;
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};

use super::files;
use super::journal::{Change, Header};
use super::keep::{Depth, Draft, Finish, Way, Wish};
use super::store::{Store, now, remove_directory};
use super::{Error, Limits};
use crate::model::Over;

/// In the name of each attribute by which the kernel marks what it keeps for an overlay (overlayfs, `userxattr`).
const MARKS: &[u8] = b"user.overlay.";
/// The mark of a directory in which nothing is left of the one below it.
const OPAQUE: &[u8] = b"user.overlay.opaque";

/// A trial for which there is room. Dropped, nothing of it is left.
pub struct Trial<'s> {
    draft: Option<Draft<'s>>,
    over: Vec<Over>,
    start: u64,
}

impl<'s> Trial<'s> {
    /// Makes room for what a line writes below these directories, which are reached by way of no link.
    pub fn begin(store: &'s Store, limits: &Limits, roots: &[PathBuf]) -> Result<Self, Error> {
        let draft = Draft::begin(store, &limits.none())?;
        let mut over = Vec::new();
        for (index, root) in roots.iter().enumerate() {
            let mode = root.metadata().map_or(0o700, |found| found.permissions().mode() & 0o7777);
            let made = ["upper", "work"].map(|part| draft.room().join(format!("{part}{index}")));
            for path in &made {
                let made = DirBuilder::new().mode(0o700).create(path);
                let made = made.and_then(|()| set_mode(path, mode));
                made.map_err(|source| Error::io("make", path, source))?;
            }
            let [upper, work] = made;
            over.push(Over { root: root.clone(), upper, work });
        }
        Ok(Self { draft: Some(draft), over, start: now() })
    }

    /// Returns which directories are to be laid over which.
    #[must_use]
    pub fn over(&self) -> &[Over] {
        &self.over
    }

    /// Makes an entry of what the line has left; none where it changed nothing. Returns its name.
    pub fn finish(mut self, header: Header) -> Result<Option<String>, Error> {
        let Some(mut draft) = self.draft.take() else { return Ok(None) };
        for over in &self.over {
            let failed = |source| Error::io("read", &over.upper, source);
            let parent = files::directory(draft.room()).map_err(failed)?;
            let name = over.upper.file_name().unwrap_or_default();
            let upper = files::listed(parent.as_fd(), name).map_err(failed)?;
            directory(&mut draft, upper.as_fd(), (&over.upper, &over.root), Below::Seen)?;
        }
        self.clear();
        let header = Header { tried: true, time: self.start, ..header };
        let kept = draft.finish(header, Finish::IfItems)?;
        Ok(kept.map(super::Kept::stay))
    }

    /// Removes the directories. The kernel makes one in its own into which nobody may look.
    fn clear(&self) {
        for over in &self.over {
            // What cannot be removed goes with the entry.
            let _ = set_mode(&over.work.join("work"), 0o700);
            let _ = remove_directory(&over.work);
            let _ = remove_directory(&over.upper);
        }
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}

/// What of a directory is seen through the one that was laid over it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    /// What has no other name in the one above.
    Seen,
    /// Nothing, nor of what is in it.
    Gone,
}

/// Notes what is new in a directory. `upper` is where that is, `root` what it was laid over.
fn directory(
    draft: &mut Draft<'_>,
    opened: BorrowedFd<'_>,
    (upper, root): (&Path, &Path),
    seen: Below,
) -> Result<(), Error> {
    if seen == Below::Gone {
        gone(draft, opened, root)?;
    }
    let names = files::names(opened).map_err(|source| Error::io("read", upper, source))?;
    for (name, _) in names {
        let (path, below) = (root.join(&name), upper.join(&name));
        let failed = |source| Error::io("read", &below, source);
        let Some(found) = files::look(opened, &name).map_err(failed)? else { continue };
        let mut wish = Wish {
            change: Change::Written,
            way: Way::Name,
            depth: Depth::Itself,
            leaves_out: &|_, _| false,
            blobs: None,
        };
        if is_whiteout(&found) {
            draft.nothing(&path, Change::Written)?;
            continue;
        }
        if files::kind(files::meta(&found).mode) != FileType::Directory {
            // A mark would come along with a second name.
            if is_marked(&below) {
                wish.way = Way::Copy;
            }
            draft.one(opened, &name, &path, &wish)?;
            continue;
        }
        let inner = files::listed(opened, &name).map_err(failed)?;
        let was = path.symlink_metadata().ok().filter(std::fs::Metadata::is_dir);
        if was.as_ref().is_none_or(|was| !looks_alike(was, &found)) {
            draft.one(opened, &name, &path, &wish)?;
        }
        let marks = files::attributes_with_marks(&inner).map_err(failed)?;
        let is_opaque = marks.iter().any(|(name, _)| name == OPAQUE);
        let seen = if is_opaque { Below::Gone } else { seen };
        directory(draft, inner.as_fd(), (&below, &path), seen)?;
    }
    Ok(())
}

/// Notes that what was in a directory is gone, but for what stands in the one that is new.
fn gone(draft: &mut Draft<'_>, new: BorrowedFd<'_>, path: &Path) -> Result<(), Error> {
    // Where no directory was, nothing was in it.
    if !path.symlink_metadata().is_ok_and(|was| was.is_dir()) {
        return Ok(());
    }
    let failed = |source| Error::io("read", path, source);
    let stays: HashSet<_> =
        files::names(new).map_err(failed)?.into_iter().map(|(name, _)| name).collect();
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        if !stays.contains(&name) {
            draft.nothing(&path.join(name), Change::Written)?;
        }
    }
    Ok(())
}

/// How the kernel says that a name of the directory below is gone (overlayfs, "whiteouts and opaque directories").
#[allow(clippy::unnecessary_cast, reason = "the field has another type on other systems")]
fn is_whiteout(found: &Stat) -> bool {
    let kind = files::kind(files::meta(found).mode);
    kind == FileType::CharacterDevice && found.st_rdev as u64 == 0
}

fn is_marked(path: &Path) -> bool {
    let mut list = [0; 1024];
    match rustix::fs::llistxattr(path, &mut list[..]) {
        Ok(count) => list[..count].split(|byte| *byte == 0).any(|name| name.starts_with(MARKS)),
        // Where that cannot be told, a copy has no mark.
        Err(_) => true,
    }
}

/// Whether a directory has the owner and permissions that it had.
fn looks_alike(was: &std::fs::Metadata, found: &Stat) -> bool {
    use std::os::unix::fs::MetadataExt;
    let now = files::meta(found);
    (was.mode(), was.uid(), was.gid()) == (now.mode, now.uid, now.gid)
}

/// Whether an attribute is the kernel's mark, and no file's own.
pub(super) fn is_mark(name: &[u8]) -> bool {
    name.starts_with(MARKS)
}
