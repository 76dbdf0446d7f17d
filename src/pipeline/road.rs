//! From argv to the real shell. Reads like the table in the design: each step takes what the one before gave.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use super::refusal::Stop;
use super::world::World;
use super::{Judgement, startup};
use crate::approval::{Ask, Question, Terminal};
use crate::audit::{self, DecidedBy, Line, NotedFinding, NotedScript, Record};
use crate::cli::{self, Invocation};
use crate::decision::{self, Answer, Asked, Authority, Decision, Permit, Refusal};
use crate::exec;
use crate::model::{Action, Caller, Mode, Shell, ShellInvocation, ShellMode};
use crate::observe;

/// Runs the program; returns its exit status where no real shell took its place.
#[must_use]
pub fn run(argv: Vec<OsString>, subcommand: fn(Vec<OsString>) -> u8) -> u8 {
    match cli::parse(argv.clone(), Shell::Bash) {
        Ok(Invocation::Subcommand(words)) => subcommand(words),
        Ok(Invocation::Shell(invocation)) => match shell(argv, invocation) {
            Ok(never) => match never {},
            Err(stop) => stop.report(),
        },
        Err(error) => Stop::Usage(error).report(),
    }
}

/// One call of the shell, from argv to exec.
fn shell(argv: Vec<OsString>, invocation: ShellInvocation) -> Result<Infallible, Stop> {
    let world = World::read()?.called_by(observe::parent_agent());
    let world = world.with_input(observe::standard_input());
    let invocation = world.as_configured(argv, invocation)?;
    let judgement = judge(&world, &invocation)?;
    let decision = decide(&world, &invocation, &judgement)?;
    let settled = settle(&world, &judgement, decision)?;
    record(&world, &invocation, &judgement, &settled)?;
    let permit = settled.permit.map_err(|refusal| Stop::Refused {
        refusal,
        why: settled.unreachable,
        judgement: Box::new(judgement),
    })?;
    let real = world.real_shell(&invocation)?;
    Ok(exec::replace(permit, &real, invocation)?)
}

fn judge(world: &World, invocation: &ShellInvocation) -> Result<Judgement, Stop> {
    let line = startup::line(invocation);
    world.judge(&startup::request(world, invocation, &line))
}

fn decide(
    world: &World,
    invocation: &ShellInvocation,
    judgement: &Judgement,
) -> Result<Decision, Stop> {
    let terms = world.terms();
    let subject = invocation.subject().unwrap_or_else(|| OsStr::new("")).to_owned();
    // What a person types, or a program on standard input, is not read yet: only a mode that binds nothing lets it through.
    if invocation.mode == ShellMode::Input && terms.mode == Mode::Enforce {
        return Err(Stop::Unread);
    }
    Ok(decision::decide(subject, &judgement.assessment, &terms))
}

/// A decision when nothing is left to ask.
struct Settled {
    permit: Result<Permit, Refusal>,
    decided_by: DecidedBy,
    /// Why nobody could be asked, if that is why.
    unreachable: Option<observe::Unreachable>,
}

/// Asks the person at this terminal where the decision needs one and one is there.
fn settle(world: &World, judgement: &Judgement, decision: Decision) -> Result<Settled, Stop> {
    Ok(match decision {
        Decision::Permitted(permit) => {
            let decided_by = match permit.authority() {
                Authority::Policy => DecidedBy::Policy,
                Authority::Person => DecidedBy::PersonOnce,
                Authority::Shadow => DecidedBy::Shadow,
            };
            Settled { permit: Ok(permit), decided_by, unreachable: None }
        }
        Decision::Denied(refusal) => {
            let decided_by = match refusal.asked() {
                Asked::Yes => DecidedBy::Policy,
                Asked::Nobody => DecidedBy::Nobody,
            };
            Settled { permit: Err(refusal), decided_by, unreachable: None }
        }
        Decision::NeedsApproval(pending) => match observe::person(&world.environment) {
            Ok(terminal) => {
                let question = Question { text: super::question::text(judgement) };
                let answer = Terminal::new(terminal).ask(&question)?;
                let decided_by = match answer {
                    Answer::Once => DecidedBy::PersonOnce,
                    Answer::Deny => DecidedBy::PersonDeny,
                };
                Settled { permit: pending.answered(answer), decided_by, unreachable: None }
            }
            Err(why) => Settled {
                permit: Err(pending.unanswered()),
                decided_by: DecidedBy::Nobody,
                unreachable: Some(why),
            },
        },
    })
}

fn noted(judgement: &Judgement) -> Vec<NotedScript> {
    let scripts = judgement.scripts.iter();
    scripts.map(|script| NotedScript::new(script.path.clone(), &script.sha256)).collect()
}

/// Writes the record, before anything runs. Without it nothing does, unless the mode binds nothing.
fn record(
    world: &World,
    invocation: &ShellInvocation,
    judgement: &Judgement,
    settled: &Settled,
) -> Result<(), Stop> {
    let terms = world.terms();
    let record = Record {
        time: audit::now(),
        session: observe::session(&world.environment),
        caller: match &world.judge.facts.caller {
            Caller::Agent(name) => Some(name.clone()),
            Caller::Unknown => None,
        },
        pid: std::process::id(),
        cwd: world.judge.facts.cwd.clone(),
        line: Line::new(OsStr::from_bytes(&startup::line(invocation))),
        action: match (&settled.permit, terms.mode) {
            // The record says what would have been decided.
            (_, Mode::Shadow) => judgement.action,
            (Ok(_), Mode::Enforce) => Action::Allow,
            (Err(_), Mode::Enforce) => Action::Deny,
        },
        severity: judgement.assessment.severity,
        score: judgement.assessment.score,
        findings: NotedFinding::of(&judgement.assessment.findings),
        scripts: noted(judgement),
        decided_by: settled.decided_by,
        mode: terms.mode,
        micros: judgement.micros,
    };
    match (world.records().and_then(|store| Ok(store.append(&record)?)), terms.mode) {
        (Ok(_), _) => Ok(()),
        (Err(stop), Mode::Enforce) => Err(stop),
        (Err(stop), Mode::Shadow) => {
            // Nothing is left to do if stderr is gone.
            let _ = writeln!(std::io::stderr(), "guarded-sh: not recorded: {}", stop.reason());
            Ok(())
        }
    }
}
