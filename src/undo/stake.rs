//! What a line may destroy: of its plan, the paths of the workspace that it deletes, empties, overwrites or moves, and the repositories whose
//! work it may lose. Then what is there of it is kept, or only measured.
//!
//! What a build makes again is not kept, nor what is outside of every workspace. What of that is no harm is not at stake; the rest is said to
//! lack.

use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::expand;
use super::files;
use super::git;
use super::journal::{Change, Header};
use super::keep::{Depth, Draft, Finish, Kept, Way, Wish, is_nothing};
use super::store::Store;
use super::table::{self, Loses};
use super::{Error, Limits};
use crate::model::{Effect, EffectKind, Facts, PathClass, Repository, Severity};
use crate::paths;
use crate::policy::severity_of;
use crate::reading::{Plan, PlannedCommand};

/// Where a line runs.
pub struct Ground<'g> {
    /// The world.
    pub facts: &'g Facts,
    /// Finds the repository around a directory.
    pub repository: &'g dyn Fn(&str) -> Option<Repository>,
}

/// What a line may destroy.
#[derive(Debug)]
pub struct Stake {
    places: Vec<Place>,
    repositories: Vec<(String, Loses)>,
    /// Whether second names keep what is taken away.
    way: Way,
    /// Files in which the line may write, though it is not said to destroy them: what is a second name of another file is no reason to trust
    /// names.
    written: Vec<String>,
    lacks: Option<String>,
    /// What is no harm, and not kept.
    unkept: Option<String>,
}

#[derive(Debug)]
struct Place {
    path: String,
    kind: EffectKind,
    way: Way,
    /// Whether what stands there is replaced, and not what a link there leads to.
    is_replaced: bool,
}

impl Stake {
    /// Returns why not all that the line destroys can be kept, as far as the plan says it: also of what is no harm.
    #[must_use]
    pub fn lacks(&self) -> Option<&str> {
        self.lacks.as_deref().or(self.unkept.as_deref())
    }
}

/// Returns what a line may destroy; none if nothing. Looks at no file.
#[must_use]
pub fn stake(plan: &Plan, facts: &Facts) -> Option<Stake> {
    let mut stake = Stake {
        places: Vec::new(),
        repositories: Vec::new(),
        way: Way::Copy,
        written: Vec::new(),
        lacks: None,
        unkept: None,
    };
    for command in plan.commands.iter().filter(|command| runs_here(command)) {
        for effect in &command.effects {
            stake.add(effect, command, facts);
        }
    }
    if stake.places.is_empty() && stake.repositories.is_empty() && stake.lacks.is_none() {
        return None;
    }
    stake.way = if names_serve(plan, &mut stake.written) { Way::Name } else { Way::Copy };
    Some(stake)
}

fn runs_here(command: &PlannedCommand) -> bool {
    command.place == crate::catalog::Place::Here
}

impl Stake {
    fn add(&mut self, effect: &Effect, command: &PlannedCommand, facts: &Facts) {
        let program = command.program().unwrap_or_default();
        match effect.kind {
            EffectKind::LoseWork => self.add_repositories(command),
            EffectKind::Delete | EffectKind::DeleteTree | EffectKind::Empty | EffectKind::Move => {
                let class = effect.target.class();
                let why = match effect.path() {
                    Some(path) if is_kept(path, class, facts) => {
                        return self.push(path, effect.kind, program);
                    }
                    _ if is_made_again_by_name(class) => return,
                    Some(path) => format!("'{path}' is outside of the workspace"),
                    None => "a path is only known when it runs".to_owned(),
                };
                if severity_of(effect, facts) == Severity::Low {
                    self.unkept.get_or_insert(why);
                } else {
                    self.lack(why);
                }
            }
            EffectKind::Write => {
                if let Some(path) = effect.path()
                    && is_kept(path, effect.target.class(), facts)
                {
                    self.push(path, effect.kind, program);
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, path: &str, kind: EffectKind, program: &str) {
        let is_replaced = table::unlinks(program);
        let way = if is_replaced { Way::Name } else { Way::Copy };
        let is_new = |place: &Place| place.path != path || place.kind != kind;
        if self.places.iter().all(is_new) {
            self.places.push(Place { path: path.to_owned(), kind, way, is_replaced });
        }
    }

    fn add_repositories(&mut self, command: &PlannedCommand) {
        let loses = match command.program() {
            Some("git") => table::loses(command),
            _ => None,
        };
        let Some(loses) = loses else {
            return self.lack("what it loses is not known".to_owned());
        };
        for directory in &command.directories {
            let Some(directory) = directory else {
                self.lack("a directory is only known when it runs".to_owned());
                continue;
            };
            match self.repositories.iter_mut().find(|(known, _)| known == directory) {
                Some((_, known)) => *known = loses.max(*known),
                None => self.repositories.push((directory.clone(), loses)),
            }
        }
    }

    fn lack(&mut self, why: String) {
        self.lacks.get_or_insert(why);
    }
}

/// Whether what a path names is kept: it is below a workspace, and no build makes it again.
fn is_kept(path: &str, class: Option<PathClass>, facts: &Facts) -> bool {
    let is_ours = facts.workspaces.iter().any(|root| paths::is_below(path, root));
    let is_worth_it = !is_made_again_by_name(class) && class != Some(PathClass::Device);
    is_ours && is_worth_it
}

/// Whether a build makes again what stands in a place of this class, or the line has made it itself, or nothing stands there.
fn is_made_again_by_name(class: Option<PathClass>) -> bool {
    matches!(class, Some(PathClass::BuildOutput | PathClass::Made | PathClass::Null))
}

/// Whether the line writes in no file that it takes away as well: then a second name keeps what is taken away. What it writes is noted: a name
/// there may be that of another file.
fn names_serve(plan: &Plan, written: &mut Vec<String>) -> bool {
    use EffectKind as K;
    if !plan.opaque.is_empty() {
        return false;
    }
    let moves = plan.commands.iter().any(|c| c.effects.iter().any(|e| e.kind == K::Move));
    for command in &plan.commands {
        let program = command.program().unwrap_or_default();
        let unlinks = table::unlinks(program);
        if !command.unknown.is_empty() {
            return false;
        }
        for effect in &command.effects {
            let is_stream = effect.target.class() == Some(PathClass::Null);
            match effect.kind {
                K::List | K::Read | K::Permission | K::PermissionTree | K::Connect | K::Fetch => {}
                K::Send | K::Listen | K::Decode | K::Disclose | K::Commit | K::Endless => {}
                K::ShellState | K::Signal => {}
                K::Delete | K::DeleteTree | K::Move | K::LoseWork if unlinks => {}
                K::Write | K::Append | K::Empty if is_stream || unlinks => {}
                K::Write | K::Append | K::Empty => match effect.path() {
                    Some(path) if !moves && !table::links(program) && !expand::is_pattern(path) => {
                        written.push(path.to_owned());
                    }
                    _ => return false,
                },
                _ => return false,
            }
        }
    }
    true
}

/// What came of keeping.
#[derive(Debug)]
pub enum Outcome {
    /// It is kept.
    Kept(Kept),
    /// Nothing is there that could be lost.
    Nothing,
    /// Nothing of what is at stake can be kept, for this reason.
    Lacks(String),
}

/// Keeps what is at stake.
pub fn keep(
    store: &Store,
    limits: &Limits,
    stake: &Stake,
    ground: &Ground<'_>,
    header: Header,
) -> Result<Outcome, Error> {
    let found = Existing::of(stake, ground)?;
    if found.is_empty() {
        return Ok(found.lacks.map_or(Outcome::Nothing, Outcome::Lacks));
    }
    let mut draft = Draft::begin(store, limits)?;
    for item in &found.items {
        let leaves_out = |path: &Path, kind: FileType| {
            kind == FileType::Directory && is_made_again(path, ground.facts)
        };
        let wish =
            Wish { change: item.change, way: item.way, depth: item.depth, leaves_out: &leaves_out };
        draft.keep(&item.path, &wish)?;
    }
    for (repository, loses) in &found.repositories {
        git::keep(&mut draft, repository, *loses, found.way, ground.facts)?;
    }
    let lacks = found.lacks;
    let nothing = lacks.clone().map_or(Outcome::Nothing, Outcome::Lacks);
    let kept = draft.finish(Header { lacks, ..header }, Finish::IfFiles)?;
    Ok(kept.map_or(nothing, Outcome::Kept))
}

/// Returns why what is at stake could not be kept, without keeping it.
#[must_use]
pub fn measure(stake: &Stake, ground: &Ground<'_>, limits: &Limits) -> Option<String> {
    let found = match Existing::of(stake, ground) {
        Ok(found) => found,
        Err(error) => return Some(error.to_string()),
    };
    if let Some(lacks) = stake.lacks().map(str::to_owned).or(found.lacks) {
        return Some(lacks);
    }
    let mut files = 0;
    for item in &found.items {
        count(&item.path, &mut files, limits.files);
    }
    for (repository, _) in &found.repositories {
        if let Some(root) = repository.root() {
            count(&root, &mut files, limits.files);
        }
    }
    (files > limits.files).then(|| Error::Files(limits.files).to_string())
}

/// Adds how many files there are, up to one more than the most.
fn count(path: &Path, files: &mut u64, most: u64) {
    *files += 1;
    let is_directory = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let Some(entries) = is_directory.then(|| std::fs::read_dir(path).ok()).flatten() else {
        return;
    };
    for entry in entries.flatten() {
        if *files > most {
            return;
        }
        count(&entry.path(), files, most);
    }
}

fn is_made_again(path: &Path, facts: &Facts) -> bool {
    path.to_str().is_some_and(|path| paths::classify(path, facts) == PathClass::BuildOutput)
}

/// What is there of what is at stake.
struct Existing {
    items: Vec<Found>,
    repositories: Vec<(git::Work, Loses)>,
    way: Way,
    /// Directories that are written, or in which something is put.
    written: Vec<PathBuf>,
    lacks: Option<String>,
}

struct Found {
    path: PathBuf,
    change: Change,
    way: Way,
    depth: Depth,
}

impl Existing {
    fn is_empty(&self) -> bool {
        // What is put where nothing is destroys nothing.
        let loses = |found: &Found| found.path.symlink_metadata().is_ok();
        self.repositories.is_empty() && !self.items.iter().any(loses)
    }

    fn of(stake: &Stake, ground: &Ground<'_>) -> Result<Self, Error> {
        let mut way = stake.way;
        // A name in which is written may be that of a file that is taken away.
        if stake.written.iter().any(|path| is_another_name(Path::new(path))) {
            way = Way::Copy;
        }
        let roots = ground.facts.workspaces.iter();
        let roots: Vec<PathBuf> =
            roots.filter_map(|root| Path::new(root).canonicalize().ok()).collect();
        let mut existing = Self {
            items: Vec::new(),
            repositories: Vec::new(),
            way,
            written: Vec::new(),
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
