//! A repository whose work a line may lose: what git notes of it (refs, reflogs, index, what is begun), and its files. Objects are not kept: those
//! that nothing names any more stay for two weeks, unless the repository's settings say otherwise.
//! Starts no program.

use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::Error;
use super::journal::Change;
use super::keep::{Depth, Draft, Way, Wish};
use super::table::Loses;
use crate::model::{Facts, PathClass, Repository};
use crate::paths;

/// What in a git directory is not kept: what is never lost (objects), what is another repository's or worktree's, and what is run.
const LEFT_OUT: [&str; 8] =
    ["objects", "modules", "worktrees", "hooks", "lfs", "annex", "fsmonitor--daemon", "gc.pid"];

/// Bytes of a repository's settings that are read.
const SETTINGS: u64 = 1 << 20;

/// A repository, and the worktree that a line is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Work {
    repository: Repository,
    root: Option<PathBuf>,
}

impl Work {
    /// Returns the repository with the worktree around a directory.
    pub(super) fn of(repository: Repository, directory: &str) -> Self {
        let real = Path::new(directory).canonicalize().ok();
        let root = real.as_deref().and_then(|directory| {
            directory.ancestors().find(|above| above.join(".git").symlink_metadata().is_ok())
        });
        let root = root.map(Path::to_owned);
        Self { repository, root }
    }

    /// Returns the root of its files.
    pub(super) fn root(&self) -> Option<PathBuf> {
        self.root.clone()
    }
}

/// Returns why what is lost would not come back, if so.
pub(super) fn lacks(work: &Work, facts: &Facts) -> Option<String> {
    let common = Path::new(&work.repository.common);
    let is_whole = ["HEAD", "objects", "refs"].iter().all(|name| common.join(name).exists());
    if !is_whole {
        return Some(format!("'{}' is no repository", work.repository.common));
    }
    let home = facts.home.as_deref().map(Path::new);
    let owners = home.map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    let places = owners.into_iter().flatten().chain([common.join("config")]);
    let says_when = |text: String| text.contains("pruneexpire") || text.contains("reflogexpire");
    if places.map(|path| settings(&path)).any(says_when) {
        return Some("git's settings say when it removes what is lost".to_owned());
    }
    if Path::new(&work.repository.directory).join("index.lock").exists() {
        return Some("git is at work in the repository".to_owned());
    }
    None
}

fn settings(path: &Path) -> String {
    let is_small = path.metadata().is_ok_and(|file| file.is_file() && file.len() <= SETTINGS);
    let text = is_small.then(|| std::fs::read(path).ok()).flatten().unwrap_or_default();
    String::from_utf8_lossy(&text).to_ascii_lowercase()
}

/// Whether git runs programs of the repository's while it replaces files: they may write in them.
fn runs_programs(work: &Work) -> bool {
    let common = Path::new(&work.repository.common);
    let is_hook =
        |entry: std::fs::DirEntry| !entry.file_name().as_encoded_bytes().ends_with(b".sample");
    let hooks = std::fs::read_dir(common.join("hooks"));
    hooks.is_ok_and(|mut hooks| hooks.any(|entry| entry.is_ok_and(is_hook)))
        || settings(&common.join("config")).contains("hookspath")
}

/// Keeps what a line may lose of a repository.
pub(super) fn keep(
    draft: &mut Draft<'_>,
    work: &Work,
    loses: Loses,
    way: Way,
    facts: &Facts,
) -> Result<(), Error> {
    let Repository { directory, common } = &work.repository;
    // Git writes reflogs in place.
    notes(draft, Path::new(directory))?;
    if common != directory {
        notes(draft, Path::new(common))?;
    }
    let Some(root) = work.root.as_deref().filter(|_| loses >= Loses::Files) else { return Ok(()) };
    let way = if runs_programs(work) { Way::Copy } else { way };
    let own = root.join(".git");
    let index = std::fs::read(Path::new(directory).join("index")).unwrap_or_default();
    let leaves_out = |path: &Path, kind: FileType| {
        if *path == own {
            return true;
        }
        if kind != FileType::Directory {
            return false;
        }
        let is_nested = || path.join(".git").symlink_metadata().is_ok();
        let is_made_again = path
            .to_str()
            .is_some_and(|path| paths::classify(path, facts) == PathClass::BuildOutput);
        is_made_again && !holds(&index, path, root) || loses < Loses::Nested && is_nested()
    };
    let wish = Wish { change: Change::Written, way, depth: Depth::Listed, leaves_out: &leaves_out };
    draft.keep(root, &wish)
}

/// Keeps what git notes of a repository.
fn notes(draft: &mut Draft<'_>, directory: &Path) -> Result<(), Error> {
    let leaves_out = |path: &Path, _: FileType| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_top = path.parent() == Some(directory);
        let is_lock = Path::new(name).extension().is_some_and(|extension| extension == "lock");
        is_top && LEFT_OUT.contains(&name) || is_lock
    };
    let wish = Wish {
        change: Change::Written,
        way: Way::Copy,
        depth: Depth::Listed,
        leaves_out: &leaves_out,
    };
    draft.keep(directory, &wish)
}

/// Returns whether git's index names something in a directory. Of an index that does not write names out, it is taken to.
fn holds(index: &[u8], directory: &Path, root: &Path) -> bool {
    let Some(below) = directory.strip_prefix(root).ok().and_then(Path::to_str) else { return true };
    let is_written_out = matches!(index.get(4..8), None | Some([0, 0, 0, 2 | 3]));
    let name = format!("{below}/");
    !is_written_out || index.windows(name.len()).any(|window| window == name.as_bytes())
}
