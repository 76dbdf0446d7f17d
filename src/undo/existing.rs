//! What is there of what a line may destroy: patterns are what they may mean, links are where they lead, and directories are repositories.
//! Looks at names and numbers alone, and keeps nothing.

use std::path::{Path, PathBuf};

use super::Error;
use super::expand;
use super::files;
use super::git;
use super::journal::Change;
use super::keep::{Depth, Way, is_nothing};
use super::names;
use super::stake::{Ground, Place, Stake, is_made_again};
use super::table::Loses;
use crate::model::{EffectKind, Facts};

/// What is there of what is at stake.
pub(super) struct Existing {
    pub(super) items: Vec<Found>,
    pub(super) repositories: Vec<(git::Work, Loses)>,
    pub(super) way: Way,
    /// Directories that are written, or in which something is put.
    written: Vec<PathBuf>,
    /// What is written in.
    opened: Vec<PathBuf>,
    pub(super) lacks: Option<String>,
}

/// One path of it.
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) change: Change,
    pub(super) way: Way,
    pub(super) depth: Depth,
}

impl Existing {
    /// Whether nothing is there that could be lost.
    pub(super) fn is_empty(&self) -> bool {
        // What is put where nothing is destroys nothing.
        let loses = |found: &Found| found.path.symlink_metadata().is_ok();
        self.repositories.is_empty() && !self.items.iter().any(loses)
    }

    /// Finds what is there. Other names of what is written are looked for among so many.
    pub(super) fn of(stake: &Stake, ground: &Ground<'_>, most: u64) -> Result<Self, Error> {
        let mut way = stake.way;
        // A name in which is written may be that of a file that is taken away.
        if stake.written.iter().any(|path| is_another_name(Path::new(path))) {
            way = Way::Copy;
        }
        let roots: Vec<PathBuf> =
            ground.roots().filter_map(|root| Path::new(root).canonicalize().ok()).collect();
        let mut existing = Self {
            items: Vec::new(),
            repositories: Vec::new(),
            way,
            written: Vec::new(),
            opened: Vec::new(),
            lacks: stake.lacks.clone(),
        };
        for place in &stake.places {
            existing.add(place, &roots)?;
        }
        for found in &mut existing.items {
            if existing.written.contains(&found.path) {
                found.change = Change::Written;
            }
        }
        existing.add_other_names(&roots, most, ground.facts);
        // What is written in is copied, whatever else is done to it.
        existing.items.sort_by_key(|found| found.way == Way::Name);
        for (directory, loses) in &stake.repositories {
            existing.add_repository(directory, *loses, ground);
        }
        Ok(existing)
    }

    fn add(&mut self, place: &Place, roots: &[PathBuf]) -> Result<(), Error> {
        let failed = |source| Error::io("read", Path::new(&place.path), source);
        if !expand::is_pattern(&place.path) {
            return self.add_path(Path::new(&place.path), place, roots);
        }
        let Some(meant) = expand::meant(&place.path).map_err(failed)? else {
            self.lacks.get_or_insert(format!("'{}' may stand for too much", place.path));
            return Ok(());
        };
        for path in meant.paths.iter().filter(|path| path.symlink_metadata().is_ok()) {
            self.add_path(path, place, roots)?;
        }
        // It may as well be a name, of which nothing is there yet.
        let name = Path::new(&place.path);
        if place.kind == EffectKind::Write && name.symlink_metadata().is_err() {
            self.add_path(name, place, roots)?;
        }
        for tree in meant.trees {
            let place = Place { kind: EffectKind::DeleteTree, path: String::new(), ..*place };
            self.add_path(&tree, &place, roots)?;
        }
        Ok(())
    }

    fn add_path(&mut self, path: &Path, place: &Place, roots: &[PathBuf]) -> Result<(), Error> {
        let failed = |source| Error::io("read", path, source);
        let real = match files::real(path) {
            Ok(real) => real,
            Err(error) if is_nothing(&error) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        let found = real.symlink_metadata().ok();
        let is = |kind: fn(&std::fs::FileType) -> bool| {
            found.as_ref().is_some_and(|found| kind(&found.file_type()))
        };
        let is_written = matches!(place.kind, EffectKind::Write | EffectKind::Empty);
        let mut paths = vec![real.clone()];
        if !place.is_replaced && is(std::fs::FileType::is_symlink) {
            paths.extend(real.canonicalize());
        }
        for real in paths {
            if !roots.iter().any(|root| real.starts_with(root)) {
                if !is_written {
                    let path = path.display();
                    self.lacks.get_or_insert(format!("'{path}' leads out of the workspace"));
                }
                continue;
            }
            // Of what is put into a directory, only the names that are written are known.
            let is_directory = real.symlink_metadata().is_ok_and(|found| found.is_dir());
            if is_written && is_directory {
                // Another directory may be put in the place of one with nothing in it.
                let is_empty =
                    std::fs::read_dir(&real).is_ok_and(|mut in_it| in_it.next().is_none());
                if place.is_replaced && is_empty {
                    self.items.push(Found {
                        path: real.clone(),
                        change: Change::Written,
                        way: Way::Name,
                        depth: Depth::Listed,
                    });
                }
                self.written.push(real);
                continue;
            }
            if is_written && !place.is_replaced {
                self.opened.push(real.clone());
            }
            let way = if place.way == Way::Name { self.way } else { Way::Copy };
            // Where more is done than is known, anything may stand there afterwards.
            let is_removed = !is_written && self.way == Way::Name;
            self.items.push(Found {
                path: real,
                change: if is_removed { Change::Removed } else { Change::Written },
                way,
                depth: match place.kind {
                    EffectKind::DeleteTree | EffectKind::Move => Depth::Tree,
                    _ => Depth::Itself,
                },
            });
        }
        Ok(())
    }

    /// Adds the other names of what is written in: it changes by all of them.
    fn add_other_names(&mut self, roots: &[PathBuf], most: u64, facts: &Facts) {
        let opened: Vec<&Path> = self.opened.iter().map(PathBuf::as_path).collect();
        let leaves_out = |directory: &Path| is_made_again(directory, facts);
        let mut others = names::others(&opened, roots, most, &leaves_out);
        others.retain(|path| self.items.iter().all(|item| item.path != *path));
        let item =
            |path| Found { path, change: Change::Written, way: Way::Copy, depth: Depth::Itself };
        self.items.extend(others.into_iter().map(item));
    }

    fn add_repository(&mut self, directory: &str, loses: Loses, ground: &Ground<'_>) {
        let Some(repository) = (ground.repository)(directory) else {
            self.lacks.get_or_insert(format!("no repository is seen around '{directory}'"));
            return;
        };
        let work = git::Work::of(repository, directory);
        if let Some(lacks) = git::lacks(&work, ground.facts) {
            self.lacks.get_or_insert(lacks);
        }
        if self.repositories.iter().all(|(known, _)| *known != work) {
            self.repositories.push((work, loses));
        }
    }
}

/// Whether a name leads to a file that has another one too.
fn is_another_name(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.symlink_metadata()
        .is_ok_and(|found| found.is_symlink() || found.is_file() && found.nlink() > 1)
}
