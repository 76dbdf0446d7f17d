//! The agent's process: started at the session's terminal with what the caller gave, and told of signals.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::{
    Pid, dup2_stderr, dup2_stdin, dup2_stdout, getpid, setpgid, tcgetpgrp, tcsetpgrp,
};

use super::signals::Signals;
use crate::host::starts::Starts;
use crate::sys::process::{self, Forked, Program};
use crate::sys::{descent, trace};

/// The agent, while it was not waited for.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// Its process.
    pub process: Pid,
    /// It leads a process group of its own.
    leads: bool,
}

/// Where the agent runs.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// The terminal that it sees; none: it has what the caller has.
    pub terminal: Option<&'a File>,
    /// Which of the standard streams are that terminal. The others are the caller's.
    pub streams: [bool; 3],
}

/// The agent's program with its words and its environment. Which of the two the agent's process becomes is known once it is there.
#[derive(Debug)]
pub struct Variants {
    /// The one where somebody watches what it starts.
    pub watched: Program,
    /// The one where nobody does, if that is another.
    pub unwatched: Option<Program>,
}

/// Says that the agent may run, and whether what it starts is watched.
const WATCHED: u8 = b'w';
const UNWATCHED: u8 = b'u';

/// Starts the agent, watched from its first program on; an error of its program is told apart from ours. `watched` is told whether it
/// could be, and says whether it runs.
pub fn start(
    variants: &Variants,
    stage: Stage<'_>,
    signals: &Signals,
    starts: &mut Starts,
    watched: impl FnOnce(io::Result<()>) -> bool,
) -> io::Result<Option<Result<Agent, Errno>>> {
    // Closed by exec: nothing comes out of it where that succeeds.
    let (mut failure, mut failed) = io::pipe()?;
    // It says when it may be watched, and is told when it is.
    let (mut gate, mut open) = UnixStream::pair()?;
    let watcher = starts.watcher();
    let Forked::Parent(process) = process::fork()? else {
        drop(open);
        if let Some(watcher) = watcher {
            // Where that fails, it is said when the watching does.
            let _ = trace::let_watch(watcher);
        }
        let mut said = [0];
        if gate.write_all(b"\n").and_then(|()| gate.read_exact(&mut said)).is_err() {
            process::end(127);
        }
        let unwatched = variants.unwatched.as_ref().filter(|_| said != [WATCHED]);
        let program = unwatched.unwrap_or(&variants.watched);
        let errno = become_agent(program, stage, signals);
        // Nobody else could be told.
        let _ = failed.write_all(&(errno as i32).to_le_bytes());
        process::end(127);
    };
    drop((failed, gate));
    open.read_exact(&mut [0])?;
    let is_watched = starts.watch(process);
    let says = if watcher.is_some() && is_watched.is_ok() { WATCHED } else { UNWATCHED };
    if !watched(is_watched) {
        return Ok(None);
    }
    open.write_all(&[says])?;
    let mut errno = [0; 4];
    match failure.read_exact(&mut errno) {
        Ok(()) => Ok(Some(Err(Errno::from_raw(i32::from_le_bytes(errno))))),
        Err(_) => Ok(Some(Ok(Agent { process, leads: stage.terminal.is_some() }))),
    }
}

/// What stands between fork and exec: no allocation, and only what is async-signal-safe.
fn become_agent(program: &Program, stage: Stage<'_>, signals: &Signals) -> Errno {
    // Should it outlive its host, it is still no person.
    descent::sign();
    let prepared = (|| -> Result<(), Errno> {
        if let Some(terminal) = stage.terminal {
            let own = getpid();
            setpgid(own, own)?;
            tcsetpgrp(terminal, own)?;
            let [input, output, errors] = stage.streams;
            if input {
                dup2_stdin(terminal)?;
            }
            if output {
                dup2_stdout(terminal)?;
            }
            if errors {
                dup2_stderr(terminal)?;
            }
        }
        signals.give_back().map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(0)))
    })();
    match prepared {
        Ok(()) => program.exec(),
        Err(errno) => errno,
    }
}

impl Agent {
    /// Hands a signal on to it.
    pub fn tell(self, signal: Signal) {
        // It is not waited for yet, so the number is its own; that it may not be told (after `sudo`) is as without us.
        let _ = kill(self.process, signal);
    }

    /// Hands a signal on to its job: all that would have got it by a key.
    pub fn tell_job(self, signal: Signal) {
        if !self.leads {
            return self.tell(signal);
        }
        let _ = killpg(self.process, signal);
    }

    /// Hands a signal on to what is in the terminal's foreground.
    pub fn tell_foreground(self, terminal: Option<impl AsFd>, signal: Signal) {
        match terminal.and_then(|terminal| tcgetpgrp(terminal).ok()) {
            Some(group) => drop(killpg(group, signal)),
            None => self.tell_job(signal),
        }
    }
}
