//! Notices that something was written to a terminal. Says neither who did it nor what.
//!
//! The kernel notes a write at the name by which the terminal was opened: who writes by `/dev/tty` is not seen at the device for which it
//! stands. So whoever notices writes to the device, and writes by `/dev/tty`, sees those of others alone.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

/// Notices writes to a terminal, by whatever descriptor of it. The kernel notes each before it returns to its writer.
#[derive(Debug)]
pub struct Writes {
    events: Inotify,
    own: Own,
}

/// Whether what we write ourselves is noticed too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Own {
    /// We write by the name that is watched. What others write in the same moment as we do cannot be told from it.
    Seen,
    /// We write by another name.
    Unseen,
}

impl Writes {
    /// Notices them from now on. Fails where the terminal may not be read, as after `su`.
    pub fn notice(terminal: impl AsFd, own: Own) -> io::Result<Self> {
        let events = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
        let path = format!("/proc/self/fd/{}", terminal.as_fd().as_raw_fd());
        events.add_watch(path.as_str(), AddWatchFlags::IN_MODIFY)?;
        Ok(Self { events, own })
    }

    /// Returns whether what is seen is written by others alone.
    #[must_use]
    pub fn are_of_others(&self) -> bool {
        self.own == Own::Unseen
    }

    /// Forgets what we wrote ourselves just now.
    pub fn forget_own(&mut self) {
        if self.own == Own::Seen {
            self.were_seen();
        }
    }

    /// Returns whether anything was written since this was called last.
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
