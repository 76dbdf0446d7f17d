//! The kernel's word that a transcript grew that somebody looks at.

use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};
use tokio::sync::broadcast;

use super::Session;

/// Transcripts that are watched: those that were looked at last.
const WATCHED: usize = 64;
/// News that are kept for whoever is slow.
const KEPT: usize = 256;
/// What is written within this time is told once.
const TOGETHER: Duration = Duration::from_millis(100);

/// A transcript that grew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Whose.
    pub agent: &'static str,
    /// Of which session; of a database none is said.
    pub session: String,
}

#[derive(Debug)]
struct Watched {
    descriptor: WatchDescriptor,
    directory: PathBuf,
    /// How the file's name begins.
    name: OsString,
    changed: Changed,
}

#[derive(Debug)]
struct Shared {
    events: Inotify,
    watched: Mutex<Vec<Watched>>,
}

/// Watches transcripts.
#[derive(Debug)]
pub struct Watch {
    shared: Arc<Shared>,
    told: broadcast::Sender<Changed>,
    /// Dropped with this: the thread ends then.
    _reader: UnixStream,
}

impl Watch {
    /// Begins to watch what is named later.
    pub fn begin() -> io::Result<Self> {
        let events = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC)?;
        let shared = Arc::new(Shared { events, watched: Mutex::default() });
        let (reader, other) = UnixStream::pair()?;
        let told = broadcast::Sender::new(KEPT);
        let (say, of) = (told.clone(), Arc::clone(&shared));
        let thread = std::thread::Builder::new().name("changes".to_owned());
        thread.spawn(move || of.follow(&other, &say))?;
        Ok(Self { shared, told, _reader: reader })
    }

    /// Returns what changes from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Changed> {
        self.told.subscribe()
    }

    /// Watches a transcript from now on.
    pub fn watch(&self, session: &Session) {
        let path = session.path();
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return };
        let changed = Changed { agent: session.agent(), session: session.id.clone() };
        let mut watched = self.shared.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.retain(|one| one.changed != changed);
        let events =
            AddWatchFlags::IN_MODIFY | AddWatchFlags::IN_CREATE | AddWatchFlags::IN_MOVED_TO;
        // Where it cannot be watched, the page is as it was when it was loaded.
        let Ok(descriptor) = self.shared.events.add_watch(directory, events) else { return };
        let (directory, name) = (directory.to_owned(), name.to_owned());
        watched.push(Watched { descriptor, directory, name, changed });
        if watched.len() > WATCHED {
            let oldest = watched.remove(0);
            if watched.iter().all(|one| one.directory != oldest.directory) {
                // It is gone with its directory.
                let _ = self.shared.events.rm_watch(oldest.descriptor);
            }
        }
    }
}

impl Shared {
    fn follow(&self, other: &UnixStream, say: &broadcast::Sender<Changed>) {
        loop {
            let mut fds = [
                PollFd::new(self.events.as_fd(), PollFlags::POLLIN),
                PollFd::new(other.as_fd(), PollFlags::empty()),
            ];
            match poll(&mut fds, PollTimeout::NONE) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(_) => return,
            }
            let gone = PollFlags::POLLERR | PollFlags::POLLHUP;
            if fds[1].revents().is_some_and(|flags| flags.intersects(gone)) {
                return;
            }
            // A client that writes word by word is told once.
            std::thread::sleep(TOGETHER);
            let mut news: Vec<Changed> = Vec::new();
            while let Ok(events) = self.events.read_events() {
                if events.is_empty() {
                    break;
                }
                let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
                for event in events {
                    let name = event.name.unwrap_or_default();
                    let is_its =
                        |one: &&Watched| one.descriptor == event.wd && is_of(&one.name, &name);
                    for one in watched.iter().filter(is_its) {
                        if !news.contains(&one.changed) {
                            news.push(one.changed.clone());
                        }
                    }
                }
            }
            for one in news {
                // Nobody may be listening.
                let _ = say.send(one);
            }
        }
    }
}

/// Whether a file is the transcript's, or stands beside a database of that name.
fn is_of(name: &OsString, other: &OsString) -> bool {
    let beside =
        other.to_str().zip(name.to_str()).and_then(|(other, name)| other.strip_prefix(name));
    beside.is_some_and(|rest| matches!(rest, "" | "-wal" | "-journal"))
}
