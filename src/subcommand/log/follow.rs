//! `log --follow`: what is recorded from now on, as it comes. Waits for the kernel's word that something was written.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::path::Path;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

use super::List;
use super::words::happened;
use crate::audit::{Entry, Follow};
use crate::subcommand::failure::Failure;

/// Calls of which is remembered how they were shown.
const REMEMBERED: usize = 512;

impl List<'_> {
    /// Writes what comes, until nobody reads it. `newest` is the number of the last record that was written already.
    pub(super) fn follow(
        &mut self,
        mut follow: Follow,
        directory: &Path,
        newest: Option<u64>,
    ) -> Result<(), Failure> {
        let failed =
            |error: Errno| Failure::new(format!("cannot notice what is recorded: {error}"));
        let mut written = Written::to(directory).map_err(failed)?;
        let mut shown: BTreeMap<u64, String> = BTreeMap::new();
        loop {
            for found in follow.read()? {
                if found.as_ref().is_ok_and(|entry| Some(entry.last_number()) <= newest) {
                    continue;
                }
                if let Ok(entry) = &found
                    && !(self.filter.fits_entry(entry) && self.says_more(entry, &mut shown))
                {
                    continue;
                }
                self.write(found)?;
            }
            self.out.flush()?;
            if written.wait().map_err(failed)? == Reader::Gone {
                return Ok(());
            }
        }
    }

    /// Returns whether an entry says something that was not shown: for people, that something else happened.
    fn says_more(&self, entry: &Entry, shown: &mut BTreeMap<u64, String>) -> bool {
        if shown.len() > REMEMBERED {
            shown.pop_first();
        }
        let words = happened(entry);
        let before = shown.insert(entry.first.sequence, words.clone());
        self.arguments.json || before != Some(words)
    }
}

/// Whether somebody reads what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reader {
    There,
    Gone,
}

/// Notices writes to the files of a directory.
struct Written<'a> {
    directory: &'a Path,
    events: Inotify,
    /// Whether the directory itself is watched, and not one above, because it is not there yet.
    is_there: bool,
}

impl<'a> Written<'a> {
    fn to(directory: &'a Path) -> Result<Self, Errno> {
        let events = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
        let mut written = Self { directory, events, is_there: false };
        written.watch()?;
        Ok(written)
    }

    /// Watches the directory; until it is there, the nearest one above.
    fn watch(&mut self) -> Result<(), Errno> {
        while !self.is_there {
            let changes = AddWatchFlags::IN_MODIFY | AddWatchFlags::IN_CREATE;
            let changes = changes | AddWatchFlags::IN_MOVED_TO | AddWatchFlags::IN_ONLYDIR;
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

    /// Waits until something was written, or nobody reads on.
    fn wait(&mut self) -> Result<Reader, Errno> {
        let out = io::stdout();
        let mut fds = [
            PollFd::new(self.events.as_fd(), PollFlags::POLLIN),
            PollFd::new(out.as_fd(), PollFlags::empty()),
        ];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
        let is_gone = |flags: PollFlags| flags.intersects(PollFlags::POLLERR | PollFlags::POLLHUP);
        if fds[1].revents().is_some_and(is_gone) {
            return Ok(Reader::Gone);
        }
        while self.events.read_events().is_ok_and(|events| !events.is_empty()) {}
        self.watch()?;
        Ok(Reader::There)
    }
}
