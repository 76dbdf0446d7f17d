//! The lines of clients: what each waits for, what it wrote, how it ended. Each belongs to the client whose token began it, and is known to no other. Never
//! more at once, or kept, than so many.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::sha256;
use guarded_sh::ipc::FromClientLine;
use guarded_sh::model::{Ended, Severity};
use nix::sys::signal::Signal;
use rustix::pipe::{PipeFlags, pipe_with};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::journal::{How, Journal, Used};
use super::kept::Kept;
use super::launch::{self, Launched, Launcher, Process, Start};
use super::record::Recorder;
use super::runs::Runs;
use super::turns::{Turn, Turns};
use crate::page::once::drawn;

/// Lines that are not over, at most.
const OPEN: usize = 2_000;
/// Those of one client.
const OPEN_OF_ONE: usize = 1_000;
/// Lines that are over and still known, at most, and bytes of what they wrote.
const OVER: usize = 1_000;
const OVER_BYTES: usize = 64 << 20;
/// For how long a line that is told to end may take, before it is ended by force.
const GRACE: Duration = Duration::from_secs(2);
/// For how long what a line wrote is waited for, once it is over: others may still have its output.
const REST: Duration = Duration::from_millis(500);
/// Bytes that a pipe holds.
const PIPE: usize = 1 << 20;

/// What a line is at.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// It waits for its turn, or is judged.
    Waits,
    /// A person is asked.
    Asked { id: String, reason: String },
    /// It runs, since somebody let it.
    Runs { by: String, severity: Severity },
    /// It did not run.
    Refused { reason: String, hint: Option<String>, severity: Option<Severity> },
    /// It ran, and is over.
    Ended { by: String, severity: Severity, ended: Ended, why: Option<Why> },
}

impl State {
    /// Whether nothing more comes.
    pub const fn is_over(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Ended { .. })
    }
}

/// Why a line was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its time was over.
    Late,
    /// Its client wanted it, or is gone.
    Cancelled,
}

/// A line.
pub struct Job {
    pub id: String,
    /// The digest of the token that began it.
    owner: String,
    pub begun: Instant,
    state: watch::Sender<State>,
    out: Mutex<Kept>,
    err: Mutex<Kept>,
    cancel: CancellationToken,
    /// What is the same where the same is asked for once more.
    fingerprint: String,
    /// The digest of its key and client.
    key: Option<String>,
}

fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Job {
    /// Returns what it is at.
    pub fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Follows what it is at.
    pub fn follow(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Returns how many follow it.
    pub fn followers(&self) -> usize {
        self.state.receiver_count()
    }

    /// Has it end.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Returns what it wrote to standard output.
    pub fn out(&self) -> MutexGuard<'_, Kept> {
        held(&self.out)
    }

    /// Returns what it wrote to standard error.
    pub fn err(&self) -> MutexGuard<'_, Kept> {
        held(&self.err)
    }
}

/// Why a line is not taken.
#[derive(Debug, thiserror::Error)]
pub enum NotTaken {
    /// There are too many.
    #[error("as many commands wait or run as may: cancel some, or ask again later")]
    Full,
    /// The key was used for something else.
    #[error("this key was used for another command before: a key stands for one call")]
    OtherKey,
    /// The key was used, and what came of it is not known here any more.
    #[error(
        "this key was used before, by call {}, and nothing runs twice: {}; `history` has what is recorded", .0.call, .0.how
    )]
    Used(Used),
    /// Nothing can be drawn.
    #[error("{0}")]
    Broken(String),
}

/// What a job is begun with, but its streams.
pub struct Wanted {
    pub owner: String,
    pub key: Option<String>,
    pub fingerprint: String,
}

/// All lines of clients.
pub struct Jobs {
    inner: Mutex<Inner>,
    turns: Arc<Turns>,
    launcher: Launcher,
    started: Started,
}

/// What is kept of what was started, over restarts too.
pub struct Started {
    pub journal: Journal,
    pub runs: Runs,
}

impl Started {
    /// Notes that a call is about to start.
    async fn begin(&self, job: &str, key: Option<&str>) -> Result<(), String> {
        let noted = |error: std::io::Error| format!("it cannot be noted that it starts: {error}");
        // In this order: of a key that stands for no run nothing would be known after a restart.
        self.runs.begin(job, key).map_err(noted)?;
        match key {
            Some(key) => self.journal.begin(key, job).await.map_err(|error| with_causes(&error)),
            None => Ok(()),
        }
    }

    /// Notes that it is over. Where that cannot be written the next bridge says what is known.
    fn over(&self, job: &str, key: Option<&str>, how: How) {
        let is_noted = key.is_none_or(|key| self.journal.end(key, how).is_ok());
        if is_noted {
            self.runs.over(job);
        }
    }
}

#[derive(Default)]
struct Inner {
    by_id: HashMap<String, Arc<Job>>,
    by_key: HashMap<(String, String), String>,
    over: VecDeque<String>,
}

/// A job that is there, and whether it was begun by this call.
pub enum Taken {
    New(Arc<Job>),
    Known(Arc<Job>),
}

impl Jobs {
    pub fn new(started: Started, launcher: Launcher) -> Arc<Self> {
        Arc::new(Self { inner: Mutex::default(), turns: Turns::new(), launcher, started })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        held(&self.inner)
    }

    /// Waits until it is a client's turn; none where too many wait.
    pub async fn turn(&self, owner: &str) -> Option<Turn> {
        self.turns.take(owner).await
    }

    /// Starts what only judges.
    pub async fn judge(&self, start: Start) -> std::io::Result<Launched> {
        self.launcher.start(start).await
    }

    /// Starts a line that has no key.
    pub async fn start(&self, job: &str, start: Start) -> Result<Launched, String> {
        self.started.begin(job, None).await?;
        let launched = self.launcher.start(start).await;
        launched.map_err(|error| {
            self.started.over(job, None, How::Nothing);
            format!("it cannot be started: {error}")
        })
    }

    /// Notes that one is over that has no key, and is recorded.
    pub fn ended(&self, job: &str) {
        self.started.over(job, None, How::Nothing);
    }

    /// Returns a line of a client's own.
    pub fn find(&self, owner: &str, id: &str) -> Option<Arc<Job>> {
        self.inner().by_id.get(id).filter(|job| job.owner == owner).cloned()
    }

    /// Takes a line; one whose key is known is that which was begun before.
    pub fn take(&self, wanted: Wanted) -> Result<Taken, NotTaken> {
        let mut inner = self.inner();
        let key = wanted.key.clone().map(|key| (wanted.owner.clone(), key));
        if let Some(id) = key.as_ref().and_then(|key| inner.by_key.get(key))
            && let Some(job) = inner.by_id.get(id)
        {
            let is_same = job.fingerprint == wanted.fingerprint;
            // One that ended because nobody was there any more, before anybody let it run, begins anew.
            let is_left = job.cancel.is_cancelled() && matches!(job.state(), State::Refused { .. });
            if !is_same {
                return Err(NotTaken::OtherKey);
            }
            if !is_left {
                return Ok(Taken::Known(Arc::clone(job)));
            }
        }
        let open = inner.by_id.values().filter(|job| !job.state.borrow().is_over());
        let (mut all, mut own) = (0, 0);
        for job in open {
            all += 1;
            own += usize::from(job.owner == wanted.owner);
        }
        if all >= OPEN || own >= OPEN_OF_ONE {
            return Err(NotTaken::Full);
        }
        let once = key.as_ref().map(|(owner, key)| sha256(format!("{owner} {key}").as_bytes()));
        if let Some(used) = once.as_ref().and_then(|once| self.started.journal.used(once)) {
            return Err(NotTaken::Used(used));
        }
        let id = drawn().map_err(|error| NotTaken::Broken(error.to_string()))?;
        let id = id[..32].to_owned();
        let Wanted { owner, fingerprint, .. } = wanted;
        let job = Arc::new(Job {
            id: id.clone(),
            owner,
            begun: Instant::now(),
            state: watch::Sender::new(State::Waits),
            out: Mutex::default(),
            err: Mutex::default(),
            cancel: CancellationToken::new(),
            fingerprint,
            key: once,
        });
        if let Some(key) = key {
            inner.by_key.insert(key, id.clone());
        }
        inner.by_id.insert(id, Arc::clone(&job));
        Ok(Taken::New(job))
    }

    /// Runs a line that was taken, to its end. `make` makes what it is started with, once it is its turn.
    pub async fn run(
        self: Arc<Self>,
        job: Arc<Job>,
        make: impl FnOnce(OwnedFd, OwnedFd) -> Result<Start, String> + Send,
        limit: Duration,
        recorder: Option<Recorder>,
    ) {
        let turn = tokio::select! {
            turn = self.turns.take(&job.owner) => turn.ok_or("too many wait"),
            () = job.cancel.cancelled() => Err("it was cancelled before it was its turn"),
        };
        let state = match turn {
            Err(why) => refused(why),
            Ok(turn) => {
                let state = self.played(&job, make, limit, recorder).await;
                drop(turn);
                state
            }
        };
        job.state.send_replace(state);
        self.over(&job);
    }

    /// Starts a line whose turn it is, and follows it to its end, which is recorded.
    async fn played(
        &self,
        job: &Job,
        make: impl FnOnce(OwnedFd, OwnedFd) -> Result<Start, String>,
        limit: Duration,
        recorder: Option<Recorder>,
    ) -> State {
        let key = job.key.as_deref();
        let begun = self.started.begin(&job.id, key).await;
        let started = match begun {
            Ok(()) => started(&self.launcher, make).await,
            Err(why) => Err(why),
        };
        let state = match started {
            Err(why) => refused(&why),
            Ok((launched, out, err)) => played(job, launched, [out, err], limit).await,
        };
        let how = match &state {
            State::Ended { ended, .. } => How::of(ended),
            _ => How::Nothing,
        };
        if let (State::Ended { ended, .. }, Some(recorder)) = (&state, recorder) {
            let ended = ended.clone();
            // Where it cannot be written, what ran is in the record all the same.
            let _ = tokio::task::spawn_blocking(move || recorder.ended(ended)).await;
        }
        self.started.over(&job.id, key, how);
        state
    }

    /// Notes that a line is over, and forgets the oldest of too many.
    fn over(&self, job: &Job) {
        let mut inner = self.inner();
        inner.over.push_back(job.id.clone());
        let size = |inner: &Inner| -> usize {
            let over = inner.over.iter().filter_map(|id| inner.by_id.get(id));
            over.map(|job| job.out().kept() + job.err().kept()).sum()
        };
        while inner.over.len() > OVER || (inner.over.len() > 1 && size(&inner) > OVER_BYTES) {
            let Some(id) = inner.over.pop_front() else { break };
            inner.by_id.remove(&id);
            inner.by_key.retain(|_, of| *of != id);
        }
    }
}

fn refused(reason: &str) -> State {
    State::Refused { reason: reason.to_owned(), hint: None, severity: None }
}

/// Returns both ends of a pipe.
pub fn pipe() -> std::io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    // A smaller one is slower.
    let _ = rustix::pipe::fcntl_setpipe_size(&write, PIPE);
    Ok((read, write))
}

async fn started(
    launcher: &Launcher,
    make: impl FnOnce(OwnedFd, OwnedFd) -> Result<Start, String>,
) -> Result<(Launched, Receiver, Receiver), String> {
    let text = |error: std::io::Error| format!("it cannot be started: {error}");
    let (out, theirs_out) = pipe().map_err(text)?;
    let (err, theirs_err) = pipe().map_err(text)?;
    let made = make(theirs_out, theirs_err)?;
    let launched = launcher.start(made).await.map_err(text)?;
    let reads = |fd| {
        rustix::io::ioctl_fionbio(&fd, true)?;
        Receiver::from_owned_fd(fd)
    };
    Ok((launched, reads(out).map_err(text)?, reads(err).map_err(text)?))
}

/// Reads a stream to its end.
async fn read(mut from: Receiver, into: &Mutex<Kept>) {
    let mut bytes = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        held(into).add(&bytes[..count]);
    }
}

/// Follows a line to its end.
async fn played(job: &Job, launched: Launched, streams: [Receiver; 2], limit: Duration) -> State {
    let Launched { mut child, process, mut told, watched: _watched } = launched;
    let [out, err] = streams;
    let reading = async { tokio::join!(read(out, &job.out), read(err, &job.err)) };
    tokio::pin!(reading);
    let mut until = None;
    let (mut came, mut why, mut is_read, mut is_told) = (None, None, false, false);
    let status = loop {
        tokio::select! {
            message = told.next(), if !is_told => match message {
                Some(FromClientLine::Asked { id, reason }) => {
                    job.state.send_replace(State::Asked { id, reason });
                }
                Some(FromClientLine::Runs { by, severity }) => {
                    job.state.send_replace(State::Runs { by: by.clone(), severity });
                    let begun = Instant::now();
                    until = Some(begun + limit);
                    came = Some(Ok((by, severity, begun)));
                }
                Some(FromClientLine::Refused { reason, hint, severity }) => {
                    came = Some(Err(State::Refused { reason, hint, severity }));
                }
                Some(FromClientLine::Judged { .. }) => {}
                None => is_told = true,
            },
            _ = &mut reading, if !is_read => is_read = true,
            status = child.wait() => break status,
            () = late(until), if why.is_none() => {
                why = Some(Why::Late);
                end(process);
            }
            () = job.cancel.cancelled(), if why.is_none() => {
                why = Some(Why::Cancelled);
                end(process);
            }
        }
    };
    // What was said at the end may still be on its way.
    while !is_told {
        match told.next().await {
            Some(FromClientLine::Runs { by, severity }) => {
                came = Some(Ok((by, severity, Instant::now())));
            }
            Some(FromClientLine::Refused { reason, hint, severity }) => {
                came = Some(Err(State::Refused { reason, hint, severity }));
            }
            Some(_) => {}
            None => is_told = true,
        }
    }
    if !is_read {
        let _ = tokio::time::timeout(REST, &mut reading).await;
    }
    match (came, why) {
        (Some(Ok((by, severity, begun))), why) => {
            let status = status.ok();
            let (out, output) = job.out().sum();
            let (err, errors) = job.err().sum();
            let ended = Ended {
                status: status.and_then(|status| status.code()),
                signal: status.and_then(|status| status.signal()),
                millis: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                bytes: out + err,
                output,
                errors,
            };
            State::Ended { by, severity, ended, why }
        }
        (Some(Err(state)), _) => state,
        (None, Some(_)) => refused("it was cancelled before anybody let it run"),
        (None, None) => refused(&format!("the guard failed: {}", job.err().end().text.trim())),
    }
}

async fn late(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until.into()).await,
        None => std::future::pending().await,
    }
}

/// Has a line end: by a signal that it may heed, and by force where it does not.
fn end(process: Process) {
    process.signal(Signal::SIGTERM);
    launch::end_later(process, GRACE);
}
