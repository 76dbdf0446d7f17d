//! A connection that waits: every call ends by a deadline.
//! Believes nobody: who is at the other end is for the caller to check, with [`Client::socket`].

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::frame::{Fault, Frames, frame};

/// Why nothing was said or heard.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody listens there.
    #[error("nobody listens at '{path}'")]
    Absent {
        /// The socket.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The other end hung up, or the system failed.
    #[error("the connection broke")]
    Broken(#[source] io::Error),
    /// What came is no message.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The message is longer than any may be.
    #[error("the message is too long")]
    TooLong,
    /// Nothing came in time.
    #[error("no answer came in time")]
    Late,
}

/// A connection to a host.
#[derive(Debug)]
pub struct Client {
    stream: UnixStream,
    frames: Frames,
}

impl Client {
    /// Connects. A host whose queue of connections is full is waited for.
    pub fn connect(path: &Path, deadline: Instant) -> Result<Self, Error> {
        let absent =
            |errno: Errno| Error::Absent { path: path.display().to_string(), source: errno.into() };
        loop {
            match try_connect(path) {
                Ok(stream) => return Ok(Self { stream, frames: Frames::default() }),
                Err(Errno::EAGAIN) if Instant::now() < deadline => {
                    // There is nothing to wait on: unix(7) has no event for a place in the queue.
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(Errno::EAGAIN) => return Err(Error::Late),
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(absent(errno)),
            }
        }
    }

    /// Returns the socket, to see who is at its other end.
    #[must_use]
    pub const fn socket(&self) -> &UnixStream {
        &self.stream
    }

    /// Says something.
    pub fn send<T: Serialize>(&mut self, message: &T, deadline: Instant) -> Result<(), Error> {
        let bytes = frame(message).ok_or(Error::TooLong)?;
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.wait(PollFlags::POLLOUT, Some(deadline), &[])?;
                }
                Err(error) => return Err(Error::Broken(error)),
            }
        }
        Ok(())
    }

    /// Waits for what is said; without a deadline, for as long as it takes.
    pub fn receive<T: DeserializeOwned>(&mut self, deadline: Option<Instant>) -> Result<T, Error> {
        loop {
            if let Some(message) = self.receive_beside(deadline, &[])? {
                return Ok(message);
            }
        }
    }

    /// Waits for what is said as [`Client::receive`] does, or until something can be read beside it: none then.
    pub fn receive_beside<T: DeserializeOwned>(
        &mut self,
        deadline: Option<Instant>,
        beside: &[BorrowedFd<'_>],
    ) -> Result<Option<T>, Error> {
        loop {
            if let Some(message) = self.frames.take()? {
                return Ok(Some(message));
            }
            // What is said next is hardly ever there already.
            if !self.wait(PollFlags::POLLIN, deadline, beside)? {
                return Ok(None);
            }
            self.read()?;
        }
    }

    /// Returns what is said, if it is there. Waits for nothing.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Error> {
        loop {
            if let Some(message) = self.frames.take()? {
                return Ok(Some(message));
            }
            if !self.read()? {
                return Ok(None);
            }
        }
    }

    /// Reads what is there, if anything is.
    fn read(&mut self) -> Result<bool, Error> {
        let mut bytes = [0; 16 * 1024];
        loop {
            return match self.stream.read(&mut bytes) {
                Ok(0) => Err(Error::Broken(ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.frames.add(&bytes[..count]);
                    Ok(true)
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
                Err(error) => Err(Error::Broken(error)),
            };
        }
    }

    /// Waits for the socket, and returns whether it is ready: else it is what is beside it.
    fn wait(
        &self,
        flags: PollFlags,
        deadline: Option<Instant>,
        beside: &[BorrowedFd<'_>],
    ) -> Result<bool, Error> {
        loop {
            let left = deadline.map(|it| it.saturating_duration_since(Instant::now()));
            let timeout = match left {
                None => PollTimeout::NONE,
                // What is there already is not late.
                Some(Duration::ZERO) => PollTimeout::ZERO,
                // Never less than a millisecond, so that it does not spin at the end.
                Some(left) => PollTimeout::try_from(left.max(Duration::from_millis(1)))
                    .unwrap_or(PollTimeout::MAX),
            };
            let mut polled = vec![PollFd::new(self.stream.as_fd(), flags)];
            polled.extend(beside.iter().map(|fd| PollFd::new(*fd, PollFlags::POLLIN)));
            match poll(&mut polled, timeout) {
                Ok(0) if left == Some(Duration::ZERO) => return Err(Error::Late),
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => return Ok(polled[0].any().unwrap_or(true)),
                Err(errno) => return Err(Error::Broken(errno.into())),
            }
        }
    }
}

/// Connects, and waits for nobody. `EAGAIN` says that someone listens whose queue of connections is full.
pub(super) fn try_connect(path: &Path) -> Result<UnixStream, Errno> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let socket = socket(AddressFamily::Unix, SockType::Stream, flags, None)?;
    connect(socket.as_raw_fd(), &UnixAddr::new(path)?)?;
    Ok(UnixStream::from(socket))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::ipc::{FromHost, ToHost};

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(100)
    }

    /// Whether something is so before long: what is closed here may stay open a moment in a process that another test is starting.
    fn comes_true(mut is_so: impl FnMut() -> bool) -> bool {
        (0..2000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            is_so()
        })
    }

    #[test]
    fn every_call_ends() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.ask");
        assert!(matches!(Client::connect(&path, soon()), Err(Error::Absent { .. })));
        let listener = UnixListener::bind(&path).unwrap();
        let late = Instant::now() + Duration::from_secs(20);
        let mut client = Client::connect(&path, late).unwrap();
        // Nobody reads: what fits into the socket is sent, and no more.
        assert!(matches!(client.receive::<FromHost>(Some(soon())), Err(Error::Late)));
        let long = FromHost::Nobody { why: "x".repeat(500_000) };
        assert!(matches!(client.send(&long, soon()), Err(Error::Late)));
        let (mut other, _) = listener.accept().unwrap();
        drop(client);
        let mut client = Client::connect(&path, late).unwrap();
        assert!(comes_true(|| other.write_all(b"x").is_err()));
        let (mut other, _) = listener.accept().unwrap();
        client.send(&ToHost::List, late).unwrap();
        // A part of an answer, and then nothing more.
        other.write_all(b"gsh\x02\x10\0\0\0{").unwrap();
        assert!(matches!(client.receive::<FromHost>(Some(soon())), Err(Error::Late)));
        drop(other);
        assert!(matches!(client.receive::<FromHost>(Some(late)), Err(Error::Broken(_))));
        drop(listener);
        let is_absent = || matches!(Client::connect(&path, soon()), Err(Error::Absent { .. }));
        assert!(comes_true(is_absent));
    }

    #[test]
    fn what_is_there_already_is_not_late() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.ask");
        let listener = UnixListener::bind(&path).unwrap();
        let mut client = Client::connect(&path, soon()).unwrap();
        let past = Some(Instant::now());
        assert!(matches!(client.receive::<FromHost>(past), Err(Error::Late)));
        let (mut other, _) = listener.accept().unwrap();
        other.write_all(&frame(&FromHost::Noted).unwrap()).unwrap();
        assert!(matches!(client.receive(past), Ok(FromHost::Noted)));
    }

    #[test]
    fn a_host_of_another_version_is_named_as_such() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.ask");
        let listener = UnixListener::bind(&path).unwrap();
        let late = Instant::now() + Duration::from_secs(20);
        let mut client = Client::connect(&path, late).unwrap();
        listener.accept().unwrap().0.write_all(b"gsh\x07\x02\0\0\0{}").unwrap();
        let error = client.receive::<FromHost>(Some(late)).unwrap_err();
        assert!(error.to_string().contains("version 7"), "{error}");
    }
}
