//! A second process beside the bridge, which outlives it: what runs for clients ends with the bridge, however that ends. Starts nothing, and ends nothing as
//! long as the bridge is there.
//!
//! A signal at a parent's death would not do: it is one process's, where a command has a group, and `sudo` takes it off.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use guarded_sh::sys::descriptor;
use guarded_sh::sys::process::{self, Forked};
use nix::fcntl::Flock;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::sys::socket::MsgFlags;
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout, setsid};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};
use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};

use super::launch::Process;

/// For how long a command may take to end, before it is ended by force.
const GRACE: Duration = Duration::from_secs(2);

/// The process. Both it and the bridge hold the lock, so whoever gets that next knows that nothing of before runs.
pub struct Keeper {
    way: Arc<OwnedFd>,
    last: AtomicU64,
    _lock: Flock<File>,
}

/// A process that is ended with the bridge, until this is dropped.
pub struct Watched {
    way: Arc<OwnedFd>,
    number: u64,
}

impl Drop for Watched {
    fn drop(&mut self) {
        // The number of one that is not heard of stands for a process that has ended: it is told from others by its descriptor.
        let _ =
            send(&self.way, &self.number.to_le_bytes(), SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
    }
}

impl Keeper {
    /// Starts it. There must be no other thread yet.
    pub fn begin(lock: Flock<File>) -> io::Result<Self> {
        let (ours, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        match process::fork()? {
            Forked::Child => {
                drop(ours);
                process::end(i32::from(keep(&theirs).is_err()))
            }
            Forked::Parent(_) => {
                let (way, last) = (Arc::new(ours), AtomicU64::new(0));
                Ok(Self { way, last, _lock: lock })
            }
        }
    }

    /// Returns one below which nothing can be started.
    #[cfg(test)]
    pub fn of_nothing(lock: Flock<File>) -> io::Result<Self> {
        let (ours, _) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        Ok(Self { way: Arc::new(ours), last: AtomicU64::new(0), _lock: lock })
    }

    /// Has a process and its group end with the bridge.
    pub fn watch(&self, process: Process) -> io::Result<Watched> {
        let pid = Pid::from_raw(process.id().cast_signed()).ok_or(io::ErrorKind::NotFound)?;
        let watched = pidfd_open(pid, PidfdFlags::empty())?;
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let [message, id] = [number.to_le_bytes(), u64::from(process.id()).to_le_bytes()];
        let message = [message, id].concat();
        descriptor::hand(&self.way, &message, &watched, MsgFlags::MSG_DONTWAIT)?;
        Ok(Watched { way: Arc::clone(&self.way), number })
    }
}

/// Keeps account of what runs, and ends it once the bridge is gone.
fn keep(way: &OwnedFd) -> io::Result<()> {
    // What ends the bridge ends the bridge alone.
    setsid()?;
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT] {
        process::ignore(signal)?;
    }
    // Whoever waits for the end of what the bridge says waits for no other.
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    let mut running: HashMap<u64, (Process, OwnedFd)> = HashMap::new();
    loop {
        let mut message = [0; 16];
        // Whoever hears nothing any more ends what runs as well.
        let Ok(letter) = descriptor::letter(way, &mut message) else { break };
        let (number, id) = message.split_at(8);
        let read = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or_default();
        match (letter.length, letter.given) {
            (0, _) => break,
            (16, Some(watched)) => {
                let Ok(id) = i32::try_from(read(id)) else { break };
                running.insert(read(number), (Process::of(id), watched));
            }
            _ => drop(running.remove(&read(number))),
        }
    }
    end(running.into_values().collect());
    Ok(())
}

fn end(mut running: Vec<(Process, OwnedFd)>) {
    let until = Instant::now() + GRACE;
    let is_there = |watched: &OwnedFd| {
        let mut ended = [PollFd::new(watched.as_fd(), PollFlags::POLLIN)];
        poll(&mut ended, PollTimeout::ZERO) == Ok(0)
    };
    running.retain(|(_, watched)| is_there(watched));
    for (process, _) in &running {
        process.signal(Signal::SIGTERM);
        // One that is stopped hears nothing before it goes on.
        process.signal(Signal::SIGCONT);
    }
    while !running.is_empty() && Instant::now() < until {
        let left = until.saturating_duration_since(Instant::now());
        let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        let wait = |watched: &OwnedFd| {
            let mut ended = [PollFd::new(watched.as_fd(), PollFlags::POLLIN)];
            // Where it cannot be waited for, it is ended by force.
            let _ = poll(&mut ended, left);
        };
        wait(&running[0].1);
        running.retain(|(_, watched)| is_there(watched));
    }
    for (process, watched) in &running {
        if pidfd_send_signal(watched, rustix::process::Signal::KILL).is_ok() {
            process.signal(Signal::SIGKILL);
        }
    }
}
