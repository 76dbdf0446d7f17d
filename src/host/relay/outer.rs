//! The process that the person's shell waits for: it keeps the terminal's modes and puts them back however the host ends, and does
//! as a job does what it is told by signals. It relays nothing.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::report::Report;
use super::signals::{self, Signals};
use super::terminal::Terminal;
use super::{Ending, Error};
use crate::sys::process::{self, Change, Which};

/// Waits for the host. The terminal is as it was when this returns.
pub fn watch(
    host: Pid,
    terminal: Option<&Terminal>,
    signals: &Signals,
    mut channel: UnixStream,
) -> Result<Ending, Error> {
    let outer = Outer { host, terminal, signals };
    let waited = outer.wait();
    if let Some(terminal) = terminal {
        terminal.put_back();
    }
    let change = waited.map_err(Error::Wait)?;
    let mut said = Vec::new();
    // What the host did not say is not there.
    let _ = channel.read_to_end(&mut said);
    match Report::read(&said) {
        Some(Report::Ended(ending)) => Ok(ending),
        Some(Report::NotRun(errno)) => Err(Error::Program(errno)),
        Some(Report::Unwatched(errno)) => Err(Error::Unwatched(errno)),
        Some(Report::NoGuest(why)) => Err(Error::Guest(why)),
        Some(Report::Failed(step, errno)) => Err(Error::Host { step, source: errno.into() }),
        None => {
            if let Some(terminal) = terminal {
                terminal.clean_up();
            }
            Err(Error::Died(change))
        }
    }
}

struct Outer<'a> {
    host: Pid,
    terminal: Option<&'a Terminal>,
    signals: &'a Signals,
}

impl Outer<'_> {
    fn wait(&self) -> io::Result<Change> {
        loop {
            let mut wanted = [PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
            poll(&mut wanted, PollTimeout::NONE)?;
            while let Some(came) = self.signals.next()? {
                match came.signal {
                    Signal::SIGCHLD => {
                        if let Some(change) = self.look()? {
                            return Ok(change);
                        }
                    }
                    // The agent is in the same foreground, and has got it too.
                    _ if came.by_kernel && self.terminal.is_none() => {}
                    signal => self.tell(signal),
                }
            }
        }
    }

    /// Looks at the host; returns how it ended.
    fn look(&self) -> io::Result<Option<Change>> {
        while let Some((_, change)) = process::wait(Which::One(self.host))? {
            match change {
                Change::Exited(_) | Change::Killed(_) => return Ok(Some(change)),
                Change::Stopped => self.stop()?,
                Change::Continued => {}
            }
        }
        Ok(None)
    }

    /// Stops as the agent did, and goes on with it.
    fn stop(&self) -> io::Result<()> {
        if let Some(terminal) = self.terminal {
            terminal.put_back();
        }
        signals::stop_job()?;
        // Continued in the background, this stops us again.
        let made_raw = self.terminal.map_or(Ok(()), Terminal::make_raw);
        // Also where the terminal is gone: stopped, the host would not see that we end.
        self.tell(Signal::SIGCONT);
        made_raw
    }

    fn tell(&self, signal: Signal) {
        // It is our child, and not waited for yet: the number is its own.
        let _ = kill(self.host, signal);
    }
}
