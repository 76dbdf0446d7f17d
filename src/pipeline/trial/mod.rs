//! A line that is only tried: it runs in a container in which other directories take what it writes, and what it would leave becomes an entry that
//! can be carried out. How it is held is `fence`'s to say, and what is kept of it `undo`'s.

mod asked;

use std::convert::Infallible;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgrp, tcgetpgrp, tcsetpgrp};

use super::fence;
use super::refusal::Stop;
use super::road::{self, Becomes, Outcome, Settled};
use super::world::World;
use super::{Judgement, undo as keeping};
use crate::audit::{DecidedBy, Door, Line};
use crate::cli::{self, Invocation};
use crate::decision::{Decision, Permit, Refusal};
use crate::exec;
use crate::host::relay::Terminal;
use crate::model::{EffectKind, Layer, Layers, PathClass, Shell, ShellInvocation, Target};
use crate::observe::{self, Process};
use crate::sys::descent;
use crate::sys::process::{self, Forked};
use crate::undo::{Header, Store, Trial};

pub(super) use asked::{Attempted, Attempting, may_try};

/// Status of a line that could not be started.
const NOT_RUN: i32 = 126;

/// What came of a trial.
#[derive(Debug)]
pub struct Tried {
    /// How the line ended.
    pub ended: Ended,
    /// The entry of what it would change; none: nothing.
    pub id: Option<String>,
    /// What it would do that was not tried, in sentences.
    pub untried: Vec<String>,
}

/// How a line ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with a status.
    Status(u8),
    /// By a signal.
    Signal(i32),
}

impl Ended {
    /// Returns the status by which shells tell it (bash manual, "Exit Status").
    #[must_use]
    pub fn status(self) -> u8 {
        match self {
            Self::Status(status) => status,
            Self::Signal(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "it ended with {status}"),
            Self::Signal(signal) => write!(f, "signal {signal} ended it"),
        }
    }
}

/// Tries a person's line in the working directory. It has our standard streams; no file of the workspace changes. The process must have no other
/// thread.
pub fn attempt(line: OsString) -> Result<Tried, Stop> {
    let world = World::read()?.with_input(observe::standard_input());
    let argv = vec![OsString::from("guarded-sh"), "-c".into(), line];
    let invocation = match cli::parse(argv.clone(), Shell::Bash)? {
        Invocation::Shell(invocation) => world.as_configured(argv, invocation)?,
        Invocation::Subcommand(_) | Invocation::Direct(_) | Invocation::Client => {
            return Err(Stop::NoLine);
        }
    };
    let judgement = road::judge(&world, &invocation, &Becomes::Shell)?;
    let course = Course { world: &world, invocation: &invocation, judgement: &judgement };
    let permit = match course.permit()? {
        Ok(permit) => permit,
        Err(refusal) => {
            let judgement = Box::new(judgement);
            return Err(Stop::Refused {
                refusal,
                why: None,
                heard: None,
                judgement,
                permitting: None,
            });
        }
    };
    let tried = course.run(permit, &mut AtTerminal::find()?)?;
    tried.ok_or_else(|| Stop::NotTried("it was given up".to_owned()))
}

/// The standard streams of a line that is tried, and who waits for it.
trait Streams {
    /// Takes them, in the process that becomes the line.
    fn take(&self) -> io::Result<()>;

    /// Waits until the line has ended; none where nobody waits for it any more.
    fn wait(&mut self, line: Pid) -> io::Result<Option<Ended>>;

    /// Does what is left to do once nothing of the line runs any more.
    fn end(&mut self) -> io::Result<()>;
}

/// A line that is tried: how it is called, and what was found in it.
#[derive(Clone, Copy)]
pub(super) struct Course<'c> {
    pub(super) world: &'c World,
    pub(super) invocation: &'c ShellInvocation,
    pub(super) judgement: &'c Judgement,
}

impl Course<'_> {
    /// Permits the trial: who tries a line has said yes to that. What nobody may say yes to is not tried either.
    fn permit(&self) -> Result<Result<Permit, Refusal>, Stop> {
        Ok(match road::decide(self.world, self.invocation, self.judgement)? {
            Decision::Permitted(permit) => Ok(permit.contained(Layers::CLOSED)),
            Decision::NeedsApproval(pending) => Ok(pending.tried()),
            Decision::Denied(refusal) => Err(refusal),
        })
    }

    /// Runs the line. None: nobody waits for it any more.
    fn run(&self, permit: Permit, streams: &mut dyn Streams) -> Result<Option<Tried>, Stop> {
        let Self { world, invocation, judgement } = *self;
        let holding = fence::hold(world, judgement, &permit, None);
        let state = world.places.state().ok_or(Stop::NoHome)?;
        possible(&state)?;
        if let Some(why) = holding.unheld() {
            return Err(Stop::NotTried(why));
        }
        let roots = roots(world, &state)?;
        let real = world.real_shell(invocation)?;
        let store = Store::new(&state);
        let trial = Trial::begin(&store, &keeping::limits(&world.settings.undo), &roots)?;
        let holding = holding.over(trial.over());
        let settled = Settled {
            outcome: Outcome::Permitted(permit),
            decided_by: DecidedBy::PersonOnce,
            heard: None,
            question: None,
        };
        let keeping = &keeping::Keeping::default();
        let noted = road::Beside { holding: &holding, keeping, told: None };
        road::record(world, invocation, judgement, &settled, noted, Door::Trial)?;
        let Outcome::Permitted(permit) = settled.outcome else { return Err(Stop::NoLine) };
        // What the line leaves running is ours, and ends before what it wrote is looked at.
        prctl::set_child_subreaper(true).map_err(io::Error::from).map_err(Stop::NotStarted)?;
        let (mut why, failed) = io::pipe().map_err(Stop::NotStarted)?;
        let line = match process::fork().map_err(Stop::NotStarted)? {
            Forked::Parent(line) => {
                drop(failed);
                line
            }
            Forked::Child => {
                // Whatever becomes of it, it answers no question.
                descent::pass();
                let become_it = || -> Result<Infallible, Stop> {
                    streams.take().map_err(Stop::NotStarted)?;
                    holding.put_on(world)?;
                    Ok(exec::replace(permit, &real, invocation.clone())?)
                };
                let Err(stop) = become_it();
                // Who does not hear of it takes the status for the line's.
                let _ = (&failed).write_all(stop.reason().as_bytes());
                process::end(NOT_RUN)
            }
        };
        let ended = streams.wait(line).map_err(Stop::NotStarted)?;
        end_what_is_left();
        streams.end().map_err(Stop::NotStarted)?;
        let Some(ended) = ended else { return Ok(None) };
        let mut reason = String::new();
        why.read_to_string(&mut reason).map_err(Stop::NotStarted)?;
        if !reason.is_empty() {
            return Err(Stop::NotTried(reason));
        }
        let (written, _) = road::recorded(world, invocation, judgement);
        let id = trial.finish(header(world, &written))?;
        Ok(Some(Tried { ended, id, untried: untried(judgement, &roots) }))
    }
}

/// Our own streams: those of the person who tries the line, at whose terminal it may be.
struct AtTerminal {
    terminal: Option<Terminal>,
}

impl AtTerminal {
    fn find() -> Result<Self, Stop> {
        let terminal = Terminal::find().map_err(Stop::NotStarted)?;
        Ok(Self { terminal: terminal.filter(|terminal| tcgetpgrp(terminal) == Ok(getpgrp())) })
    }
}

impl Streams for AtTerminal {
    fn take(&self) -> io::Result<()> {
        Ok(())
    }

    /// Keys that interrupt are the line's: what it has done until then is shown.
    fn wait(&mut self, line: Pid) -> io::Result<Option<Ended>> {
        ignoring(&[Signal::SIGINT, Signal::SIGQUIT], || ended(line)).map(Some)
    }

    fn end(&mut self) -> io::Result<()> {
        self.terminal.as_ref().map_or(Ok(()), take_back)
    }
}

/// Says why nothing can be tried here, if so.
fn possible(state: &Path) -> Result<(), Stop> {
    let here = fence::layers_here(Some(state)).layers();
    if here.cover(Layers::CLOSED) {
        return Ok(());
    }
    let missing = Layers::CLOSED.each().filter(|layer| !here.has(*layer));
    let missing: Vec<&str> = missing.map(Layer::name).collect();
    Err(Stop::NotTried(format!(
        "a trial needs all layers of a container, and here is no {}",
        missing.join(", no ")
    )))
}

/// The directories in which what the line writes is tried: the workspaces, with their git directories that stand elsewhere.
fn roots(world: &World, state: &Path) -> Result<Vec<PathBuf>, Stop> {
    let facts = &world.judge.facts;
    let named = facts.workspaces.iter().cloned().chain(fence::linked_repositories(facts));
    let mut roots: Vec<PathBuf> =
        named.filter_map(|root| Path::new(&root).canonicalize().ok()).collect();
    roots.sort();
    roots.dedup_by(|below, above| below.starts_with(above));
    let state = state.canonicalize().unwrap_or_else(|_| state.to_owned());
    if roots.is_empty() {
        return Err(Stop::NotTried("there is no workspace around this directory".to_owned()));
    }
    match roots.iter().find(|root| state.starts_with(root)) {
        None => Ok(roots),
        Some(root) => Err(Stop::NotTried(format!(
            "what would take the changes is in the workspace '{}' itself",
            root.display()
        ))),
    }
}

fn header(world: &World, line: &Line) -> Header {
    Header {
        line: line.text.clone(),
        cwd: world.judge.facts.cwd.clone(),
        pid: std::process::id(),
        ..Header::default()
    }
}

/// Waits until a process has ended, and returns how.
fn ended(child: Pid) -> io::Result<Ended> {
    loop {
        match waitpid(child, None) {
            Ok(WaitStatus::Exited(_, status)) => {
                return Ok(Ended::Status(u8::try_from(status).unwrap_or(u8::MAX)));
            }
            Ok(WaitStatus::Signaled(_, signal, _)) => return Ok(Ended::Signal(signal as i32)),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Does something while these signals are ignored; those that our caller has not ignored do what they usually do afterwards.
fn ignoring<T>(signals: &[Signal], run: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let ours: Vec<Signal> =
        signals.iter().copied().filter(|signal| !process::is_ignored(*signal)).collect();
    for signal in &ours {
        process::ignore(*signal)?;
    }
    let done = run()?;
    for signal in ours {
        process::set_default(signal)?;
    }
    Ok(done)
}

/// Takes the terminal back, as it was found: whatever the line has made of it, what is shown next is seen.
fn take_back(terminal: &Terminal) -> io::Result<()> {
    // Who is in the background would be stopped.
    ignoring(&[Signal::SIGTTOU], || {
        // A terminal that is gone is nobody's.
        let _ = tcsetpgrp(terminal, getpgrp());
        terminal.put_back();
        terminal.clean_up_in_place();
        Ok(())
    })
}

/// Ends what the line has left running: all of it is below us.
fn end_what_is_left() {
    loop {
        let below = Process::all_below(&[std::process::id()]);
        for id in &below {
            // What has ended meanwhile needs no signal.
            let _ = kill(Pid::from_raw(id.cast_signed()), Signal::SIGKILL);
        }
        let flags = if below.is_empty() { WaitPidFlag::WNOHANG } else { WaitPidFlag::empty() };
        match waitpid(None, Some(flags)) {
            Err(Errno::EINTR) | Ok(_) => {}
            // No more children.
            Err(_) => return,
        }
    }
}

/// What the line would do that a trial does not, as far as its plan says: at hosts, and to files outside of what it is tried on.
fn untried(judgement: &Judgement, roots: &[PathBuf]) -> Vec<String> {
    let mut told = Vec::new();
    for effect in judgement.plan.commands.iter().flat_map(|command| &command.effects) {
        let text = match &effect.target {
            Target::Host { host: Some(host) } => {
                format!("it asks for {host}: a trial has no network")
            }
            Target::Host { host: None } if effect.kind != EffectKind::Listen => {
                "it asks for hosts that only it knows: a trial has no network".to_owned()
            }
            Target::Path { path: Some(path), class } if effect.kind.changes() => {
                let is_kept = roots.iter().any(|root| Path::new(path).starts_with(root));
                if is_kept || matches!(class, PathClass::Null | PathClass::Device | PathClass::Made)
                {
                    continue;
                }
                format!("it changes {path}, outside of the workspace: that is not kept")
            }
            _ => continue,
        };
        if !told.contains(&text) {
            told.push(text);
        }
    }
    told
}
