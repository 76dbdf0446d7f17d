//! The end of the time that a hook has. A client that waited too long runs the command, so the process then refuses and ends, whatever it
//! is about.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::hooks::{Moment, Reply};

/// Watches over one answer.
pub(super) struct Watch {
    deadline: Instant,
    answered: Arc<AtomicBool>,
    status: Arc<AtomicU8>,
}

impl Watch {
    /// Starts the time.
    pub(super) fn start(limit: Duration) -> Self {
        let deadline = Instant::now() + limit;
        let answered = Arc::new(AtomicBool::new(false));
        let status = Arc::new(AtomicU8::new(Reply::refusal("").status));
        let (done, code) = (Arc::clone(&answered), Arc::clone(&status));
        thread::spawn(move || {
            thread::sleep(limit);
            if !done.swap(true, Ordering::AcqRel) {
                let text = "guarded-sh: refused: no answer in time; trying again may help\n";
                // Nothing is left to do if stderr is gone.
                let _ = std::io::stderr().write_all(text.as_bytes());
                std::process::exit(i32::from(code.load(Ordering::Acquire)));
            }
        });
        Self { deadline, answered, status }
    }

    /// Keeps the time of an answer for which no client waits: nothing ends by it.
    pub(super) fn unended(limit: Duration) -> Self {
        Self {
            deadline: Instant::now() + limit,
            answered: Arc::new(AtomicBool::new(false)),
            status: Arc::new(AtomicU8::new(0)),
        }
    }

    /// Returns the time that is left.
    pub(super) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Says what the answer is about: where nothing waits for it, none is no refusal.
    pub(super) fn is_about(&self, moment: Moment) {
        if !moment.decides() {
            self.status.store(Reply::complaint("").status, Ordering::Release);
        }
    }

    /// Gives the answer, unless time is over. Returns the exit status.
    pub(super) fn answer(&self, reply: &Reply) -> u8 {
        if self.answered.swap(true, Ordering::AcqRel) {
            // The other one is ending the process.
            loop {
                thread::park();
            }
        }
        // Where the client does not read, it does not run either.
        let _ = std::io::stderr().write_all(reply.stderr.as_bytes());
        let mut out = std::io::stdout().lock();
        match out.write_all(reply.stdout.as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => reply.status,
            Err(_) => Reply::refusal("").status,
        }
    }
}
