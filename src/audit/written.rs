//! The kernel's word that something was written to the records.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

/// Whether somebody reads what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Somebody does.
    There,
    /// Nobody does any more.
    Gone,
}

/// Notices writes to the files of a directory.
#[derive(Debug)]
pub struct Written {
    directory: PathBuf,
    events: Inotify,
    /// Whether the directory itself is watched, and not one above, because it is not there yet.
    is_there: bool,
}

impl Written {
    /// Begins to notice what is written to this directory, which need not be there yet.
    pub fn to(directory: &Path) -> io::Result<Self> {
        let events = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
        let mut written = Self { directory: directory.to_owned(), events, is_there: false };
        written.watch()?;
        Ok(written)
    }

    /// Watches the directory; until it is there, the nearest one above.
    fn watch(&mut self) -> Result<(), Errno> {
        while !self.is_there {
            let changes = AddWatchFlags::IN_MODIFY | AddWatchFlags::IN_CREATE;
            let moved = AddWatchFlags::IN_MOVED_TO | AddWatchFlags::IN_MOVED_FROM;
            let changes = changes | moved | AddWatchFlags::IN_DELETE | AddWatchFlags::IN_ONLYDIR;
            let mut near = self.directory.ancestors();
            let near = near.find(|path| path.is_dir()).unwrap_or(Path::new("/"));
            self.events.add_watch(near, changes)?;
            self.is_there = near == self.directory;
            // What was made meanwhile is not missed: it is looked again.
            let next = self.directory.ancestors().take_while(|path| *path != near).last();
            if !next.is_some_and(Path::is_dir) {
                break;
            }
        }
        Ok(())
    }

    /// Waits until something was written, or nobody is at the other end of `reader`; of none, for as long as it takes.
    pub fn wait(&mut self, reader: Option<BorrowedFd<'_>>) -> io::Result<Reader> {
        let mut fds = vec![PollFd::new(self.events.as_fd(), PollFlags::POLLIN)];
        fds.extend(reader.map(|reader| PollFd::new(reader, PollFlags::empty())));
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_gone = |fd: &PollFd<'_>| {
            let flags = fd.revents().unwrap_or(PollFlags::empty());
            flags.intersects(PollFlags::POLLERR | PollFlags::POLLHUP)
        };
        if fds.get(1).is_some_and(is_gone) {
            return Ok(Reader::Gone);
        }
        while self.events.read_events().is_ok_and(|events| !events.is_empty()) {}
        self.watch()?;
        Ok(Reader::There)
    }
}
