//! From argv to the real shell. Reads like the table in the design: each step takes what the one before gave.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::ask::{self, Came, Said};
use super::fence::{self, Holding};
use super::refusal::{Stop, Unanswered};
use super::trial::{Attempted, Course};
use super::world::{Pages, World};
use super::{
    Judgement, Request, Session, client, quieter, recent, since, startup, undo, units, witness,
};
use crate::approval;
use crate::audit::{
    self, DecidedBy, Door, Earlier, Framed, Line, NotedFinding, NotedScript, Questioned, Record,
};
use crate::cli::{self, Invocation};
use crate::decision::{self, Answered, Asked, Authority, Decision, Pending, Permit, Refusal};
use crate::exec;
use crate::ipc::{self, FromClientLine};
use crate::model::{
    Action, Caller, Direct, EffectKind, Facts, Heard, Mode, PathClass, Shell, ShellInvocation,
    ShellMode, StandardInput, Whose,
};
use crate::observe::{self, ProgramOnInput, Sandboxed};
use crate::paths::class_for;
use crate::reading::SoFar;
use crate::sys::descent;
use crate::sys::process;
use crate::witness::Witness;

/// What the layer above does for a call: the subcommands, and their page about a line.
#[derive(Clone, Copy)]
pub struct Above {
    /// Runs a subcommand; returns its exit status.
    pub subcommand: fn(Vec<OsString>) -> u8,
    /// The pages behind a question.
    pub pages: Pages,
}

/// Runs the program; returns its exit status where no real shell took its place.
#[must_use]
pub fn run(argv: Vec<OsString>, above: Above) -> u8 {
    let Above { subcommand, pages } = above;
    match cli::parse(argv.clone(), Shell::Bash) {
        Ok(Invocation::Subcommand(words)) => subcommand(words),
        Ok(Invocation::Direct(program)) => match direct(program, pages) {
            Ok(never) => match never {},
            Err(stop) => stop.report(),
        },
        Ok(Invocation::Client) => client::run(pages),
        Ok(Invocation::Shell(invocation)) => {
            let hook = startup::hook(&invocation);
            let is_alone = is_alone(&argv);
            match (shell(argv, invocation, pages, Becomes::Shell), hook) {
                (Ok(never), _) => match never {},
                // The hook of an agent that runs it in the shell that we are: it says no in words that the agent understands, where a shell
                // that fails is no answer, and the tool would run.
                (Err(stop), Some(words)) if stop.is_fault() => subcommand(words),
                // A person who only wants to see what it is.
                (Err(Stop::Unread), _) if is_alone => subcommand(vec!["status".into()]),
                (Err(stop), _) => stop.report(),
            }
        }
        Err(error) => Stop::Usage(error).report(),
    }
}

/// Whether a person at a terminal typed our own name, and nothing else.
fn is_alone(argv: &[OsString]) -> bool {
    let [name] = argv else { return false };
    let is_ours = Path::new(name).file_name() == Some(OsStr::new("guarded-sh"));
    is_ours && observe::person(&observe::Environment::read()).is_ok()
}

/// Lines that a person may put in the place of one another, and times that one is asked about anew, before the last must be one that runs.
pub(super) const EDITS: usize = 5;

/// Starts what was permitted.
type Start = dyn FnOnce(Permit, ShellInvocation) -> Result<Infallible, exec::Error>;

/// What takes our place, once it is permitted.
pub(super) enum Becomes<'a> {
    /// The real shell.
    Shell,
    /// The real shell, which keeps running and gets what comes on standard input bit by bit; so much has come.
    Fed(Vec<u8>),
    /// Nothing: such a shell runs it.
    Unit(&'a units::Running),
    /// The program that no shell starts, as long as nobody writes another line.
    Program(Direct),
    /// The agent's own sandbox, which starts the shell: its words are those of the sandbox from this one on.
    Sandbox(Direct, usize),
}

impl Becomes<'_> {
    /// Returns what starts it: found before the line is held to its plan.
    fn prepare(self, world: &World, invocation: &ShellInvocation) -> Result<Box<Start>, Stop> {
        Ok(match self {
            Self::Shell | Self::Fed(_) => {
                let real = world.real_shell(invocation)?;
                Box::new(move |permit, invocation| exec::replace(permit, &real, invocation))
            }
            Self::Unit(_) => return Err(Stop::NoLine),
            Self::Program(program) => Box::new(move |permit, _| exec::start(permit, program)),
            Self::Sandbox(program, at) => Box::new(move |permit, invocation| {
                exec::start_in_sandbox(permit, program, at, invocation)
            }),
        })
    }

    /// Returns what runs a line that a person wrote instead.
    fn with_line(self) -> Self {
        match self {
            Self::Shell | Self::Program(_) => Self::Shell,
            Self::Fed(_) | Self::Unit(_) | Self::Sandbox(..) => self,
        }
    }

    /// Why the fence holds nothing of it.
    const fn unheld(&self) -> Option<&'static str> {
        match self {
            // A domain would keep it from making its mounts.
            Self::Sandbox(..) => Some("the agent's own sandbox holds it"),
            Self::Fed(_) | Self::Unit(_) => {
                Some("its shell keeps running: what held this would hold all that comes after it")
            }
            Self::Shell | Self::Program(_) => None,
        }
    }
}

/// One call of the shell, from argv to exec.
fn shell(
    argv: Vec<OsString>,
    invocation: ShellInvocation,
    pages: Pages,
    becomes: Becomes<'_>,
) -> Result<Infallible, Stop> {
    let world = World::read()?.called_by(observe::parent_agent());
    // In the agent's own sandbox none of ours can be made.
    let world = if matches!(becomes, Becomes::Sandbox(..)) { world } else { world.containing() };
    let world = world.with_input(observe::standard_input()).explained_by(pages);
    let mut invocation = world.as_configured(argv, invocation)?;
    if let (ShellMode::Script { .. }, Some(script)) = (invocation.mode, invocation.subject())
        && observe::is_no_script(script, &world.environment)
    {
        return Err(Stop::Usage(cli::no_script(&invocation)));
    }
    let place = observe::in_place(&invocation, &world.judge.facts);
    let world = world.in_place(place);
    if !reads_program(&world, &invocation) {
        return go(&world, invocation, becomes);
    }
    match (observe::program(), becomes) {
        (ProgramOnInput::Whole(text), becomes) => {
            invocation.program = Some(OsString::from_vec(text));
            go(&world, invocation, becomes)
        }
        (ProgramOnInput::Begun(come), Becomes::Shell) => {
            invocation.program = Some(OsString::new());
            let world = world.uncontained().with_input(StandardInput::Nothing);
            go(&world, invocation, Becomes::Fed(come))
        }
        (ProgramOnInput::Begun(_) | ProgramOnInput::Unread, becomes) => {
            go(&world, invocation, becomes)
        }
    }
}

/// One program that no shell starts, judged as the line that would start it. Where it is an agent's own sandbox for a shell, and it is watched
/// that just this shell starts in it, the shell is judged.
fn direct(program: Direct, pages: Pages) -> Result<Infallible, Stop> {
    if let Some(Sandboxed { at, directory }) = observe::sandboxed(&program.argv)
        && observe::is_watched()
        && directory.is_none_or(|directory| begin_in(&directory))
    {
        let words = program.argv[at..].to_vec();
        if let Invocation::Shell(invocation) = cli::parse(words.clone(), Shell::Bash)? {
            return shell(words, invocation, pages, Becomes::Sandbox(program, at));
        }
    }
    let world = World::read()?.called_by(observe::parent_agent()).containing();
    let world = world.with_input(observe::standard_input()).explained_by(pages);
    let line = [OsString::from("bash"), "-c".into(), program.line()];
    match cli::parse(line.into(), Shell::Bash)? {
        Invocation::Shell(invocation) => go(&world, invocation, Becomes::Program(program)),
        Invocation::Subcommand(_) | Invocation::Direct(_) | Invocation::Client => Err(Stop::NoLine),
    }
}

/// Goes to the directory in which a sandbox starts its shell; returns whether that is known.
fn begin_in(directory: &Path) -> bool {
    directory.is_absolute() && std::env::set_current_dir(directory).is_ok()
}

/// Returns whether a program that no shell starts, in this directory and with this environment, needs nobody's yes. What cannot be judged
/// does.
#[must_use]
pub fn may_start(program: &Direct, cwd: Option<String>, environment: observe::Environment) -> bool {
    let judge = || -> Result<Judgement, Stop> {
        let world = World::of_another(environment, cwd)?;
        world.judge(&startup::direct_request(&world, program.line().as_bytes()))
    };
    judge().is_ok_and(|judgement| judgement.action == Action::Allow)
}

/// From a call to what it runs.
pub(super) fn go(
    world: &World,
    invocation: ShellInvocation,
    becomes: Becomes<'_>,
) -> Result<Infallible, Stop> {
    let Ready { permit, invocation, judgement, becomes, holding, witness, keeping } =
        ready(world, invocation, becomes)?;
    let come = match &becomes {
        Becomes::Fed(come) => Some(come.clone()),
        _ => None,
    };
    let start = becomes.prepare(world, &invocation)?;
    if let Some(come) = come {
        units::begin(world, &invocation, come, judgement.next.unwrap_or_default())?;
    }
    sign(world);
    tell_of_fence(&holding);
    holding.put_on(world)?;
    if let Some(witness) = witness {
        witness.put_on().map_err(Stop::NoWitness)?;
    }
    if let Some(client) = &world.client {
        let by = permit.authority().name().to_owned();
        let severity = judgement.assessment.severity;
        client.tell(&FromClientLine::Runs { by, severity });
    }
    keeping.stay();
    Ok(start(permit, invocation)?)
}

/// What may run, and is recorded.
pub(super) struct Ready<'a> {
    pub(super) permit: Permit,
    pub(super) judgement: Judgement,
    invocation: ShellInvocation,
    becomes: Becomes<'a>,
    holding: Holding,
    witness: Option<Witness>,
    pub(super) keeping: undo::Keeping,
}

/// From a call to the permit by which it runs.
pub(super) fn ready<'a>(
    world: &World,
    mut invocation: ShellInvocation,
    mut becomes: Becomes<'a>,
) -> Result<Ready<'a>, Stop> {
    let (mut changed, mut anew) = (None, None);
    for _ in 0..=EDITS {
        let judgement = Judgement { anew, ..judge(world, &invocation, &becomes)? };
        anew = None;
        let about = |judgement: &Judgement| about(world, &invocation, judgement);
        let (judgement, keeping) = undo::rely(world, judgement, about);
        let decision = decide(world, &invocation, &judgement)?;
        let course = Course { world, invocation: &invocation, judgement: &judgement };
        let settled = settle(course, decision, matches!(becomes, Becomes::Shell), &becomes)?;
        let keeping = match &settled.outcome {
            Outcome::Permitted(permit) if permit.authority() != Authority::System => {
                keeping.with(world, &judgement, permit.layers(), about)
            }
            _ => undo::Keeping::default(),
        };
        let holding = holding(world, &invocation, &judgement, &settled, becomes.unheld());
        let witness = witness::begin(world, &judgement, &holding);
        let told = witness.as_ref().map(Witness::told);
        let beside = Beside { holding: &holding, keeping: &keeping, told };
        record(world, &invocation, &judgement, &settled, beside, world.door())?;
        match settled.outcome {
            Outcome::Permitted(permit) => {
                recent::note(world, &judgement, ipc::Door::default(), ask::deadline());
                tell(changed.as_deref(), "what ran");
                return Ok(Ready {
                    permit,
                    judgement,
                    invocation,
                    becomes,
                    holding,
                    witness,
                    keeping,
                });
            }
            Outcome::Denied(refusal, why) => {
                tell(changed.as_deref(), "what was then judged");
                let (heard, judgement) = (settled.heard.map(Box::new), Box::new(judgement));
                let permitting = why.as_ref().and_then(|_| quieter::permitting(world, &judgement));
                return Err(Stop::Refused { refusal, why, heard, judgement, permitting });
            }
            Outcome::Kept(attempted) => {
                recent::note(world, &judgement, ipc::Door::default(), ask::deadline());
                tell(changed.as_deref(), "what was then tried");
                let status = attempted.keep(world)?;
                process::end(status.into());
            }
            Outcome::Stale(what) => anew = Some(what),
            Outcome::Another(line) => {
                let whole = judgement.with_line(line.clone(), &world.judge.facts);
                invocation = invocation.with_line(whole).ok_or(Stop::NoLine)?;
                changed = Some(line);
                becomes = becomes.with_line();
            }
        }
    }
    Err(anew.map_or(Stop::TooManyEdits(EDITS), Stop::Unsteady))
}

/// Tells the one who called that a person changed the line: a model takes what comes out for its own line's.
fn tell(changed: Option<&str>, what: &str) {
    if let Some(line) = changed {
        let line = approval::visible(line);
        // Nothing is left to do if stderr is gone.
        let _ = writeln!(
            std::io::stderr(),
            "guarded-sh: note: a person changed this line; {what}: {line}"
        );
    }
}

/// Tells the one who called that a program of the line fails inside the fence: what it says itself does not tell that.
fn tell_of_fence(holding: &Holding) {
    if let Some(program) = holding.fails() {
        // Nothing is left to do if stderr is gone.
        let _ = writeln!(
            std::io::stderr(),
            "guarded-sh: note: {program} does not work inside the fence; where a person permits the line, it does"
        );
    }
}

/// Returns how the line is held to its plan, if it runs.
fn holding(
    world: &World,
    invocation: &ShellInvocation,
    judgement: &Judgement,
    settled: &Settled,
    unheld: Option<&str>,
) -> Holding {
    let Outcome::Permitted(permit) = &settled.outcome else { return Holding::default() };
    let own = purpose(world, invocation, judgement).map(|purpose| match purpose {
        audit::Purpose::Start => "it is the agent's own start-up",
        audit::Purpose::Hook => "it is the guard's own hook",
    });
    fence::hold(world, judgement, permit, own.or(unheld))
}

/// Whether a shell's program comes on standard input and binds: then all of it is read before any of it runs.
fn reads_program(world: &World, invocation: &ShellInvocation) -> bool {
    let terms = world.terms();
    invocation.mode == ShellMode::Input
        && !observe::is_interactive(invocation)
        && terms.mode == Mode::Enforce
        && terms.whose == Whose::Anyones
}

/// Signs what will run as a guarded shell's, unless it may be a person's, at their own terminal: whatever becomes of its parents and its
/// environment, it answers no question.
fn sign(world: &World) {
    // Below a host's agent it is known whose it is, whatever became of its environment.
    let is_agents = world.is_agents() || descent::is_signed(0);
    if is_agents || observe::terminal() == observe::TerminalState::None {
        descent::pass();
    }
}

pub(super) fn judge(
    world: &World,
    invocation: &ShellInvocation,
    becomes: &Becomes<'_>,
) -> Result<Judgement, Stop> {
    let line = startup::line(world, invocation);
    let session = Session::of(world);
    let begins = SoFar::default();
    let request = match becomes {
        Becomes::Program(_) => startup::direct_request(world, &line),
        Becomes::Shell | Becomes::Sandbox(..) => startup::request(world, invocation, &line),
        Becomes::Fed(_) => {
            Request { so_far: Some(&begins), ..startup::request(world, invocation, &line) }
        }
        Becomes::Unit(running) => return running.judge(world, &line),
    };
    Ok(client::bound(world, world.judge(&request.after(&session))?))
}

pub(super) fn decide(
    world: &World,
    invocation: &ShellInvocation,
    judgement: &Judgement,
) -> Result<Decision, Stop> {
    let terms = world.terms();
    let subject = invocation.subject().unwrap_or_else(|| OsStr::new("")).to_owned();
    // What a person types, or a program on standard input, is not read yet: only a mode that binds nothing lets it through.
    let is_given = invocation.mode != ShellMode::Input || invocation.program.is_some();
    let is_read = is_given || terms.whose == Whose::Systems;
    if !is_read && terms.mode == Mode::Enforce {
        return Err(Stop::Unread);
    }
    Ok(decision::decide(subject, &judgement.assessment, &terms))
}

/// A decision when nothing is left to ask.
pub(super) struct Settled {
    pub(super) outcome: Outcome,
    pub(super) decided_by: DecidedBy,
    /// What a model said of it, if one was asked.
    pub(super) heard: Option<Heard>,
    /// The question that a person was asked, if one was.
    pub(super) question: Option<Questioned>,
}

/// What becomes of the line.
pub(super) enum Outcome {
    Permitted(Permit),
    /// And why nobody answered, if that is why.
    Denied(Refusal, Option<Unanswered>),
    /// This line is judged in its place, in the frame that its agent puts around lines.
    Another(String),
    /// It was permitted, but this has changed since it was asked about: it is judged and asked about anew.
    Stale(String),
    /// It does not run: what it did when it was tried is carried out.
    Kept(Attempted),
}

impl Settled {
    /// What was settled where no model was heard and no question kept.
    const fn by(decided_by: DecidedBy, outcome: Outcome) -> Self {
        Self { outcome, decided_by, heard: None, question: None }
    }

    /// Whether it is a yes that took its time: a person or a model was asked.
    const fn is_late_yes(&self) -> bool {
        matches!(self.outcome, Outcome::Permitted(_))
            && (self.question.is_some() || self.heard.is_some())
    }
}

/// Asks a person where the decision needs one and one can be reached.
fn settle(
    course: Course<'_>,
    decision: Decision,
    tries: bool,
    becomes: &Becomes<'_>,
) -> Result<Settled, Stop> {
    Ok(match decision {
        Decision::Permitted(permit) => permitted(permit),
        Decision::Denied(refusal) => denied(refusal, None),
        Decision::NeedsApproval(pending) => {
            let Course { world, invocation, judgement } = course;
            let files = since::Files::of(world, judgement);
            let came = ask::ask(world, judgement, tries.then_some(course))?;
            let Came { said, heard, question, attempted } = came;
            let settled = Settled { heard, question, ..settled_by(pending, said, attempted) };
            if !settled.is_late_yes() {
                return Ok(settled);
            }
            let now = judge(world, invocation, becomes)?;
            match files.changed(world, judgement, &now) {
                Some(what) => Settled {
                    outcome: Outcome::Stale(what),
                    decided_by: DecidedBy::Policy,
                    ..settled
                },
                None => settled,
            }
        }
    })
}

fn settled_by(pending: Pending, said: Said, attempted: Option<Attempted>) -> Settled {
    match said {
        Said::Settled(proof) => permitted(pending.settled(proof)),
        Said::Passed(by) => permitted(pending.passed(by)),
        Said::Nothing(why) => denied(pending.unanswered(), Some(why)),
        Said::Answer(answer, _) => match pending.answered(answer) {
            Answered::Permitted(permit) => permitted(permit),
            Answered::Denied(refusal) => denied(refusal, None),
            Answered::Another(line) => Settled::by(DecidedBy::PersonEdit, Outcome::Another(line)),
            Answered::Kept => {
                let Some(attempted) = attempted else {
                    let why = "it was not tried, and so nothing can be kept";
                    return denied(Refusal::because(why), None);
                };
                Settled::by(DecidedBy::PersonKept, Outcome::Kept(attempted))
            }
        },
    }
}

fn permitted(permit: Permit) -> Settled {
    let decided_by = match permit.authority() {
        Authority::Policy => DecidedBy::Policy,
        Authority::Person => DecidedBy::PersonOnce,
        Authority::Session => DecidedBy::PersonSession,
        Authority::Always => DecidedBy::PersonAlways,
        Authority::Grant => DecidedBy::Grant,
        Authority::Inherited => DecidedBy::Inherited,
        Authority::Client => DecidedBy::Client,
        Authority::Model => DecidedBy::Model,
        Authority::System => DecidedBy::System,
        Authority::Shadow => DecidedBy::Shadow,
    };
    Settled::by(decided_by, Outcome::Permitted(permit))
}

fn denied(refusal: Refusal, why: Option<Unanswered>) -> Settled {
    let decided_by = match refusal.asked() {
        Asked::NotNeeded => DecidedBy::Policy,
        Asked::Person | Asked::Told => DecidedBy::PersonDeny,
        Asked::Nobody => DecidedBy::Nobody,
    };
    Settled::by(decided_by, Outcome::Denied(refusal, why))
}

/// Returns what is recorded of the files that were read. Of one that holds secrets even a digest says too much: what is short is guessed.
pub(super) fn noted(judgement: &Judgement, facts: &Facts) -> Vec<NotedScript> {
    let holds_secrets = |path: &str| class_for(EffectKind::Read, path, facts) == PathClass::Secret;
    let scripts = judgement.scripts.iter().filter(|script| !holds_secrets(&script.path));
    scripts.map(|script| NotedScript::new(script.path.clone(), &script.sha256)).collect()
}

/// What is recorded beside a decision.
#[derive(Clone, Copy)]
pub(super) struct Beside<'b> {
    /// How the line is held.
    pub(super) holding: &'b Holding,
    /// What is kept of what it destroys.
    pub(super) keeping: &'b undo::Keeping,
    /// The file in which its witness writes.
    pub(super) told: Option<&'b PathBuf>,
}

/// Writes the record, before anything runs. Without it nothing does, unless the mode binds nothing.
pub(super) fn record(
    world: &World,
    invocation: &ShellInvocation,
    judgement: &Judgement,
    settled: &Settled,
    Beside { holding, keeping, told }: Beside<'_>,
    door: Door,
) -> Result<(), Stop> {
    let terms = world.terms();
    let (line, frame) = recorded(world, invocation, judgement);
    let session = world.session();
    let caller = match &world.judge.facts.caller {
        Caller::Agent(name) => Some(name.clone()),
        Caller::Unknown => None,
    };
    // Only an agent's line can have come by its hook.
    let is_agents = session.is_some() || caller.is_some();
    let record = Record {
        time: audit::now(),
        door,
        session,
        caller,
        pid: std::process::id(),
        site: world.site(),
        cwd: world.judge.facts.cwd.clone(),
        findings: NotedFinding::of(&judgement.assessment.findings, &line),
        line,
        frame,
        earlier: if is_agents { Earlier::Maybe } else { Earlier::No },
        action: match (&settled.outcome, terms.mode) {
            // The record says what would have been decided.
            (_, Mode::Shadow) => judgement.action,
            (Outcome::Permitted(permit), Mode::Enforce) if !permit.layers().is_empty() => {
                Action::Contain
            }
            (Outcome::Permitted(_) | Outcome::Kept(_), Mode::Enforce) => Action::Allow,
            (Outcome::Denied(..) | Outcome::Another(_) | Outcome::Stale(_), Mode::Enforce) => {
                Action::Deny
            }
        },
        severity: judgement.assessment.severity,
        score: judgement.assessment.score,
        scripts: noted(judgement, &world.judge.facts),
        decided_by: settled.decided_by,
        mode: terms.mode,
        micros: judgement.micros,
        hook: None,
        purpose: purpose(world, invocation, judgement),
        fence: holding.held.clone(),
        undo: keeping.noted.clone(),
        ran: told.and_then(|told| told.to_str().map(str::to_owned)),
        opinion: settled.heard.clone().map(Box::new),
        question: settled.question.clone().map(Box::new),
        client: world.client.as_ref().map(|bridged| Box::new(bridged.client.clone())),
        ended: None,
    };
    world.record(&record)
}

/// Returns what is kept with what a line destroys.
fn about(world: &World, invocation: &ShellInvocation, judgement: &Judgement) -> undo::About {
    let (line, _) = recorded(world, invocation, judgement);
    undo::About { line, session: world.session(), door: world.door() }
}

/// Returns what a line is for, where it is known to the byte that no model wrote it.
fn purpose(
    world: &World,
    invocation: &ShellInvocation,
    judgement: &Judgement,
) -> Option<audit::Purpose> {
    if startup::hook(invocation).is_some() {
        return Some(audit::Purpose::Hook);
    }
    let frame = judgement.own_frame(&world.judge.facts)?;
    frame.carried().is_none().then_some(audit::Purpose::Start)
}

/// Returns the line that is recorded. In its agent's own frame it is the one that the model wrote, as the agent's hook sees it too:
/// what stands around it is the agent's, to the byte, and is pinned. Anyone else's frame is recorded as it is.
pub(super) fn recorded(
    world: &World,
    invocation: &ShellInvocation,
    judgement: &Judgement,
) -> (Line, Option<Box<Framed>>) {
    let whole = Line::new(OsStr::from_bytes(&startup::line(world, invocation)));
    let facts = &world.judge.facts;
    let own = judgement.own_frame(facts).zip(judgement.carried(facts));
    let Some((frame, carried)) = own.filter(|(_, carried)| carried.command != judgement.line)
    else {
        return (whole, None);
    };
    let frame = Framed { agent: frame.agent.to_owned(), whole: whole.digest() };
    (Line::new(OsStr::new(&carried.command)), Some(Box::new(frame)))
}
