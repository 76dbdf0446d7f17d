//! A line that is tried while a person is asked about it. The shell that waits for the answer tries it in a process beside itself, in its own
//! directory and environment: so what the person sees is what the line does there. What it did can then be kept in place of running it.

use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::fstat;
use nix::sys::wait::{Id, WaitPidFlag, waitid, waitpid};
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout, setsid};
use serde::{Deserialize, Serialize};

use super::{Course, Ended, Streams, ended, roots};
use crate::approval::{text::cut, visible};
use crate::model::{Layers, ShellMode, StandardInput, Trial, Trying};
use crate::pipeline::fence;
use crate::pipeline::refusal::Stop;
use crate::pipeline::undo::limits;
use crate::pipeline::world::World;
use crate::sys::descent;
use crate::sys::descriptor;
use crate::sys::process::{self, Forked};
use crate::undo::{self, Conflict, Found, Store};

/// Bytes of what a line prints, on one of its streams, that are kept.
const MOST: u64 = 1 << 20;
/// Rows of it that a person is shown: the last ones.
const ROWS: usize = 20;
/// Columns of each.
const COLUMNS: usize = 200;

/// Returns whether a line can be tried while it is asked about, as far as that is known: nobody waits for a question until layers are found out.
/// Below a line that is held to its plan, none can be put on.
pub(in crate::pipeline) fn may_try(course: &Course<'_>) -> bool {
    let world = course.world;
    let is_possible = |state: &PathBuf| {
        let known = fence::layers_here(Some(state)).remembered();
        known.is_none_or(|layers| layers.cover(Layers::CLOSED)) && roots(world, state).is_ok()
    };
    let is_free = course.invocation.mode != ShellMode::Input && descent::bounds().is_none();
    is_free && world.places.state().as_ref().is_some_and(is_possible)
}

/// A trial that runs in a process beside us. Dropped, it is given up, and nothing of it is left.
pub(in crate::pipeline) struct Attempting {
    child: Pid,
    told: PipeReader,
    /// Closed, the trial is given up; so it is where we are killed.
    wanted: Option<PipeWriter>,
    bytes: Vec<u8>,
    state: PathBuf,
}

/// What the process says of a trial, before what the line printed.
#[derive(Serialize, Deserialize)]
struct Told {
    trying: Trying,
    status: u8,
    /// Bytes of it on standard output.
    out: usize,
    /// On standard error, where that leads elsewhere.
    err: usize,
}

impl Attempting {
    /// Begins a trial. This process must have no other thread.
    pub(in crate::pipeline) fn begin(course: &Course<'_>) -> Result<Self, Stop> {
        let state = course.world.places.state().ok_or(Stop::NoHome)?;
        let begin = || -> io::Result<Self> {
            let (told, tells) = io::pipe()?;
            let (gone, wanted) = io::pipe()?;
            fcntl(&told, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
            match process::fork()? {
                Forked::Parent(child) => {
                    let (wanted, bytes) = (Some(wanted), Vec::new());
                    Ok(Self { child, told, wanted, bytes, state: state.clone() })
                }
                Forked::Child => {
                    drop((told, wanted));
                    attempt(course, tells, gone, &state);
                    process::end(0)
                }
            }
        };
        begin().map_err(Stop::NotStarted)
    }

    /// Returns what becomes readable when there is something to [`Attempting::take`].
    pub(in crate::pipeline) fn awaited(&self) -> BorrowedFd<'_> {
        self.told.as_fd()
    }

    /// Returns what came of it, once it is over. Waits for nothing.
    pub(in crate::pipeline) fn take(&mut self) -> Option<Attempted> {
        let mut piece = [0; 16 << 10];
        loop {
            match self.told.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => self.bytes.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
                Err(_) => break,
            }
        }
        Some(self.read().unwrap_or_else(|| Attempted {
            trying: Trying::Failed { why: "what came of it was not told".to_owned() },
            status: 0,
            out: Vec::new(),
            err: Vec::new(),
            state: self.state.clone(),
        }))
    }

    fn read(&self) -> Option<Attempted> {
        let end = self.bytes.iter().position(|byte| *byte == b'\n')?;
        let Told { trying, status, out, err } = serde_json::from_slice(&self.bytes[..end]).ok()?;
        let printed = &self.bytes[end + 1..];
        let (out, rest) = printed.split_at_checked(out)?;
        let err = rest.get(..err)?;
        let (out, err) = (out.to_owned(), err.to_owned());
        Some(Attempted { trying, status, out, err, state: self.state.clone() })
    }
}

impl Drop for Attempting {
    fn drop(&mut self) {
        self.wanted = None;
        // The shell that we become has no child that it knows nothing of.
        while let Err(nix::Error::EINTR) = waitpid(self.child, None) {}
    }
}

/// What came of a trial. Dropped, it is forgotten: what the line would have changed is not.
pub(in crate::pipeline) struct Attempted {
    /// How it stands.
    pub(in crate::pipeline) trying: Trying,
    status: u8,
    out: Vec<u8>,
    err: Vec<u8>,
    state: PathBuf,
}

impl Attempted {
    /// Returns the entry of what the line would change; none if there is nothing.
    fn found(&self) -> Result<Option<Found>, undo::Error> {
        match &self.trying {
            Trying::Done(trial) => {
                trial.id.as_ref().map(|id| Store::new(&self.state).one(id)).transpose()
            }
            _ => Ok(None),
        }
    }

    /// Carries out what the line did, tells the one who called what it printed, and returns its status.
    pub(in crate::pipeline) fn keep(self, world: &World) -> Result<u8, Stop> {
        if let Some(found) = self.found()? {
            let entry = found.entry()?;
            let standings = undo::compare(&found, &entry)?;
            if let Some(Conflict { path, why, .. }) = standings.conflicts.first() {
                let path = path.display();
                return Err(Stop::NotKept(format!("{path} {why}")));
            }
            let store = Store::new(&self.state);
            undo::take_back(&store, &found, &entry, &standings, &limits(&world.settings.undo))?;
        }
        // Where nobody reads it any more, the line would not have known either.
        let _ = io::stdout().write_all(&self.out).and_then(|()| io::stdout().flush());
        let _ = io::stderr().write_all(&self.err);
        Ok(self.status)
    }
}

impl Drop for Attempted {
    fn drop(&mut self) {
        if let Ok(Some(found)) = self.found() {
            // Else it goes with the other entries, when its days are over.
            let _ = found.remove();
        }
    }
}

/// Tries the line, and tells what came of it, in a process of its own.
fn attempt(course: &Course<'_>, mut tells: PipeWriter, gone: PipeReader, state: &Path) {
    // No terminal is the line's, and no signal that is for the one who waits.
    let _ = setsid();
    let tried = try_it(course, gone);
    let (trying, ended, [out, err]) = match tried {
        // Nobody is there to be told.
        Ok(None) => return,
        Ok(Some(tried)) => tried,
        Err(stop) => {
            let why = match stop {
                Stop::NotTried(why) => visible(&why).into_owned(),
                stop => stop.reason(),
            };
            let trying = Trying::Failed { why };
            (trying, Ended::Status(0), [Printed::default(), Printed::default()])
        }
    };
    let attempted = Attempted {
        trying,
        status: ended.status(),
        out: out.bytes,
        err: err.bytes,
        state: state.to_owned(),
    };
    let (trying, status) = (attempted.trying.clone(), attempted.status);
    let told = Told { trying, status, out: attempted.out.len(), err: attempted.err.len() };
    let mut tell = || -> io::Result<()> {
        process::ignore(Signal::SIGPIPE)?;
        let mut text = serde_json::to_vec(&told)?;
        text.push(b'\n');
        tells.write_all(&text)?;
        tells.write_all(&attempted.out)?;
        tells.write_all(&attempted.err)
    };
    if tell().is_ok() {
        // It is the one who waits that forgets it.
        std::mem::forget(attempted);
    }
}

/// What came of a trial: how it stands, how the line ended, and what it printed on each stream.
type Came = (Trying, Ended, [Printed; 2]);

/// Tries the line. None: nobody waits for it any more.
fn try_it(course: &Course<'_>, gone: PipeReader) -> Result<Option<Came>, Stop> {
    let permit = match course.permit()? {
        Ok(permit) => permit,
        Err(refusal) => return Err(Stop::NotTried(refusal.reason().to_owned())),
    };
    let mut captured = Captured::begin(gone).map_err(Stop::NotStarted)?;
    let Some(tried) = course.run(permit, &mut captured)? else { return Ok(None) };
    let printed = captured.printed.take().unwrap_or_default();
    let mut untried = tried.untried;
    if course.world.judge.facts.input != StandardInput::Nothing {
        untried.push("it finds nothing on standard input".to_owned());
    }
    let is_cut = printed.iter().any(|printed| printed.is_cut);
    let trial = Trial {
        id: tried.id,
        ended: tried.ended.to_string(),
        printed: shown(&printed),
        untried,
        unkept: is_cut.then(|| format!("it printed more than {} MB", MOST >> 20)),
    };
    Ok(Some((Trying::Done(Box::new(trial)), tried.ended, printed)))
}

/// Returns the last rows of what a line printed, as they are shown.
fn shown(printed: &[Printed; 2]) -> String {
    let texts = printed.iter().map(|printed| String::from_utf8_lossy(&printed.bytes));
    let text: Vec<_> = texts.collect();
    let rows: Vec<&str> = text.iter().flat_map(|text| text.lines()).collect();
    let rows = rows[rows.len().saturating_sub(ROWS)..].iter();
    let rows: Vec<String> = rows.map(|row| cut(&visible(row), COLUMNS)).collect();
    rows.join("\n")
}

/// What a line printed on one stream.
#[derive(Default)]
struct Printed {
    bytes: Vec<u8>,
    is_cut: bool,
}

/// Reads what is printed to its end, and keeps the beginning.
fn read(mut from: PipeReader) -> JoinHandle<Printed> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let kept = from.by_ref().take(MOST).read_to_end(&mut bytes);
        // Whoever writes is not kept waiting by what nobody reads.
        let rest = kept.and_then(|_| io::copy(&mut from, &mut io::sink()));
        Printed { bytes, is_cut: rest.map_or(true, |rest| rest > 0) }
    })
}

/// The streams of a line that is tried while its person reads the question: it finds nothing on standard input, and what it prints is kept.
struct Captured {
    /// Closed at its other end when nobody waits any more.
    gone: Option<PipeReader>,
    writers: Option<(PipeWriter, Option<PipeWriter>)>,
    readers: Vec<PipeReader>,
    reading: Vec<JoinHandle<Printed>>,
    printed: Option<[Printed; 2]>,
}

/// The process of a line, as long as it is one: an id that was waited for may be another's.
struct Watched {
    line: Option<Pid>,
    is_given_up: bool,
}

fn lock(watched: &Mutex<Watched>) -> MutexGuard<'_, Watched> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Captured {
    fn begin(gone: PipeReader) -> io::Result<Self> {
        let (out, to_out) = io::pipe()?;
        let mut readers = vec![out];
        // Where both lead to one file, what is printed keeps its order.
        let to_err = if is_one_file() {
            None
        } else {
            let (err, to_err) = io::pipe()?;
            readers.push(err);
            Some(to_err)
        };
        let writers = Some((to_out, to_err));
        Ok(Self { gone: Some(gone), writers, readers, reading: Vec::new(), printed: None })
    }
}

impl Streams for Captured {
    fn take(&self) -> io::Result<()> {
        let Some((out, err)) = &self.writers else { return Ok(()) };
        dup2_stdin(std::fs::File::open("/dev/null")?)?;
        dup2_stdout(out)?;
        dup2_stderr(err.as_ref().unwrap_or(out))?;
        // What else the caller has open leads out of what is tried.
        descriptor::close_with_exec()
    }

    fn wait(&mut self, line: Pid) -> io::Result<Option<Ended>> {
        self.writers = None;
        self.reading.extend(self.readers.drain(..).map(read));
        let watched = Arc::new(Mutex::new(Watched { line: Some(line), is_given_up: false }));
        if let Some(mut gone) = self.gone.take() {
            let watched = Arc::clone(&watched);
            thread::spawn(move || {
                let _ = gone.read(&mut [0]);
                let mut watched = lock(&watched);
                watched.is_given_up = true;
                if let Some(line) = watched.line {
                    // It may have ended just now.
                    let _ = kill(line, Signal::SIGKILL);
                }
            });
        }
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
        while let Err(nix::Error::EINTR) = waitid(Id::Pid(line), flags) {}
        let is_given_up = {
            let mut watched = lock(&watched);
            watched.line = None;
            watched.is_given_up
        };
        let ended = ended(line)?;
        Ok((!is_given_up).then_some(ended))
    }

    fn end(&mut self) -> io::Result<()> {
        let mut printed = self.reading.drain(..).map(|reading| reading.join().unwrap_or_default());
        self.printed = Some([(); 2].map(|()| printed.next().unwrap_or_default()));
        Ok(())
    }
}

/// Whether our standard output and standard error lead to one file.
fn is_one_file() -> bool {
    let identity = |found: nix::sys::stat::FileStat| (found.st_dev, found.st_ino);
    match (fstat(io::stdout()), fstat(io::stderr())) {
        (Ok(out), Ok(err)) => identity(out) == identity(err),
        _ => false,
    }
}
