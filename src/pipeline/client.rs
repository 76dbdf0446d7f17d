//! The line of a client of the bridge, from the service that hands it over to the real shell: the same road as any other line, with less that it may do.
//! Believes nothing that the client says: its name and its variables the service knows, all else is shown as a claim.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use nix::sys::signal::Signal;
use nix::unistd::{dup2_stdin, fchdir, setsid};

use super::question::only_shown;
use super::refusal::Stop;
use super::road::{self, Becomes};
use super::world::{Pages, World};
use super::{Judgement, startup};
use crate::cli::{self, Invocation};
use crate::decision;
use crate::ipc::{ClientLine, Frames, FromClientLine, frame};
use crate::model::{
    Action, Caller, Client, Consent, Effect, EffectKind, Finding, Mode, PathClass, Question, Score,
    Severity, Shell, Span, Target,
};
use crate::observe::{self, Look};
use crate::paths;
use crate::sys::{descriptor, entry, process, pty};

/// What is told about what the client wants to do beyond its directories.
const ELSEWHERE: &str = "do it in the container: only what is mapped can be used on this machine";

/// A client's line, and whoever handed it over.
pub struct Bridged {
    pub(super) client: Client,
    consent: Consent,
    roots: Vec<String>,
    service: UnixStream,
}

impl Bridged {
    /// Tells the service what becomes of the line. One that is gone is told nothing: it ends what it started.
    pub(super) fn tell(&self, message: &FromClientLine) {
        if let Some(bytes) = frame(message) {
            let _ = (&self.service).write_all(&bytes);
        }
    }
}

/// Judges the line that is handed over on standard input, and becomes the shell that runs it.
pub(super) fn run(pages: Pages) -> u8 {
    let (bridged, line) = match taken() {
        Ok(taken) => taken,
        Err(why) => {
            // Nothing is left to do if stderr is gone.
            let _ = writeln!(std::io::stderr(), "guarded-sh: this is for the service alone: {why}");
            return 126;
        }
    };
    let bridged = Arc::new(bridged);
    let stop = match go(&bridged, &line, pages) {
        Ok(never) => match never {},
        Err(Ending::Told(status)) => return status,
        Err(Ending::Stopped(stop)) => stop,
    };
    let severity = match &stop {
        Stop::Refused { judgement, .. } => Some(judgement.assessment.severity),
        _ => None,
    };
    bridged.tell(&FromClientLine::Refused { reason: stop.reason(), hint: stop.hint(), severity });
    // The service tells the client why: on standard error is what the command says.
    stop.status()
}

/// Why no shell took our place.
enum Ending {
    /// It was only judged, and the service was told.
    Told(u8),
    Stopped(Stop),
}

impl From<Stop> for Ending {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

fn go(bridged: &Arc<Bridged>, line: &ClientLine, pages: Pages) -> Result<Infallible, Ending> {
    let mut world = World::read()?.containing().with_input(observe::standard_input());
    world.client = Some(Arc::clone(bridged));
    world.judge.facts.caller = Caller::Agent(bridged.client.name.clone());
    // What comes from elsewhere is held to its decision, whatever binds here.
    world.judge.terms.mode = Mode::Enforce;
    let world = world.explained_by(pages);
    let argv: Vec<OsString> = ["guarded-sh", "-c", &line.line].map(OsString::from).into();
    let Invocation::Shell(invocation) =
        cli::parse(argv.clone(), Shell::Bash).map_err(Stop::from)?
    else {
        return Err(Stop::NoLine.into());
    };
    let invocation = world.as_configured(argv, invocation)?;
    if line.judges_only {
        let text = startup::line(&world, &invocation);
        let judgement = world.judge(&startup::request(&world, &invocation, &text))?;
        bridged.tell(&told(&bound(&world, judgement)));
        return Err(Ending::Told(0));
    }
    Ok(road::go(&world, invocation, Becomes::Shell)?)
}

fn told(judgement: &Judgement) -> FromClientLine {
    let assessment = &judgement.assessment;
    FromClientLine::Judged {
        action: judgement.action.name().to_owned(),
        severity: assessment.severity,
        score: assessment.score.get(),
        reason: assessment.reason.clone(),
        instead: assessment.instead.clone().or_else(|| assessment.suggestion.clone()),
        findings: assessment.findings.iter().map(|finding| finding.reason.clone()).collect(),
    }
}

/// Takes the line, and puts standard input and directory in their places.
fn taken() -> Result<(Bridged, ClientLine), String> {
    let text = |error: std::io::Error| error.to_string();
    let environment = observe::Environment::read();
    let agent = observe::free_of_agents(&environment, Look::All);
    agent.map_err(|why| why.to_string())?;
    let mut service =
        UnixStream::from(descriptor::duplicate_from(&entry::standard_input(), 3).map_err(text)?);
    let input = given(&service)?;
    let directory = given(&service)?;
    let mut frames = Frames::default();
    let mut bytes = vec![0; 16 << 10];
    let line: ClientLine = loop {
        if let Some(line) = frames.take().map_err(|fault| fault.to_string())? {
            break line;
        }
        match service.read(&mut bytes).map_err(text)? {
            0 => return Err("no line was handed over".to_owned()),
            count => frames.add(&bytes[..count]),
        }
    };
    dup2_stdin(&input).map_err(|errno| errno.to_string())?;
    fchdir(&directory).map_err(|errno| format!("the directory: {errno}"))?;
    drop((input, directory));
    // Whoever started the service may have had it ignore some: that is not the client's.
    for signal in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM] {
        process::set_default(signal).map_err(text)?;
    }
    // A session of its own: no terminal but the client's own is there to be asked at, and that one is not asked.
    setsid().map_err(|errno| errno.to_string())?;
    match line.terminal {
        Some(0) => pty::control(std::io::stdin()).map_err(text)?,
        Some(1) => pty::control(std::io::stdout()).map_err(text)?,
        Some(_) => pty::control(std::io::stderr()).map_err(text)?,
        None => {}
    }
    // Until the shell takes our place there must be something.
    for (stream, is_closed) in entry::standard_streams().into_iter().zip(line.closed) {
        if is_closed {
            descriptor::close_on_exec(&stream).map_err(text)?;
        }
    }
    let bridged = Bridged {
        client: line.client.clone(),
        consent: line.consent,
        roots: line.roots.clone(),
        service,
    };
    Ok((bridged, line))
}

fn given(service: &UnixStream) -> Result<OwnedFd, String> {
    let letter = descriptor::letter(service, &mut [0]).map_err(|error| error.to_string())?;
    letter.given.ok_or_else(|| "no descriptor was handed over".to_owned())
}

/// Returns the judgement of a line as it binds a client: what is beyond its directories is refused, and what its owner wants to be asked about is.
pub(super) fn bound(world: &World, mut judgement: Judgement) -> Judgement {
    let Some(bridged) = world.client.as_deref() else { return judgement };
    let whole = Span::new(0, judgement.line.len());
    let add = |judgement: &mut Judgement, rule: &str, severity, action, reason: String| {
        let assessment = &mut judgement.assessment;
        assessment.action = assessment.action.max(action);
        if severity > assessment.severity {
            assessment.severity = severity;
            assessment.score = Score::within(severity, 0);
        }
        let finding = Finding {
            rule: rule.to_owned(),
            span: whole,
            severity,
            action,
            points: 0,
            reason,
            suggestion: None,
            instead: None,
        };
        // The worst stands first.
        let at = if severity > Severity::Low { 0 } else { assessment.findings.len() };
        assessment.findings.insert(at, finding);
        assessment.subjects.insert(at.min(assessment.subjects.len()), None);
    };
    match beyond(world, bridged, &judgement) {
        Some(Beyond::Known(path)) => {
            let path = crate::approval::visible_name(&path);
            let reason = format!("'{path}' is not mapped for this client");
            judgement.assessment.reason.clone_from(&reason);
            judgement.assessment.suggestion = Some(ELSEWHERE.to_owned());
            judgement.assessment.instead = None;
            let (severity, action) = (Severity::High, Action::Deny);
            add(&mut judgement, "client.beyond", severity, action, reason);
        }
        Some(Beyond::Unknown) => {
            let reason =
                "which files it uses is not known, and only what is mapped is the client's";
            let is_worst = judgement.assessment.severity < Severity::High;
            if is_worst {
                reason.clone_into(&mut judgement.assessment.reason);
            }
            let (severity, action) = (Severity::High, Action::Ask);
            add(&mut judgement, "client.unknown", severity, action, reason.to_owned());
        }
        None => {}
    }
    let by_risk = decision::action(&judgement.assessment, &world.terms());
    if bridged.consent == Consent::Always && by_risk < Action::Deny {
        let reason = "a client of the bridge wants it, and the owner is asked about all of that";
        if by_risk < Action::Ask {
            reason.clone_into(&mut judgement.assessment.reason);
        }
        let severity = Severity::Low;
        add(&mut judgement, "client.asks", severity, Action::Ask, reason.to_owned());
    }
    judgement.action = decision::action(&judgement.assessment, &world.terms());
    judgement
}

/// What a line uses that is not the client's.
enum Beyond {
    Known(String),
    Unknown,
}

fn beyond(world: &World, bridged: &Bridged, judgement: &Judgement) -> Option<Beyond> {
    let facts = &world.judge.facts;
    let is_mapped = |path: &str| {
        let is_below = |path: &str| bridged.roots.iter().any(|root| paths::is_below(path, root));
        is_below(path) && real(path).is_none_or(|real| is_below(&real))
    };
    let cwd = facts.cwd.as_deref();
    if !cwd.is_some_and(is_mapped) {
        return Some(Beyond::Known(cwd.unwrap_or("the directory, which is gone,").to_owned()));
    }
    let mut unknown = None;
    for command in &judgement.plan.commands {
        for effect in command.effects.iter().filter(|effect| is_of_files(effect)) {
            match effect.path() {
                Some(path) if is_mapped(path) || is_ones_own(path) => {}
                Some(path) => return Some(Beyond::Known(path.to_owned())),
                None => unknown = Some(Beyond::Unknown),
            }
        }
        let elsewhere = command.directories.iter().flatten().find(|path| !is_mapped(path));
        if let Some(elsewhere) = elsewhere {
            return Some(Beyond::Known(elsewhere.clone()));
        }
    }
    unknown
}

/// Whether an effect is on files: the programs of the system may be run, all else of it is not the client's.
fn is_of_files(effect: &Effect) -> bool {
    match &effect.target {
        Target::Path { class, .. } => {
            *class != PathClass::Null
                && !(*class == PathClass::System && effect.kind == EffectKind::Execute)
        }
        Target::None | Target::Host { .. } | Target::Text { .. } => false,
    }
}

/// Whether a path leads to what the line has open itself.
fn is_ones_own(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
        || path.starts_with("/dev/fd/")
}

/// Returns what a path is behind all links, as far as it is there; none where nothing of it is.
fn real(path: &str) -> Option<String> {
    let path = Path::new(path);
    path.ancestors().find_map(|there| {
        // A link that leads nowhere may lead anywhere by the time it is used.
        let is_link = there.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        let real = match there.canonicalize() {
            Ok(real) => real,
            Err(_) if is_link => return Some("/".to_owned()),
            Err(_) => return None,
        };
        let rest = path.strip_prefix(there).ok()?;
        real.join(rest).to_str().map(str::to_owned)
    })
}

/// Returns the question about a client's line: with what it claims, and so that a yes covers no more than this line.
pub(super) fn asked(client: &Client, mut question: Question) -> Question {
    let claims = claims(client).into_iter();
    let shown = claims.map(|(rule, reason)| only_shown(rule, Span::new(0, 0), reason));
    question.findings.extend(shown);
    question.scope.signatures.clear();
    question.client = Some(Box::new(client.clone()));
    question
}

fn claims(client: &Client) -> Vec<(&'static str, String)> {
    let mut claims = Vec::new();
    let purpose = client.purpose.as_deref().unwrap_or("nothing");
    claims.push(("client.purpose", format!("it claims to be for this: '{purpose}'")));
    if let Some(says) = &client.says {
        claims.push(("client.name", format!("the client calls itself '{says}'")));
    }
    if let Some(written) = &client.written {
        claims.push(("client.written", format!("the client wrote '{written}'")));
    }
    for (name, value) in &client.set {
        claims.push(("client.set", format!("the client sets '{name}={value}'")));
    }
    claims
}
