//! A repository whose work a line may lose: what git notes of it (refs, reflogs, index, what is begun), and its files. Objects are not kept: those
//! that nothing names any more stay for two weeks, unless the repository's settings say otherwise.
//! Starts no program.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::Error;
use super::index::Index;
use super::journal::Change;
use super::keep::{Depth, Draft, Way, Wish};
use super::stake::Ground;
use super::table::{self, Loses};
use crate::model::{Facts, PathClass, Repository};
use crate::paths;

/// What in a git directory is not kept: what is never lost (objects), what is another repository's or worktree's, and what is run.
const LEFT_OUT: [&str; 8] =
    ["objects", "modules", "worktrees", "hooks", "lfs", "annex", "fsmonitor--daemon", "gc.pid"];

/// The name of files that say what git does with others.
const ATTRIBUTES: &str = ".gitattributes";

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

    /// Returns its own directory, and that which it shares.
    pub(super) fn directories(&self) -> [&Path; 2] {
        [&self.repository.directory, &self.repository.common].map(Path::new)
    }

    /// Reads its index; none where there is none that can be read.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "as the index has it"
    )]
    pub(super) fn index(&self) -> Option<Index> {
        use std::os::unix::fs::MetadataExt;
        let [directory, common] = self.directories();
        let path = directory.join("index");
        let written = path.metadata().ok()?;
        let is_sha256 = settings(&common.join("config")).contains("sha256");
        let id_length = if is_sha256 { 32 } else { 20 };
        let written = (written.mtime() as u32, written.mtime_nsec() as u32);
        Index::read(&std::fs::read(path).ok()?, written, id_length)
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

/// Whether git has the very bytes of files: no setting and no attribute has it change them on their way (gitattributes(5)).
pub(super) fn has_bytes(work: &Work, index: &Index, facts: &Facts) -> bool {
    let common = Path::new(&work.repository.common);
    let Some(root) = &work.root else { return false };
    let home = facts.home.as_deref().map(Path::new);
    let own = |name: &str| home.map(|home| home.join(name));
    let places = [own(".gitconfig"), own(".config/git/config"), Some("/etc/gitconfig".into())];
    let said =
        [common.join("config"), Path::new(&work.repository.directory).join("config.worktree")];
    let mut settings_of = places.into_iter().flatten().chain(said).map(|path| settings(&path));
    if settings_of.any(|text| table::may_change_bytes(&text)) {
        return false;
    }
    let others = [own(".config/git/attributes"), Some("/etc/gitattributes".into())];
    let own = [common.join("info/attributes"), root.join(ATTRIBUTES)];
    let tracked = index.named(ATTRIBUTES.as_bytes()).map(|path| root.join(OsStr::from_bytes(path)));
    let mut attributes = others.into_iter().flatten().chain(own).chain(tracked);
    !attributes.any(|path| settings(&path).split_whitespace().any(table::changes_bytes))
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

/// Keeps git's own files of a repository: refs, their logs, the index, settings.
pub(super) fn own(draft: &mut Draft<'_>, work: &Work) -> Result<(), Error> {
    let [directory, common] = work.directories();
    notes(draft, directory)?;
    if common == directory { Ok(()) } else { notes(draft, common) }
}

/// Keeps the files of a repository that a line may lose.
pub(super) fn files(
    draft: &mut Draft<'_>,
    work: &Work,
    loses: Loses,
    way: Way,
    facts: &Facts,
) -> Result<(), Error> {
    let Some(root) = work.root.as_deref().filter(|_| loses >= Loses::Files) else { return Ok(()) };
    let way = if runs_programs(work) { Way::Copy } else { way };
    let own = root.join(".git");
    let index = work.index();
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
        is_made_again && !holds(index.as_ref(), path, root) || loses < Loses::Nested && is_nested()
    };
    let wish = Wish {
        change: Change::Written,
        way,
        depth: Depth::Listed,
        leaves_out: &leaves_out,
        blobs: None,
    };
    draft.keep(root, &wish)
}

/// Keeps git's own files of the repository around a directory, of which a line moves refs; returns it, or why nothing of it is kept. None where
/// there is no repository.
pub(super) fn moved(
    draft: &mut Draft<'_>,
    directory: &str,
    ground: &Ground<'_>,
) -> Option<Result<Work, String>> {
    let work = Work::of((ground.repository)(directory)?, directory);
    let why = lacks(&work, ground.facts).or_else(|| draft.attempt(|draft| own(draft, &work)));
    Some(why.map_or(Ok(work), Err))
}

/// Keeps what git notes of a repository.
pub(super) fn notes(draft: &mut Draft<'_>, directory: &Path) -> Result<(), Error> {
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
        blobs: None,
    };
    draft.keep(directory, &wish)
}

/// Returns whether git's index names something in a directory. Of one that cannot be read, it is taken to.
pub(super) fn holds(index: Option<&Index>, directory: &Path, root: &Path) -> bool {
    let Ok(below) = directory.strip_prefix(root) else { return true };
    index.is_none_or(|index| index.holds(below.as_os_str().as_bytes()))
}
