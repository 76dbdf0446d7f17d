//! Lines that run contained, where an agent's hook judges them. A hook runs nothing: the client is given another line in the place of its own, by which
//! guarded-sh itself runs the same, judges it again, and contains it. Judges nothing.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::decision::{self, Terms};
use crate::hooks::{self, Agent, Call, Event, Given, Moment, ToolKind, Work};
use crate::model::{Action, Contain, Layers, Mode, Shell};
use crate::pipeline::{Judgement, World, fence};

/// Returns the call by which a line runs contained that would be asked about; none where it is nothing to contain, or the client takes no other line.
pub(super) fn call(
    agent: &'static Agent,
    event: &Event,
    world: &World,
    judgement: &Judgement,
    work: &Work,
) -> Option<Call> {
    let terms = world.terms();
    let line = work.line.as_deref()?;
    let is_line = work.kind == ToolKind::Shell
        && work.deeds.is_empty()
        && work.given == Given::Known
        && event.moment == Moment::BeforeTool
        && (agent.changes)(event)
        // Another shell would read it otherwise than ours, which is bash.
        && world.judge.shell == Shell::Bash;
    let is_wanted = world.settings.contain.value == Contain::On && terms.mode == Mode::Enforce;
    let may = |layers| {
        let terms = Terms { layers, ..terms };
        decision::action(&judgement.assessment, &terms) == Action::Contain
    };
    if !is_line || !is_wanted || !may(Layers::ALL) || !may(layers(world)?) {
        return None;
    }
    let own = own()?;
    let contained = shell_words::join([own.as_str(), "-c", line]);
    hooks::with_line(agent, event.call.as_ref()?, &contained)
}

/// Returns the line that such a call runs contained; none where it is another call.
pub(super) fn carried(line: &str) -> Option<String> {
    let mut words = shell_words::split(line).ok()?;
    let carried = words.pop()?;
    (words == [own()?, "-c".to_owned()]).then_some(carried)
}

/// The path of this very program.
fn own() -> Option<String> {
    let own = std::fs::read_link("/proc/self/exe").ok().filter(|own| own.is_file())?;
    own.into_os_string().into_string().ok()
}

/// Returns the layers that can be put on here. Where they were not tried yet, a guard that has no other thread tries them.
fn layers(world: &World) -> Option<Layers> {
    let state = world.places.state();
    let here = fence::layers_here(state.as_deref());
    here.remembered().or_else(|| {
        let mut tries = Command::new(Path::new("/proc/self/exe"));
        tries.args(["check", "true"]).stdin(Stdio::null()).stdout(Stdio::null());
        // What cannot be tried is not there.
        tries.stderr(Stdio::null()).status().ok()?;
        here.remembered()
    })
}
