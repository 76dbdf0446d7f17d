//! How a permitted line is held to its plan: what the settings, the kernel and the lines above it say, and the domain that is put on.
//! What a domain grants is `fence`'s to say.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::Judgement;
use super::refusal::Stop;
use super::world::World;
use crate::decision::{Authority, Permit};
use crate::fence::{self, Fencing, Ground, Here, Kernel, Line, Making, Misfit, Service};
use crate::ipc::place;
use crate::judge;
use crate::model::{Facts, Fence, Held, HeldBy, Layers, Mode, Over, Shell};
use crate::observe;
use crate::sys::descent::{self, Bounds};

/// The directory, below that of the state, in which it is said what the proxies of lines were asked for.
const ASKED: &str = "asked";

/// How one line is held.
#[derive(Default)]
pub(super) struct Holding {
    /// What is recorded.
    pub(super) held: Option<Box<Held>>,
    /// What is put on.
    domain: Option<(Fencing, Bounds)>,
    /// The container that the line may only run in.
    layers: Layers,
    /// A program that fails inside, of which the caller is told.
    fails: Option<String>,
}

/// Finds out how a line is held. `own` says why it is none that is held: it is known to the byte, and no model wrote it.
pub(super) fn hold(
    world: &World,
    judgement: &Judgement,
    permit: &Permit,
    own: Option<&str>,
) -> Holding {
    Holding { layers: permit.layers(), ..held_by(world, judgement, permit, own) }
}

fn held_by(world: &World, judgement: &Judgement, permit: &Permit, own: Option<&str>) -> Holding {
    let setting = match (world.fence(), permit.authority()) {
        // What may only run contained is held, whatever else is.
        _ if !permit.layers().is_empty() => Fence::On,
        (_, Authority::System) => Fence::Off,
        // Nothing binds, and the record says what would.
        (setting, Authority::Shadow) => setting.min(Fence::Report),
        (setting, _) => setting,
    };
    if setting == Fence::Off {
        return Holding::default();
    }
    let layers = permit.layers();
    if let Some(own) = own.filter(|_| layers.is_empty()) {
        return Holding::nothing(own.to_owned());
    }
    let (plan, assessment) = (&judgement.plan, &judgement.assessment);
    let line = Line { plan, assessment, authority: permit.authority(), layers };
    let fails = match fence::misfit(plan, assessment, line.authority) {
        Some(Misfit::Released(why)) => return Holding::nothing(why),
        Some(Misfit::Fails(program)) => Some(program),
        None => None,
    };
    match fence::kernel() {
        Kernel::Version(_) => {}
        Kernel::Nothing => return Holding::nothing("the kernel has no Landlock".to_owned()),
        Kernel::TooOld => {
            return Holding::nothing("the Landlock of this kernel is too old".to_owned());
        }
    }
    let making = if setting == Fence::On { Making::Yes } else { Making::No };
    let mut ground = ground(world, &judgement.line);
    // A container has other files by the same names.
    ground.preparer =
        (setting == Fence::On && layers.is_empty()).then(|| preparer(world)).flatten();
    let fencing = Fencing::of(&line, &ground, making);
    let mut held = fencing.held().clone();
    if setting == Fence::Report {
        held.by = HeldBy::Report;
        return Holding { held: Some(Box::new(held)), ..Holding::default() };
    }
    let is_inside = fence::holds_this_process();
    // A line inside of a container is in it, and makes no other.
    if is_inside && !layers.is_empty() {
        held.by = HeldBy::Outer;
        return Holding { held: Some(Box::new(held)), fails, ..Holding::default() };
    }
    let is_more = |path: &String| ground.records.as_ref() != Some(path);
    let bounds = Bounds {
        writes: held.writes.is_none() || held.added.iter().any(|(path, _)| is_more(path)),
        reads: held.secrets.is_none(),
        tcp: held.tcp,
        signals: held.signals,
        outside: layers.is_empty() && !is_inside,
    };
    // A domain on top would take nothing away: and no more than 16 lie on one another.
    if descent::bounds().is_some_and(|outer| outer.allow_no_more_than(bounds)) {
        held.by = HeldBy::Outer;
        return Holding { held: Some(Box::new(held)), fails, ..Holding::default() };
    }
    Holding {
        held: Some(Box::new(held)),
        domain: Some((fencing, bounds)),
        fails,
        ..Holding::default()
    }
}

/// Returns how a line would be held if a person said yes to it; none where nothing is held.
pub(super) fn foreseen(world: &World, judgement: &Judgement) -> Option<Box<Held>> {
    let is_on = world.fence() == Fence::On && world.terms().mode == Mode::Enforce;
    if !is_on || !matches!(fence::kernel(), Kernel::Version(_)) {
        return None;
    }
    let (plan, assessment) = (&judgement.plan, &judgement.assessment);
    let line = Line { plan, assessment, authority: Authority::Person, layers: Layers::NONE };
    if let Some(Misfit::Released(why)) = fence::misfit(plan, assessment, line.authority) {
        return Some(Box::new(Held::nothing(Some(why))));
    }
    Some(Box::new(Fencing::of(&line, &ground(world, &judgement.line), Making::No).held().clone()))
}

impl Holding {
    fn nothing(why: String) -> Self {
        Self { held: Some(Box::new(Held::nothing(Some(why)))), ..Self::default() }
    }

    /// Makes it hold a line that is only tried: other directories take what the line writes in these.
    pub(super) fn over(self, over: &[Over]) -> Self {
        let domain = self.domain.map(|(fencing, bounds)| (fencing.over(over), bounds));
        let held = domain.as_ref().map(|(fencing, _)| Box::new(fencing.held().clone()));
        Self { held: held.or(self.held), domain, ..self }
    }

    /// Says why the line is not held by a domain of its own, if so.
    pub(super) fn unheld(&self) -> Option<String> {
        if self.domain.is_some() {
            return None;
        }
        let why = self.held.as_ref().and_then(|held| held.why.clone());
        Some(
            why.unwrap_or_else(|| "this process is held to another line's plan already".to_owned()),
        )
    }

    /// Whether a domain holds the line, its own or that of an outer line.
    pub(super) fn is_held(&self) -> bool {
        self.held.as_ref().is_some_and(|held| matches!(held.by, HeldBy::Domain | HeldBy::Outer))
    }

    /// Returns the program of the line that fails inside, if there is one.
    pub(super) fn fails(&self) -> Option<&str> {
        self.fails.as_deref()
    }

    /// Puts the domain on this process, for good. The record has been written: where that is, is there.
    pub(super) fn put_on(self, world: &World) -> Result<(), Stop> {
        let Some((fencing, bounds)) = self.domain else {
            let is_fine = self.layers.is_empty() || fence::holds_this_process();
            return if is_fine { Ok(()) } else { Err(Stop::NotContained) };
        };
        if let Err(error) = fencing.put_on() {
            // It is tried again before the next line is let run so.
            layers_here(world.places.state().as_deref()).forget();
            return Err(error.into());
        }
        descent::hold(bounds);
        Ok(())
    }
}

/// Returns what is known of the layers of containers here; without the directory of the state, they are tried anew.
#[must_use]
pub fn layers_here(state: Option<&Path>) -> Here<'_> {
    let service = if judge::beside().is_some() { Service::Installed } else { Service::Missing };
    Here { state, service }
}

fn ground<'w>(world: &'w World, line: &str) -> Ground<'w> {
    let facts = &world.judge.facts;
    let records = || Some(world.records().ok()?.directory().to_str()?.to_owned());
    Ground {
        facts,
        repositories: linked_repositories(facts),
        records: reaches_guard(world, line).then(records).flatten(),
        service: judge::beside(),
        asked: world.places.state().map(|state| state.join(ASKED)),
        preparer: None,
    }
}

/// Returns where a host may have made the domain already. A variable says which of the user's hosts it is, and never where they are.
fn preparer(world: &World) -> Option<PathBuf> {
    let directory = place::own(nix::unistd::geteuid().as_raw())?;
    let named = world.environment.get("GUARDED_SH_SOCKET").and_then(|path| {
        let name = Path::new(path).file_stem()?.to_str()?;
        name.bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
    });
    Some(place::domains(&directory, named.unwrap_or(place::SERVICE)))
}

/// Returns the git directories of the workspaces that stand outside of them.
pub(super) fn linked_repositories(facts: &Facts) -> Vec<String> {
    facts.workspaces.iter().filter_map(|root| observe::linked_repository(root)).collect()
}

/// Whether what the line starts finds a guarded shell, which writes its own record: by `SHELL`, as the first shell on `PATH`, in the place of the
/// system's, or since the line names it, as the frames of agents do.
fn reaches_guard(world: &World, line: &str) -> bool {
    let identity = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
    let Some(own) = identity(Path::new("/proc/self/exe")) else { return true };
    let is_own = |path: &Path| identity(path) == Some(own);
    let variable = |name| world.environment.get(name).unwrap_or_default();
    let first = |name: &str| world.on_path(name).find_map(|path| identity(&path)) == Some(own);
    let is_shell = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        Shell::named(name.strip_prefix("guarded-").unwrap_or(name)).is_some()
            || name == "guarded-sh"
    };
    // What stands around an agent's line is not in its plan.
    let is_end = |c: char| c.is_whitespace() || "'\"`;&|()=".contains(c);
    let is_named = || {
        let mut paths = line.split(is_end).filter(|word| word.starts_with('/') && is_shell(word));
        paths.any(|path| is_own(Path::new(path)))
    };
    world.place.is_some()
        || is_named()
        || is_own(Path::new(variable("SHELL")))
        || first("bash")
        || first("sh")
}
