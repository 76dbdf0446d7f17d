//! A model that is being asked: by the service of the session, or by a process of its own, which is waited for beside whatever else is.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::Request;
use crate::ipc::Client;
use crate::model::Heard;

/// The name of the program that asks.
const PROGRAM: &str = "guarded-shd";
/// Bytes of an answer that are read.
const LONGEST: usize = 64 << 10;

/// Returns the service beside this program; none if it is not installed there.
#[must_use]
pub fn beside() -> Option<PathBuf> {
    let program = std::fs::read_link("/proc/self/exe").ok()?.with_file_name(PROGRAM);
    program.is_file().then_some(program)
}

/// How much longer is waited for whoever knows the limit too: it says better why there is no answer, and remembers it.
const GRACE: Duration = Duration::from_millis(40);

/// An opinion that is on its way. Dropped, it is asked for no longer.
#[derive(Debug)]
pub struct Asking {
    who: Who,
    until: Instant,
    limit: Duration,
}

/// Who is asked.
#[derive(Debug)]
enum Who {
    /// A process of its own.
    Own(Own),
    /// The service of the session, over a connection that its host handed on.
    Service(Client),
}

impl Asking {
    /// Asks by a process of its own. `variables` are all of the environment that the program has.
    pub fn begin(
        program: &Path,
        request: &Request,
        variables: &[(String, String)],
        limit: Duration,
    ) -> Result<Self, Heard> {
        let own = Own::begin(program, request, variables).map_err(|error| {
            Heard::unavailable(format!("'{}' cannot be asked: {error}", program.display()))
        })?;
        Ok(Self { who: Who::Own(own), until: Instant::now() + limit + GRACE, limit })
    }

    /// Asks over a connection that was handed to a service.
    pub fn over(mut service: Client, request: &Request, limit: Duration) -> Result<Self, Heard> {
        let until = Instant::now() + limit + GRACE;
        match service.send(request, until) {
            Ok(()) => Ok(Self { who: Who::Service(service), until, limit }),
            Err(error) => Err(Heard::unavailable(format!("{PROGRAM} is not asked: {error}"))),
        }
    }

    /// Returns what becomes readable when something is said.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        match &self.who {
            Who::Own(own) => own.out.as_fd(),
            Who::Service(service) => service.socket().as_fd(),
        }
    }

    /// Returns when it is given up.
    #[must_use]
    pub const fn deadline(&self) -> Instant {
        self.until
    }

    /// Returns what was heard, if that is all of it, or the time is over. Waits for nothing.
    pub fn take(&mut self) -> Option<Heard> {
        let heard = match &mut self.who {
            Who::Own(own) => own.take(),
            Who::Service(service) => match service.take() {
                Ok(heard) => heard,
                Err(error) => Some(Heard::unavailable(format!("{PROGRAM} is not heard: {error}"))),
            },
        };
        if heard.is_some() {
            return heard;
        }
        let is_late = Instant::now() >= self.until;
        let millis = self.limit.as_millis();
        is_late.then(|| Heard::unavailable(format!("nobody answered within {millis} ms")))
    }

    /// Waits for what is heard, until the time is over.
    #[must_use]
    pub fn wait(mut self) -> Heard {
        loop {
            if let Some(heard) = self.take() {
                return heard;
            }
            let left = self.until.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left + Duration::from_millis(1));
            let mut polled = [PollFd::new(self.fd(), PollFlags::POLLIN)];
            match poll(&mut polled, timeout.unwrap_or(PollTimeout::MAX)) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(errno) => return Heard::unavailable(format!("{PROGRAM}: {errno}")),
            }
        }
    }
}

/// A process that asks once.
#[derive(Debug)]
struct Own {
    child: Child,
    out: ChildStdout,
    said: Vec<u8>,
}

impl Own {
    fn begin(
        program: &Path,
        request: &Request,
        variables: &[(String, String)],
    ) -> io::Result<Self> {
        let text = serde_json::to_vec(request)?;
        let mut file = File::from(memfd_create("request", MFdFlags::MFD_CLOEXEC)?);
        file.write_all(&text).and_then(|()| file.rewind())?;
        let mut command = Command::new(program);
        command
            .arg("opinion")
            .env_clear()
            .envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdin(file).stdout(Stdio::piped()).stderr(Stdio::null()).current_dir("/");
        let mut child = command.process_group(0).spawn()?;
        let out = child.stdout.take().ok_or_else(|| io::Error::other("it has no output"))?;
        let own = Self { child, out, said: Vec::new() };
        let flags = OFlag::from_bits_retain(fcntl(&own.out, FcntlArg::F_GETFL)?);
        fcntl(&own.out, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
        Ok(own)
    }

    fn take(&mut self) -> Option<Heard> {
        let mut bytes = [0; 4096];
        loop {
            match self.out.read(&mut bytes) {
                Ok(0) => return Some(self.understood()),
                Ok(_) if self.said.len() > LONGEST => {
                    return Some(Heard::unavailable("what was answered is too long"));
                }
                Ok(count) => self.said.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
                Err(error) => {
                    return Some(Heard::unavailable(format!("{PROGRAM} is not heard: {error}")));
                }
            }
        }
    }

    fn understood(&self) -> Heard {
        let answer = serde_json::from_slice(&self.said);
        answer.unwrap_or_else(|_| {
            Heard::unavailable(format!(
                "{PROGRAM} gave no answer; is it of the same version as guarded-sh?"
            ))
        })
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // What it has started ends with it.
        if let Ok(id) = i32::try_from(self.child.id()) {
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
        }
        let _ = self.child.wait();
    }
}
