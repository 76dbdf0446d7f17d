//! `host` and `host-shim`: in a container, a command that runs on the machine outside, where a person or their rules permit it. Speaks to the bridge there, and
//! judges nothing: that is done where it runs.

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::failure::Failure;
use super::host_output::{Failed, Writer};
use super::output::print;
use crate::approval;
use crate::approval::text::with_causes;
use crate::install;
use crate::ipc::{BRIDGE, Begin, HEAD, Over, PIECE, Piece};
use crate::observe::{Environment, working_directory};
use crate::sys::pty;
use crate::sys::terminal::Kept;
use crate::sys::{Replacement, entry, process};

/// What is ours, as against what the command returns.
const FAILED: u8 = 125;
const REFUSED: u8 = 126;

/// The variable with the address of the bridge, and that with the token.
const ADDRESS: &str = "GUARDED_SH_HOST";
const TOKEN: &str = "GUARDED_SH_MCP_TOKEN";
/// The file with both, below the directory of settings, and for all users.
const FILE: &str = "guarded-sh/host.toml";

/// For how long the host may take to say that it heard a signal.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes of the bridge's first answer at most.
const ANSWER: usize = 8 << 10;

/// What `host` takes.
#[derive(Args)]
pub(super) struct Arguments {
    /// Says what it is for, to the person who is asked
    #[arg(long, value_name = "WORDS")]
    purpose: Option<String>,
    /// Sets a variable there, of those that the owner allows this client
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// The command and its words
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "COMMAND"
    )]
    words: Vec<String>,
}

/// What `host-shim` takes.
#[derive(Args)]
pub(super) struct Shim {
    /// Where the programs are put: a directory that stands first on PATH
    #[arg(long, value_name = "DIR", default_value = "/usr/local/bin")]
    directory: PathBuf,
    /// Names of programs that run on the host from then on
    #[arg(required = true, value_name = "PROGRAM")]
    names: Vec<String>,
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("it takes NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Runs a command on the host; returns its status.
pub(super) fn run(arguments: &Arguments) -> u8 {
    match ran(arguments) {
        Ok(status) => status,
        Err(why) => {
            // Nothing is left to do if stderr is gone.
            let _ = writeln!(io::stderr(), "guarded-sh: host: {}", approval::visible(&why));
            FAILED
        }
    }
}

fn ran(arguments: &Arguments) -> Result<u8, String> {
    let environment = Environment::read();
    let way = Way::find(&environment)?;
    let closed = entry::closed_streams();
    let terminals = terminals();
    let size = window();
    // Elsewhere it would be another command.
    let cwd = working_directory()
        .ok_or("the directory in which it is called is gone, or its name is no text")?;
    let begin = Begin {
        words: arguments.words.clone(),
        cwd: Some(cwd),
        purpose: arguments.purpose.clone(),
        set: arguments.set.clone(),
        terminals,
        closed,
        size: size.map(|size| (size.rows, size.columns)),
        term: environment.get("TERM").filter(|_| terminals.contains(&true)).map(str::to_owned),
    };
    // Until it is heard, signals end us as any program.
    let connection = way.connect()?;
    let signals = signals().map_err(|error| format!("cannot hear signals: {error}"))?;
    connection.set_nonblocking().map_err(|error| format!("cannot wait for the host: {error}"))?;
    let mut talk = Talk {
        connection,
        signals,
        writer: Writer::start().map_err(|error| format!("cannot write: {error}"))?,
        types: terminals[0],
        draws: terminals[1],
        credit: 0,
        input: Input::Open,
        raw: None,
        unheard: None,
        bytes: Vec::new(),
        left: Vec::new(),
        is_over: false,
    };
    let begin = serde_json::to_vec(&begin).map_err(|error| error.to_string())?;
    talk.say(Piece::Begin, &begin)?;
    talk.go()
}

fn terminals() -> [bool; 3] {
    [io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal()]
}

/// Returns the size of the window, if a standard stream is a terminal.
fn window() -> Option<pty::Size> {
    let size = |stream: &dyn AsFd| pty::size(stream.as_fd()).ok();
    size(&io::stdin()).or_else(|| size(&io::stdout())).or_else(|| size(&io::stderr()))
}

/// Where the bridge is, and the token for it.
struct Way {
    address: String,
    token: String,
}

/// What the file holds.
#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    address: Option<String>,
    token: Option<String>,
}

impl Way {
    fn find(environment: &Environment) -> Result<Self, String> {
        let own = environment
            .get("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| environment.get("HOME").map(|home| Path::new(home).join(".config")));
        let places = own.into_iter().chain([PathBuf::from("/etc")]).map(|place| place.join(FILE));
        let mut written = Written::default();
        for place in places {
            let text = install::read_text(&place).map_err(|error| with_causes(&error))?;
            let Some(text) = text else { continue };
            written = toml::from_str(&text)
                .map_err(|error| format!("'{}': {}", place.display(), error.message()))?;
            break;
        }
        let said = |name, written: Option<String>| {
            let own = environment.get(name).map(str::to_owned);
            own.or(written).ok_or_else(|| {
                format!("nothing says where the host is: set {ADDRESS} and {TOKEN}, or write /etc/{FILE}")
            })
        };
        let (address, token) = (said(ADDRESS, written.address)?, said(TOKEN, written.token)?);
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_plain(&address) || !is_plain(&token) {
            return Err("an address or token has letters that none has".to_owned());
        }
        Ok(Self { address, token })
    }

    fn connect(&self) -> Result<Connection, String> {
        let failed =
            |error: io::Error| format!("the host does not answer at {}: {error}", self.address);
        let (mut connection, host) = if let Some(path) = self.address.strip_prefix("unix:") {
            (Connection::Unix(UnixStream::connect(path).map_err(failed)?), "localhost")
        } else {
            let stream = TcpStream::connect(&self.address).map_err(failed)?;
            // What is typed goes at once.
            stream.set_nodelay(true).map_err(failed)?;
            (Connection::Tcp(stream), self.address.as_str())
        };
        let asked = format!(
            "POST /host HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nConnection: Upgrade\r\nUpgrade: {BRIDGE}\r\nContent-Length: 0\r\n\r\n",
            self.token
        );
        connection.write_all(asked.as_bytes()).map_err(failed)?;
        let mut answer = Vec::new();
        // Byte for byte: what comes behind the head is not of it.
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            match connection.read(&mut byte).map_err(failed)? {
                0 => break,
                _ if answer.len() >= ANSWER => break,
                _ => answer.push(byte[0]),
            }
        }
        let answer = String::from_utf8_lossy(&answer).into_owned();
        if answer.starts_with("HTTP/1.1 101 ") {
            return Ok(connection);
        }
        let mut body = String::new();
        // What it says besides helps, and is not needed.
        let _ = connection.take(ANSWER as u64).read_to_string(&mut body);
        let first = answer.lines().next().unwrap_or_default();
        let said = if body.trim().is_empty() { first } else { body.trim() };
        Err(format!("the host does not hear us: {said}"))
    }
}

enum Connection {
    Unix(UnixStream),
    Tcp(TcpStream),
}

impl Connection {
    /// Has nothing wait for the host but what waits for signals as well.
    fn set_nonblocking(&self) -> io::Result<()> {
        match self {
            Self::Unix(stream) => stream.set_nonblocking(true),
            Self::Tcp(stream) => stream.set_nonblocking(true),
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Unix(stream) => stream.as_fd(),
            Self::Tcp(stream) => stream.as_fd(),
        }
    }
}

impl Read for Connection {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.read(bytes),
            Self::Tcp(stream) => stream.read(bytes),
        }
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Unix(stream) => stream.write(bytes),
            Self::Tcp(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The signals that the command gets in our place.
const PASSED: [Signal; 8] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGCONT,
    Signal::SIGWINCH,
];

fn signals() -> nix::Result<SignalFd> {
    let set: SigSet = PASSED.into_iter().collect();
    // One that writes for nobody is told by what it wrote.
    let mut blocked = set;
    blocked.add(Signal::SIGPIPE);
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&blocked), None)?;
    SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
}

/// How standard input stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Input {
    Open,
    Over,
}

struct Talk {
    connection: Connection,
    signals: SignalFd,
    writer: Writer,
    /// Whether standard input is a terminal, and standard output.
    types: bool,
    draws: bool,
    /// Bytes of standard input that the host takes.
    credit: usize,
    input: Input,
    /// The terminal, while its keys go to the host.
    raw: Option<Kept>,
    /// A signal that ends programs, which the host has not said that it heard, and since when.
    unheard: Option<(Signal, Instant)>,
    /// What came and is no whole piece yet.
    bytes: Vec<u8>,
    /// What the host has not taken yet.
    left: Vec<u8>,
    /// Whether the host said how it ended.
    is_over: bool,
}

impl Talk {
    fn say(&mut self, kind: Piece, body: &[u8]) -> Result<(), String> {
        // Whoever said how it ended hears nothing more.
        if self.is_over {
            return Ok(());
        }
        let head = kind.head(body.len()).ok_or("the command is too long")?;
        self.left.extend_from_slice(&head);
        self.left.extend_from_slice(body);
        self.send()
    }

    /// Sends as much as the host takes.
    fn send(&mut self) -> Result<(), String> {
        while !self.left.is_empty() {
            match self.connection.write(&self.left) {
                Ok(count) => drop(self.left.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("the host is gone: {error}")),
            }
        }
        Ok(())
    }

    /// Goes on until it is over.
    fn go(&mut self) -> Result<u8, String> {
        let mut room = vec![0; PIECE];
        let mut over: Option<Over> = None;
        loop {
            if let Some(over) = over.as_ref().filter(|_| self.writer.waiting() == 0) {
                self.tell_of_writer()?;
                return Ok(self.ended(over));
            }
            self.end_unheard()?;
            let hears = over.is_none() && self.writer.has_room();
            let reads = over.is_none()
                && self.credit > 0
                && self.input == Input::Open
                && self.left.is_empty()
                && (!self.types || is_foreground());
            let ready = self.wait(hears, reads)?;
            if ready.contains(&Event::Signal) {
                self.pass_signals()?;
            }
            if ready.contains(&Event::Written) {
                self.tell_of_writer()?;
            }
            if ready.contains(&Event::HostTakes) {
                self.send()?;
            }
            if ready.contains(&Event::HostSays) {
                match self.connection.read(&mut room) {
                    Ok(0) => {
                        return Err("the host hung up before the command was over".to_owned());
                    }
                    Ok(count) => self.bytes.extend_from_slice(&room[..count]),
                    Err(error)
                        if matches!(
                            error.kind(),
                            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                        ) => {}
                    Err(error) => return Err(format!("the host is gone: {error}")),
                }
                over = self.take()?;
                if over.is_some() {
                    self.is_over = true;
                    self.left.clear();
                    self.unheard = None;
                }
            }
            if ready.contains(&Event::Input) {
                self.read_input(&mut room)?;
            }
        }
    }

    /// Waits until something can be done, and returns what.
    fn wait(&self, hears: bool, reads: bool) -> Result<Vec<Event>, String> {
        let waits = PollFlags::POLLIN;
        let mut host = PollFlags::empty();
        host.set(PollFlags::POLLIN, hears);
        host.set(PollFlags::POLLOUT, !self.left.is_empty());
        let mut waited =
            vec![PollFd::new(self.signals.as_fd(), waits), PollFd::new(self.writer.done(), waits)];
        if !host.is_empty() {
            waited.push(PollFd::new(self.connection.as_fd(), host));
        }
        if reads {
            waited.push(PollFd::new(entry::standard_input(), waits));
        }
        let unheard = self.unheard.filter(|(signal, _)| self.is_bounded(*signal));
        let left = unheard.map(|(_, since)| PATIENCE.saturating_sub(since.elapsed()));
        // A millisecond more: it wakes when the time is over.
        let left = left.map(|left| PollTimeout::try_from(left + Duration::from_millis(1)));
        match poll(&mut waited, left.and_then(Result::ok).unwrap_or(PollTimeout::NONE)) {
            Err(nix::errno::Errno::EINTR) => return Ok(Vec::new()),
            Err(errno) => return Err(format!("cannot wait: {errno}")),
            Ok(_) => {}
        }
        let flags = |at: usize| waited.get(at).and_then(PollFd::revents);
        let is_ready = |at: usize| flags(at).is_some_and(|flags| !flags.is_empty());
        let takes = flags(2).unwrap_or(PollFlags::empty());
        let ends = PollFlags::POLLHUP | PollFlags::POLLERR;
        let at_input = 2 + usize::from(!host.is_empty());
        let events = [
            (Event::Signal, is_ready(0)),
            (Event::Written, is_ready(1)),
            (Event::HostTakes, !host.is_empty() && takes.contains(PollFlags::POLLOUT)),
            (Event::HostSays, hears && takes.intersects(PollFlags::POLLIN | ends)),
            (Event::Input, reads && is_ready(at_input)),
        ];
        Ok(events.into_iter().filter_map(|(event, is)| is.then_some(event)).collect())
    }

    fn read_input(&mut self, room: &mut [u8]) -> Result<(), String> {
        let most = self.credit.min(room.len());
        match nix::unistd::read(entry::standard_input(), &mut room[..most]) {
            Ok(0) => {
                self.input = Input::Over;
                self.say(Piece::InputEnds, &[])
            }
            Ok(count) => {
                self.credit -= count;
                self.say(Piece::Input, &room[..count])
            }
            Err(nix::errno::Errno::EINTR | nix::errno::Errno::EAGAIN) => Ok(()),
            Err(_) => {
                self.input = Input::Over;
                self.say(Piece::InputEnds, &[])
            }
        }
    }

    fn pass_signals(&mut self) -> Result<(), String> {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            let number = i32::try_from(signal.ssi_signo).unwrap_or_default();
            let Ok(signal) = Signal::try_from(number) else { continue };
            match signal {
                Signal::SIGWINCH => {
                    if let Some(size) = window() {
                        let ([a, b], [c, d]) =
                            (size.rows.to_le_bytes(), size.columns.to_le_bytes());
                        self.say(Piece::Size, &[a, b, c, d])?;
                    }
                    continue;
                }
                // Whoever stopped us may have set the terminal for themselves.
                Signal::SIGCONT => {
                    self.raw = None;
                    self.take_keys();
                }
                // What is left to be written is ours alone.
                signal if self.is_over => self.die(signal),
                // The host has not heard the first one, and what it writes is not read: it is not waited for.
                signal if self.unheard.is_some() && !self.writer.has_room() => self.die(signal),
                signal => drop(self.unheard.get_or_insert((signal, Instant::now()))),
            }
            self.say(Piece::Signal, &[u8::try_from(number).unwrap_or_default()])?;
        }
        Ok(())
    }

    /// Ends us by a signal that the host does not hear: it may have been stopped, or be out of reach.
    fn end_unheard(&mut self) -> Result<(), String> {
        match self.unheard {
            Some((signal, _)) if !self.is_bounded(signal) => Ok(()),
            Some((signal, since)) if since.elapsed() >= PATIENCE => {
                self.raw = None;
                // Nothing is left to do if stderr is gone.
                let _ = writeln!(
                    io::stderr(),
                    "guarded-sh: host: the host does not answer: whether the command goes on there is not known"
                );
                self.die(signal);
                Err("the host does not answer".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Whether the host has so long to say that it heard a signal. What it says waits behind what the command wrote, which a person may look at for as
    /// long as they like.
    fn is_bounded(&self, signal: Signal) -> bool {
        signal != Signal::SIGINT || self.writer.has_room()
    }

    fn die(&mut self, signal: Signal) {
        self.raw = None;
        process::die_by(signal as i32);
    }

    /// Tells the host which of our streams nobody reads any more.
    fn tell_of_writer(&mut self) -> Result<(), String> {
        for Failed { stream, why } in self.writer.failed() {
            if let Some(why) = why {
                let name = if stream == 1 { "output" } else { "error" };
                // Nothing is left to do if it is stderr itself.
                let _ =
                    writeln!(io::stderr(), "guarded-sh: host: cannot write standard {name}: {why}");
            }
            self.say(Piece::Closed, &[stream])?;
        }
        Ok(())
    }

    /// Has the keys of the terminal go to the host, if it wants them and they are ours.
    fn take_keys(&mut self) {
        // Where something else writes to the terminal, as a pager, that has the keys.
        if self.types && self.draws && self.credit > 0 && self.raw.is_none() && is_foreground() {
            self.raw = raw();
        }
    }

    /// Takes what came; returns how it ended, once it has.
    fn take(&mut self) -> Result<Option<Over>, String> {
        let mut at = 0;
        let mut over = None;
        while let Some(head) = self.bytes.get(at..at + HEAD) {
            let head = head.try_into().unwrap_or([0; HEAD]);
            let unknown =
                "the host says what is not understood: both must be of the same guarded-sh";
            let (kind, length) = Piece::read(head).ok_or(unknown)?;
            let Some(body) = self.bytes.get(at + HEAD..at + HEAD + length) else { break };
            match kind {
                Piece::Output => self.writer.write(1, body),
                Piece::Errors => self.writer.write(2, body),
                Piece::Note => {
                    let text = String::from_utf8_lossy(body);
                    let end = if self.raw.is_some() { "\r\n" } else { "\n" };
                    // Nothing is left to do if stderr is gone.
                    let _ = write!(io::stderr(), "guarded-sh: {}{end}", approval::visible(&text));
                }
                Piece::More => {
                    let more = body.try_into().map(u32::from_le_bytes).unwrap_or_default();
                    self.credit += usize::try_from(more).unwrap_or_default();
                    self.take_keys();
                }
                Piece::Over => {
                    over = Some(serde_json::from_slice(body).map_err(|_| unknown)?);
                }
                Piece::Passed => self.unheard = None,
                Piece::Begin
                | Piece::Input
                | Piece::InputEnds
                | Piece::Signal
                | Piece::Size
                | Piece::Closed => {
                    return Err(unknown.to_owned());
                }
            }
            at += HEAD + length;
        }
        self.bytes.drain(..at);
        Ok(over)
    }

    fn ended(&mut self, over: &Over) -> u8 {
        self.raw = None;
        if let Some(why) = &over.refused {
            let mut err = io::stderr().lock();
            // Nothing is left to do if stderr is gone.
            let _ = writeln!(err, "guarded-sh: refused on the host: {}", approval::visible(why));
            if let Some(hint) = &over.hint {
                let _ = writeln!(err, "hint: {}", approval::visible(hint));
            }
            return REFUSED;
        }
        match (over.status, over.signal) {
            (Some(status), _) => u8::try_from(status & 0xff).unwrap_or(FAILED),
            (None, Some(signal)) => u8::try_from(128 + signal).unwrap_or(FAILED),
            (None, None) => FAILED,
        }
    }
}

/// What can be done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    /// A signal came.
    Signal,
    /// Something was written, or cannot be.
    Written,
    /// The host takes what is left to send.
    HostTakes,
    /// The host says something, or is gone.
    HostSays,
    /// Standard input can be read.
    Input,
}

/// Whether the keys of our terminal are ours: in the background, whoever reads them is stopped.
fn is_foreground() -> bool {
    nix::unistd::tcgetpgrp(entry::standard_input())
        .is_ok_and(|group| group == nix::unistd::getpgrp())
}

/// Has the keys of our terminal go to the host as they are; none where it is not ours.
fn raw() -> Option<Kept> {
    let terminal = fs::File::options().read(true).write(true).open("/dev/tty").ok()?;
    let mut kept = Kept::keep(&terminal).ok()?;
    kept.take_all().ok()?;
    Some(kept)
}

/// Puts programs into a directory that run on the host by their names.
pub(super) fn shim(shim: &Shim) -> Result<u8, Failure> {
    let own = std::env::current_exe()?;
    let own = own.to_str().ok_or_else(|| Failure::new("our own path is no text"))?;
    for name in &shim.names {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte);
        if name.is_empty() || name.starts_with(['-', '.']) || !name.bytes().all(is_letter) {
            return Err(Failure::new(format!(
                "'{}' is no name of a program",
                approval::visible(name)
            )));
        }
        let path = shim.directory.join(name);
        let text = format!("#!/bin/sh\nexec {} host -- {name} \"$@\"\n", shell_words::quote(own));
        let is_ours = |path: &Path| {
            install::read_text(path).ok().flatten().is_some_and(|there| {
                there.starts_with("#!/bin/sh\nexec ") && there.contains(" host -- ")
            })
        };
        if path.symlink_metadata().is_ok() && !is_ours(&path) {
            let path = path.display();
            return Err(Failure::new(format!(
                "'{path}' is there already, and is not ours: choose another directory"
            )));
        }
        let shim = Replacement::write(&path, text.as_bytes())?;
        fs::set_permissions(shim.new_path(), PermissionsExt::from_mode(0o755))?;
        shim.put()?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(0)
}
