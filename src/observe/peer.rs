//! Who is at the other end of a socket, as the kernel says. Held on to, so that no other process can take its place unseen.
//! What it may do is for others to say.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::{PeerCredentials, PeerPidfd};
use nix::unistd::{Pid, getsid};

/// The process of our own user that connected to us, or that listened where we connected.
#[derive(Debug)]
pub struct Peer {
    id: u32,
    /// Linux 6.5 and later.
    handle: Option<OwnedFd>,
}

impl Peer {
    /// Returns the peer. None: it is of another user, or in a process namespace that we do not see into.
    pub fn of(stream: &UnixStream) -> io::Result<Option<Self>> {
        let credentials = getsockopt(stream, PeerCredentials)?;
        let id = u32::try_from(credentials.pid()).unwrap_or(0);
        if credentials.uid() != nix::unistd::geteuid().as_raw() || id == 0 {
            return Ok(None);
        }
        Ok(Some(Self { id, handle: getsockopt(stream, PeerPidfd).ok() }))
    }

    /// Returns its id.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// Returns what is ready when it has ended, where the system has that.
    #[must_use]
    pub fn end(&self) -> Option<OwnedFd> {
        self.handle.as_ref()?.try_clone().ok()
    }

    /// Returns whether it has not ended. None: the system cannot say, and its start tells it from another.
    #[must_use]
    pub fn is_there(&self) -> Option<bool> {
        let handle = self.handle.as_ref()?;
        let mut polled = [PollFd::new(handle.as_fd(), PollFlags::POLLIN)];
        Some(poll(&mut polled, PollTimeout::ZERO) == Ok(0))
    }
}

/// Returns whether standard input is a socket that the process made which started us, so that only it, and what it gave the other end to,
/// can say anything there.
#[must_use]
pub fn is_told_by_parent() -> bool {
    let maker = getsockopt(&std::io::stdin(), PeerCredentials).map(|maker| maker.pid());
    maker.is_ok_and(|maker| u32::try_from(maker).ok() == Some(std::os::unix::process::parent_id()))
}

/// Returns whether we are in the session of the process that started us. What was once put into a session of its own can never come back
/// into this one.
#[must_use]
pub fn is_in_parents_session() -> bool {
    let parent = i32::try_from(std::os::unix::process::parent_id()).map(Pid::from_raw);
    let own = getsid(None).ok();
    own.is_some() && parent.is_ok_and(|parent| getsid(Some(parent)).ok() == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_end_is_who_made_it() {
        let (one, other) = UnixStream::pair().unwrap();
        for stream in [one, other] {
            let peer = Peer::of(&stream).unwrap().unwrap();
            assert_eq!(peer.id(), std::process::id());
            assert_ne!(peer.is_there(), Some(false));
        }
    }
}
