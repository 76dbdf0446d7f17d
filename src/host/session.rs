//! The host of a session as the guest at its terminal: what runs below finds it there.
//! Shows nothing yet that is asked: it is answered from another terminal.

use std::ffi::OsString;
use std::time::Instant;

use nix::poll::{PollFd, PollFlags};

use super::relay::Guest;
use super::server::Server;

impl Guest for Server {
    fn environment(&self) -> Vec<(OsString, OsString)> {
        vec![("GUARDED_SH_SOCKET".into(), self.socket().into())]
    }

    fn wait_for<'a>(&'a self, descriptors: &mut Vec<PollFd<'a>>) {
        descriptors.extend(self.fds().map(|(fd, flags)| PollFd::new(fd, flags)));
    }

    fn wake_at(&self) -> Option<Instant> {
        self.deadline()
    }

    fn turn(&mut self, ready: &[PollFlags]) {
        Self::turn(self, ready, Instant::now());
    }
}
