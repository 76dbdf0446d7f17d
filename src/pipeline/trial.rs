//! A line that is only tried: it runs in a container in which other directories take what it writes, and what it would leave becomes an entry that
//! can be carried out. How it is held is `fence`'s to say, and what is kept of it `undo`'s.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpgrp, tcgetpgrp, tcsetpgrp};

use super::fence::{self, Holding};
use super::refusal::Stop;
use super::road::{self, Outcome, Settled};
use super::world::World;
use super::{Judgement, undo as keeping};
use crate::audit::{DecidedBy, Door, Line};
use crate::cli::{self, Invocation};
use crate::decision::{Decision, Permit, Refusal};
use crate::exec;
use crate::host::relay::Terminal;
use crate::model::{EffectKind, Layer, Layers, PathClass, Shell, Target};
use crate::observe::{self, Process};
use crate::sys::descent;
use crate::sys::process::{self, Forked};
use crate::undo::{Header, Store, Trial};

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

/// Tries a person's line in the working directory. It has our standard streams; no file of the workspace changes. The process must have no other
/// thread.
pub fn attempt(line: OsString) -> Result<Tried, Stop> {
    let world = World::read()?.with_input(observe::standard_input());
    let argv = vec![OsString::from("guarded-sh"), "-c".into(), line];
    let invocation = match cli::parse(argv.clone(), Shell::Bash)? {
        Invocation::Shell(invocation) => world.as_configured(argv, invocation)?,
        Invocation::Subcommand(_) | Invocation::Direct(_) => return Err(Stop::NoLine),
    };
    let judgement = road::judge(&world, &invocation, None)?;
    let permit = match permit(road::decide(&world, &invocation, &judgement)?) {
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
    let holding = fence::hold(&world, &judgement, &permit, None);
    let state = world.places.state().ok_or(Stop::NoHome)?;
    possible(&state, &holding)?;
    let roots = roots(&world, &state)?;
    let real = world.real_shell(&invocation)?;
    let store = Store::new(&state);
    let trial = Trial::begin(&store, &keeping::limits(&world.settings.undo), &roots)?;
    let holding = holding.over(trial.over());
    let settled = Settled {
        outcome: Outcome::Permitted(permit),
        decided_by: DecidedBy::PersonOnce,
        heard: None,
        question: None,
    };
    let noted = (&holding, &keeping::Keeping::default());
    road::record(&world, &invocation, &judgement, &settled, noted, Door::Trial)?;
    let Outcome::Permitted(permit) = settled.outcome else { return Err(Stop::NoLine) };
    let terminal = Terminal::find().map_err(Stop::NotStarted)?;
    let terminal = terminal.filter(|terminal| tcgetpgrp(terminal) == Ok(getpgrp()));
    // What the line leaves running is ours, and ends before what it wrote is looked at.
    prctl::set_child_subreaper(true).map_err(io::Error::from).map_err(Stop::NotStarted)?;
    let (mut why, failed) = io::pipe().map_err(Stop::NotStarted)?;
    let child = match process::fork().map_err(Stop::NotStarted)? {
        Forked::Parent(child) => {
            drop(failed);
            child
        }
        Forked::Child => {
            // Whatever becomes of it, it answers no question.
            descent::pass();
            let stop = match holding.put_on(&world) {
                Ok(()) => match exec::replace(permit, &real, invocation) {
                    Ok(never) => match never {},
                    Err(error) => Stop::from(error),
                },
                Err(stop) => stop,
            };
            // Who does not hear of it takes the status for the line's.
            let _ = (&failed).write_all(stop.reason().as_bytes());
            process::end(NOT_RUN)
        }
    };
    let ended = wait(child).map_err(Stop::NotStarted)?;
    end_what_is_left();
    if let Some(terminal) = terminal {
        take_back(&terminal).map_err(Stop::NotStarted)?;
    }
    let mut reason = String::new();
    why.read_to_string(&mut reason).map_err(Stop::NotStarted)?;
    if !reason.is_empty() {
        return Err(Stop::NotTried(reason));
    }
    let (written, _) = road::recorded(&world, &invocation, &judgement);
    let id = trial.finish(header(&world, &written))?;
    Ok(Tried { ended, id, untried: untried(&judgement, &roots) })
}

/// Permits the trial: who tries a line has said yes to that. What nobody may say yes to is not tried either.
fn permit(decision: Decision) -> Result<Permit, Refusal> {
    match decision {
        Decision::Permitted(permit) => Ok(permit.contained(Layers::CLOSED)),
        Decision::NeedsApproval(pending) => Ok(pending.tried()),
        Decision::Denied(refusal) => Err(refusal),
    }
}

/// Says why nothing can be tried here, if so.
fn possible(state: &Path, holding: &Holding) -> Result<(), Stop> {
    let here = fence::layers_here(Some(state)).layers();
    if !here.cover(Layers::CLOSED) {
        let missing = Layers::CLOSED.each().filter(|layer| !here.has(*layer));
        let missing: Vec<&str> = missing.map(Layer::name).collect();
        return Err(Stop::NotTried(format!(
            "a trial needs all layers of a container, and here is no {}",
            missing.join(", no ")
        )));
    }
    match holding.unheld() {
        None => Ok(()),
        Some(why) => Err(Stop::NotTried(why)),
    }
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

/// Waits for the line. Keys that interrupt are the line's: what it has done until then is shown.
fn wait(child: Pid) -> io::Result<Ended> {
    ignoring(&[Signal::SIGINT, Signal::SIGQUIT], || {
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
    })
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
