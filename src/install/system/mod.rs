//! guarded-sh in the place of the system's own `bash` and `sh`. The real shells stay beside it, as `bash.real` and `sh.real`, which do not need
//! guarded-sh to work; dpkg is told that its files go there. Knows nothing of agents.
//!
//! There is no moment without a shell: what is new is made beside, proved, and renamed into its place. What is to be done is remembered before
//! anything is, so that whoever is stopped half way can do it again, or undo it.

mod divert;
mod error;
mod record;
mod trial;

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

pub use error::Error;
use record::{Diversion, Link, Lock, Record, Slot};
use trial::Kind;

use crate::model::kept;
use crate::sys::Replacement;

/// Where the system has its shells.
const DIRECTORIES: [&str; 3] = ["/bin", "/usr/bin", "/usr/local/bin"];
/// Where packages put them: the same directory under both names, where one is a link to the other.
const PACKAGED: [&str; 2] = ["/bin", "/usr/bin"];
/// Their names.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// What was done, or would be, in words.
pub type Steps = Vec<String>;

/// Whether things are done or only said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// They are done.
    Real,
    /// They are only said.
    Dry,
}

/// One shell of the system, as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its path.
    pub path: PathBuf,
    /// Where the real one is kept, if it is there.
    pub kept: Option<PathBuf>,
    /// Whether dpkg would put another one there.
    pub open_to_packages: bool,
}

/// Returns the shells in whose place the guard is to be, as was remembered; none if it is not installed.
pub fn places() -> Result<Option<Vec<Place>>, Error> {
    let Some(record) = Record::read()? else { return Ok(None) };
    let mut places = Vec::new();
    for slot in &record.slots {
        let diversions =
            record.diversions.iter().filter(|diversion| is_at(&diversion.path, &slot.path));
        let mut open_to_packages = false;
        for diversion in diversions {
            open_to_packages |= !divert::stands(diversion)?;
        }
        let kept = is_there(&slot.kept).then(|| slot.kept.clone());
        places.push(Place { path: slot.path.clone(), kept, open_to_packages });
    }
    Ok(Some(places))
}

/// Puts a program in the place of the system's shells. Done again, it mends what is not as it should be.
pub fn install(program: &Path, run: Run) -> Result<Steps, Error> {
    let was_there = Record::read()?.is_some();
    let mut record = planned()?;
    let mut standings = Vec::new();
    for slot in &record.slots {
        standings.push(Standing::of(slot, program)?);
    }
    let mut open = Vec::new();
    for diversion in &record.diversions {
        if !divert::stands(diversion)? {
            open.push(diversion.clone());
        }
    }
    let steps = told(&record.slots, &standings, &open);
    if run == Run::Dry || steps.is_empty() {
        return Ok(steps);
    }
    let lock = begin(&mut record)?;
    let placed = change(program, &record, &open, &standings);
    let working = placed.and_then(|()| record.slots.iter().try_for_each(proven));
    if let Err(error) = working {
        // What stood there before and works still may stay: it is an older guard.
        if !was_there || record.slots.iter().any(|slot| proven(slot).is_err()) {
            undo(&record, lock)?;
        }
        return Err(error);
    }
    Ok(steps)
}

fn change(
    program: &Path,
    record: &Record,
    open: &[Diversion],
    standings: &[Standing],
) -> Result<(), Error> {
    open.iter().try_for_each(divert::add)?;
    for (slot, standing) in record.slots.iter().zip(standings) {
        if standing.keep == Still::ToDo {
            keep(slot)?;
        }
    }
    put(program, &record.slots, standings)
}

/// Gives the system its shells back. What was left half done is undone too.
pub fn uninstall(run: Run) -> Result<Steps, Error> {
    let Some(mut record) = Record::read()? else {
        if run == Run::Real && record::is_there() {
            record::tidy(Lock::take()?);
        }
        return Ok(Steps::new());
    };
    let mut steps = Steps::new();
    for slot in &record.slots {
        match Back::of(slot, &record)? {
            Back::Kept => steps.push(format!("put {} back", slot.path.display())),
            Back::There => steps.push(format!("take {} away", slot.kept.display())),
            Back::Done => {}
        }
    }
    steps.extend(record.diversions.iter().map(|diversion| {
        format!("tell dpkg that packages' {} goes where it did before", diversion.path.display())
    }));
    if run == Run::Real {
        let lock = begin(&mut record)?;
        undo(&record, lock)?;
    }
    Ok(steps)
}

/// Returns what is to be remembered: what is remembered already, and what is there.
fn planned() -> Result<Record, Error> {
    let before = Record::read()?;
    let mut record = before.clone().unwrap_or_default();
    let kept = kept_of(&record);
    for slot in slots()? {
        if before.is_none() && is_there(&slot.kept) {
            return Err(Error::InTheWay { path: slot.kept });
        }
        let known = record.slots.iter_mut().find(|known| known.path == slot.path);
        match known {
            None => record.slots.push(slot),
            // A person who had to bring it back by hand.
            Some(known) if leads_to_kept(known, &kept) => {}
            // A package, or a person, may have put another shell there.
            Some(known) if is_link(&slot.path) || kind(&slot) == Kind::Shell => *known = slot,
            Some(_) => {}
        }
    }
    for diversion in diversions(&record.slots)? {
        if !record.diversions.iter().any(|known| known.path == diversion.path) {
            record.diversions.push(diversion);
        }
    }
    Ok(record)
}

/// Takes up the work: from here on things change.
fn begin(record: &mut Record) -> Result<Lock, Error> {
    if !nix::unistd::geteuid().is_root() {
        return Err(Error::NotRoot);
    }
    let lock = Lock::take()?;
    sweep(record);
    record.process = std::process::id();
    record.write()?;
    Ok(lock)
}

fn undo(record: &Record, lock: Lock) -> Result<(), Error> {
    // What one comes back by may be what another leads to.
    let backs = record.slots.iter().map(|slot| Back::of(slot, record));
    let backs = backs.collect::<Result<Vec<_>, _>>()?;
    for (slot, back) in record.slots.iter().zip(backs) {
        bring_back(slot, back)?;
    }
    record.slots.iter().try_for_each(remove_kept)?;
    for diversion in &record.diversions {
        divert::take_back(diversion)?;
    }
    Record::forget(lock)
}

/// Says what there is to do.
fn told(slots: &[Slot], standings: &[Standing], open: &[Diversion]) -> Steps {
    let diverted = open.iter().map(|diversion| {
        let (path, to) = (diversion.path.display(), diversion.to.display());
        format!("tell dpkg that packages' {path} goes to {to}")
    });
    let both = || slots.iter().zip(standings);
    let kept = both()
        .filter(|(_, standing)| standing.keep == Still::ToDo)
        .map(|(slot, _)| format!("keep {} as {}", slot.path.display(), slot.kept.display()));
    let put = both().filter(|(_, standing)| standing.place == Still::ToDo);
    let put = put.map(|(slot, _)| format!("put guarded-sh at {}", slot.path.display()));
    diverted.chain(kept).chain(put).collect()
}

/// Whether something is done already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Still {
    ToDo,
    Done,
}

/// How far a shell is.
struct Standing {
    /// The real one is kept.
    keep: Still,
    /// The program is in its place.
    place: Still,
}

impl Standing {
    fn of(slot: &Slot, program: &Path) -> Result<Self, Error> {
        let has_kept = is_there(&slot.kept);
        let (keep, place) = match (kind(slot), has_kept) {
            // A link to another shell in whose place the guard is already is a shell's name all the same, and so is one to a kept one.
            _ if slot.link.is_some() && is_link(&slot.path) => (Still::ToDo, Still::ToDo),
            (Kind::Guard, true) if is_same_content(&slot.path, program) => {
                (Still::Done, Still::Done)
            }
            (Kind::Guard | Kind::Broken, true) => (Still::Done, Still::ToDo),
            // What is kept already is the same, or is what a package had put there before.
            (Kind::Shell, true) if is_same(&slot.path, &slot.kept) => (Still::Done, Still::ToDo),
            (Kind::Shell, _) => (Still::ToDo, Still::ToDo),
            (Kind::Guard | Kind::Broken, false) => {
                return Err(Error::Lost { path: slot.path.clone() });
            }
        };
        Ok(Self { keep, place })
    }
}

/// How a shell comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Back {
    /// From where it is kept.
    Kept,
    /// It is there.
    There,
    /// And nothing is kept.
    Done,
}

impl Back {
    fn of(slot: &Slot, record: &Record) -> Result<Self, Error> {
        let is_own_link = slot
            .link
            .as_ref()
            .is_some_and(|link| fs::read_link(&slot.path).is_ok_and(|target| target == link.was));
        match (kind(slot), is_there(&slot.kept)) {
            (_, true) if leads_to_kept(slot, &kept_of(record)) => Ok(Self::Kept),
            (_, true) if is_own_link => Ok(Self::There),
            (_, false) if is_own_link => Ok(Self::Done),
            (Kind::Shell, true) => Ok(Self::There),
            (Kind::Shell, false) => Ok(Self::Done),
            // What does not work at all may be a guard that was damaged: what is kept is never thrown away for it.
            (Kind::Guard | Kind::Broken, true) => Ok(Self::Kept),
            (Kind::Guard | Kind::Broken, false) => Err(Error::Lost { path: slot.path.clone() }),
        }
    }
}

fn kept_of(record: &Record) -> Vec<PathBuf> {
    record.slots.iter().map(|slot| slot.kept.clone()).collect()
}

/// Returns whether a shell is a link to one that is kept, which it must not be when that is kept no more.
fn leads_to_kept(slot: &Slot, kept: &[PathBuf]) -> bool {
    is_link(&slot.path) && slot.path.canonicalize().is_ok_and(|real| kept.contains(&real))
}

fn kind(slot: &Slot) -> Kind {
    trial::kind(&slot.path, slot.name())
}

/// Finds the system's shells.
fn slots() -> Result<Vec<Slot>, Error> {
    let mut directories: Vec<PathBuf> = Vec::new();
    for directory in DIRECTORIES {
        let real = Path::new(directory).canonicalize().unwrap_or_default();
        if real.is_dir() && !directories.contains(&real) {
            directories.push(real);
        }
    }
    let paths = directories
        .iter()
        .flat_map(|directory| SHELLS.map(|name| directory.join(name)))
        .filter(|path| is_there(path));
    let paths: Vec<PathBuf> = paths.collect();
    if paths.is_empty() {
        return Err(Error::NoShells(DIRECTORIES.join(", ")));
    }
    paths.iter().map(|path| slot(path, &paths)).collect()
}

fn slot(path: &Path, all: &[PathBuf]) -> Result<Slot, Error> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let link = if is_link(path) {
        let real = path.canonicalize().map_err(failed)?;
        let was = fs::read_link(path).map_err(failed)?;
        all.contains(&real).then(|| Link { was, kept: kept(&real) })
    } else {
        None
    };
    Ok(Slot { path: path.to_owned(), kept: kept(path), link })
}

/// Returns what dpkg must be told: for each path that packages may have for a shell.
fn diversions(slots: &[Slot]) -> Result<Vec<Diversion>, Error> {
    let mut all = Vec::new();
    if !divert::is_there() {
        return Ok(all);
    }
    for slot in slots {
        let Some(name) = slot.path.file_name() else { continue };
        for path in PACKAGED.map(|directory| Path::new(directory).join(name)) {
            if is_at(&path, &slot.path) {
                all.push(divert::planned(&path, &kept(&path))?);
            }
        }
    }
    Ok(all)
}

/// Returns whether a path is another one by way of the directory that it is in.
fn is_at(path: &Path, real: &Path) -> bool {
    let directory = path.parent().and_then(|directory| directory.canonicalize().ok());
    directory.as_deref() == real.parent() && path.file_name() == real.file_name()
}

/// Gives a real shell its second name. The first stays what it is.
fn keep(slot: &Slot) -> Result<(), Error> {
    let failed = |source| Error::Write { path: slot.kept.clone(), source };
    let new = match &slot.link {
        Some(link) if is_link(&slot.path) => Replacement::link(&link.kept, &slot.kept),
        // Not every file system has second names.
        _ => Replacement::name(&slot.path, &slot.kept).or_else(|_| copied(&slot.path, &slot.kept)),
    };
    new.and_then(Replacement::put).map_err(failed)
}

/// The same file again, or the same link.
fn copied(path: &Path, to: &Path) -> io::Result<Replacement> {
    match fs::read_link(path) {
        Ok(target) => Replacement::link(&target, to),
        Err(_) => Replacement::copy(path, to).and_then(Replacement::synced),
    }
}

/// Puts the program in the place of the shells, once it has shown beside each that it works.
fn put(program: &Path, slots: &[Slot], standings: &[Standing]) -> Result<(), Error> {
    let mut ready: Vec<(&Slot, Replacement)> = Vec::new();
    for (slot, standing) in slots.iter().zip(standings) {
        if standing.place == Still::Done {
            continue;
        }
        // One file under two names takes the space of one.
        let first = ready.first().map(|(_, new)| new.new_path());
        let named = first.and_then(|first| Replacement::name(first, &slot.path).ok());
        let new = named.map_or_else(|| Replacement::program(program, &slot.path), Ok);
        let new = new.map_err(|source| Error::Write { path: slot.path.clone(), source })?;
        let works = trial::works(new.new_path(), slot.name());
        works.map_err(|said| Error::Unproven { name: slot.name().to_owned(), said })?;
        ready.push((slot, new));
    }
    for (slot, new) in ready {
        new.put().map_err(|source| Error::Write { path: slot.path.clone(), source })?;
    }
    Ok(())
}

/// Checks that a shell works in its place.
fn proven(slot: &Slot) -> Result<(), Error> {
    let works = trial::works(&slot.path, slot.name());
    works.map_err(|said| Error::Unproven { name: slot.name().to_owned(), said })
}

/// Puts a shell back in its place. What is kept stays: another shell that is kept may lead to it.
fn bring_back(slot: &Slot, back: Back) -> Result<(), Error> {
    let new = match (back, &slot.link) {
        (Back::There | Back::Done, _) => return Ok(()),
        (Back::Kept, Some(link)) => Replacement::link(&link.was, &slot.path),
        (Back::Kept, None) => {
            Replacement::name(&slot.kept, &slot.path).or_else(|_| copied(&slot.kept, &slot.path))
        }
    };
    let put = new.and_then(Replacement::put);
    put.map_err(|source| Error::Write { path: slot.path.clone(), source })
}

fn remove_kept(slot: &Slot) -> Result<(), Error> {
    match fs::remove_file(&slot.kept) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(Error::Write { path: slot.kept.clone(), source })
        }
        _ => Ok(()),
    }
}

/// Removes what a process left that was stopped.
fn sweep(record: &Record) {
    for path in record.slots.iter().flat_map(|slot| [&slot.path, &slot.kept]) {
        // Mostly there is nothing.
        let _ = fs::remove_file(Replacement::place(path, record.process));
    }
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|file| file.is_symlink())
}

/// Returns whether two names are of one file, or of one link.
fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| path.symlink_metadata().ok().map(|file| (file.dev(), file.ino()));
    identity(one).is_some_and(|one| Some(one) == identity(other))
}

fn is_same_content(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| path.metadata().ok().map(|file| file.len());
    length(one) == length(other)
        && fs::read(one).is_ok_and(|one| fs::read(other).is_ok_and(|other| one == other))
}
