//! Starts the guard for a client's line: in a clean environment, with what the client may have of it, and hears what becomes of the line. Judges nothing: the
//! guard beside this program does.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use guarded_sh::config::variables;
use guarded_sh::ipc::{ClientLine, Frames, FromClientLine, frame};
use guarded_sh::model::CLIENT;
use guarded_sh::sys::descriptor;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::socket::MsgFlags;
use nix::unistd::Pid;
use rustix::process::{PidfdFlags, Resource, Rlimit, pidfd_open, pidfd_send_signal, prlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use super::keeper::{Keeper, Watched};

/// What a line is started with.
pub struct Start {
    pub line: ClientLine,
    pub directory: File,
    pub input: OwnedFd,
    pub output: OwnedFd,
    pub errors: OwnedFd,
    pub environment: BTreeMap<String, String>,
}

/// A guard that runs, or the shell in its place.
pub struct Launched {
    pub child: Child,
    /// The process, which leads a session once it has begun.
    pub process: Process,
    /// What it says of the line.
    pub told: Told,
    /// Has it end with the bridge, as long as it is there.
    pub watched: Watched,
}

/// What lines are started by.
pub struct Launcher {
    pub keeper: Keeper,
    /// How many files a line may open: the bridge takes more for itself.
    pub files: Rlimit,
}

/// A process that may be ended, with all of its group.
#[derive(Clone, Copy, Debug)]
pub struct Process(Pid);

impl Process {
    /// Returns that of an id.
    pub const fn of(id: i32) -> Self {
        Self(Pid::from_raw(id))
    }

    /// Sends a signal to the group that it leads; before it leads one, to itself. To be called only as long as nobody has waited for it: its id is nobody else's then.
    pub fn signal(self, signal: Signal) {
        // It may have ended.
        if killpg(self.0, signal).is_err() {
            let _ = kill(self.0, signal);
        }
    }

    /// Returns its id.
    pub fn id(self) -> u32 {
        self.0.as_raw().cast_unsigned()
    }
}

/// Returns the environment of a client's lines, as far as it is the owner's.
pub fn environment(passed: &[String]) -> BTreeMap<String, String> {
    let names = variables(passed);
    names.filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?))).collect()
}

/// Returns the guard that stands beside this program.
fn guard() -> io::Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("guarded-sh"))
}

impl Launcher {
    /// Starts a line. Nothing of it has run when this returns.
    pub async fn start(&self, start: Start) -> io::Result<Launched> {
        let Start { line, directory, input, output, errors, environment } = start;
        let Some(frame) = frame(&line) else {
            return Err(io::Error::other("the line is longer than any that is judged"));
        };
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        let mut command = Command::new(guard()?);
        command.arg0("guarded-sh").arg(CLIENT.to_str().unwrap_or_default());
        command.env_clear().envs(environment);
        command
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::from(output))
            .stderr(Stdio::from(errors));
        let child = command.spawn()?;
        drop(command);
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let process = Process::of(id.ok_or_else(|| io::Error::other("it has no id"))?);
        // Both before it has its line, so that nothing runs without.
        let watched = self.keeper.watch(process)?;
        let pid = rustix::process::Pid::from_raw(process.id().cast_signed());
        prlimit(pid, Resource::Nofile, self.files)?;
        hand(&ours, &input)?;
        hand(&ours, &directory)?;
        drop((input, directory));
        ours.set_nonblocking(true)?;
        let mut socket = UnixStream::from_std(ours)?;
        // Where it has ended before, it says why on standard error.
        let _ = socket.write_all(&frame).await;
        let told = Told { socket, frames: Frames::default() };
        Ok(Launched { child, process, told, watched })
    }
}

/// Hands over what is open by a descriptor.
fn hand(way: &std::os::unix::net::UnixStream, given: &impl AsRawFd) -> io::Result<()> {
    match descriptor::hand(way, &[0], given, MsgFlags::empty()) {
        // Whoever has ended says why on standard error.
        Ok(()) | Err(Errno::EPIPE | Errno::ECONNRESET) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Ends a process and its group by force, unless it has ended before so long.
pub fn end_later(process: Process, grace: Duration) {
    // By this it is known later whether it is there: its id may be another's then.
    let pid = rustix::process::Pid::from_raw(process.id().cast_signed());
    let watched = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    tokio::spawn(async move {
        tokio::time::sleep(grace).await;
        let ends = |watched| pidfd_send_signal(watched, rustix::process::Signal::KILL);
        if watched.as_ref().is_some_and(|watched| ends(watched).is_ok()) {
            process.signal(Signal::SIGKILL);
        }
    });
}

/// What a guard says of its line.
pub struct Told {
    socket: UnixStream,
    frames: Frames,
}

impl Told {
    /// Waits for what it says next; none once nothing more comes. It can be waited for again where it was not waited out.
    pub async fn next(&mut self) -> Option<FromClientLine> {
        let mut bytes = [0; 4096];
        loop {
            if let Some(message) = self.frames.take().ok()? {
                return Some(message);
            }
            match self.socket.read(&mut bytes).await {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.frames.add(&bytes[..count]),
            }
        }
    }
}
