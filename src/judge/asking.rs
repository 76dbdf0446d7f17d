//! A model that is being asked: a process of its own, which is waited for beside whatever else is.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, Write};
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

/// An opinion that is on its way. Dropped, it is asked for no longer.
#[derive(Debug)]
pub struct Asking {
    child: Child,
    out: ChildStdout,
    said: Vec<u8>,
    until: Instant,
    limit: Duration,
}

impl Asking {
    /// Asks. `variables` are all of the environment that the program has.
    pub fn begin(
        program: &Path,
        request: &Request,
        variables: &[(String, String)],
        limit: Duration,
    ) -> Result<Self, Heard> {
        let failed = |what: &dyn std::fmt::Display| {
            Heard::unavailable(format!("'{}' cannot be asked: {what}", program.display()))
        };
        let text = serde_json::to_vec(request).map_err(|error| failed(&error))?;
        let file =
            memfd_create("request", MFdFlags::MFD_CLOEXEC).map_err(|errno| failed(&errno))?;
        let mut file = File::from(file);
        file.write_all(&text).and_then(|()| file.rewind()).map_err(|error| failed(&error))?;
        let mut command = Command::new(program);
        command
            .arg("opinion")
            .env_clear()
            .envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdin(file).stdout(Stdio::piped()).stderr(Stdio::null()).current_dir("/");
        let mut child = command.process_group(0).spawn().map_err(|error| failed(&error))?;
        let Some(out) = child.stdout.take() else { return Err(failed(&"it has no output")) };
        let asking = Self { child, out, said: Vec::new(), until: Instant::now() + limit, limit };
        let flags = fcntl(&asking.out, FcntlArg::F_GETFL).map_err(|errno| failed(&errno))?;
        let flags = OFlag::from_bits_retain(flags) | OFlag::O_NONBLOCK;
        fcntl(&asking.out, FcntlArg::F_SETFL(flags)).map_err(|errno| failed(&errno))?;
        Ok(asking)
    }

    /// Returns what becomes readable when something is said.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.out.as_fd()
    }

    /// Returns when it is given up.
    #[must_use]
    pub const fn deadline(&self) -> Instant {
        self.until
    }

    /// Returns what was heard, if that is all of it, or the time is over. Waits for nothing.
    pub fn take(&mut self) -> Option<Heard> {
        let mut bytes = [0; 4096];
        loop {
            match self.out.read(&mut bytes) {
                Ok(0) => return Some(self.understood()),
                Ok(_) if self.said.len() > LONGEST => {
                    return Some(Heard::unavailable("what was answered is too long"));
                }
                Ok(count) => self.said.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => {
                    return Some(Heard::unavailable(format!("{PROGRAM} is not heard: {error}")));
                }
            }
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

    fn understood(&self) -> Heard {
        let answer = serde_json::from_slice(&self.said);
        answer.unwrap_or_else(|_| {
            Heard::unavailable(format!(
                "{PROGRAM} gave no answer; is it of the same version as guarded-sh?"
            ))
        })
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        // What it has started ends with it.
        if let Ok(id) = i32::try_from(self.child.id()) {
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
        }
        let _ = self.child.wait();
    }
}
