//! `host` and `host-shim`: in a container, a command that runs on the machine outside, where a person or their rules permit it. Speaks to the bridge there, and
//! judges nothing: that is done where it runs.

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use clap::Args;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use super::failure::Failure;
use super::output::print;
use crate::approval;
use crate::approval::text::with_causes;
use crate::install;
use crate::ipc::{BRIDGE, Begin, HEAD, Over, PIECE, Piece};
use crate::observe::{Environment, working_directory};
use crate::sys::Replacement;
use crate::sys::pty;
use crate::sys::terminal::Kept;

/// What is ours, as against what the command returns.
const FAILED: u8 = 125;
const REFUSED: u8 = 126;

/// The variable with the address of the bridge, and that with the token.
const ADDRESS: &str = "GUARDED_SH_HOST";
const TOKEN: &str = "GUARDED_SH_MCP_TOKEN";
/// The file with both, below the directory of settings, and for all users.
const FILE: &str = "guarded-sh/host.toml";

/// Bytes of the bridge's first answer at most.
const ANSWER: usize = 8 << 10;

/// What `host` takes.
#[derive(Args)]
pub(super) struct Arguments {
    /// Says what it is for, to the person who is asked
    #[arg(long, value_name = "WORDS")]
    purpose: Option<String>,
    /// Sets a variable there, of those that the owner allows this client
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
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
    let pairs = arguments.set.iter().map(|pair| {
        let (name, value) = pair.split_once('=').ok_or("`--set` takes NAME=VALUE")?;
        Ok((name.to_owned(), value.to_owned()))
    });
    let terminals = terminals();
    let size = window();
    let begin = Begin {
        words: arguments.words.clone(),
        cwd: working_directory(),
        purpose: arguments.purpose.clone(),
        set: pairs.collect::<Result<_, &str>>()?,
        terminals,
        size: size.map(|size| (size.rows, size.columns)),
        term: environment.get("TERM").filter(|_| terminals.contains(&true)).map(str::to_owned),
    };
    // Until it is heard, signals end us as any program.
    let connection = way.connect()?;
    let signals = signals().map_err(|error| format!("cannot hear signals: {error}"))?;
    let mut talk =
        Talk { connection, signals, credit: 0, input: Input::Open, raw: None, bytes: Vec::new() };
    let begin = serde_json::to_vec(&begin).map_err(|error| error.to_string())?;
    talk.send(Piece::Begin, &begin)?;
    talk.go(terminals[0])
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
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&set), None)?;
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
    /// Bytes of standard input that the host takes.
    credit: usize,
    input: Input,
    /// The terminal, while its keys go to the host.
    raw: Option<Kept>,
    /// What came and is no whole piece yet.
    bytes: Vec<u8>,
}

impl Talk {
    fn send(&mut self, kind: Piece, body: &[u8]) -> Result<(), String> {
        let head = kind.head(body.len()).ok_or("the command is too long")?;
        let piece = [&head[..], body].concat();
        self.connection.write_all(&piece).map_err(|error| format!("the host is gone: {error}"))
    }

    /// Goes on until it is over.
    fn go(&mut self, types: bool) -> Result<u8, String> {
        let mut room = vec![0; PIECE];
        loop {
            let reads = self.credit > 0 && self.input == Input::Open;
            let stdin = crate::sys::entry::standard_input();
            let waits = PollFlags::POLLIN;
            let mut waited = vec![
                PollFd::new(self.connection.as_fd(), waits),
                PollFd::new(self.signals.as_fd(), waits),
            ];
            if reads {
                waited.push(PollFd::new(stdin, waits));
            }
            match poll(&mut waited, PollTimeout::NONE) {
                Err(nix::errno::Errno::EINTR) => continue,
                Err(errno) => return Err(format!("cannot wait: {errno}")),
                Ok(_) => {}
            }
            let ready: Vec<bool> = waited.iter().map(|one| one.any().unwrap_or(false)).collect();
            if ready[1] {
                self.pass_signals()?;
            }
            if ready[0] {
                let count = self.connection.read(&mut room);
                let count = count.map_err(|error| format!("the host is gone: {error}"))?;
                if count == 0 {
                    return Err("the host hung up before the command was over".to_owned());
                }
                self.bytes.extend_from_slice(&room[..count]);
                if let Some(over) = self.take(types)? {
                    return Ok(self.ended(&over));
                }
            }
            if reads && ready[2] {
                self.read_input(&mut room)?;
            }
        }
    }

    fn read_input(&mut self, room: &mut [u8]) -> Result<(), String> {
        let most = self.credit.min(room.len());
        match nix::unistd::read(crate::sys::entry::standard_input(), &mut room[..most]) {
            Ok(0) => {
                self.input = Input::Over;
                self.send(Piece::InputEnds, &[])
            }
            Ok(count) => {
                self.credit -= count;
                self.send(Piece::Input, &room[..count])
            }
            Err(nix::errno::Errno::EINTR | nix::errno::Errno::EAGAIN) => Ok(()),
            Err(_) => {
                self.input = Input::Over;
                self.send(Piece::InputEnds, &[])
            }
        }
    }

    fn pass_signals(&mut self) -> Result<(), String> {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            let number = signal.ssi_signo;
            if number == Signal::SIGWINCH as u32 {
                if let Some(size) = window() {
                    let ([a, b], [c, d]) = (size.rows.to_le_bytes(), size.columns.to_le_bytes());
                    self.send(Piece::Size, &[a, b, c, d])?;
                }
                continue;
            }
            self.send(Piece::Signal, &[u8::try_from(number).unwrap_or_default()])?;
        }
        Ok(())
    }

    /// Takes what came; returns how it ended, once it has.
    fn take(&mut self, types: bool) -> Result<Option<Over>, String> {
        let mut at = 0;
        let mut over = None;
        while let Some(head) = self.bytes.get(at..at + HEAD) {
            let head = head.try_into().unwrap_or([0; HEAD]);
            let unknown =
                "the host says what is not understood: both must be of the same guarded-sh";
            let (kind, length) = Piece::read(head).ok_or(unknown)?;
            let Some(body) = self.bytes.get(at + HEAD..at + HEAD + length) else { break };
            match kind {
                Piece::Output => write(1, body)?,
                Piece::Errors => write(2, body)?,
                Piece::Note => {
                    let text = String::from_utf8_lossy(body);
                    let end = if self.raw.is_some() { "\r\n" } else { "\n" };
                    // Nothing is left to do if stderr is gone.
                    let _ = write!(io::stderr(), "guarded-sh: {}{end}", approval::visible(&text));
                }
                Piece::More => {
                    let more = body.try_into().map(u32::from_le_bytes).unwrap_or_default();
                    self.credit += usize::try_from(more).unwrap_or_default();
                    if types && self.raw.is_none() {
                        self.raw = raw();
                    }
                }
                Piece::Over => {
                    over = Some(serde_json::from_slice(body).map_err(|_| unknown)?);
                }
                Piece::Begin | Piece::Input | Piece::InputEnds | Piece::Signal | Piece::Size => {
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

/// Has the keys of our terminal go to the host as they are; none where it is not ours.
fn raw() -> Option<Kept> {
    let terminal = fs::File::options().read(true).write(true).open("/dev/tty").ok()?;
    let mut kept = Kept::keep(&terminal).ok()?;
    kept.take_all().ok()?;
    Some(kept)
}

fn write(number: i32, bytes: &[u8]) -> Result<(), String> {
    let done = if number == 1 {
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    } else {
        io::stderr().lock().write_all(bytes)
    };
    done.map_err(|error| format!("nobody reads what the command writes: {error}"))
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
