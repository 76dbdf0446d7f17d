//! The files that a contained line sees: found out before, and what is laid over them. Makes nothing outside of the container.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::libc;
use nix::mount::{MsFlags, mount};

use super::{Error, mount_empty, take_away};
use crate::model::{Facts, Over, PathClass};
use crate::paths;
use crate::sys::mounts::Tree;

include!(concat!(env!("OUT_DIR"), "/view.rs"));

/// A directory that is always there, in which upper directories are made while caches are laid over, where none is empty already.
const WORKSHOP: &str = "/tmp";
/// The directory for them in one that is empty.
const UPPER: &str = ".upper";
/// What stands in the place of a file that is hidden.
const NOTHING: &str = "/dev/null";
/// What the kernel says, and lets set, of the processes that there are.
const PROCESSES: &str = "/proc";
/// What is the line's own to write in, wherever it runs.
const ALWAYS: [&str; 2] = [PROCESSES, "/dev/shm"];

/// What of the machine's files there is, and how.
#[derive(Debug, Default)]
pub(in crate::fence) struct View {
    /// Directories and files that stay writable, with all below them.
    pub(super) writable: Vec<PathBuf>,
    /// Directories in which what is written is the line's alone, and gone with it.
    pub(super) caches: Vec<PathBuf>,
    /// Directories that must stay where they are, those above before those below.
    pub(super) pinned: BTreeSet<PathBuf>,
    /// What is read-only in what is writable.
    pub(super) guarded: Vec<PathBuf>,
    /// Directories of the machine that are gone, with the sockets in them.
    pub(super) gone: Vec<PathBuf>,
    /// What of those stays, read-only.
    pub(super) kept: Vec<PathBuf>,
    /// Secrets, and sockets of others in temporary directories, which are not there.
    pub(super) secret: Vec<PathBuf>,
    /// The directory in which the line runs.
    pub(super) cwd: Option<PathBuf>,
    /// Where other directories take what is written, as the line is only tried.
    pub(super) over: Vec<Over>,
}

/// The places of a line, as the fence knows them.
pub(in crate::fence) struct Places<'p> {
    pub(in crate::fence) facts: &'p Facts,
    /// What it may write to.
    pub(in crate::fence) writable: Vec<&'p str>,
    /// What tools keep, as far as it is there.
    pub(in crate::fence) caches: Vec<&'p str>,
    /// Git directories of the workspace that stand outside of it.
    pub(in crate::fence) repositories: &'p [String],
    /// Secrets that are kept from it.
    pub(in crate::fence) secrets: &'p [String],
}

impl View {
    /// Finds out what a line sees in its places.
    pub(in crate::fence) fn of(places: &Places<'_>) -> Self {
        let facts = places.facts;
        let mut view = Self { cwd: facts.cwd.as_ref().map(PathBuf::from), ..Self::default() };
        let writable = places.writable.iter().copied();
        let mut writable: Vec<PathBuf> = writable.chain(ALWAYS).map(there_or_soon).collect();
        // No plan that runs contained needs all.
        writable.retain(|path| path != Path::new("/"));
        writable.sort();
        // What is below another comes with it.
        writable.dedup_by(|below, above| below.starts_with(above));
        let is_cache = |path: &PathBuf| path.is_dir() && !is_within(path, &writable);
        view.caches = places.caches.iter().filter_map(|path| real(path)).filter(is_cache).collect();
        view.writable = writable;
        let roots: Vec<PathBuf> = facts.workspaces.iter().filter_map(|root| real(root)).collect();
        // Those of a workspace are its programs' own: they are read, and not written.
        let secrets = places.secrets.iter().filter_map(|path| real(path));
        view.secret = secrets.filter(|path| !is_within(path, &roots)).collect();
        for root in roots {
            view.guard(&root, facts);
        }
        for repository in places.repositories.iter().filter_map(|path| real(path)) {
            let (_, below) = GUARDED.iter().find(|(name, _)| *name == ".git").unwrap_or(&("", &[]));
            view.guard_in(&repository, below);
        }
        view.hide(facts);
        view
    }

    /// Makes it the view of a line that is only tried: what the line writes in these directories others take, what it writes elsewhere is gone with it,
    /// and nothing of them needs to be guarded.
    pub(in crate::fence) fn over(mut self, over: &[Over]) -> Self {
        let own = over.iter().map(|over| over.root.clone());
        let stays: Vec<PathBuf> = own.chain(ALWAYS.map(there_or_soon)).collect();
        let is_own = |path: &Path| is_within(path, &stays);
        let others = self.writable.iter().filter(|path| path.is_dir() && !is_own(path)).cloned();
        self.caches.splice(0..0, others.collect::<Vec<_>>());
        self.caches.retain(|path| !is_own(path));
        self.writable = stays;
        self.guarded.clear();
        self.pinned.clear();
        self.over = over.to_vec();
        self
    }

    /// Returns what is read-only where the rest may be written.
    pub(in crate::fence) fn guards(&self) -> Vec<String> {
        self.guarded.iter().map(|path| path.display().to_string()).collect()
    }

    /// Guards what runs by itself, or is a key, in a workspace.
    fn guard(&mut self, root: &Path, facts: &Facts) {
        self.pin(root);
        for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
            // A link is none of those: what it leads to stands elsewhere.
            let Ok(kind) = entry.file_type() else { continue };
            let Ok(name) = entry.file_name().into_string() else { continue };
            if kind.is_symlink() {
                continue;
            }
            let path = entry.path();
            if let Some((_, below)) = GUARDED.iter().find(|(guarded, _)| *guarded == name)
                && kind.is_dir()
            {
                self.guard_in(&path, below);
                continue;
            }
            let class = path.to_str().map(|path| paths::classify(path, facts));
            if matches!(
                class,
                Some(PathClass::Hooks | PathClass::Startup | PathClass::Secret | PathClass::Guard)
            ) {
                self.guarded.push(path);
            }
        }
    }

    fn guard_in(&mut self, directory: &Path, below: &[&str]) {
        for name in below {
            let path = if name.is_empty() { directory.to_owned() } else { directory.join(name) };
            if path.symlink_metadata().is_ok_and(|there| !there.is_symlink()) {
                self.pin(path.parent().unwrap_or(directory));
                self.guarded.push(path);
            }
        }
        self.pin(directory);
    }

    /// Holds a directory, and those above it up to the place that it is in, where they are: a mount is not renamed, and what stands above one might be.
    fn pin(&mut self, directory: &Path) {
        let Some(place) = self.writable.iter().find(|place| directory.starts_with(place)) else {
            return;
        };
        let above = directory.ancestors().take_while(|above| above != place);
        self.pinned.extend(above.map(Path::to_owned));
    }

    fn hide(&mut self, facts: &Facts) {
        let home = facts.home.as_deref().filter(|home| *home != "/");
        let at = |path: &&str| match (path.strip_prefix('~'), home) {
            (Some(below), Some(home)) => real(&format!("{home}{below}")),
            (Some(_), None) => None,
            (None, _) => real(path),
        };
        let is_below_home =
            |path: &PathBuf| home.is_some_and(|home| Path::new(home).starts_with(path));
        let mut gone: Vec<PathBuf> = HIDDEN.iter().filter_map(at).collect();
        gone.retain(|path| path.is_dir() && !is_below_home(path));
        for directory in facts.temporary.iter().filter_map(|path| real(path)) {
            let sockets = self.sockets(&directory);
            self.secret.extend(sockets);
        }
        gone.sort();
        gone.dedup_by(|below, above| below.starts_with(above));
        let is_gone = |path: &PathBuf| is_within(path, &gone);
        self.kept = KEPT.iter().filter_map(at).filter(is_gone).collect();
        // The line's own directory is there in any case.
        let cwd = self.cwd.iter().filter(|cwd| is_gone(cwd) && !is_within(cwd, &self.writable));
        self.kept.extend(cwd.cloned().collect::<Vec<_>>());
        self.gone = gone;
    }

    /// Finds servers of others in a temporary directory.
    fn sockets(&self, directory: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let is_own = |path: &Path| {
            let cwd = self.cwd.iter();
            cwd.chain(&self.pinned).any(|own| own.starts_with(path))
        };
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name();
            let is_named = || {
                name.to_str().is_some_and(|name| SOCKETS.iter().any(|pattern| fits(pattern, name)))
            };
            let path = entry.path();
            if (kind.is_socket() || kind.is_dir() && is_named()) && !is_own(&path) {
                found.push(path);
            }
        }
        found
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

fn is_within(path: &Path, places: &[PathBuf]) -> bool {
    places.iter().any(|place| path.starts_with(place))
}

/// Where a path leads; what is not there yet, as the directory of the first record, may be when the line runs.
fn there_or_soon(path: &str) -> PathBuf {
    real(path).unwrap_or_else(|| PathBuf::from(path))
}

/// Where a path leads, if anything is there.
fn real(path: &str) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

/// A tree of mounts with the place in which it is put.
pub(super) struct Placed<'p> {
    path: &'p Path,
    is_directory: bool,
    tree: Tree,
}

impl<'p> Placed<'p> {
    /// Takes what is at a path now. What is not there any more is nothing.
    pub(super) fn of(path: &'p PathBuf) -> Option<Self> {
        Some(Self { path, is_directory: path.is_dir(), tree: Tree::of(path).ok()? })
    }

    /// The same, to be looked at alone.
    pub(super) fn read_only(path: &'p PathBuf) -> Option<Self> {
        let placed = Self::of(path)?;
        Some(Self { tree: placed.tree.read_only().ok()?, ..placed })
    }

    /// Puts it there; where the directory that it was in is gone, on something that is made for it, in memory: outside it is there.
    pub(super) fn put(self) -> std::io::Result<()> {
        if self.path.symlink_metadata().is_err() {
            let directory = if self.is_directory { Some(self.path) } else { self.path.parent() };
            if let Some(directory) = directory {
                DirBuilder::new().recursive(true).mode(0o755).create(directory)?;
            }
            if !self.is_directory {
                File::create(self.path)?;
            }
        }
        self.tree.put(self.path)
    }
}

/// Opens caches, before anything is put over the directories above them.
pub(super) fn open(caches: &[PathBuf]) -> Vec<File> {
    caches.iter().filter_map(|path| open_directory(path).ok()).collect()
}

fn open_directory(path: &Path) -> std::io::Result<File> {
    let flags = libc::O_PATH | libc::O_DIRECTORY;
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Lays the directories in which a line is tried over the others, before anything else is put over anything. What they are called does not matter to
/// the kernel, which would read a comma in a path as the end of it.
pub(super) fn lay_trials(trials: &[Over]) -> Result<(), Error> {
    for Over { root, upper, work } in trials {
        let open =
            |path| open_directory(path).map_err(super::doing("opening a directory of the trial"));
        let (root, upper, work) = (open(root)?, open(upper)?, open(work)?);
        mount_over(&root, &by_descriptor(&upper), &by_descriptor(&work))
            .map_err(super::doing("laying a directory of the trial over another"))?;
    }
    Ok(())
}

fn by_descriptor(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Lays over a directory what takes what is written there (overlayfs).
fn mount_over(lower: &File, upper: &Path, work: &Path) -> nix::Result<()> {
    let lower = by_descriptor(lower);
    let (upper, work) = (upper.display(), work.display());
    let options = format!("lowerdir={},upperdir={upper},workdir={work},userxattr", lower.display());
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("overlay"), &lower, Some("overlay"), flags, Some(&*options))
}

/// Lays a directory of the line's own, in memory, over each cache: what it writes there is gone with it, as what it made may be poisoned. A file
/// system that cannot be laid over stays read-only. `empty` is a directory in memory; without one, another is made for that long, at some cost: the
/// kernel waits for all its processors where a mount is taken away.
pub(super) fn lay_over(caches: &[File], empty: Option<&PathBuf>) -> Result<(), Error> {
    if caches.is_empty() {
        return Ok(());
    }
    let workshop = empty.map_or_else(|| PathBuf::from(WORKSHOP), |empty| empty.join(UPPER));
    if empty.is_some() {
        DirBuilder::new().create(&workshop).map_err(super::doing("making room for its caches"))?;
    }
    mount_empty(&workshop, "mode=0700")?;
    for (index, cache) in caches.iter().enumerate() {
        let made = ["u", "w"].map(|part| workshop.join(format!("{index}{part}")));
        let mode = cache.metadata().map_or(0o700, |there| there.mode() & 0o777);
        for path in &made {
            // Without it, what is laid over is refused below.
            let _ = DirBuilder::new().mode(mode).create(path);
        }
        let [upper, work] = made;
        // It stays read-only then.
        let _ = mount_over(cache, &upper, &work);
    }
    if empty.is_none() { take_away(&workshop) } else { Ok(()) }
}

/// Puts nothing in the place of a file or directory.
pub(super) fn hide(path: &Path) -> Result<(), Error> {
    let Ok(there) = path.symlink_metadata() else { return Ok(()) };
    if there.is_dir() {
        return mount_empty(path, "mode=0755,size=1m");
    }
    match Tree::of(Path::new(NOTHING)).and_then(|tree| tree.put(path)) {
        // What went meanwhile needs not be hidden.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(super::doing("hiding what is not the line's")),
    }
}
