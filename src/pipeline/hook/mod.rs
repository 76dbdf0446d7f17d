//! The door of agents' hooks: an event in, the same judge, an answer in that agent's words out. Has no rules of its own.
//!
//! What goes wrong is a refusal where the agent waits for an answer, since it would take silence for a yes.

mod context;
mod custom;
mod fault;
mod input;
mod plan;
mod record;
mod watch;

use std::time::Duration;

use fault::Fault;
use watch::Watch;

use super::{Judgement, Request, World};
use crate::audit::DecidedBy;
use crate::hooks::{
    Agent, Answer, Event, Given, Handlers, Moment, Opinion, Presence, Reply, ToolKind, Work,
};
use crate::model::{Action, Caller, Mode, StandardInput};
use crate::{hooks, observe, sys};

/// The part of the client's time in which there is an answer.
const SHARE: u32 = 4;

/// A call of a hook.
#[derive(Clone, Copy, Debug)]
pub struct HookCall {
    /// Whose it is; none: whose the event looks like.
    pub agent: Option<&'static Agent>,
    /// How long the client waits.
    pub limit: Duration,
}

/// Answers the event on standard input; returns the exit status.
#[must_use]
pub fn run(call: &HookCall) -> u8 {
    sys::entry::fail_with(Reply::refusal("").status);
    let watch = Watch::start(call.limit / SHARE);
    let reply = reply(call, &watch);
    watch.answer(&reply)
}

fn reply(call: &HookCall, watch: &Watch) -> Reply {
    let (agent, event) = match read(call, watch) {
        Ok(read) => read,
        Err(fault) => return Reply::refusal(&fault.reason()),
    };
    watch.is_about(event.moment);
    match answer(agent, &event, watch) {
        Ok(answer) => (agent.answer)(&event, &answer),
        Err(fault) if event.moment.decides() => {
            let opinion = Opinion::Deny(fault.reason());
            (agent.answer)(&event, &Answer { opinion, context: None })
        }
        Err(fault) => Reply::complaint(&fault.reason()),
    }
}

fn read(call: &HookCall, watch: &Watch) -> Result<(&'static Agent, Event), Fault> {
    let value = input::read(watch)?;
    let agent = call.agent.map_or_else(|| hooks::detect(&value), Ok)?;
    Ok((agent, (agent.read)(value)?))
}

/// One event, from the world to the record.
fn answer(agent: &'static Agent, event: &Event, watch: &Watch) -> Result<Answer, Fault> {
    let mut world = world(agent, event)?;
    let settings = world.settings.clone();
    let work = event.call.as_ref().map(|call| hooks::work(call, &settings.mcp));
    let handlers = hooks::handlers(&settings.hooks, &settings.thresholds, event, work.as_ref());
    world.judge.terms.threshold = handlers.threshold;
    let judged = match &work {
        Some(work) if handlers.judges => Some(judge(&world, work)?),
        _ => None,
    };
    let told = custom::run(&handlers, agent, event, work.as_ref(), watch);
    let settled =
        settle(agent, event, &world, judged.as_ref().zip(work.as_ref()), &handlers, &told);
    let context = (handlers.tells && event.can_be_told())
        .then(|| context::text(&world, record::session(&world, agent, event).as_deref()))
        .flatten();
    record::write(&world, agent, event, work.as_ref(), judged.as_ref(), &settled)?;
    let opinion = match world.terms().mode {
        // Nothing binds.
        Mode::Shadow => Opinion::None,
        Mode::Enforce => settled.opinion,
    };
    let context: Vec<String> = context.into_iter().chain(told.context).collect();
    Ok(Answer { opinion, context: (!context.is_empty()).then(|| context.join("\n")) })
}

/// The world around the directory that the event is about. It is taken as the kernel has it, as for a shell that runs there.
fn world(agent: &'static Agent, event: &Event) -> Result<World, Fault> {
    let own = event.call.as_ref().and_then(hooks::directory);
    let outer = event.cwd.clone().or_else(observe::working_directory);
    let named = match (own, &outer) {
        (Some(own), Some(outer)) => {
            Some(format!("{outer}/{own}")).filter(|_| !own.starts_with('/'))
        }
        _ => None,
    };
    let named = named.or_else(|| own.map(str::to_owned)).or(outer);
    let cwd = named
        .and_then(|path| std::fs::canonicalize(path).ok()?.into_os_string().into_string().ok());
    let mut world = World::at(cwd)?.with_input(StandardInput::Nothing);
    world.judge.facts.caller = Caller::Agent(agent.name.to_owned());
    Ok(world)
}

fn judge(world: &World, work: &Work) -> Result<Judgement, Fault> {
    Ok(match &work.line {
        Some(line) => world.judge(&Request::about(line.as_bytes()))?,
        None => world.judge_plan(&told(work), &plan::plan(work, &world.judge.facts))?,
    })
}

/// A call in few words: the line of a shell, or the tool and what it is done to.
fn told(work: &Work) -> String {
    match &work.line {
        Some(line) => line.clone(),
        None => format!("{} {}", work.title, work.subject).trim_end().to_owned(),
    }
}

/// A decision when nothing is left to ask here.
pub(super) struct Settled {
    pub(super) opinion: Opinion,
    pub(super) action: Action,
    pub(super) decided_by: DecidedBy,
}

/// Turns what was judged into what is answered, where it needs a person: by the client's own question if it has one.
///
/// A session's host that can ask, or that holds a grant for this line, is asked here before anything is refused; there is none yet.
fn settle(
    agent: &'static Agent,
    event: &Event,
    world: &World,
    judged: Option<(&Judgement, &Work)>,
    handlers: &Handlers<'_>,
    told: &custom::Told,
) -> Settled {
    let observed = |opinion, action| Settled { opinion, action, decided_by: DecidedBy::Observed };
    let (action, mut decided_by, reason) = match judged {
        Some((judgement, work)) if judgement.action == Action::Ask && handlers.calls_safe(work) => {
            (Action::Allow, DecidedBy::Grant, String::new())
        }
        Some((judgement, _)) => (judgement.action, DecidedBy::Policy, reason(judgement)),
        None => (Action::Allow, DecidedBy::Observed, String::new()),
    };
    if !event.moment.decides() {
        return observed(Opinion::None, Action::Allow);
    }
    let mut reason = reason;
    let stricter = told.action.filter(|asked| *asked > action);
    if stricter.is_some() {
        decided_by = DecidedBy::Custom;
        reason = crate::approval::visible(&told.reason).into_owned();
    }
    match stricter.unwrap_or(action) {
        Action::Allow => match judged {
            // The agent's own tools ask the person themselves; saying that they may would answer in the person's place.
            Some((_, work)) if work.kind != ToolKind::Own && work.given == Given::Known => {
                Settled { opinion: Opinion::Allow, action: Action::Allow, decided_by }
            }
            Some(_) => Settled { opinion: Opinion::None, action: Action::Allow, decided_by },
            None => observed(Opinion::None, Action::Allow),
        },
        Action::Ask if can_ask(agent, event, world) => Settled {
            opinion: Opinion::Ask(reason),
            action: Action::Ask,
            decided_by: DecidedBy::Client,
        },
        Action::Ask => Settled {
            opinion: Opinion::Deny(format!(
                "{reason}; a person would be asked, but cannot be here: trying again changes nothing, ask the person to run it, or to allow it in guarded-sh's settings"
            )),
            action: Action::Deny,
            decided_by: DecidedBy::Nobody,
        },
        Action::Deny => {
            Settled { opinion: Opinion::Deny(reason), action: Action::Deny, decided_by }
        }
    }
}

/// Whether the client asks its person when it is told to.
fn can_ask(agent: &'static Agent, event: &Event, world: &World) -> bool {
    let is_alone = agent.unattended.iter().any(|(name, start)| {
        world.environment.get(name).is_some_and(|value| value.starts_with(start))
    });
    let event = if is_alone || (agent.shares_terminal && !observe::has_terminal()) {
        &Event { presence: Presence::Nobody, ..event.clone() }
    } else {
        event
    };
    (agent.asks)(event)
}

/// Why, and what could be done instead, for the agent and for the person that it asks.
fn reason(judgement: &Judgement) -> String {
    let assessment = &judgement.assessment;
    let mut text = assessment.reason.clone();
    if judgement.action != Action::Allow {
        let instead = assessment.instead.as_ref().map(|instead| format!("; instead: {instead}"));
        let hint = instead.or_else(|| assessment.suggestion.as_ref().map(|s| format!("; {s}")));
        text.push_str(&hint.unwrap_or_default());
    }
    crate::approval::visible(&text).into_owned()
}

/// Returns whether an event is one that a call of a tool is recorded by.
const fn is_call(moment: Moment) -> bool {
    moment.decides() || matches!(moment, Moment::AfterTool(_))
}
