//! The user's own host: one for each user, in the foreground of whoever started it, until it is told to end.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::parts::{Part, part};
use super::server::{self, Kind, Server};
use crate::ipc::{Entry, place};
use crate::judge::Models;
use crate::model::Paused;

/// Why the user's host does not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It runs already.
    #[error("it runs already ('{}' is locked)", path.display())]
    Running {
        /// By which that is known.
        path: PathBuf,
    },
    /// It cannot listen.
    #[error(transparent)]
    Server(#[from] server::Error),
    /// The system refused.
    #[error("cannot run as a host")]
    System(#[from] io::Error),
}

impl From<Errno> for Error {
    fn from(errno: Errno) -> Self {
        Self::System(errno.into())
    }
}

/// What the service says of itself, to whoever started it.
pub trait Listener {
    /// It listens from now on.
    fn listens(&mut self, directory: &Path);
    /// A question came.
    fn asked(&mut self, entry: &Entry);
    /// Something changed in what is open or in the person's pause, or a process ended that the listener started.
    fn stand(&mut self, open: &[Entry], paused: Option<Paused>);
}

/// Serves until a signal ends it; returns the exit status. To be called while there is one thread. `bell` is the socket by which it was
/// started, where it was ([`place::bell`]): whoever rings there is hung up on, once it listens. `models` asks for those who want to.
pub fn serve(
    directory: &Path,
    bell: Option<&UnixListener>,
    models: Option<Models>,
    listener: &mut dyn Listener,
) -> Result<u8, Error> {
    let _lock = lock(directory)?;
    let mut signals = SigSet::empty();
    for signal in
        [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGCHLD]
    {
        signals.add(signal);
    }
    // Both wait for them, each in its way.
    signals.thread_block()?;
    let outer = Pid::this();
    match part()? {
        Part::Outer { inner, vouch: _vouch } => wait(inner, &signals),
        Part::Inner => {
            prctl::set_pdeathsig(Signal::SIGTERM)?;
            if nix::unistd::getppid() != outer {
                return Ok(0);
            }
            turns(directory, &signals, bell, models, listener)
        }
    }
}

/// The inner one: takes its turns until a signal comes.
fn turns(
    directory: &Path,
    signals: &SigSet,
    bell: Option<&UnixListener>,
    models: Option<Models>,
    listener: &mut dyn Listener,
) -> Result<u8, Error> {
    bell.map(|bell| bell.set_nonblocking(true)).transpose()?;
    let ending = SignalFd::with_flags(signals, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
    let server = Server::listen(Kind::Service, directory, place::SERVICE)?;
    let mut server = server.with_models(models);
    listener.listens(directory);
    let mut known: Vec<String> = Vec::new();
    let mut changes = server.changes();
    loop {
        let now = Instant::now();
        let timeout = server.deadline().map(|deadline| deadline.saturating_duration_since(now));
        // A millisecond more: it wakes when the deadline is over.
        let timeout = timeout.map_or(PollTimeout::NONE, |left| {
            PollTimeout::try_from(left + std::time::Duration::from_millis(1))
                .unwrap_or(PollTimeout::MAX)
        });
        let (ends, ready) = {
            let mut polled = vec![PollFd::new(ending.as_fd(), PollFlags::POLLIN)];
            polled.extend(server.fds().map(|(fd, flags)| PollFd::new(fd, flags)));
            let own = polled.len();
            polled.extend(bell.map(|bell| PollFd::new(bell.as_fd(), PollFlags::POLLIN)));
            match poll(&mut polled, timeout) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(errno) => return Err(errno.into()),
            }
            let seen = |fd: &PollFd<'_>| fd.revents().unwrap_or(PollFlags::empty());
            (seen(&polled[0]), polled[1..own].iter().map(seen).collect::<Vec<_>>())
        };
        while bell.is_some_and(|bell| bell.accept().is_ok()) {}
        let mut ended = false;
        if !ends.is_empty() {
            while let Some(signal) = ending.read_signal()? {
                if signal.ssi_signo != Signal::SIGCHLD as u32 {
                    return Ok(0);
                }
                ended = true;
            }
        }
        server.turn(&ready, Instant::now());
        if changes == server.changes() && !ended {
            continue;
        }
        changes = server.changes();
        let now = Instant::now();
        let open: Vec<Entry> = server.open(now).collect();
        open.iter().filter(|entry| !known.contains(&entry.id)).for_each(|e| listener.asked(e));
        listener.stand(&open, server.paused(now));
        known = open.into_iter().map(|entry| entry.id).collect();
    }
}

/// The outer one: hands on what is meant to end the service, and ends with it.
fn wait(inner: Pid, signals: &SigSet) -> Result<u8, Error> {
    loop {
        let signal = signals.wait()?;
        if signal != Signal::SIGCHLD {
            // It may have ended by itself.
            let _ = kill(inner, Signal::SIGTERM);
        }
        match waitpid(inner, Some(WaitPidFlag::WNOHANG))? {
            WaitStatus::Exited(_, status) => return Ok(u8::try_from(status).unwrap_or(1)),
            WaitStatus::Signaled(_, signal, _) => {
                return Ok(u8::try_from(128 + signal as i32).unwrap_or(1));
            }
            _ => {}
        }
    }
}

/// Holds the place of the user's host for as long as it runs.
fn lock(directory: &Path) -> Result<Flock<File>, Error> {
    let path = directory.join("serve.lock");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(&path)?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| match errno {
        Errno::EWOULDBLOCK => Error::Running { path },
        errno => errno.into(),
    })
}
