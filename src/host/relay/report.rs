//! What the host says to the process that started it when it ends: how the agent ended, or what went wrong before.

use std::io::Write;
use std::os::unix::net::UnixStream;

use nix::errno::Errno;

use super::Ending;

/// What the host was doing when it failed, in the words of an error.
const STEPS: [&str; 4] =
    ["open a pseudo-terminal", "make a session of its own", "start the agent's process", "relay"];

/// Begins a report that goes on with a text.
const NO_GUEST: u8 = 4;
/// Begins one that says why nobody watches.
const UNWATCHED: u8 = 5;

/// A step that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Opening the pseudo-terminal.
    Open,
    /// Making the session.
    Session,
    /// Starting the agent.
    Start,
    /// Relaying.
    Relay,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The agent ended.
    Ended(Ending),
    /// The agent could not be run.
    NotRun(Errno),
    /// Its processes could not be watched, and it did not run.
    Unwatched(Errno),
    /// The host failed, at this.
    Failed(&'static str, Errno),
    /// There is no guest, for this reason.
    NoGuest(String),
}

impl Report {
    /// Returns what says that a step failed.
    pub fn failed(step: Step, errno: Errno) -> Self {
        Self::Failed(STEPS[step as usize], errno)
    }

    /// Says it.
    pub fn send(self, mut channel: &UnixStream) {
        let (kind, number, step) = match self {
            Self::Ended(Ending::Exited(status)) => (0, i32::from(status), 0),
            Self::Ended(Ending::Killed(signal)) => (1, signal, 0),
            Self::NotRun(errno) => (2, errno as i32, 0),
            Self::Unwatched(errno) => (UNWATCHED, errno as i32, 0),
            Self::Failed(step, errno) => {
                let step = STEPS.iter().position(|known| *known == step).unwrap_or(0);
                (3, errno as i32, u8::try_from(step).unwrap_or(0))
            }
            Self::NoGuest(why) => {
                let bytes = [&[NO_GUEST], why.as_bytes()].concat();
                // Who listened is gone: nobody is left to be told.
                let _ = channel.write_all(&bytes);
                return;
            }
        };
        let [a, b, c, d] = number.to_le_bytes();
        // As above.
        let _ = channel.write_all(&[kind, a, b, c, d, step]);
    }

    /// Reads what was said. None: nothing, or only a part.
    pub fn read(said: &[u8]) -> Option<Self> {
        if let [NO_GUEST, why @ ..] = said {
            return Some(Self::NoGuest(String::from_utf8_lossy(why).into_owned()));
        }
        let &[kind, a, b, c, d, step] = said else { return None };
        let number = i32::from_le_bytes([a, b, c, d]);
        match kind {
            0 => Some(Self::Ended(Ending::Exited(u8::try_from(number).ok()?))),
            1 => Some(Self::Ended(Ending::Killed(number))),
            2 => Some(Self::NotRun(Errno::from_raw(number))),
            UNWATCHED => Some(Self::Unwatched(Errno::from_raw(number))),
            3 => Some(Self::Failed(STEPS.get(usize::from(step))?, Errno::from_raw(number))),
            _ => None,
        }
    }
}
