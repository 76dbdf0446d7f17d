//! What is recorded from now on, followed by a thread of its own.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use guarded_sh::audit::{Entry, Reader, Store, Written};
use tokio::sync::broadcast;

/// Calls that are kept for whoever is slow; who is slower is told to look anew.
const KEPT: usize = 1_024;

/// What is recorded, as it comes.
pub struct Calls {
    told: broadcast::Sender<Arc<Entry>>,
    /// Dropped with this: the thread ends then.
    _reader: UnixStream,
}

impl Calls {
    /// Follows the record.
    pub fn follow(store: &Store) -> io::Result<Self> {
        let (reader, other) = UnixStream::pair()?;
        let mut written = Written::to(store.directory())?;
        let mut follow = store.follow().map_err(io::Error::other)?;
        let told = broadcast::Sender::new(KEPT);
        let say = told.clone();
        let thread = std::thread::Builder::new().name("record".to_owned());
        thread.spawn(move || {
            // A file that cannot be read now may be read after the next record.
            while written.wait(Some(other.as_fd())).is_ok_and(|reader| reader == Reader::There) {
                for entry in follow.read().into_iter().flatten().flatten() {
                    let _ = say.send(Arc::new(entry));
                }
            }
        })?;
        Ok(Self { told, _reader: reader })
    }

    /// Returns what is recorded from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Entry>> {
        self.told.subscribe()
    }
}
