//! An event that somebody else than its client brings: what the hook would answer to it. Judges as the hook does, and asks nobody: nothing is recorded, kept or
//! granted, no program of the owner's is run, no host is told, and no process gets a sign.

use std::time::Duration;

use serde_json::Value;

use super::fault::Fault;
use super::settle::Case;
use super::watch::Watch;
use super::{judge, shell, without_secrets, world};
use crate::hooks::{self, Agent, Answer, Event, Opinion, Reply};
use crate::model::{Action, Mode, Score, Severity};
use crate::pipeline::undo;

/// What the hook would answer.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// What it would print, and with which status it would end.
    pub reply: Reply,
    /// Whose event it is.
    pub agent: Option<&'static str>,
    /// The event, as its agent spells it.
    pub event: Option<String>,
    /// What it would decide; none where there is nothing to decide.
    pub action: Option<Action>,
    /// How severe and how safe what would be done is; none where that is not judged.
    pub judged: Option<(Severity, Score)>,
}

/// Returns what the hook of an agent would answer to an event, if nobody could be asked but by its client; of none, that of whom the event looks like.
#[must_use]
pub fn analyze(agent: Option<&'static Agent>, event: Value, limit: Duration) -> Analysis {
    let read = || -> Result<(&'static Agent, Event), Fault> {
        if !event.is_object() {
            return Err(Fault::NoObject);
        }
        let agent = agent.map_or_else(|| hooks::detect(&event), Ok)?;
        Ok((agent, agent.event(event)?))
    };
    let unread = |fault: Fault| Analysis {
        reply: Reply::refusal(&fault.reason()),
        agent: None,
        event: None,
        action: Some(Action::Deny),
        judged: None,
    };
    let (agent, event) = match read() {
        Ok(read) => read,
        Err(fault) => return unread(fault),
    };
    let decides = event.moment.decides();
    let named = Analysis {
        reply: Reply::silent(),
        agent: Some(agent.name),
        event: Some(event.name.clone()),
        action: None,
        judged: None,
    };
    match opinion(agent, &event, &Watch::unended(limit)) {
        Ok((opinion, action, judged)) => {
            let reply = (agent.answer)(&event, &Answer { opinion, ..Answer::default() });
            Analysis { reply, action: decides.then_some(action), judged, ..named }
        }
        Err(fault) if decides => {
            let opinion = Opinion::Deny(fault.reason());
            let reply = (agent.answer)(&event, &Answer { opinion, ..Answer::default() });
            Analysis { reply, action: Some(Action::Deny), ..named }
        }
        Err(fault) => Analysis { reply: Reply::complaint(&fault.reason()), ..named },
    }
}

/// What is said of it, what is decided, and how it was judged.
type Judged = (Opinion, Action, Option<(Severity, Score)>);

fn opinion(agent: &'static Agent, event: &Event, watch: &Watch) -> Result<Judged, Fault> {
    let mut world = world(agent, event)?;
    let shells = shell::possible(agent, event, &world);
    world.judge.shell = shells.first().copied().unwrap_or(world.judge.shell);
    let settings = world.settings.clone();
    let work = event.call.as_ref().map(|call| hooks::work(agent, call, &settings.mcp));
    let handlers = hooks::handlers(&settings.hooks, &settings.thresholds, event, work.as_ref());
    world.judge.terms.threshold = handlers.threshold;
    let judged = match work.as_ref().filter(|_| handlers.judges) {
        Some(work) => Some(undo::supposed(&world, judge(&world, work, &shells, watch)?)),
        None => None,
    };
    let case = Case { agent, event, world: &world, handlers: &handlers, watch };
    let settled = case.settle_unasked(judged.as_ref().zip(work.as_ref()));
    let opinion = match world.terms().mode {
        // Nothing binds.
        Mode::Shadow => Opinion::None,
        Mode::Enforce => without_secrets(settled.opinion, work.as_ref(), event.call.as_ref()),
    };
    let judged = judged.map(|judged| (judged.assessment.severity, judged.assessment.score));
    Ok((opinion, settled.action, judged))
}
