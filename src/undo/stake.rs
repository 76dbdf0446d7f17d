//! What a line may destroy: of its plan, the paths of the workspace that it deletes, empties, overwrites or moves, and the repositories whose
//! work it may lose. Then what is there of it is kept, or only measured.
//!
//! Where the line may write more than is known, that is the workspace as a whole.
//! What a build makes again is not kept, nor what is outside of every workspace. What of that is no harm is not at stake; the rest is said to
//! lack.

use std::path::Path;

use rustix::fs::FileType;

use super::existing::Existing;
use super::expand;
use super::git;
use super::journal::Header;
use super::keep::{Draft, Finish, Kept, Way, Wish};
use super::store::Store;
use super::table::{self, Loses};
use super::whole;
use super::{Error, Limits};
use crate::model::{Effect, EffectKind, Facts, Layers, PathClass, Repository, Severity};
use crate::paths;
use crate::policy::severity_of;
use crate::reading::{Plan, PlannedCommand};

/// Where a line runs.
pub struct Ground<'g> {
    /// The world.
    pub facts: &'g Facts,
    /// Directories that are kept like workspaces, by the owner's choice.
    pub also: &'g [String],
    /// Finds the repository around a directory.
    pub repository: &'g dyn Fn(&str) -> Option<Repository>,
}

impl Ground<'_> {
    /// Returns the directories below which is kept what lines destroy.
    pub(super) fn roots(&self) -> impl Iterator<Item = &String> {
        self.facts.workspaces.iter().chain(self.also)
    }
}

/// What a line may destroy.
#[derive(Debug)]
pub struct Stake {
    pub(super) places: Vec<Place>,
    pub(super) repositories: Vec<(String, Loses)>,
    /// Whether second names keep what is taken away.
    pub(super) way: Way,
    /// Files in which the line may write, though it is not said to destroy them: what is a second name of another file is no reason to trust
    /// names.
    pub(super) written: Vec<String>,
    pub(super) lacks: Option<String>,
    /// What is no harm, and not kept.
    unkept: Option<String>,
    /// Directories that are kept as a whole: the line may write in them what is not known.
    whole: Vec<String>,
    /// Repositories whose refs and files it moves, and loses nothing of that.
    moved: Vec<(String, Loses)>,
}

/// A path that a line changes.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) path: String,
    pub(super) kind: EffectKind,
    pub(super) way: Way,
    /// Whether what stands there is replaced, and not what a link there leads to.
    pub(super) is_replaced: bool,
}

impl Stake {
    /// Returns why not all that the line destroys can be kept, as far as the plan says it: also of what is no harm.
    #[must_use]
    pub fn lacks(&self) -> Option<&str> {
        self.lacks.as_deref().or(self.unkept.as_deref())
    }

    /// Whether more may be changed than what it destroys.
    fn is_wide(&self) -> bool {
        !self.whole.is_empty() || !self.moved.is_empty()
    }

    /// Returns whether the plan itself says that the line destroys something.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !self.places.is_empty() || !self.repositories.is_empty() || self.lacks.is_some()
    }
}

/// Returns what a line may destroy that runs in a container with these layers; none if nothing. Looks at no file.
#[must_use]
pub fn stake(plan: &Plan, ground: &Ground<'_>, layers: Layers) -> Option<Stake> {
    let mut stake = Stake {
        places: Vec::new(),
        repositories: Vec::new(),
        way: Way::Copy,
        written: Vec::new(),
        lacks: None,
        unkept: None,
        whole: whole::roots(plan, ground, layers),
        moved: Vec::new(),
    };
    for command in plan.commands.iter().filter(|command| runs_here(command)) {
        for effect in &command.effects {
            stake.add(effect, command, ground);
        }
    }
    if !stake.is_known() && !stake.is_wide() {
        return None;
    }
    stake.way = if names_serve(plan, &mut stake.written) { Way::Name } else { Way::Copy };
    Some(stake)
}

fn runs_here(command: &PlannedCommand) -> bool {
    command.place == crate::catalog::Place::Here
}

impl Stake {
    fn add(&mut self, effect: &Effect, command: &PlannedCommand, ground: &Ground<'_>) {
        let program = command.program().unwrap_or_default();
        match effect.kind {
            EffectKind::LoseWork => self.add_repositories(command),
            EffectKind::Commit if program == "git" => {
                let known = command.directories.iter().flatten();
                let loses = table::moves(command);
                let moved = known.filter_map(|directory| Some((directory.clone(), loses?)));
                self.moved.extend(moved);
            }
            EffectKind::Delete | EffectKind::DeleteTree | EffectKind::Empty | EffectKind::Move => {
                let class = effect.target.class();
                let why = match effect.path() {
                    Some(path) if is_kept(path, class, ground) => {
                        return self.push(path, effect.kind, program);
                    }
                    _ if is_made_again_by_name(class) => return,
                    Some(path) => format!("'{path}' is outside of the workspace"),
                    None => "a path is only known when it runs".to_owned(),
                };
                if severity_of(effect, ground.facts) == Severity::Low {
                    self.unkept.get_or_insert(why);
                } else {
                    self.lack(why);
                }
            }
            EffectKind::Write => {
                if let Some(path) = effect.path()
                    && is_kept(path, effect.target.class(), ground)
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
        // `mv x l; echo > l`: where the first fails, the second writes what the link leads to.
        let is_new = |place: &Place| {
            place.path != path || place.kind != kind || place.is_replaced != is_replaced
        };
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

/// Whether what a path names is kept: it is below a workspace, or what the owner adds, and no build makes it again.
fn is_kept(path: &str, class: Option<PathClass>, ground: &Ground<'_>) -> bool {
    let is_ours = ground.roots().any(|root| paths::is_below(path, root));
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
    /// Nothing of what is at stake can be kept.
    Lacks {
        /// Why not, of what the line destroys by its plan.
        lacks: Option<String>,
        /// Why not, of what it may do beside that.
        uncovered: Option<String>,
    },
}

impl Outcome {
    fn without(lacks: Option<String>, uncovered: Option<String>) -> Self {
        match (&lacks, &uncovered) {
            (None, None) => Self::Nothing,
            _ => Self::Lacks { lacks, uncovered },
        }
    }
}

/// Keeps what is at stake.
pub fn keep(
    store: &Store,
    limits: &Limits,
    stake: &Stake,
    ground: &Ground<'_>,
    header: Header,
) -> Result<Outcome, Error> {
    let found = Existing::of(stake, ground, limits.files)?;
    if found.is_empty() && !stake.is_wide() {
        return Ok(Outcome::without(found.lacks, None));
    }
    let mut draft = Draft::begin(store, limits)?;
    let mut uncovered = None;
    // Git writes its own files in place. They are copied before anything around them is kept by second names, which would be written with them.
    for (work, _) in &found.repositories {
        git::own(&mut draft, work)?;
    }
    let mut moved = Vec::new();
    for (directory, loses) in &stake.moved {
        match git::moved(&mut draft, directory, ground) {
            Some(Ok(work)) => moved.push((work, *loses)),
            Some(Err(why)) => uncovered = uncovered.or(Some(why)),
            None => {}
        }
    }
    for item in &found.items {
        let leaves_out = |path: &Path, kind: FileType| {
            kind == FileType::Directory && is_made_again(path, ground.facts)
        };
        let wish = Wish {
            change: item.change,
            way: item.way,
            depth: item.depth,
            leaves_out: &leaves_out,
            blobs: None,
        };
        draft.keep(&item.path, &wish)?;
    }
    for (work, loses) in &found.repositories {
        git::files(&mut draft, work, *loses, found.way, ground.facts)?;
    }
    let lacks = found.lacks;
    for (work, loses) in &moved {
        let files =
            |draft: &mut Draft<'_>| git::files(draft, work, *loses, found.way, ground.facts);
        uncovered = uncovered.or(draft.attempt(files));
    }
    let uncovered = uncovered.or(whole::keep(&mut draft, &stake.whole, ground));
    let nothing = Outcome::without(lacks.clone(), uncovered.clone());
    let kept = draft.finish(Header { lacks, uncovered, ..header }, Finish::IfFiles)?;
    Ok(kept.map_or(nothing, Outcome::Kept))
}

/// Returns why what is at stake could not be kept, without keeping it.
#[must_use]
pub fn measure(stake: &Stake, ground: &Ground<'_>, limits: &Limits) -> Option<String> {
    let found = match Existing::of(stake, ground, limits.files) {
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

pub(super) fn is_made_again(path: &Path, facts: &Facts) -> bool {
    path.to_str().is_some_and(|path| paths::classify(path, facts) == PathClass::BuildOutput)
}
