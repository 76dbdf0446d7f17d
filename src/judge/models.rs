//! The service that is asked for all lines below a host: a process of its own, started when first somebody asks, which is handed the
//! connections of those who do. It holds keys and answers; the host, which holds what people said, speaks to no network.

use std::io::{self, IoSlice};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::socket::{
    AddressFamily, ControlMessage, MsgFlags, SockFlag, SockType, sendmsg, socketpair,
};

use crate::config::Provider;

/// The variable by which the service knows whom it may ask, as JSON: whoever could make a shell of ours say another address gets no key there.
pub const PROVIDERS: &str = "GUARDED_SHD_PROVIDERS";

/// How long it is left alone that could not be started, or ended by itself: whoever asks starts one of their own meanwhile.
const REST: Duration = Duration::from_secs(5);

/// The service, started or not.
#[derive(Debug)]
pub struct Models {
    program: PathBuf,
    variables: Vec<(String, String)>,
    running: Option<Running>,
    /// When it was started last.
    started: Option<Instant>,
}

#[derive(Debug)]
struct Running {
    child: Child,
    way: OwnedFd,
}

impl Models {
    /// Returns the service that this program would be: it asks these providers and no others. `variables` are all else of the environment that
    /// it has.
    #[must_use]
    pub fn new(program: PathBuf, variables: Vec<(String, String)>, providers: &[Provider]) -> Self {
        let providers = serde_json::to_string(providers).unwrap_or_default();
        let own = std::iter::once((PROVIDERS.to_owned(), providers));
        let variables = variables.into_iter().chain(own).collect();
        Self { program, variables, running: None, started: None }
    }

    /// Hands a connection over: what is asked on it from now on is the service's to answer. Waits for nothing.
    pub fn hand(&mut self, connection: BorrowedFd<'_>, now: Instant) -> io::Result<()> {
        if let Some(running) = &self.running {
            match running.hand(connection) {
                // As many wait there as can.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(error),
                Err(_) => self.running = None,
                Ok(()) => return Ok(()),
            }
        }
        if self.started.is_some_and(|started| now < started + REST) {
            return Err(io::Error::other("it has ended"));
        }
        self.started = Some(now);
        let running = self.start()?;
        running.hand(connection)?;
        self.running = Some(running);
        Ok(())
    }

    fn start(&self) -> io::Result<Running> {
        let flags = SockFlag::SOCK_CLOEXEC;
        let (way, theirs) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)?;
        let mut command = Command::new(&self.program);
        command.arg("serve").env_clear().envs(self.variables.iter().cloned());
        command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
        // What the terminal's keys tell the host is not for it; it ends with the host's end of the way.
        let child = command.process_group(0).spawn()?;
        Ok(Running { child, way })
    }
}

impl Running {
    fn hand(&self, connection: BorrowedFd<'_>) -> io::Result<()> {
        let parts = [IoSlice::new(b"\n")];
        let rights = [connection.as_raw_fd()];
        let control = [ControlMessage::ScmRights(&rights)];
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
        sendmsg::<()>(self.way.as_raw_fd(), &parts, &control, flags, None)?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It ends by itself once its end of the way is closed, and ends what it has started; whoever is there then waits for it.
        let _ = self.child.try_wait();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn one_that_cannot_be_started_or_ends_is_left_alone_for_a_while() {
        let now = Instant::now();
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut absent = Models::new("/nonexistent".into(), Vec::new(), &[]);
        for _ in 0..2 {
            assert!(absent.hand(theirs.as_fd(), now).is_err());
        }
        // It takes no connection and ends at once: what it was handed is closed with it.
        let mut ending = Models::new("/bin/true".into(), Vec::new(), &[]);
        let first = ending.hand(theirs.as_fd(), now);
        drop(theirs);
        if let Ok(()) = first {
            assert_eq!((&ours).read(&mut [0]).unwrap(), 0);
        }
        let (_, other) = UnixStream::pair().unwrap();
        assert!(ending.hand(other.as_fd(), now).is_err());
        assert!(ending.started == Some(now));
    }
}
