//! Transcripts that were looked at lately, as wholes: read by a thread of their own, a part at a time, so that nobody waits for a large one.

use std::hash::RandomState;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::scan::Scan;
use super::{Session, Transcripts};

/// Transcripts that are remembered, and how much of all of them: calls, what came of them, and answers.
const KEPT: usize = 64;
const WEIGHT: usize = 100_000;
/// Bytes that are read at once.
const PART: u64 = 4 << 20;
/// Between two parts.
const PAUSE: Duration = Duration::from_millis(1);

/// What is known of one.
#[derive(Debug)]
struct Known {
    agent: &'static str,
    path: std::path::PathBuf,
    id: String,
    scan: Arc<One>,
}

/// One, and whether it is being read.
#[derive(Debug)]
struct One {
    state: Mutex<State>,
    done: Condvar,
}

#[derive(Debug)]
struct State {
    scan: Scan,
    /// How often it was asked for, and how often it was read since.
    asked: u64,
    read: u64,
    error: Option<String>,
}

impl One {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known of transcripts as wholes.
#[derive(Debug)]
pub struct Scans {
    hash: RandomState,
    known: Mutex<Vec<Known>>,
    jobs: Sender<(Session, Arc<One>)>,
}

impl Scans {
    /// Begins to read what is asked for, until it is dropped.
    pub fn begin(transcripts: Transcripts) -> io::Result<Self> {
        let (jobs, wanted) = channel();
        let thread = std::thread::Builder::new().name("transcripts".to_owned());
        thread.spawn(move || work(&transcripts, &wanted))?;
        Ok(Self { hash: RandomState::new(), known: Mutex::default(), jobs })
    }

    /// Returns what `ask` says of a transcript once it is read to its end, or as far as it is read after `patience`; and why not, where it cannot be read.
    pub fn ask<T>(
        &self,
        session: &Session,
        patience: Duration,
        ask: impl FnOnce(&Scan) -> T,
    ) -> Result<T, String> {
        let one = self.one(session);
        let end = Instant::now() + patience;
        let mut state = one.lock();
        state.asked += 1;
        let asked = state.asked;
        // Who reads has not ended before this is dropped.
        let _ = self.jobs.send((session.clone(), Arc::clone(&one)));
        while state.read < asked {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = one.done.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        match &state.error {
            Some(error) => Err(error.clone()),
            None => Ok(ask(&state.scan)),
        }
    }

    fn one(&self, session: &Session) -> Arc<One> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let path = session.path();
        let is_it =
            |one: &Known| one.agent == session.agent() && one.id == session.id && one.path == path;
        let one = if let Some(at) = known.iter().position(is_it) {
            known.remove(at)
        } else {
            let scan = Scan::new(self.hash.clone());
            let state = Mutex::new(State { scan, asked: 0, read: 0, error: None });
            let scan = Arc::new(One { state, done: Condvar::new() });
            Known { agent: session.agent(), path, id: session.id.clone(), scan }
        };
        let scan = Arc::clone(&one.scan);
        known.insert(0, one);
        known.truncate(KEPT);
        let mut weight = 0;
        let mut number = 0;
        known.retain(|one| {
            number += 1;
            // One that is being read is asked for.
            weight += one.scan.state.try_lock().map_or(0, |state| state.scan.weight());
            number == 1 || weight <= WEIGHT
        });
        scan
    }
}

fn work(transcripts: &Transcripts, wanted: &Receiver<(Session, Arc<One>)>) {
    while let Ok((session, one)) = wanted.recv() {
        let until = one.lock().asked;
        if one.lock().read >= until {
            continue;
        }
        loop {
            let mut state = one.lock();
            let done = transcripts.scan(&session, &mut state.scan, PART);
            state.error = done.as_ref().err().map(ToString::to_string);
            if done.unwrap_or(true) {
                state.read = until;
                one.done.notify_all();
                break;
            }
            drop(state);
            // Whoever asks what is known so far comes first.
            std::thread::sleep(PAUSE);
        }
    }
}
