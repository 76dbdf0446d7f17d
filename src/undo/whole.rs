//! The workspace as a whole, where a line may write more than is known: it runs contained, or has code that is not read or programs that are not
//! known. What git has of it is left to git's own objects, which are kept by second names; the rest is kept as what is written in. Beyond a limit
//! nothing of it is kept, and it is said why; what else is at stake is kept all the same.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat};

use super::Error;
use super::git::{self, Work};
use super::index::Index;
use super::journal::{Blob, Change};
use super::keep::{Depth, Draft, Way, Wish};
use super::stake::{Ground, is_made_again};
use super::table;
use crate::catalog::Place;
use crate::model::Layers;
use crate::paths;
use crate::reading::{Plan, PlannedCommand};

/// How deep submodules stand in one another.
const DEPTH: usize = 8;

/// Returns the directories in which a line may write what is not known: the workspaces in which it runs, and what the owner adds.
pub(super) fn roots(plan: &Plan, ground: &Ground<'_>, layers: Layers) -> Vec<String> {
    let is_all_known =
        layers.is_empty() && plan.opaque.is_empty() && !plan.commands.iter().any(writes_unsaid);
    if is_all_known {
        return Vec::new();
    }
    let here = plan.commands.iter().filter(|command| command.place == Place::Here);
    let directories = here.flat_map(|command| command.directories.iter().flatten());
    let around = |directory: &String| {
        let roots = ground.facts.workspaces.iter();
        roots.filter(|root| paths::is_below(directory, root)).max_by_key(|root| root.len())
    };
    let around = ground.facts.cwd.iter().chain(directories).filter_map(around);
    let mut roots: Vec<String> = Vec::new();
    for root in around.chain(ground.also) {
        if !roots.contains(root) {
            roots.push(root.clone());
        }
    }
    roots
}

fn writes_unsaid(command: &PlannedCommand) -> bool {
    let is_unsaid = || command.effects.iter().any(|effect| table::writes_unsaid(effect.kind));
    command.place == Place::Here && (!command.unknown.is_empty() || is_unsaid())
}

/// Keeps directories as a whole; returns why not, of the first of which nothing is kept.
pub(super) fn keep(draft: &mut Draft<'_>, roots: &[String], ground: &Ground<'_>) -> Option<String> {
    let mut uncovered = None;
    for root in roots {
        // What is not there is not lost.
        let Ok(root) = Path::new(root).canonicalize() else { continue };
        let why = draft.attempt(|draft| one(draft, &root, ground));
        uncovered = uncovered.or(why);
    }
    uncovered
}

fn one(draft: &mut Draft<'_>, root: &Path, ground: &Ground<'_>) -> Result<(), Error> {
    let mut works = Vec::new();
    find(&mut works, root, ground, DEPTH);
    let mut blobs = Blobs::default();
    let mut left_out = vec![draft.state().to_owned()];
    for (work, index) in works {
        let [directory, common] = work.directories();
        let objects = common.join("objects");
        if !left_out.contains(&objects) {
            let all = |_: &Path, _: FileType| false;
            draft.keep(&objects, &Wish { depth: Depth::Tree, ..wish(Way::Name, &all) })?;
        }
        for notes in [directory, common].into_iter().filter(|notes| !notes.starts_with(root)) {
            git::notes(draft, notes)?;
        }
        let has_bytes = |index: &Index| {
            crate::sys::git::program().is_some()
                && git::lacks(&work, ground.facts).is_none()
                && git::has_bytes(&work, index, ground.facts)
        };
        let objects_at = index.as_ref().filter(|index| has_bytes(index));
        let objects_at = objects_at.map(|_| draft.objects(&objects));
        let root = work.root().unwrap_or_default();
        blobs.worktrees.push(Worktree { root, index, objects_at });
        left_out.push(objects);
    }
    let leaves_out = |path: &Path, kind: FileType| {
        let is_output = || kind == FileType::Directory && is_made_again(path, ground.facts);
        left_out.iter().any(|left| left == path) || is_output() && !blobs.holds(path)
    };
    draft.keep(root, &Wish { blobs: Some(&blobs), ..wish(Way::Copy, &leaves_out) })
}

fn wish(way: Way, leaves_out: &dyn Fn(&Path, FileType) -> bool) -> Wish<'_> {
    Wish { change: Change::Written, way, depth: Depth::Listed, leaves_out, blobs: None }
}

/// Finds the repository around a directory, and those that it has as submodules.
fn find(
    into: &mut Vec<(Work, Option<Index>)>,
    directory: &Path,
    ground: &Ground<'_>,
    depth: usize,
) {
    let Some(text) = directory.to_str() else { return };
    let Some(repository) = (ground.repository)(text).filter(|_| depth > 0) else { return };
    let work = Work::of(repository, text);
    let index = work.index();
    let root = work.root().unwrap_or_default();
    if into.iter().any(|(known, _)| *known == work) {
        return;
    }
    let submodules = index.as_ref().map(|index| index.repositories.clone()).unwrap_or_default();
    into.push((work, index));
    for path in submodules {
        find(into, &root.join(OsStr::from_bytes(&path)), ground, depth - 1);
    }
}

/// What git has of files.
#[derive(Debug, Default)]
pub(super) struct Blobs {
    /// Those inside of others come later.
    worktrees: Vec<Worktree>,
}

#[derive(Debug)]
struct Worktree {
    root: PathBuf,
    /// None where it cannot be read.
    index: Option<Index>,
    /// By which number its objects are found; none where they do not have the very bytes of files.
    objects_at: Option<usize>,
}

impl Blobs {
    /// Returns the blob of a file that looks as git last saw it.
    pub(super) fn of(&self, path: &Path, now: &Stat) -> Option<Blob> {
        let worktree = self.around(path)?;
        let below = path.strip_prefix(&worktree.root).ok()?;
        let at = worktree.objects_at?;
        let id = worktree.index.as_ref()?.blob(below.as_os_str().as_bytes(), now)?;
        Some(Blob { at, id })
    }

    /// Whether git tracks something in a directory, or may.
    fn holds(&self, directory: &Path) -> bool {
        self.around(directory)
            .is_some_and(|worktree| git::holds(worktree.index.as_ref(), directory, &worktree.root))
    }

    fn around(&self, path: &Path) -> Option<&Worktree> {
        self.worktrees.iter().rev().find(|worktree| path.starts_with(&worktree.root))
    }
}
