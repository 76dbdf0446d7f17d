//! The record of an event: what was asked and decided, what came of it, what a person typed.
//! Written before the agent is answered.

use std::ffi::OsStr;

use super::{Fault, Settled, client, is_call};
use crate::audit::{self, CallOutcome, Door, Earlier, Hooked, Line, NotedFinding, Record};
use crate::hooks::{Agent, Event, Moment, Outcome, Work};
use crate::model::{Caller, Mode, Score, Severity, Stopped, head};
use crate::observe;
use crate::pipeline::road::noted;
use crate::pipeline::{Judgement, World, undo};

/// Bytes of a prompt that are looked at. What is kept is less, so no secret is cut where it would be seen.
const PROMPT: usize = 1 << 20;

/// Events that hold what a person typed, and never what an agent wrote for another one.
const TYPED: [&str; 3] = ["UserPromptSubmit", "userPromptSubmitted", "BeforeAgent"];

/// Returns the session, by the name that the shell's records have for it.
pub(super) fn session(world: &World, agent: &Agent, event: &Event) -> Option<String> {
    let host = world.environment.get("GUARDED_SH_SESSION").map(str::to_owned);
    let own = || event.session.as_ref().map(|id| format!("{}:{id}", agent.name));
    host.or_else(own).or_else(|| observe::session(&world.environment))
}

/// Writes the record of an event.
pub(super) fn write(
    world: &World,
    agent: &Agent,
    event: &Event,
    work: Option<&Work>,
    (judgement, keeping, stopped): (Option<&Judgement>, &undo::Keeping, Vec<Stopped>),
    settled: &Settled,
) -> Result<(), Fault> {
    let terms = world.terms();
    let line = match work {
        Some(work) => Line::new(OsStr::new(&work.told())),
        None => Line::said(&text(event)),
    };
    let assessment = judgement.map(|judgement| &judgement.assessment);
    let hooked = Hooked {
        event: event.name.clone(),
        tool: work.map(|work| work.title.clone()),
        call: event.call.as_ref().and_then(|call| call.id.clone()),
        digest: work.filter(|_| is_call(event.moment)).map(|_| line.digest()),
        outcome: outcome(event.moment),
        stopped,
        speaker: TYPED.contains(&event.name.as_str()).then(|| client::speaker(agent)).flatten(),
    };
    let record = Record {
        time: audit::now(),
        door: Door::Hook,
        session: session(world, agent, event),
        caller: match &world.judge.facts.caller {
            Caller::Agent(name) => Some(name.clone()),
            Caller::Unknown => None,
        },
        pid: std::process::id(),
        site: world.site(),
        cwd: world.judge.facts.cwd.clone(),
        findings: assessment.map(|a| NotedFinding::of(&a.findings, &line)).unwrap_or_default(),
        line,
        frame: None,
        earlier: match event.moment {
            Moment::Permission | Moment::AfterTool(_) => Earlier::Maybe,
            Moment::BeforeTool
            | Moment::Prompt
            | Moment::SessionStart
            | Moment::SessionEnd
            | Moment::Other => Earlier::No,
        },
        action: match (terms.mode, judgement) {
            // The record says what would have been decided.
            (Mode::Shadow, Some(judgement)) => judgement.action,
            _ => settled.action,
        },
        severity: assessment.map_or(Severity::Low, |assessment| assessment.severity),
        score: assessment.map_or(Score::HARMLESS, |assessment| assessment.score),
        scripts: judgement
            .map(|judgement| noted(judgement, &world.judge.facts))
            .unwrap_or_default(),
        decided_by: settled.decided_by,
        mode: terms.mode,
        micros: judgement.map_or(0, |judgement| judgement.micros),
        hook: Some(Box::new(hooked)),
        purpose: None,
        fence: None,
        undo: keeping.noted.clone(),
        ran: None,
        opinion: settled.heard.clone().map(Box::new),
        question: settled.question.clone().map(Box::new),
        client: None,
        ended: None,
    };
    Ok(world.record(&record)?)
}

fn text(event: &Event) -> String {
    head(event.text.as_deref().unwrap_or_default(), PROMPT).to_owned()
}

const fn outcome(moment: Moment) -> Option<CallOutcome> {
    match moment {
        Moment::AfterTool(Outcome::Done) => Some(CallOutcome::Done),
        Moment::AfterTool(Outcome::Failed) => Some(CallOutcome::Failed),
        Moment::AfterTool(Outcome::Interrupted) => Some(CallOutcome::Interrupted),
        Moment::BeforeTool
        | Moment::Permission
        | Moment::Prompt
        | Moment::SessionStart
        | Moment::SessionEnd
        | Moment::Other => None,
    }
}
