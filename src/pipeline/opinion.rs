//! The second opinion: what a model is told of a line that rules leave open, and what its answer changes. The question is asked meanwhile; nobody
//! waits for a model who could answer.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Judgement, World};
use crate::audit::{self, DecidedBy, Filter};
use crate::decision::second::{self, Bar, Settled};
use crate::judge::{self, Asking, Case, Earlier, Noted};
use crate::model::{Finding, Heard, ModelMode};
use crate::observe;

/// Bytes of a line that a model is asked about. What is cut is never judged, so longer ones are not.
const LONGEST: usize = 16 << 10;
/// Bytes of what the person typed that a model is told, the last of it.
const PROMPTS: usize = 16 << 10;
/// Earlier lines that it is told of.
const EARLIER: usize = 10;
/// For how long the session's records are looked for.
const READING: Duration = Duration::from_millis(500);
/// How old they are at most.
const AGE: Duration = Duration::from_secs(24 * 3600);

/// A model that is being asked about a line.
pub(super) struct Second<'j> {
    asking: Result<Asking, Heard>,
    judgement: &'j Judgement,
    prompts: Vec<String>,
    bar: Option<Bar>,
}

/// How much of what would be done a model is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// All of it: a line.
    Whole,
    /// Not what a tool is given beside its name and target, as the text of a file: a model only advises then.
    Part,
}

/// What was heard, and whether it is enough for the line to run.
pub(super) struct Weighed {
    pub(super) heard: Heard,
    pub(super) settled: Option<Settled>,
}

impl<'j> Second<'j> {
    /// Begins to ask about what this session wants to do; none where the owner wants no model.
    pub(super) fn begin(
        world: &World,
        judgement: &'j Judgement,
        (what, told): (&str, Told),
        session: Option<&str>,
        most: Duration,
    ) -> Option<Self> {
        let settings = &world.settings.model;
        if settings.mode.value == ModelMode::Off || settings.providers.value.is_empty() {
            return None;
        }
        let bar = Bar { confidence: settings.confidence.value, safety: settings.safety.value };
        let decides = settings.mode.value == ModelMode::Decide && told == Told::Whole;
        let bar = decides.then_some(bar);
        let limit = Duration::from_millis(settings.most_ms().into()).min(most);
        let mut prompts = Vec::new();
        let asking = asked_of(what).and_then(|program| {
            let case = case(world, judgement, what, session);
            prompts.clone_from(&case.prompts);
            Asking::begin(&program, &request(world, case), &variables(world), limit)
        });
        Some(Self { asking, judgement, prompts, bar })
    }

    /// Returns what becomes readable when something is said, and when it is given up; none where nobody is asked.
    pub(super) fn awaited(&self) -> Option<(BorrowedFd<'_>, Instant)> {
        self.asking.as_ref().ok().map(|asking| (asking.fd(), asking.deadline()))
    }

    /// Returns what was heard, if that is all of it. Waits for nothing.
    pub(super) fn take(&mut self) -> Option<Weighed> {
        let heard = match &mut self.asking {
            Ok(asking) => asking.take()?,
            Err(heard) => heard.clone(),
        };
        Some(self.weighed(heard))
    }

    /// Waits for what is heard.
    pub(super) fn wait(mut self) -> Weighed {
        let none = Err(Heard::unavailable(String::new()));
        let heard = match std::mem::replace(&mut self.asking, none) {
            Ok(asking) => asking.wait(),
            Err(heard) => heard,
        };
        self.weighed(heard)
    }

    fn weighed(&self, heard: Heard) -> Weighed {
        let assessment = &self.judgement.assessment;
        let settled =
            self.bar.and_then(|bar| second::weigh(assessment, &heard, bar, &self.prompts).ok());
        Weighed { heard, settled }
    }
}

/// Returns the program that is asked about a line, unless nobody is.
fn asked_of(line: &str) -> Result<PathBuf, Heard> {
    if line.len() > LONGEST {
        return Err(Heard::unavailable("the line is longer than a model is asked about"));
    }
    judge::beside()
        .ok_or_else(|| Heard::unavailable("guarded-shd is not installed beside guarded-sh"))
}

/// Returns the environment of the service: the owner's home, and keys. Below an agent, these only as the session's host was started with them.
fn variables(world: &World) -> Vec<(String, String)> {
    let own = |name: &str| Some((name.to_owned(), world.environment.get(name)?.to_owned()));
    let home = world.places.home.as_deref().and_then(Path::to_str);
    let home = home.map(|home| ("HOME".to_owned(), home.to_owned()));
    let providers = &world.settings.model.providers.value;
    let keys = providers.iter().filter_map(|provider| provider.api_key_env.as_deref());
    let keys = keys.filter_map(|name| {
        let hosts = || Some((name.to_owned(), observe::of_host(name)?));
        if world.is_agents() { hosts() } else { own(name) }
    });
    home.into_iter().chain(keys).collect()
}

/// Returns what the service would be given about a line that was judged so, and the environment that it would have.
#[must_use]
pub fn supposed(world: &World, judgement: &Judgement) -> (judge::Request, Vec<(String, String)>) {
    let session = observe::session(&world.environment);
    let case = case(world, judgement, &judgement.line, session.as_deref());
    (request(world, case), variables(world))
}

/// Returns what the service is given about a case.
fn request(world: &World, case: Case) -> judge::Request {
    let prompts = world.places.settings().map(|directory| directory.join("prompts"));
    let state = world.places.state().map(|directory| directory.join("model"));
    judge::Request::new(case, &world.settings.model, prompts, state)
}

/// Returns what is told of a line.
fn case(world: &World, judgement: &Judgement, line: &str, session: Option<&str>) -> Case {
    let (facts, assessment, plan) = (&world.judge.facts, &judgement.assessment, &judgement.plan);
    let noted =
        |finding: &Finding| Noted { severity: finding.severity, reason: finding.reason.clone() };
    let mut effects = Vec::new();
    for effect in plan.commands.iter().flat_map(|command| &command.effects) {
        if !effects.contains(effect) {
            effects.push(effect.clone());
        }
    }
    let opaque = plan.opaque.iter().map(|opaque| opaque.reason.to_string());
    let unknown = plan.commands.iter().flat_map(|command| command.unknown.clone());
    let cwd = facts.cwd.as_deref();
    let git = cwd.and_then(|cwd| observe::git(&world.environment, cwd));
    let (prompts, earlier) = session.map(|session| said(world, session)).unwrap_or_default();
    Case {
        line: line.to_owned(),
        cwd: facts.cwd.clone(),
        workspaces: facts.workspaces.clone(),
        branch: git.and_then(|git| git.branch),
        severity: assessment.severity,
        score: assessment.score,
        findings: assessment.findings.iter().map(noted).collect(),
        effects,
        unknown: opaque.chain(unknown).collect(),
        safe_commands: facts.safe_commands.iter().map(shell_words::join).collect(),
        safe_domains: facts.safe_domains.clone(),
        prompts,
        earlier,
    }
}

/// Returns what the person typed in a session, as the client's own hook told it, and the last lines that were decided. Nothing where that is not
/// read in time: a model only advises then.
fn said(world: &World, session: &str) -> (Vec<String>, Vec<Earlier>) {
    let until = Instant::now() + READING;
    let session = Some(session.to_owned());
    let filter = Filter { session, since: Some(audit::ago(AGE)), ..Filter::default() };
    let (mut prompts, mut earlier) = (Vec::new(), Vec::new());
    let records = super::store(&world.settings, &world.places).ok();
    let Some(entries) = records.and_then(|records| records.entries(filter).ok()) else {
        return (prompts, earlier);
    };
    for entry in entries {
        let Ok(entry) = entry else { continue };
        if Instant::now() > until {
            return (Vec::new(), Vec::new());
        }
        let record = entry.decisive();
        let first = &entry.first.record;
        if first.hook.as_deref().is_some_and(|hook| hook.typed) {
            // What was cut is not what the person typed.
            prompts.extend(first.line.rest.is_none().then(|| first.line.text.clone()));
        } else if record.decided_by != DecidedBy::Observed {
            earlier.push(Earlier { line: record.line.text.clone(), action: record.action });
        }
    }
    earlier.drain(..earlier.len().saturating_sub(EARLIER));
    let mut room = PROMPTS;
    let fits = |prompt: &&String| {
        let fits = prompt.len() <= room;
        room = if fits { room - prompt.len() } else { 0 };
        fits
    };
    let last = prompts.iter().rev().take_while(fits).count();
    prompts.drain(..prompts.len() - last);
    (prompts, earlier)
}
