//! The interposer of `guarded-sh run`: an agent at a terminal that is ours, and every byte between it and the person's relayed as it is.
//! Knows what is on the screen, so that a guest can ask something over it; neither judges nor asks anything itself.
//!
//! It is two processes. The one that the person's shell started stays its job: it keeps the terminal's modes and waits
//! (`outer`). The other (`host`) leads a session with a terminal of its own, starts the agent in it as a job, and relays
//! (`wire`). So the terminal is put back whatever becomes of the host, and the agent holds nothing of the person's terminal.
//!
//! Standard streams that are no terminal are given to the agent as they are. Without a terminal on standard input or output nothing
//! is relayed, and nothing can be asked.

mod agent;
mod guest;
mod host;
mod keys;
mod measure;
mod outer;
mod overlay;
mod place;
mod queue;
mod report;
mod screen;
mod signals;
mod terminal;
mod typing;
mod wire;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

pub use guest::{Guest, Page, Purpose, Room, Typed};
pub use place::{Error as PlaceError, Place, is_name};
pub use terminal::Terminal;

use super::parts::{Part, part};
use super::starts::MayStart;
use crate::model::{Profile, Shell};
use crate::sys::process::{self, Change};
use host::Host;
use signals::Signals;

/// What is run, in which session.
#[derive(Debug)]
pub struct Call<'a> {
    /// The agent with its words. It is looked for on our own PATH.
    pub words: Vec<OsString>,
    /// The environment that we were given.
    pub environment: Vec<(OsString, OsString)>,
    /// The session's name.
    pub session: String,
    /// What each severity means in it, where who started it said so.
    pub profile: Option<Profile>,
    /// The session's directory.
    pub place: &'a Place,
    /// The shells in it.
    pub shells: Vec<Shell>,
    /// What begins in the place of other shells; none: what the agent's processes start is not watched, only looked at.
    pub guard: Option<&'a Path>,
    /// Judges other programs that they start; none: those run.
    pub judge: Option<MayStart>,
    /// How the agent is started where nobody watches, if otherwise.
    pub unwatched: Option<Unwatched>,
}

/// How an agent is started where nobody watches what it starts.
#[derive(Debug)]
pub struct Unwatched {
    /// The agent with its words.
    pub words: Vec<OsString>,
    /// Variables that it has besides.
    pub environment: Vec<(OsString, OsString)>,
}

/// How the agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a status.
    Exited(u8),
    /// By a signal.
    Killed(i32),
}

/// Why there is no session, or none any more.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal could not be used.
    #[error("cannot use the terminal")]
    Terminal(#[source] io::Error),
    /// No process could be made.
    #[error("cannot start the session's host")]
    Start(#[source] io::Error),
    /// The host could not do its work.
    #[error("the session's host cannot {step}")]
    Host {
        /// What it was doing.
        step: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// What the session is for could not be had.
    #[error("cannot start the session's host: {0}")]
    Guest(String),
    /// The agent's program could not be run.
    #[error("cannot run the program")]
    Program(#[source] Errno),
    /// What the agent starts cannot be watched, and nobody wants it to run then.
    #[error("the programs that it starts cannot be watched here")]
    Unwatched(#[source] Errno),
    /// The host could not be waited for.
    #[error("cannot wait for the session's host")]
    Wait(#[source] io::Error),
    /// The host is gone, and the session with it.
    #[error("the session's host {}", ended(*.0))]
    Died(Change),
}

fn ended(change: Change) -> String {
    match change {
        Change::Killed(signal) => format!("was killed by signal {signal}"),
        Change::Exited(status) => format!("ended with status {status}"),
        Change::Stopped | Change::Continued => "is gone".to_owned(),
    }
}

/// Runs an agent in a session; returns how it ended. The guest is made in the host's process, and lives as long as that; why there
/// is none is returned as text. There must be no other thread.
pub fn run<G: Guest>(
    call: &Call<'_>,
    guest: impl FnOnce() -> Result<G, String>,
) -> Result<Ending, Error> {
    let terminal = Terminal::find().map_err(Error::Terminal)?;
    let signals = Signals::hold().map_err(Error::Start)?;
    let (ours, channel) = UnixStream::pair().map_err(Error::Start)?;
    if let Some(terminal) = &terminal {
        terminal.make_raw().map_err(Error::Terminal)?;
    }
    let terminal = terminal.as_ref();
    match part() {
        Ok(Part::Outer { inner, vouch: _vouch }) => {
            drop(channel);
            outer::watch(inner, terminal, &signals, ours)
        }
        Ok(Part::Inner) => {
            drop(ours);
            let host = Host { terminal, signals: &signals, channel: &channel };
            match host.run(call, guest) {
                Some(report) => report.send(&channel),
                // Nobody else is left to do it.
                None => call.place.remove(),
            }
            process::end(0)
        }
        Err(error) => {
            if let Some(terminal) = terminal {
                terminal.put_back();
            }
            Err(Error::Start(error))
        }
    }
}

/// Returns the environment of the agent: the caller's, with shells that are ours wherever agents look for one. The guest adds its own.
#[must_use]
pub fn environment(call: &Call<'_>) -> Vec<(OsString, OsString)> {
    let directory = call.place.shells();
    let before = |name: &str| {
        call.environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_os_str())
    };
    // Claude Code takes a shell whose path has "bash" in it, and does more of its own to one that is called exactly that.
    let bash = directory.join("guarded-bash");
    let own = |set: &OsStr| {
        let name = Path::new(set).file_name().and_then(OsStr::to_str)?;
        let shell = call.shells.iter().find(|shell| shell.name() == name)?;
        Some(directory.join(format!("guarded-{}", shell.name())))
    };
    let shell = before("SHELL").and_then(own).unwrap_or_else(|| bash.clone());
    let mut path = directory.into_os_string();
    path.push(":");
    path.push(before("PATH").unwrap_or_else(|| OsStr::new("/usr/local/bin:/usr/bin:/bin")));
    let name = |name: &str| OsString::from(name);
    let mut set = vec![
        (name("SHELL"), shell.into_os_string()),
        (name("CLAUDE_CODE_SHELL"), bash.clone().into_os_string()),
        (name("COPILOT_BASH_PATH"), PathBuf::into_os_string(bash)),
        (name("PATH"), path),
        (name("GUARDED_SH_SESSION"), OsString::from(&call.session)),
    ];
    set.extend(call.profile.map(|profile| (name("GUARDED_SH_PROFILE"), name(profile.name()))));
    with(&call.environment, set)
}

/// Returns variables with others in their places.
fn with(
    variables: &[(OsString, OsString)],
    set: Vec<(OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    let kept = variables.iter().filter(|(name, _)| set.iter().all(|(other, _)| other != name));
    let kept: Vec<_> = kept.cloned().collect();
    kept.into_iter().chain(set).collect()
}
