//! The host's process: leads the session in which the agent runs, and holds the other end of its terminal. What it does at the terminals
//! is the relay's.

use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::termios::{SetArg, tcsetattr};
use nix::unistd::setsid;

use super::agent::{self, Stage, Variants};
use super::guest::Guest;
use super::report::{Report, Step};
use super::signals::{self, Signals};
use super::terminal::Terminal;
use super::wire::Wire;
use super::{Call, Unwatched, environment, with};
use crate::host::starts::Starts;
use crate::sys::process::{self, Program};
use crate::sys::pty::{self, Pty};

/// What the host was given.
pub struct Host<'a> {
    /// The person's terminal.
    pub terminal: Option<&'a Terminal>,
    /// Signals, as the caller had them.
    pub signals: &'a Signals,
    /// Leads to the process that waits for us; closed when that is gone.
    pub channel: &'a UnixStream,
}

impl Host<'_> {
    /// Runs the agent and serves the guest until the agent has ended; none if nobody is left to be told how.
    pub fn run<G: Guest>(
        &self,
        call: &Call<'_>,
        guest: impl FnOnce() -> Result<G, String>,
    ) -> Option<Report> {
        self.try_run(call, guest).unwrap_or_else(|(step, errno)| Some(Report::failed(step, errno)))
    }

    fn try_run<G: Guest>(
        &self,
        call: &Call<'_>,
        guest: impl FnOnce() -> Result<G, String>,
    ) -> Result<Option<Report>, (Step, Errno)> {
        let at = |step: Step| move |error: io::Error| (step, errno(&error));
        // Stopped, we would stay for ever if what started us were killed. Continued, we see that the channel is closed.
        prctl::set_pdeathsig(Signal::SIGCONT).map_err(|errno| (Step::Session, errno))?;
        // What is left behind by its parent below the agent stays below us.
        prctl::set_child_subreaper(true).map_err(|errno| (Step::Session, errno))?;
        let path = call.environment.iter().find(|(name, _)| name == "PATH");
        let path = path.map(|(_, path)| path.as_os_str()).unwrap_or_default();
        // Before anything is open that it should not have.
        let starts = Starts::begin(call.guard, path, &call.words, call.judge);
        let mut starts = starts.map_err(at(Step::Start))?;
        let pty = self.terminal.map(open).transpose()?;
        let mut guest = match guest() {
            Ok(guest) => guest,
            Err(why) => return Ok(Some(Report::NoGuest(why))),
        };
        let environment = with(&environment(call), guest.environment());
        let program = |words: &[OsString], set: Vec<(OsString, OsString)>| {
            Program::new(words, &with(&environment, set)).ok_or((Step::Start, Errno::EINVAL))
        };
        let watched = program(&call.words, Vec::new())?;
        let other = call.unwatched.as_ref();
        let other =
            other.map(|Unwatched { words, environment }| program(words, environment.clone()));
        let variants = Variants { watched, unwatched: other.transpose()? };
        let stage = Stage {
            terminal: pty.as_ref().map(|pty| &pty.follower),
            streams: self.terminal.map_or([false; 3], Terminal::streams),
        };
        let mut unwatched = Errno::UnknownErrno;
        let watched = |watched: io::Result<()>| {
            let Err(why) = watched else { return true };
            unwatched = errno(&why);
            guest.unwatched(&why)
        };
        let agent = agent::start(&variants, stage, self.signals, &mut starts, watched);
        let agent = match agent.map_err(at(Step::Start))? {
            Some(Ok(agent)) => agent,
            Some(Err(errno)) => return Ok(Some(Report::NotRun(errno))),
            None => return Ok(Some(Report::Unwatched(unwatched))),
        };
        // A guest's peer that is gone is an error to it, and not our end.
        process::ignore(Signal::SIGPIPE).map_err(at(Step::Relay))?;
        let ending =
            Wire::new(self, pty, agent, guest, Some(starts)).run().map_err(at(Step::Relay))?;
        Ok(ending.map(Report::Ended))
    }
}

/// Opens the terminal that the agent will see, as the person's is, and makes it the one of a session that we lead. So the agent is a
/// job in it like any other, and can be stopped and continued.
fn open(terminal: &Terminal) -> Result<Pty, (Step, Errno)> {
    let open = || -> io::Result<Pty> {
        let pty = Pty::open()?;
        pty::resize(&pty.leader, terminal.size())?;
        tcsetattr(&pty.follower, SetArg::TCSANOW, terminal.found())?;
        Ok(pty)
    };
    let lead = |pty: &Pty| -> io::Result<()> {
        setsid()?;
        pty::control(&pty.follower)?;
        signals::hold_terminal_output()
    };
    let pty = open().map_err(|error| (Step::Open, errno(&error)))?;
    lead(&pty).map_err(|error| (Step::Session, errno(&error)))?;
    Ok(pty)
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or(nix::libc::EIO))
}
