//! Notices that something was written to a terminal. Says neither who did it nor what.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

/// Notices writes to a terminal, by whatever descriptor of it. The kernel notes each before it returns to its writer.
#[derive(Debug)]
pub struct Writes {
    events: Inotify,
}

impl Writes {
    /// Notices them from now on. Fails where the terminal may not be read, as after `su`.
    pub fn notice(terminal: impl AsFd) -> io::Result<Self> {
        let events = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
        let path = format!("/proc/self/fd/{}", terminal.as_fd().as_raw_fd());
        events.add_watch(path.as_str(), AddWatchFlags::IN_MODIFY)?;
        Ok(Self { events })
    }

    /// Returns whether anything was written since this was called last, by us or by others.
    pub fn were_seen(&mut self) -> bool {
        let mut seen = false;
        while self.events.read_events().is_ok_and(|events| !events.is_empty()) {
            seen = true;
        }
        seen
    }
}

impl AsFd for Writes {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.events.as_fd()
    }
}
