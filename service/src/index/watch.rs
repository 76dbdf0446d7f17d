//! Word from the kernel that something was written to the record, so that nobody looks again and again.

use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use rustix::io::{Errno, Result};

/// Notices writes to the files of a directory, which may not be there yet.
pub struct Watch {
    directory: PathBuf,
    events: OwnedFd,
    is_there: bool,
}

impl Watch {
    /// Watches the records below a state directory. What is written from here on is noticed.
    pub fn new(state: &Path) -> Result<Self> {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let mut watch = Self { directory: state.join("records"), events, is_there: false };
        watch.look()?;
        Ok(watch)
    }

    /// Waits until something was written, or the time is over; none waits for ever.
    pub fn wait(&mut self, limit: Option<&Timespec>) -> Result<()> {
        let mut ready = [PollFd::new(&self.events, PollFlags::IN)];
        match poll(&mut ready, limit) {
            Ok(_) | Err(Errno::INTR) => self.taken(),
            Err(error) => Err(error),
        }
    }

    /// Takes what was told. Whoever waits for the descriptor itself calls it then.
    pub fn taken(&mut self) -> Result<()> {
        let mut space = [MaybeUninit::uninit(); 4 << 10];
        let mut told = Reader::new(&self.events, &mut space);
        while told.next().is_ok() {}
        self.look()
    }

    /// Watches the directory; until it is there, the nearest one above.
    fn look(&mut self) -> Result<()> {
        while !self.is_there {
            let changes = WatchFlags::MODIFY | WatchFlags::CREATE | WatchFlags::DELETE;
            let changes = changes | WatchFlags::MOVED_TO | WatchFlags::MOVED_FROM;
            let near = self.directory.ancestors().find(|path| path.is_dir());
            let near = near.unwrap_or(Path::new("/")).to_owned();
            inotify::add_watch(&self.events, &near, changes | WatchFlags::ONLYDIR)?;
            self.is_there = near == self.directory;
            // What was made meanwhile is not missed: it is looked again.
            let next = self.directory.ancestors().take_while(|path| *path != near).last();
            if !next.is_some_and(Path::is_dir) {
                break;
            }
        }
        Ok(())
    }
}

impl AsFd for Watch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.events.as_fd()
    }
}
