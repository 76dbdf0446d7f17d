//! The client whose hook was called gets a sign that stays on all that it starts from then on (`sys::descent`): what it leaves behind at a
//! terminal of its own, with nothing in its environment, is still known to be an agent's, and answers no question. Lines that a client runs in
//! a shell of its own after its hook allowed them get none otherwise. Whether it is the client that speaks is known here, too. Judges nothing.

use crate::audit::Speaker;
use crate::hooks::Agent;
use crate::observe::{self, Look, Process};
use crate::pipeline::{World, on_demand};
use crate::sys::descent::{self, Sign};

/// How often is looked for what it has started already, as that may start more meanwhile.
const LOOKS: usize = 3;

/// Puts the sign on each process above this one up to the outermost agent's, and on what they have started. A host that the person has set up
/// is started before, since all that is started afterwards has the sign, and nobody believes such a host.
pub(super) fn sign(world: &World) {
    // What is not seen gets none.
    let Ok(above) = observe::ancestors(Look::Names) else { return };
    let is_agent = |ancestor: &observe::Ancestor| observe::agent_of(ancestor).is_some();
    let Some(outermost) = above.iter().rposition(is_agent) else { return };
    let client = above[outermost].id;
    if descent::is_signed(client) {
        return;
    }
    on_demand::prepare(world);
    above[..=outermost].iter().rev().for_each(|ancestor| descent::sign_client(ancestor.id));
    let mut known = vec![client];
    for _ in 0..LOOKS {
        let started = Process::all_below(&known);
        if started.is_empty() {
            return;
        }
        for id in &started {
            descent::sign_client(*id);
        }
        known.extend(started);
    }
}

/// Returns whether the client itself says what stands on standard input: nobody else could, or it started us in its own session, where nothing
/// runs that its model starts. Copilot gives its hooks a pipe, of which nobody can say who wrote into it.
pub(super) fn says(agent: &Agent) -> bool {
    let is_ours = || observe::parent_agent().is_some_and(|parent| parent.name == agent.name);
    let is_in_session = || agent.shares_terminal && observe::is_in_parents_session() && is_ours();
    observe::is_told_by_parent() || is_in_session()
}

/// Returns the client's process, where it itself says what stands on standard input, and no line started it: what came through a guarded shell is
/// told by an agent what to do.
pub(super) fn speaker(agent: &Agent) -> Option<Speaker> {
    if !says(agent) || descent::sign_of(0) == Some(Sign::Guarded) {
        return None;
    }
    let id = if observe::is_told_by_parent() {
        std::os::unix::process::parent_id()
    } else {
        let above = observe::ancestors(Look::Names).ok()?;
        above.iter().find(|one| observe::agent_of(one) == Some(&*agent.name))?.id
    };
    let Process { id, started } = Process::see(id).ok()?.process;
    Some(Speaker { id, started })
}
