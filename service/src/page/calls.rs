//! What is recorded from now on, followed by a thread of its own.

use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use guarded_sh::audit::{Entry, Reader, Store, Written};
use guarded_sh::language::Language;
use tokio::sync::broadcast;

use super::counts::Counts;

/// Calls that are kept for whoever is slow; who is slower is told to look anew.
const KEPT: usize = 1_024;

/// A call of which a record was written. What streams say of it is made once, by the first that says it.
pub struct Told {
    pub entry: Entry,
    /// In each language.
    page: [OnceLock<Bytes>; Language::ALL.len()],
    program: OnceLock<Bytes>,
}

impl Told {
    /// Returns what pages are told in a language.
    pub fn page(&self, language: Language, made: impl FnOnce(&Entry) -> Bytes) -> Bytes {
        let at = Language::ALL.iter().position(|one| *one == language).unwrap_or_default();
        self.page[at].get_or_init(|| made(&self.entry)).clone()
    }

    /// Returns what programs are told.
    pub fn program(&self, made: impl FnOnce(&Entry) -> Bytes) -> Bytes {
        self.program.get_or_init(|| made(&self.entry)).clone()
    }
}

/// What is recorded, as it comes.
pub struct Calls {
    told: broadcast::Sender<Arc<Told>>,
    /// Dropped with this: the thread ends then.
    _reader: UnixStream,
}

impl Calls {
    /// Follows the record, and counts what it says.
    pub fn follow(store: &Store, counts: Arc<Counts>) -> io::Result<Self> {
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
                    counts.record(&entry);
                    let (page, program) = (Default::default(), OnceLock::new());
                    let _ = say.send(Arc::new(Told { entry, page, program }));
                }
            }
        })?;
        Ok(Self { told, _reader: reader })
    }

    /// Returns what is recorded from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<Arc<Told>> {
        self.told.subscribe()
    }
}
