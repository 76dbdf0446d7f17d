//! The door of agents' hooks: an event in, the same judge, an answer in that agent's words out. Has no rules of its own.
//!
//! What goes wrong is a refusal where the agent waits for an answer, since it would take silence for a yes.

mod analyze;
mod client;
mod contain;
mod context;
mod custom;
pub(super) mod difference;
mod fault;
mod head;
mod held;
mod input;
mod looked;
mod note;
mod place;
mod plan;
mod prompt;
mod record;
mod safe;
mod settle;
mod shell;
mod watch;
mod within;

pub use analyze::{Analysis, analyze};

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use fault::Fault;
use settle::{Case, Settled};
use watch::Watch;

use super::road::EDITS;
use super::{Judgement, Request, Session, World, undo};
use crate::audit::{Door, Line};
use crate::hooks::{
    Agent, Answer, CHANGED, CONTAINED, Call, Deed, Event, Moment, Opinion, Reply, Work,
};
use crate::model::{Action, Caller, Layers, Mode, Severity, Shell, StandardInput};
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
    let (agent, mut event) = match read(call, watch) {
        Ok(read) => read,
        Err(fault) => return Reply::refusal(&fault.reason()),
    };
    watch.is_about(event.moment);
    match answer(agent, &mut event, watch) {
        Ok(answer) => (agent.answer)(&event, &answer),
        Err(fault) if event.moment.decides() => {
            let opinion = Opinion::Deny(fault.reason());
            (agent.answer)(&event, &Answer { opinion, ..Answer::default() })
        }
        Err(fault) => Reply::complaint(&fault.reason()),
    }
}

fn read(call: &HookCall, watch: &Watch) -> Result<(&'static Agent, Event), Fault> {
    let value = input::read(watch)?;
    let agent = call.agent.map_or_else(|| hooks::detect(&value), Ok)?;
    Ok((agent, agent.event(value)?))
}

/// One event, from the world to the record. A line that a person puts in the place of another is judged like any other.
fn answer(agent: &'static Agent, event: &mut Event, watch: &Watch) -> Result<Answer, Fault> {
    let mut world = world(agent, event)?;
    let shells = shell::possible(agent, event, &world);
    world.judge.shell = shells.first().copied().unwrap_or(world.judge.shell);
    client::sign(&world);
    let (mut changed, mut anew) = (None, None);
    let mut edits = 0;
    loop {
        let (settled, context) = decide(agent, event, &mut world, (&shells, watch), anew)?;
        anew = settled.anew.filter(|_| edits < EDITS);
        if anew.is_some() {
            edits += 1;
            continue;
        }
        let another = settled.instead.filter(|_| edits < EDITS && (agent.changes)(event));
        let call = another.as_deref().zip(event.call.as_ref());
        let Some(call) = call.and_then(|(line, call)| hooks::with_line(agent, call, line)) else {
            let input = settled.contained.map(|call| call.input);
            let contained = input.as_ref().map(|_| CONTAINED.to_owned());
            let context = contained.into_iter().chain(context);
            let context = context.reduce(|contained, rest| format!("{contained}\n{rest}"));
            let answer = Answer { opinion: settled.opinion, context, input };
            return Ok(tell(changed.as_deref(), event.call.as_ref(), answer));
        };
        (event.call, changed) = (Some(call), another);
        edits += 1;
    }
}

/// Tells the agent that a person changed its line: the client runs the other one in its place, or the reason says what was judged.
fn tell(changed: Option<&str>, call: Option<&Call>, answer: Answer) -> Answer {
    let Some(line) = changed else { return answer };
    let visible = crate::approval::visible(line);
    match answer.opinion {
        Opinion::Allow(_) => {
            let told = format!("{CHANGED} {visible}");
            let context = std::iter::once(told).chain(answer.context).collect::<Vec<_>>();
            let input = answer.input.or_else(|| call.map(|call| call.input.clone()));
            Answer { opinion: answer.opinion, context: Some(context.join("\n")), input }
        }
        // What the client does without a word of ours, it does with what it has.
        Opinion::None => Answer { opinion: Opinion::Deny(settle::wanted(line)), ..answer },
        Opinion::Ask(reason) | Opinion::Deny(reason) => {
            let reason =
                format!("a person changed this line; what was then judged: {visible}: {reason}");
            Answer { opinion: Opinion::Deny(reason), ..answer }
        }
    }
}

/// What is decided about an event, and what its agent is told beside it.
fn decide(
    agent: &'static Agent,
    event: &Event,
    world: &mut World,
    (shells, watch): (&[Shell], &Watch),
    anew: Option<String>,
) -> Result<(Settled, Option<String>), Fault> {
    let settings = world.settings.clone();
    let work = event.call.as_ref().map(|call| hooks::work(agent, call, &settings.mcp));
    let handlers = hooks::handlers(&settings.hooks, &settings.thresholds, event, work.as_ref());
    world.judge.terms.threshold = handlers.threshold;
    let judged = match &work {
        Some(work) if handlers.judges => {
            Some(Judgement { anew, ..judge(world, work, shells, watch)? })
        }
        _ => None,
    };
    let session = record::session(world, agent, event);
    let about = |_: &Judgement| {
        let line = Line::new(OsStr::new(&work.as_ref().map(Work::told).unwrap_or_default()));
        undo::About { line, session: session.clone(), door: Door::Hook }
    };
    // What a client asks its person about has been kept before.
    let is_before = event.moment == Moment::BeforeTool;
    let (judged, keeping) = match judged {
        Some(judgement) if is_before => {
            let (judgement, keeping) = undo::rely(world, judgement, about);
            (Some(judgement), keeping)
        }
        judged => (judged, undo::Keeping::default()),
    };
    let told = custom::run(&handlers, agent, event, work.as_ref(), watch);
    let case = Case { agent, event, world, handlers: &handlers, watch };
    let judged_work = judged.as_ref().zip(work.as_ref());
    let contained = judged_work
        .filter(|_| told.action.is_none_or(|asked| asked <= Action::Contain))
        .and_then(|(judgement, work)| contain::call(agent, event, world, judgement, work));
    let settled = match contained {
        Some(call) => Settled::contained(call),
        None => case.settle_anew(judged_work, &told, |work| judge(world, work, shells, watch))?,
    };
    let may_run = event.moment.decides() && settled.action != Action::Deny;
    if let Some(judgement) = judged.as_ref().filter(|_| may_run) {
        case.note(judgement);
    }
    let keeping = match judged.as_ref().filter(|_| may_run && is_before) {
        Some(judgement) => keeping.with(world, judgement, Layers::NONE, about),
        None => undo::Keeping::default(),
    };
    case.tell_host();
    let found = held::found(world, session.as_deref(), event, work.as_ref());
    let stopped = found.told();
    let context = match &session {
        session if handlers.tells && event.can_be_told() => {
            let again = match (&judged, &work) {
                (Some(judgement), _) => context::again(world, session.as_deref(), judgement),
                // What was done was judged before it was; that it is judged again is for the note alone.
                (None, Some(work)) => {
                    let judgement = judge(world, work, shells, watch)?;
                    context::again(world, session.as_deref(), &judgement)
                }
                (None, None) => None,
            };
            let text = context::text(world, session.as_deref());
            text.into_iter().chain(again).reduce(|text, again| format!("{text}\n{again}"))
        }
        _ => None,
    };
    let judged = judged.as_ref();
    let known = (judged, &keeping, found.stopped);
    record::write(world, agent, event, work.as_ref(), known, &settled)?;
    keeping.stay();
    let opinion = match world.terms().mode {
        // Nothing binds.
        Mode::Shadow => Opinion::None,
        Mode::Enforce if settled.instead.is_some() => settled.opinion,
        Mode::Enforce => without_secrets(settled.opinion, work.as_ref(), event.call.as_ref()),
    };
    let note = note::text(world, event, work.as_ref(), &handlers, session.as_deref(), watch);
    let context = context.into_iter().chain(told.context).chain(stopped).chain(note);
    let context: Vec<String> = context.collect();
    let context = (!context.is_empty()).then(|| context.join("\n"));
    Ok((Settled { opinion, ..settled }, context))
}

/// The world around the directory that the event is about. It is taken as the kernel has it, as for a shell that runs there.
fn world(agent: &'static Agent, event: &Event) -> Result<World, Fault> {
    let own = event.call.as_ref().and_then(|call| hooks::directory(agent, call));
    let outer = event.cwd.clone().or_else(observe::working_directory);
    let real = |path: String| std::fs::canonicalize(path).ok()?.into_os_string().into_string().ok();
    let outer = outer.and_then(real);
    // The call says where it runs; where its workspace is, the session does.
    let own = own.map(|own| match &outer {
        Some(outer) if !own.starts_with('/') => real(format!("{outer}/{own}")),
        _ => real(own),
    });
    let mut world = match (outer, own) {
        (Some(outer), Some(own)) => World::at(Some(outer))?.moved_to(own),
        (None, Some(own)) => World::at(own)?,
        (outer, None) => World::at(outer)?,
    };
    world = world.with_input(StandardInput::Nothing);
    world.judge.facts.caller = Caller::Agent(agent.name.to_owned());
    Ok(world)
}

/// How severe what was judged is.
fn weight(judged: &Judgement) -> (Action, Severity) {
    (judged.action, judged.assessment.severity)
}

/// A line with what its client puts around it, where that may mean something else by what the line says: functions, aliases, variables of that.
fn within(line: &str, (before, after): (&str, &str)) -> Option<String> {
    let says = ["()", "( )", "function", "alias", "eval", "source", ". ", "trap", "hash", "enable"];
    let names = before.split('=').next().filter(|name| !name.is_empty());
    let may_differ = says.iter().any(|word| line.contains(word))
        || names.is_some_and(|name| line.contains(name));
    let is_there = !before.is_empty() || !after.is_empty();
    (is_there && may_differ).then(|| format!("{before}\n{line}\n{after}"))
}

/// Judges what a call would do. Where several shells may run its line, the worst of what it means to them counts.
fn judge(world: &World, work: &Work, shells: &[Shell], watch: &Watch) -> Result<Judgement, Fault> {
    let session = Session::until(world, Instant::now() + watch.left() / 2);
    let facts = &world.judge.facts;
    let wrapped = work.wrapped;
    let line = |line: &str| -> Result<Judgement, Fault> {
        let by = |shell: Option<Shell>, line: &str| {
            world.judge(&Request { shell, ..Request::about(line.as_bytes()).after(&session) })
        };
        let whole = within(line, wrapped);
        let mut worst = by(None, line)?;
        let others = shells.iter().filter(|shell| **shell != world.judge.shell);
        let others = others.map(|shell| (Some(*shell), line));
        let readings = whole.as_deref().map(|whole| (None, whole)).into_iter().chain(others);
        for (shell, text) in readings {
            let judged = by(shell, text)?;
            if weight(&judged) > weight(&worst) {
                worst = judged;
            }
        }
        Ok(worst)
    };
    let deeds = |work: &Work| world.judge_plan(&work.told(), &plan::plan(work, facts));
    let (mut text, mut work) = (work.line.clone(), work.clone());
    if let Some(prompt) = &work.prompt {
        match prompt::told(prompt, facts, &world.settings.mcp) {
            Ok(told) => {
                text = Some(told.lines).filter(|lines| !lines.is_empty());
                work.deeds.extend(told.deeds);
            }
            Err(why) => work.deeds.push(Deed::Unclear(why)),
        }
    }
    Ok(match text {
        Some(text) if work.deeds.is_empty() => line(&text)?,
        // What is done beside a line counts as much as the line.
        Some(text) => {
            let (inner, beside) = (line(&text)?, deeds(&work)?);
            if weight(&beside) > weight(&inner) { beside } else { inner }
        }
        None => deeds(&work)?,
    })
}

/// The same opinion, whose reason repeats no secret of what was judged: a client keeps what it is told, and shows it.
fn without_secrets(opinion: Opinion, work: Option<&Work>, call: Option<&Call>) -> Opinion {
    let given = call.map(|call| call.input.to_string()).unwrap_or_default();
    let texts = [work.map(Work::told).unwrap_or_default(), given];
    let masked = |reason: &str| {
        texts.iter().fold(reason.to_owned(), |reason, text| {
            Line::new(OsStr::new(text)).masked_reason(&reason)
        })
    };
    match opinion {
        Opinion::Ask(reason) => Opinion::Ask(masked(&reason)),
        Opinion::Deny(reason) => Opinion::Deny(masked(&reason)),
        Opinion::Allow(_) | Opinion::None => opinion,
    }
}

/// Returns whether an event is one that a call of a tool is recorded by.
const fn is_call(moment: Moment) -> bool {
    moment.decides() || matches!(moment, Moment::AfterTool(_))
}
