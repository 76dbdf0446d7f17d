//! `guarded-sh host`, from the bridge's side: a connection that was HTTP carries one command's streams, signals and window. The command is judged, asked about
//! and run as any other of the client's; a client that is gone ends it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderValue, UPGRADE};
use axum::response::{IntoResponse, Response};
use futures_util::future::join_all;
use guarded_sh::ipc::{BRIDGE, Begin, FromClientLine, HEAD, Over, PIECE, Piece};
use guarded_sh::model::Ended;
use guarded_sh::sys::hex::hex;
use guarded_sh::sys::pty::{self, Pty, Size};
use hyper_util::rt::TokioIo;
use nix::sys::signal::Signal;
use ring::digest::{Context, SHA256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use super::Shared;
use super::calls::{Asked, Call};
use super::clients::Client;
use super::demand::Demand;
use super::gate::Caller;
use super::jobs::pipe as new_pipe;
use super::launch::{self, Launched, Process, Start};
use super::quoted;
use super::turns::Turn;
use crate::page::once::drawn;
use crate::page::only;

/// For how long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
/// For how long what a command wrote is waited for, once it is over.
const REST: Duration = Duration::from_millis(500);
/// Bytes that may wait in a pipe or a terminal.
const WAITING: usize = 1 << 20;
/// For how long a command may take to end whose client is gone.
const GRACE: Duration = Duration::from_secs(2);
/// For how long a turn is waited for before the person at the client is told.
const QUIET: Duration = Duration::from_secs(2);
/// Bytes of standard input that are asked for at once, at first and later.
const LEAST: u32 = 4 << 10;
const MORE: u32 = 256 << 10;

/// Takes a connection over.
pub async fn begin(
    State(bridge): State<Shared>,
    Extension(Caller(client)): Extension<Caller>,
    mut request: Request,
) -> Response {
    let wanted = only(request.headers(), &UPGRADE);
    if wanted != Some(BRIDGE) {
        let why = format!("this speaks {BRIDGE}: both must be of the same guarded-sh\n");
        return (StatusCode::UPGRADE_REQUIRED, why).into_response();
    }
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let Ok(upgraded) = upgraded.await else { return };
        let (from, to) = tokio::io::split(TokioIo::new(upgraded));
        let to = Arc::new(Mutex::new(to));
        let talk = Talk { to, bridge, client, telling: Telling::default() };
        talk.go(from).await;
    });
    let mut response = StatusCode::SWITCHING_PROTOCOLS.into_response();
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static(BRIDGE));
    response
}

type To = tokio::io::WriteHalf<TokioIo<hyper::upgrade::Upgraded>>;
type Way = Arc<Mutex<To>>;
type From = tokio::io::ReadHalf<TokioIo<hyper::upgrade::Upgraded>>;

/// A task that ends when this is dropped.
struct Abort(AbortHandle);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What came while a turn was waited for.
enum Waited {
    Turn(Turn),
    /// A signal that ends it.
    Signal(i32),
}

struct Talk {
    to: Way,
    bridge: Shared,
    client: Arc<Client>,
    telling: Telling,
}

/// What is told beside all else: whoever reads nothing is not waited for. It ends with the connection.
#[derive(Default)]
struct Telling {
    tasks: std::sync::Mutex<JoinSet<()>>,
    /// Whether it is still to be told that a signal was heard.
    passes: Arc<AtomicBool>,
}

impl Telling {
    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task);
    }
}

/// What a client says of standard input.
enum Said {
    Input(Vec<u8>),
    Ends,
}

/// Reads one piece; none where nothing more comes that is one.
async fn piece(from: &mut From) -> Option<(Piece, Vec<u8>)> {
    let mut head = [0; HEAD];
    from.read_exact(&mut head).await.ok()?;
    let (kind, length) = Piece::read(head)?;
    let mut body = vec![0; length];
    from.read_exact(&mut body).await.ok()?;
    Some((kind, body))
}

type Pieces = mpsc::Receiver<(Piece, Vec<u8>)>;

/// Reads pieces as they come, each to its end, whatever else is waited for meanwhile.
fn pieces(mut from: From) -> (Pieces, AbortHandle) {
    let (say, pieces) = mpsc::channel(1);
    let reading = tokio::spawn(async move {
        while let Some(piece) = piece(&mut from).await {
            if say.send(piece).await.is_err() {
                break;
            }
        }
    });
    (pieces, reading.abort_handle())
}

/// Takes so many bytes off what was asked for; returns whether so many were. Nobody sends none.
fn is_asked_for(asked: &AtomicUsize, bytes: usize) -> bool {
    let taken = asked.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
        left.checked_sub(bytes).filter(|_| bytes > 0)
    });
    taken.is_ok()
}

async fn send(to: &Way, kind: Piece, body: &[u8]) -> io::Result<()> {
    write(&mut *to.lock().await, kind, body).await
}

async fn write(to: &mut To, kind: Piece, body: &[u8]) -> io::Result<()> {
    let head = kind.head(body.len()).ok_or_else(|| io::Error::other("it is too long"))?;
    to.write_all(&[&head[..], body].concat()).await?;
    to.flush().await
}

impl Talk {
    async fn go(&self, from: From) {
        let over = match self.ran(from).await {
            Ok(over) => over,
            Err(refused) => Over { refused: Some(refused), ..Over::default() },
        };
        // Whoever is gone, or reads nothing, is told nothing.
        let told = async {
            if let Ok(body) = serde_json::to_vec(&over) {
                let _ = send(&self.to, Piece::Over, &body).await;
            }
            let _ = self.to.lock().await.shutdown().await;
        };
        let _ = timeout(PATIENCE, told).await;
    }

    async fn ran(&self, mut from: From) -> Result<Over, String> {
        let first = timeout(PATIENCE, piece(&mut from)).await.ok().flatten();
        let Some((Piece::Begin, body)) = first else {
            return Err("nothing was asked for".to_owned());
        };
        let begin: Begin = serde_json::from_slice(&body)
            .map_err(|error| format!("it is not understood: {error}"))?;
        let call = self.call(&begin)?;
        let (mut pieces, reading) = pieces(from);
        let _reading = Abort(reading);
        let turn = match self.turn(&mut pieces).await? {
            Waited::Turn(turn) => turn,
            Waited::Signal(signal) => return Ok(Over { signal: Some(signal), ..Over::default() }),
        };
        let limit = call.limit;
        let recorder = call.recorder(&self.bridge.store);
        let job = call.line.client.job.clone();
        let streams =
            Streams::make(&begin).map_err(|error| format!("it cannot be started: {error}"))?;
        let (start, ours) = streams.start(call);
        let launched = self.bridge.jobs.start(&job, start).await?;
        let followed = self.follow(launched, ours, pieces, limit, turn).await;
        if let Ok((_, Some(ended))) = &followed {
            let ended = ended.clone();
            // Where it cannot be written, what ran is in the record all the same.
            let _ = tokio::task::spawn_blocking(move || recorder.ended(ended)).await;
        }
        self.bridge.jobs.ended(&job);
        followed.map(|(over, _)| over)
    }

    /// Waits until it is the client's turn, as long as it is there and wants it.
    async fn turn(&self, pieces: &mut Pieces) -> Result<Waited, String> {
        let turn = self.bridge.jobs.turn(&self.client.digest);
        let revoked = self.bridge.life(&self.client.digest);
        let told = tokio::time::sleep(QUIET);
        tokio::pin!(turn, revoked, told);
        let mut is_told = false;
        loop {
            tokio::select! {
                biased;
                turn = &mut turn => {
                    return turn.map(Waited::Turn).ok_or_else(|| "too many calls wait".to_owned());
                }
                piece = pieces.recv() => match piece {
                    Some((Piece::Signal, number)) => {
                        self.passed();
                        let signal = number.first().map_or(0, |number| i32::from(*number));
                        if Signal::try_from(signal).is_ok_and(ends) {
                            return Ok(Waited::Signal(signal));
                        }
                    }
                    // The next one is told when the command runs.
                    Some((Piece::Size | Piece::Closed, _)) => {}
                    _ => return Err("its client is gone".to_owned()),
                },
                () = &mut revoked => return Err("its client is revoked".to_owned()),
                () = &mut told, if !is_told => {
                    is_told = true;
                    self.note("as many commands run as may: it waits for its turn".to_owned());
                }
            }
        }
    }

    /// Says that a signal was heard: once for all that are heard before that is written.
    fn passed(&self) {
        let passes = Arc::clone(&self.telling.passes);
        if passes.swap(true, Ordering::Relaxed) {
            return;
        }
        let to = Arc::clone(&self.to);
        self.telling.spawn(async move {
            let mut to = to.lock().await;
            passes.store(false, Ordering::Relaxed);
            // Whoever is gone hears nothing.
            let _ = write(&mut to, Piece::Passed, &[]).await;
        });
    }

    /// Makes the line of what is wanted: its words, as they are.
    fn call(&self, begin: &Begin) -> Result<Call, String> {
        let set: BTreeMap<String, String> = begin.set.iter().cloned().collect();
        let asked = Asked {
            command: quoted::line(&begin.words),
            purpose: begin.purpose.clone(),
            cwd: begin.cwd.clone(),
            // It ends with its client.
            timeout: Some(24 * 60 * 60),
            stdin: None,
            environment: set,
            key: None,
        };
        let mut call =
            asked.call(&self.bridge, &self.client, Some("guarded-sh host".to_owned()))?;
        let job = drawn().map_err(|error| error.to_string())?;
        job[..32].clone_into(&mut call.line.client.job);
        let terminal = (0..3).find(|at| begin.terminals[usize::from(*at)]);
        call.line.terminal = terminal;
        call.line.closed = begin.closed;
        if let (Some(_), Some(term)) = (terminal, &begin.term) {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-+._".contains(&byte);
            if !term.is_empty() && term.len() < 64 && term.bytes().all(is_plain) {
                call.environment.insert("TERM".to_owned(), term.clone());
            }
        }
        Ok(call)
    }

    fn note(&self, text: String) {
        let to = Arc::clone(&self.to);
        self.telling.spawn(async move {
            // Whoever is gone hears nothing.
            let _ = send(&to, Piece::Note, text.as_bytes()).await;
        });
    }

    /// Follows a command to its end: what is said of it, what it writes, and what its client says.
    async fn follow(
        &self,
        launched: Launched,
        ours: Ours,
        mut pieces: Pieces,
        limit: Duration,
        turn: Turn,
    ) -> Result<(Over, Option<Ended>), String> {
        let Launched { mut child, process, mut told, watched: _watched } = launched;
        let Ours { input, outputs, terminal, draws, pipe } = ours;
        // No more waits in it than was asked for, and one end.
        let (say, said) = mpsc::unbounded_channel();
        let mut say = Some(say);
        let asked = Arc::new(AtomicUsize::new(0));
        let demand = pipe.map(|pipe| Demand::of(process.id(), pipe));
        let to = Arc::clone(&self.to);
        let feed = Feed { input, said, to, demand, asked: Arc::clone(&asked) };
        let (begin_feeding, begun) = tokio::sync::oneshot::channel();
        let mut begin_feeding = Some(begin_feeding);
        let feeding = tokio::spawn(feed.go(begun));
        let (say_over, over) = watch::channel(false);
        let (close, closed) = watch::channel([false; 2]);
        let (say_gone, gone) = watch::channel(false);
        let copies = outputs.into_iter().map(|(kind, source)| {
            let to = Arc::clone(&self.to);
            let ends = Ends { over: over.clone(), closed: closed.clone(), gone: gone.clone() };
            tokio::spawn(copy(source, kind, to, ends))
        });
        let copies = join_all(copies.collect::<Vec<_>>());
        let (mut came, mut refused, mut is_told, mut is_gone) = (None, None, false, false);
        let mut ended_by = None;
        let mut until = None;
        let revoked = self.bridge.life(&self.client.digest);
        tokio::pin!(revoked);
        let status = loop {
            tokio::select! {
                message = told.next(), if !is_told => match message {
                    Some(FromClientLine::Asked { id, reason }) => {
                        self.note(format!("a person on the host is asked (question {id}): {reason}"));
                    }
                    Some(FromClientLine::Runs { .. }) => {
                        came = Some(Instant::now());
                        until = Some(Instant::now() + limit);
                        begin_feeding.take().map(|begin| begin.send(()));
                    }
                    Some(FromClientLine::Refused { reason, hint, .. }) => {
                        refused = Some(Over { refused: Some(reason), hint, ..Over::default() });
                    }
                    Some(FromClientLine::Judged { .. }) => {}
                    None => is_told = true,
                },
                piece = pieces.recv(), if !is_gone => match piece {
                    Some((Piece::Input, bytes)) if is_asked_for(&asked, bytes.len()) => {
                        say.as_ref().map(|say| say.send(Said::Input(bytes)));
                    }
                    Some((Piece::InputEnds, _)) => {
                        say.take().map(|say| say.send(Said::Ends));
                    }
                    Some((Piece::Signal, number)) => {
                        if let Some(signal) = pass(process, &number, came.is_some()) {
                            ended_by.get_or_insert(signal);
                        }
                        self.passed();
                    }
                    Some((Piece::Closed, stream)) => close.send_modify(|closed| mark(closed, &stream, draws)),
                    Some((Piece::Size, size)) => {
                        if let (Some(terminal), Some(size)) = (&terminal, sized(&size)) {
                            // One that is gone has no size.
                            let _ = pty::resize(terminal, size);
                        }
                    }
                    _ => {
                        is_gone = true;
                        say_gone.send_replace(true);
                        end(process, terminal.is_some());
                    }
                },
                status = child.wait() => break status,
                () = &mut revoked, if !is_gone => {
                    is_gone = true;
                    say_gone.send_replace(true);
                    end(process, terminal.is_some());
                }
                () = late(until) => {
                    until = None;
                    end(process, false);
                }
            }
        };
        feeding.abort();
        drop((terminal, begin_feeding));
        say_over.send_replace(true);
        tokio::pin!(copies);
        // Whoever is there may read as late as they like.
        let copied = loop {
            tokio::select! {
                copied = &mut copies => break copied,
                piece = pieces.recv(), if !is_gone => match piece {
                    Some((Piece::Signal, _)) => self.passed(),
                    Some((Piece::Closed, stream)) => close.send_modify(|closed| mark(closed, &stream, draws)),
                    Some(_) => {}
                    None => {
                        is_gone = true;
                        say_gone.send_replace(true);
                    }
                },
                () = &mut revoked, if !is_gone => {
                    is_gone = true;
                    say_gone.send_replace(true);
                }
            }
        };
        // What still holds what it wrote counts among what runs.
        drop(turn);
        let digests: Vec<Copied> = copied.into_iter().filter_map(Result::ok).collect();
        while !is_told {
            match told.next().await {
                Some(FromClientLine::Runs { .. }) => came = Some(Instant::now()),
                Some(FromClientLine::Refused { reason, hint, .. }) => {
                    refused = Some(Over { refused: Some(reason), hint, ..Over::default() });
                }
                Some(_) => {}
                None => is_told = true,
            }
        }
        if let Some(over) = refused {
            return Ok((over, None));
        }
        let status = status.ok();
        let Some(begun) = came else {
            // The client's own signal ended it before anybody let it run.
            if let Some(signal) = ended_by {
                let signal = Some(signal as i32);
                return Ok((Over { signal, ..Over::default() }, None));
            }
            return Err(if is_gone { "its client is gone" } else { "the guard failed" }.to_owned());
        };
        let (status, signal) =
            (status.and_then(|status| status.code()), status.and_then(|status| status.signal()));
        let digest = |kind: Piece| {
            let found = digests.iter().find(|one| one.kind == kind);
            found.map_or_else(|| guarded_sh::audit::sha256(b""), |one| one.sha256.clone())
        };
        let ended = Ended {
            status,
            signal,
            millis: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            bytes: digests.iter().map(|one| one.bytes).sum(),
            output: digest(Piece::Output),
            errors: digest(Piece::Errors),
        };
        Ok((Over { status, signal, ..Over::default() }, Some(ended)))
    }
}

async fn late(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until.into()).await,
        None => std::future::pending().await,
    }
}

/// Whether a signal ends what says nothing about it.
const fn ends(signal: Signal) -> bool {
    !matches!(signal, Signal::SIGWINCH | Signal::SIGCONT)
}

/// Passes a signal on. Before the command runs, each that would end it ends what is asked, and is returned.
fn pass(process: Process, number: &[u8], runs: bool) -> Option<Signal> {
    let signal = number.first().and_then(|number| Signal::try_from(i32::from(*number)).ok())?;
    if runs {
        process.signal(signal);
        return None;
    }
    if !ends(signal) {
        return None;
    }
    process.signal(Signal::SIGTERM);
    Some(signal)
}

/// Ends a command whose client is gone: as a terminal that is gone would, and by force where that is not heeded.
fn end(process: Process, has_terminal: bool) {
    process.signal(if has_terminal { Signal::SIGHUP } else { Signal::SIGTERM });
    launch::end_later(process, GRACE);
}

fn sized(bytes: &[u8]) -> Option<Size> {
    let [a, b, c, d] = bytes.try_into().ok()?;
    let (rows, columns) = (u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]));
    Some(Size { rows, columns, width: 0, height: 0 })
}

/// The command's ends of its streams, and ours.
struct Streams {
    input: OwnedFd,
    output: OwnedFd,
    errors: OwnedFd,
    ours: Ours,
}

/// Our ends.
struct Ours {
    input: pipe::Sender,
    outputs: Vec<(Piece, pipe::Receiver)>,
    /// The terminal, by the end that is ours.
    terminal: Option<File>,
    /// Whether it is standard output, and error.
    draws: [bool; 2],
    /// The pipe that is the command's standard input, by its inode; none where that is the terminal.
    pipe: Option<u64>,
}

impl Streams {
    /// Makes the streams: a terminal where the client's is one, and a pipe where not.
    fn make(begin: &Begin) -> io::Result<Self> {
        let [input_types, output_types, errors_types] = begin.terminals;
        let pty =
            if input_types || output_types || errors_types { Some(Pty::open()?) } else { None };
        if let (Some(pty), Some((rows, columns))) = (&pty, begin.size) {
            pty::resize(&pty.leader, Size { rows, columns, width: 0, height: 0 })?;
        }
        let follower = || -> io::Result<OwnedFd> {
            let pty = pty.as_ref().ok_or_else(|| io::Error::other("there is no terminal"))?;
            Ok(pty.follower.try_clone()?.into())
        };
        // Which does not block, as it is opened.
        let leader = || -> io::Result<File> {
            let pty = pty.as_ref().ok_or_else(|| io::Error::other("there is no terminal"))?;
            pty.leader.try_clone()
        };
        // What the command has not itself, and its guard has until then.
        let nothing = || -> io::Result<OwnedFd> {
            Ok(File::options().read(true).write(true).open("/dev/null")?.into())
        };
        let [no_input, no_output, no_errors] = begin.closed;
        let mut outputs = Vec::new();
        let (input, sink, pipe) = if input_types {
            (follower()?, pipe::Sender::from_file_unchecked(leader()?)?, None)
        } else if no_input {
            let (_, own) = new_pipe()?;
            rustix::io::ioctl_fionbio(&own, true)?;
            (nothing()?, pipe::Sender::from_owned_fd(own)?, Some(0))
        } else {
            let (theirs, own) = new_pipe()?;
            // So small that what is sent is read before more is: see `Feed`.
            let _ = rustix::pipe::fcntl_setpipe_size(&own, 4096);
            rustix::io::ioctl_fionbio(&own, true)?;
            let inode = rustix::fs::fstat(&theirs)?.st_ino;
            (theirs, pipe::Sender::from_owned_fd(own)?, Some(inode))
        };
        let mut is_read = false;
        let mut out = |types: bool, is_closed: bool, kind: Piece| -> io::Result<OwnedFd> {
            if is_closed {
                return nothing();
            }
            if types {
                // Both streams of one terminal come out at its other end.
                if !is_read {
                    is_read = true;
                    outputs.push((kind, pipe::Receiver::from_file_unchecked(leader()?)?));
                }
                return follower();
            }
            let (own, theirs) = new_pipe()?;
            rustix::io::ioctl_fionbio(&own, true)?;
            outputs.push((kind, pipe::Receiver::from_owned_fd(own)?));
            Ok(theirs)
        };
        let output = out(output_types, no_output, Piece::Output)?;
        let errors = out(errors_types, no_errors, Piece::Errors)?;
        let terminal = pty.map(|pty| pty.leader);
        let draws = [output_types, errors_types];
        let ours = Ours { input: sink, outputs, terminal, draws, pipe };
        Ok(Self { input, output, errors, ours })
    }

    /// Returns what the command is started with, and our ends.
    fn start(self, call: Call) -> (Start, Ours) {
        let Self { input, output, errors, ours } = self;
        let Call { line, directory, environment, .. } = call;
        (Start { line, directory, input, output, errors, environment }, ours)
    }
}

/// What was copied.
struct Copied {
    kind: Piece,
    bytes: u64,
    sha256: String,
}

/// What ends the copying of a stream.
struct Ends {
    /// The command is over.
    over: watch::Receiver<bool>,
    /// The client reads standard output, or standard error, no more.
    closed: watch::Receiver<[bool; 2]>,
    /// The client is gone, or counts no more.
    gone: watch::Receiver<bool>,
}

/// Marks the stream that a client reads no more.
fn mark(closed: &mut [bool; 2], stream: &[u8], draws: [bool; 2]) {
    if let [at @ (1 | 2)] = stream {
        let at = usize::from(at - 1);
        // A terminal has an end of its own.
        closed[at] |= !draws[at];
    }
}

/// Copies what a command writes to its client, as fast as that takes it. Once the command is over, what goes on in the background may have its streams still:
/// then it ends where nothing comes any more, or more than can have waited in a pipe. Where the client reads no more, the command's next write fails as one to
/// a pipe that nobody reads.
async fn copy(mut source: pipe::Receiver, kind: Piece, to: Way, ends: Ends) -> Copied {
    let Ends { mut over, mut closed, mut gone } = ends;
    let at = usize::from(kind == Piece::Errors);
    let mut piece = vec![0; HEAD + PIECE];
    let (mut bytes, mut digest) = (0, Context::new(&SHA256));
    let (mut is_heard, mut rest) = (true, WAITING);
    while rest > 0 {
        let is_over = *over.borrow();
        let read = source.read(&mut piece[HEAD..]);
        let read = if is_over {
            timeout(REST, read).await.unwrap_or(Ok(0))
        } else {
            tokio::select! {
                read = read => read,
                _ = over.wait_for(|is_over| *is_over) => continue,
                _ = closed.wait_for(|closed| closed[at]) => break,
            }
        };
        // A terminal that nobody has any more ends with an error.
        let Ok(count @ 1..) = read else { break };
        digest.update(&piece[HEAD..HEAD + count]);
        bytes += count as u64;
        if is_over {
            rest = rest.saturating_sub(count);
        }
        let Some(head) = kind.head(count) else { break };
        piece[..HEAD].copy_from_slice(&head);
        // A client that is gone ends the command; until it has ended, what it writes is taken.
        let sent = async { to.lock().await.write_all(&piece[..HEAD + count]).await.is_ok() };
        is_heard = is_heard
            && tokio::select! {
                sent = sent => sent,
                _ = gone.wait_for(|is_gone| *is_gone) => false,
            };
    }
    let sha256 = hex(digest.finish().as_ref());
    Copied { kind, bytes, sha256 }
}

/// Who gives a command what it reads. More is asked of the client only once what came is read, and nothing before the command reads at all: what it leaves
/// is for whoever reads after it.
struct Feed {
    input: pipe::Sender,
    said: mpsc::UnboundedReceiver<Said>,
    to: Way,
    /// None: it is a terminal.
    demand: Option<Demand>,
    /// Bytes that were asked of the client, and have not come.
    asked: Arc<AtomicUsize>,
}

impl Feed {
    async fn go(mut self, begun: tokio::sync::oneshot::Receiver<()>) {
        if begun.await.is_err() {
            return;
        }
        let is_terminal = self.demand.is_none();
        if let Some(demand) = &self.demand {
            demand.wait().await;
        }
        let (mut asked, mut more) = (0, LEAST);
        loop {
            if asked == 0 {
                // A pipe has room for more once what was in it is read.
                let is_read = is_terminal || self.input.writable().await.is_ok();
                self.asked.fetch_add(usize::try_from(more).unwrap_or_default(), Ordering::Relaxed);
                if !is_read || send(&self.to, Piece::More, &more.to_le_bytes()).await.is_err() {
                    return;
                }
                asked = usize::try_from(more).unwrap_or_default();
            }
            match self.said.recv().await {
                Some(Said::Input(bytes)) => {
                    asked = asked.saturating_sub(bytes.len());
                    if self.input.write_all(&bytes).await.is_err() {
                        return;
                    }
                    if !is_terminal && asked == 0 {
                        // Whoever reads so much reads on: what is asked for at once grows.
                        let _ = rustix::pipe::fcntl_setpipe_size(&self.input, 1 << 20);
                        more = MORE;
                    }
                }
                Some(Said::Ends) if is_terminal => {
                    // The key that ends input, as a terminal has it.
                    let _ = self.input.write_all(&[4]).await;
                    return;
                }
                Some(Said::Ends) | None => return,
            }
        }
    }
}
