//! The second opinion: what a model is told of a line that rules leave open, and what its answer changes. The question is asked meanwhile; nobody
//! waits for a model who could answer.

use std::collections::BTreeSet;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::named::{self, Typed};
use super::{Judgement, World, ask, pushed};
use crate::audit::{self, DecidedBy, Filter};
use crate::config::{ModelSettings, Places};
use crate::decision::second::{self, Bar, Settled};
use crate::judge::{self, Asking, Attached, Case, Earlier, Noted, Template};
use crate::model::{Action, Arg, EffectKind, Finding, Heard, ModelMode, Severity, Target};
use crate::observe;
use crate::reading::{Plan, PlannedCommand};

/// Bytes of a line that a model is asked about. What is cut is never judged, so longer ones are not.
const LONGEST: usize = 16 << 10;
/// Bytes of what the person typed that a model is told, the last of it; and of the lines before this one.
const TEXTS: usize = 16 << 10;
/// After so many refusals of one intent no model is asked; so many of the lines are shown, and so many characters of each.
const REFUSALS: usize = 3;
const VARIANTS: usize = 10;
const VARIANT: usize = 100;
/// Characters of what an agent says that a line is for.
const DESCRIPTION: usize = 300;
/// Bytes of what a tool printed that a model is told, the last of it.
const PRINTED: usize = 16 << 10;
/// Earlier lines that it is told of.
const EARLIER: usize = 10;
/// The part of the time that a model has in which the session's records are read.
const READING: u32 = 4;
/// How old they are at most.
const AGE: Duration = Duration::from_secs(24 * 3600);

/// A model that is being asked about a line.
pub(super) struct Second<'j> {
    asking: Result<Asking, Heard>,
    judgement: &'j Judgement,
    prompts: Vec<String>,
    bar: Option<Bar<'j>>,
}

/// What a model is asked about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    /// The line, or what stands for a call of another tool.
    pub(super) line: &'a str,
    /// How much of it is told.
    pub(super) told: Told,
    /// What is asked about it.
    pub(super) template: Template,
    /// What the agent says that it is for.
    pub(super) description: Option<&'a str>,
}

impl<'a> Asked<'a> {
    /// Returns a line of which nothing is known but its own text.
    pub(super) const fn line(line: &'a str) -> Self {
        Self { line, told: Told::Whole, template: Template::Shell, description: None }
    }
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
        world: &'j World,
        judgement: &'j Judgement,
        asked: Asked<'_>,
        session: Option<&str>,
        most: Duration,
    ) -> Option<Self> {
        let settings = &world.settings.model;
        if !settings.wants_one() {
            return None;
        }
        // Of code that does not go along nobody knows anything.
        let opaque: &[String] = if settings.files.value { &settings.opaque.value } else { &[] };
        let (confidence, safety) = (settings.confidence.value, settings.safety.value);
        let bar = Bar { confidence, safety, opaque };
        let decides = settings.mode.value == ModelMode::Decide && asked.told == Told::Whole;
        let mut bar = decides.then_some(bar);
        let limit = Duration::from_millis(settings.most_ms().into()).min(most);
        let mut prompts = Vec::new();
        let asking = program(asked.line).and_then(|program| {
            let said = Session::read(world, session, asked.line, judgement, limit / READING);
            refused_before(&said.refused)?;
            // What a person refused, no model lets run.
            bar = bar.filter(|_| said.person.is_none_or(|action| action == Action::Allow));
            bar = bar.filter(|_| may_settle(world, judgement, &said.prompts));
            let request = request(world, judgement, asked, session, said);
            prompts.clone_from(&request.case.prompts);
            begin(world, &program, &request, limit)
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

/// Asks the service of the session, else by a process of its own.
fn begin(
    world: &World,
    program: &Path,
    request: &judge::Request,
    limit: Duration,
) -> Result<Asking, Heard> {
    match ask::models(world) {
        Some(service) => Asking::over(service, request, limit),
        None => Asking::begin(program, request, &variables(world), limit),
    }
}

/// Asks for a note about what happened, and waits for it; none where the owner wants no model.
pub(super) fn note(
    world: &World,
    asked: Asked<'_>,
    printed: Option<&str>,
    session: Option<&str>,
    most: Duration,
) -> Option<Heard> {
    let settings = &world.settings.model;
    if !settings.wants_one() {
        return None;
    }
    let limit = Duration::from_millis(settings.most_ms().into()).min(most);
    let asking = program(asked.line).and_then(|program| {
        let judgement = world.judge_plan(asked.line, &Plan::default());
        let judgement = judgement.map_err(|_| Heard::unavailable("what happened is not known"))?;
        let said = Session::read(world, session, asked.line, &judgement, limit / READING);
        let mut request = request(world, &judgement, asked, session, said);
        // The end says what came of it.
        let text = printed.map(|text| ending(text, PRINTED));
        let end = text.map(|text| Attached { name: "its end".to_owned(), text });
        request.case.attached.extend(end);
        begin(world, &program, &request, limit)
    });
    Some(asking.map_or_else(|heard| heard, Asking::wait))
}

/// Returns the last of a text, no more than so many bytes.
fn ending(text: &str, most: usize) -> String {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].to_owned()
}

/// Returns the program that is asked about a line, unless nobody is.
fn program(line: &str) -> Result<PathBuf, Heard> {
    if line.len() > LONGEST {
        return Err(Heard::unavailable("the line is longer than a model is asked about"));
    }
    judge::beside()
        .ok_or_else(|| Heard::unavailable("guarded-shd is not installed beside guarded-sh"))
}

/// Returns the environment of the service: the owner's home, and keys. Below an agent, these only as the session's host was started with them.
fn variables(world: &World) -> Vec<(String, String)> {
    let own = |name: &str| world.environment.get(name).map(str::to_owned);
    let keys = |name: &str| if world.is_agents() { observe::of_host(name) } else { own(name) };
    of_the_owner(&world.settings.model, &world.places, keys)
}

/// Returns the owner's home, and keys where they are.
fn of_the_owner(
    settings: &ModelSettings,
    places: &Places,
    key: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let home = places.home.as_deref().and_then(Path::to_str);
    let home = home.map(|home| ("HOME".to_owned(), home.to_owned()));
    let names = settings.providers.value.iter().filter_map(|one| one.api_key_env.as_deref());
    let keys = names.filter_map(|name| Some((name.to_owned(), key(name)?)));
    home.into_iter().chain(keys).collect()
}

/// Returns the service that asks models for all that runs below a host which starts here; none where the owner wants no model, or an agent starts
/// the host: its keys would be the agent's.
#[must_use]
pub fn models_of_host(
    environment: &observe::Environment,
    places: &Places,
    settings: &ModelSettings,
) -> Option<judge::Models> {
    if !settings.wants_one() {
        return None;
    }
    observe::free_of_agents(environment, observe::Look::Names).ok()?;
    let keys = |name: &str| environment.get(name).map(str::to_owned);
    let variables = of_the_owner(settings, places, keys);
    Some(judge::Models::new(judge::beside()?, variables, &settings.providers.value))
}

/// Returns what the service would be given about a line that was judged so, and the environment that it would have.
#[must_use]
pub fn supposed(world: &World, judgement: &Judgement) -> (judge::Request, Vec<(String, String)>) {
    let session = observe::session(&world.environment);
    let session = session.as_deref();
    let limit = Duration::from_millis(world.settings.model.most_ms().into());
    let said = Session::read(world, session, &judgement.line, judgement, limit / READING);
    let asked = Asked::line(&judgement.line);
    (request(world, judgement, asked, session, said), variables(world))
}

/// Returns what the service is given about a line.
fn request(
    world: &World,
    judgement: &Judgement,
    asked: Asked<'_>,
    session: Option<&str>,
    said: Session,
) -> judge::Request {
    let prompts = world.places.settings().map(|directory| directory.join("prompts"));
    let state = world.places.state().map(|directory| directory.join("model"));
    let is_overruled = said.person.is_some();
    let session = session.map(str::to_owned);
    let case = case(world, judgement, asked, said);
    let request = judge::Request::new(case, &world.settings.model, prompts, state);
    judge::Request { template: asked.template, session, is_overruled, ..request }
}

/// Returns what is told of a line.
fn case(world: &World, judgement: &Judgement, asked: Asked<'_>, said: Session) -> Case {
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
    let pushes = pushed::of_plan(plan, git.as_ref());
    let branch = git.and_then(|git| git.branch);
    let pushes = pushes.filter(|pushes| pushes.is_empty() || world.settings.model.commits.value);
    Case {
        line: asked.line.to_owned(),
        cwd: facts.cwd.clone(),
        workspaces: facts.workspaces.clone(),
        branch,
        severity: assessment.severity,
        score: assessment.score,
        findings: assessment.findings.iter().map(noted).collect(),
        effects,
        unknown: opaque.chain(unknown).collect(),
        safe_commands: facts.safe_commands.iter().map(shell_words::join).collect(),
        safe_domains: facts.safe_domains.clone(),
        description: asked.description.map(|text| cut(text, DESCRIPTION)),
        is_whole: pushes.is_some(),
        pushes: pushes.unwrap_or_default(),
        files: if world.settings.model.files.value { files(plan) } else { Vec::new() },
        attached: Vec::new(),
        prompts: said.prompts.into_iter().map(|typed| typed.words).collect(),
        earlier: said.earlier,
    }
}

/// Returns whether a model may settle a line at all: it can know what it is asked about, and the person named what it is about.
#[must_use]
pub fn may_settle(world: &World, judgement: &Judgement, prompts: &[Typed]) -> bool {
    is_told(world, judgement) && named::by_person(judgement, &world.judge.facts, prompts)
}

/// Returns whether a model can know what a line hands on or brings in: no secret of the person's, nothing that is only known when it runs, no
/// variables and no other directory, by which programs find other settings, no install of what files say, and no push: what git says that a
/// remote lacks, a line may have changed before.
fn is_told(world: &World, judgement: &Judgement) -> bool {
    let cwd = [world.judge.facts.cwd.clone()];
    judgement.plan.commands.iter().all(|command| {
        let is_here = command.directories == cwd;
        is_plain(command, is_here) && command.secrets.is_empty() && command.environment.is_empty()
    })
}

fn is_plain(command: &PlannedCommand, is_here: bool) -> bool {
    let does = |kinds: &[EffectKind]| command.effects.iter().any(|one| kinds.contains(&one.kind));
    let is_known = command.argv.iter().all(|word| word.known().is_some());
    let names_paths = command.effects.iter().all(|one| !one.kind.changes() || one.path().is_some());
    let hosts = command.effects.iter().filter_map(|one| match &one.target {
        Target::Host { host } => Some(host.as_deref()),
        Target::None | Target::Path { .. } | Target::Text { .. } => None,
    });
    let names_hosts = hosts.into_iter().all(|host| host.is_some_and(is_host_name));
    let mut words = command.interpretation.operands.iter().peekable();
    let names = words.peek().is_some()
        && words.all(|(at, _)| command.argv.get(*at).and_then(Arg::known).is_some_and(is_name));
    let reads = does(&[EffectKind::Read]) || !command.builds.is_empty();
    let reaches =
        does(&[EffectKind::Fetch, EffectKind::Connect, EffectKind::Send, EffectKind::Remote]);
    let installs = does(&[EffectKind::Install]);
    if does(&[EffectKind::Publish, EffectKind::RewriteShared]) {
        return false;
    }
    let is_plain = is_known && is_here && names_paths && !reads;
    (!reaches || is_plain && names_hosts) && (!installs || is_plain && names)
}

/// Returns whether a host is a name: an address, however it is written, says to nobody what it is.
fn is_host_name(host: &str) -> bool {
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    !host.contains(':') && last.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Returns whether a word is the name of a package, as programs that install take it, and not that of a file or directory.
fn is_name(word: &str) -> bool {
    const FILES: [&str; 7] = [".tgz", ".gz", ".zip", ".whl", ".gem", ".bz2", ".xz"];
    let is_path = word.contains('/') && !word.contains('@');
    !is_path
        && !word.contains(':')
        && !word.starts_with(['.', '/', '~'])
        && !word.ends_with('/')
        && !FILES.iter().any(|ending| word.ends_with(ending))
}

/// Returns the files that a plan runs, each once.
fn files(plan: &Plan) -> Vec<String> {
    let mut files: Vec<String> = plan.scripts.iter().map(|file| file.path.clone()).collect();
    let effects = plan.commands.iter().flat_map(|command| &command.effects);
    let run = effects.filter(|effect| effect.kind == EffectKind::Execute);
    files.extend(run.filter_map(|effect| effect.path().map(str::to_owned)));
    files.sort_unstable();
    files.dedup();
    files
}

/// What a session's record says that bears on a line.
#[derive(Debug, Default)]
struct Session {
    /// What the person typed, oldest first, as the client's own hook told it.
    prompts: Vec<Typed>,
    /// The last lines that were decided, oldest first.
    earlier: Vec<Earlier>,
    /// What a person decided about this very line, the last time.
    person: Option<Action>,
    /// The lines that were refused for the same reasons, oldest first.
    refused: Vec<String>,
}

impl Session {
    /// Reads it. Nothing where there is no session, or it is not read in time: a model only advises then.
    fn read(
        world: &World,
        session: Option<&str>,
        line: &str,
        judgement: &Judgement,
        within: Duration,
    ) -> Self {
        let until = Instant::now() + within;
        let Some(session) = session else { return Self::default() };
        let filter = Filter {
            session: Some(session.to_owned()),
            since: Some(audit::ago(AGE)),
            ..Filter::default()
        };
        let mut said = Self::default();
        let above = observe::Process::upward(std::process::id());
        let above: Vec<observe::Process> = above.flatten().map(|seen| seen.process).collect();
        let kept = audit::Line::new(line.as_ref());
        let digest = kept.digest();
        let found = &judgement.assessment.findings;
        let found = severe(found.iter().map(|one| (one.severity, &one.rule, &one.reason)), &kept);
        let records = super::store(&world.settings, &world.places).ok();
        let Some(entries) = records.and_then(|records| records.entries(filter).ok()) else {
            return said;
        };
        for entry in entries {
            let Ok(entry) = entry else { continue };
            if Instant::now() > until {
                return Self::default();
            }
            let record = entry.decisive();
            let first = &entry.first.record;
            if let Some(speaker) = first.hook.as_deref().and_then(|hook| hook.speaker) {
                // What another process says, as one that a line left behind, no person typed to the one that asks.
                let is_above =
                    above.iter().any(|one| one.id == speaker.id && one.started == speaker.started);
                if !is_above {
                    continue;
                }
                // What was cut is not what the person typed.
                let is_whole = first.line.rest.is_none();
                said.prompts.extend(
                    is_whole
                        .then(|| Typed { words: first.line.text.clone(), cwd: first.cwd.clone() }),
                );
            } else if record.decided_by != DecidedBy::Observed {
                if record.decided_by.is_person() && record.line.digest() == digest {
                    said.person = Some(record.action);
                }
                let line = record.line.text.clone();
                let is_refused =
                    record.action == Action::Deny && record.decided_by != DecidedBy::Policy;
                let noted = record.findings.iter();
                let noted = noted.map(|one| (one.severity, &one.rule, &one.reason));
                if is_refused && !severe(noted, &kept).is_disjoint(&found) {
                    said.refused.push(line.clone());
                }
                said.earlier.push(Earlier { line, action: record.action });
            }
        }
        said.earlier.drain(..said.earlier.len().saturating_sub(EARLIER));
        last(&mut said.earlier, |earlier| earlier.line.len());
        last(&mut said.prompts, |typed| typed.words.len());
        said
    }
}

/// Returns what is more than harmless, as the record has it: what has some of it in common, in whatever words, has one intent.
fn severe<'r>(
    found: impl Iterator<Item = (Severity, &'r String, &'r String)>,
    line: &audit::Line,
) -> BTreeSet<(String, String)> {
    let found = found.filter(|(severity, ..)| *severity > Severity::Low);
    found.map(|(_, rule, reason)| (rule.clone(), line.masked_reason(reason))).collect()
}

/// Says that no model is asked after so many refusals of one intent, and how it was tried.
fn refused_before(refused: &[String]) -> Result<(), Heard> {
    if refused.len() < REFUSALS {
        return Ok(());
    }
    let mut shown: Vec<String> = refused.iter().rev().map(|line| cut(line, VARIANT)).collect();
    shown.dedup();
    shown.truncate(VARIANTS);
    let (times, shown) = (refused.len(), shown.join("; "));
    Err(Heard::unavailable(format!(
        "the same was refused {times} times in this session, so only a person decides; it was tried as: {shown}"
    )))
}

/// Returns a text with no more than so many characters.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Leaves the last ones that are no longer than a model is told, in bytes.
fn last<T>(texts: &mut Vec<T>, length: impl Fn(&T) -> usize) {
    let mut room = TEXTS;
    let fits = |text: &&T| {
        let fits = length(text) <= room;
        room = if fits { room - length(text) } else { 0 };
        fits
    };
    let last = texts.iter().rev().take_while(fits).count();
    texts.drain(..texts.len() - last);
}
