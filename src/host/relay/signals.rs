//! The signals of a session: which are handed on, and how the caller had them. They are held back and read one by one, so that no
//! function of ours ever interrupts another.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::libc;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use crate::sys::process;

/// What is handed on to the agent, or says that something has happened.
const READ: [Signal; 10] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGCONT,
    Signal::SIGTSTP,
    Signal::SIGWINCH,
    Signal::SIGCHLD,
];

/// A signal that came.
#[derive(Clone, Copy, Debug)]
pub struct Came {
    /// Which one.
    pub signal: Signal,
    /// The kernel sent it, as it does for keys, to all in the foreground.
    pub by_kernel: bool,
}

/// How signals were, and those that came since.
#[derive(Debug)]
pub struct Signals {
    /// What the caller held back.
    before: SigSet,
    /// The caller wanted to hear nothing of its children.
    children_ignored: bool,
    came: SignalFd,
}

impl Signals {
    /// Holds signals back from now on. What the caller ignores is no signal to us either.
    pub fn hold() -> io::Result<Self> {
        let children_ignored = process::is_ignored(Signal::SIGCHLD);
        if children_ignored {
            process::set_default(Signal::SIGCHLD)?;
        }
        let held: SigSet =
            READ.into_iter().filter(|signal| !process::is_ignored(*signal)).collect();
        let mut before = SigSet::empty();
        sigprocmask(SigmaskHow::SIG_BLOCK, Some(&held), Some(&mut before))?;
        Ok(Self { before, children_ignored, came: read_from(&held)? })
    }

    /// Returns the next one that came, if one did.
    pub fn next(&self) -> io::Result<Option<Came>> {
        let Some(info) = self.came.read_signal()? else { return Ok(None) };
        let number = i32::try_from(info.ssi_signo).unwrap_or(0);
        let signal = Signal::try_from(number)?;
        Ok(Some(Came { signal, by_kernel: info.ssi_code == libc::SI_KERNEL }))
    }

    /// Makes signals as the caller had them. Safe between fork and exec.
    pub fn give_back(&self) -> io::Result<()> {
        if self.children_ignored {
            process::ignore(Signal::SIGCHLD)?;
        }
        Ok(sigprocmask(SigmaskHow::SIG_SETMASK, Some(&self.before), None)?)
    }
}

/// Holds back what would stop a host that sets the foreground of its session.
pub fn hold_terminal_output() -> io::Result<()> {
    let held: SigSet = [Signal::SIGTTOU].into_iter().collect();
    Ok(sigprocmask(SigmaskHow::SIG_BLOCK, Some(&held), None)?)
}

/// Stops this process and all of its job, as the key for it would; returns when it goes on. A job that nobody could continue is
/// not stopped.
pub fn stop_job() -> io::Result<()> {
    let stop: SigSet = [Signal::SIGTSTP].into_iter().collect();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(0), Signal::SIGTSTP)?;
    sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&stop), None)?;
    // Here it is stopped.
    Ok(sigprocmask(SigmaskHow::SIG_BLOCK, Some(&stop), None)?)
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.came.as_fd()
    }
}

fn read_from(held: &SigSet) -> io::Result<SignalFd> {
    Ok(SignalFd::with_flags(held, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?)
}
