//! Who says what really ran below a line, where the owner wants to know: what the plan names is told to it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Judgement;
use super::fence::Holding;
use super::world::World;
use crate::reading::PlannedCommand;
use crate::witness::{Watched, Witness};

/// The directory, below that of the state, in which it is said what really ran.
const RAN: &str = "ran";

/// Makes the witness of a line that will run, where there is one. One that cannot be made is missing, and the line runs without: it holds nothing.
/// Only a line that gains no privileges can have one, so only one that is held.
pub(super) fn begin(world: &World, judgement: &Judgement, holding: &Holding) -> Option<Witness> {
    if !world.settings.record.ran.value || !holding.is_held() {
        return None;
    }
    Witness::begin(&watched(world, judgement)?).ok()
}

fn watched(world: &World, judgement: &Judgement) -> Option<Watched> {
    let facts = &world.judge.facts;
    let plan = &judgement.plan;
    let cwd = facts.cwd.as_deref();
    let is_around = |root: &&String| cwd.is_some_and(|cwd| crate::paths::is_below(cwd, root));
    let scripts = plan.scripts.iter().map(|script| PathBuf::from(&script.path));
    let programs = plan.commands.iter().flat_map(|command| files(world, command));
    Some(Watched {
        foreseen: real(programs),
        scripts: real(scripts),
        workspace: facts
            .workspaces
            .iter()
            .filter(is_around)
            .max_by_key(|root| root.len())
            .map(PathBuf::from),
        directory: world.places.state()?.join(RAN),
    })
}

/// Files as they are behind all links, each once; none for what is not there.
fn real(files: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let real: BTreeSet<PathBuf> = files.filter_map(|file| file.canonicalize().ok()).collect();
    real.into_iter().collect()
}

/// What shells do themselves though there are programs of these names (bash manual, "Shell Builtin Commands").
const THEMSELVES: [&str; 9] =
    ["[", "echo", "false", "kill", "printf", "pwd", "test", "time", "true"];

/// The files that a command of a plan may be: in each of its directories, or the first of that name on PATH.
pub(super) fn files(world: &World, command: &PlannedCommand) -> Vec<PathBuf> {
    let Some(name) = command.argv.first().and_then(|word| word.known()) else { return Vec::new() };
    if THEMSELVES.contains(&name) {
        return Vec::new();
    }
    if name.contains('/') {
        let directories = command.directories.iter().chain([&world.judge.facts.cwd]).flatten();
        return directories.map(|directory| Path::new(directory).join(name)).collect();
    }
    world.on_path(name).find(|file| file.is_file()).into_iter().collect()
}
