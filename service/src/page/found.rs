//! The index of the record, kept up to date by a thread of its own, as pages ask it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::Written;
use tokio::sync::watch;

use crate::index::{Index, Progress};

/// How it stands with the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stands {
    /// It is being brought up to date: so many of a hundred parts are read.
    Read(u64),
    /// It holds what the record holds.
    Ready,
    /// There is none.
    Failed(String),
}

/// The index, as pages ask it.
pub struct Found {
    state: PathBuf,
    reader: Mutex<Option<Index>>,
    /// It was seen to be damaged; it is made anew at the next record.
    is_damaged: Arc<AtomicBool>,
    stands: watch::Receiver<Stands>,
}

impl Found {
    /// Brings the index of the records below a state directory up to date, and keeps it so.
    pub fn follow(state: &Path) -> io::Result<Self> {
        let (say, stands) = watch::channel(Stands::Read(0));
        let written = Written::to(&state.join("records"))?;
        let (state, directory) = (state.to_owned(), state.to_owned());
        let is_damaged = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_damaged);
        let thread = std::thread::Builder::new().name("index".to_owned());
        thread.spawn(move || keep(&directory, written, &seen, &say))?;
        // What is opened first writes; this one reads what that one wrote.
        Ok(Self { state, reader: Mutex::default(), is_damaged, stands })
    }

    /// Returns how it stands.
    pub fn stands(&self) -> Stands {
        self.stands.borrow().clone()
    }

    /// Asks the index, as far as it is. To be called where waiting is no harm.
    pub fn ask<T>(
        &self,
        ask: impl FnOnce(&Index) -> Result<T, crate::index::Error>,
    ) -> Result<T, String> {
        if let Stands::Failed(why) = self.stands() {
            return Err(why);
        }
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let told = |error: crate::index::Error| {
            if matches!(error, crate::index::Error::Damaged { .. }) {
                self.is_damaged.store(true, Ordering::Relaxed);
            }
            with_causes(&error)
        };
        let index = match &mut *reader {
            Some(index) => index,
            none => none.insert(Index::open(&self.state).map_err(told)?),
        };
        // It may have been made anew meanwhile.
        index.update(&mut |_| {}).map_err(told)?;
        ask(index).map_err(told)
    }
}

/// Keeps the index up to date until nobody asks it any more.
fn keep(state: &Path, mut written: Written, is_damaged: &AtomicBool, say: &watch::Sender<Stands>) {
    let mut index = loop {
        match Index::open(state) {
            Ok(index) => break index,
            Err(error) => say.send_replace(Stands::Failed(with_causes(&error))),
        };
        // What stands in its place may be gone after the next record.
        if say.is_closed() || written.wait(None).is_err() {
            return;
        }
    };
    while !say.is_closed() {
        if is_damaged.swap(false, Ordering::Relaxed) {
            index.is_found_damaged();
        }
        let updated = index.update(&mut |progress| {
            let parts = match progress {
                Progress::Reading { bytes, of } => bytes.saturating_mul(100) / of.max(1),
                Progress::Filling => 100,
            };
            say.send_if_modified(|stands| {
                let is_other = *stands != Stands::Ready && *stands != Stands::Read(parts);
                if is_other {
                    *stands = Stands::Read(parts);
                }
                is_other
            });
        });
        say.send_replace(match updated {
            Ok(_) => Stands::Ready,
            Err(error) => Stands::Failed(with_causes(&error)),
        });
        if written.wait(None).is_err() {
            return;
        }
    }
}
