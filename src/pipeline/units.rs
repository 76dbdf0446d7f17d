//! A program that comes bit by bit on standard input: each unit of it is judged, and handed to a real shell that keeps running.
//! The real shell takes our place, as for any call; a process below it reads what comes, and is all that writes to it.
//!
//! A unit is what a shell takes in before it runs anything: one or more lines. The next one is judged when the last one has run, in the
//! state that it left: where the shell is, is asked of the kernel; variables, functions, options and traps are followed from unit to unit.
//! What units run finds nothing on standard input. A unit that is refused never reaches the shell, which finds 126 in `$?` instead.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::Instant;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::unistd::{dup2_stderr, dup2_stdin, dup2_stdout};

use super::refusal::Stop;
use super::road::{self, Becomes, Ready};
use super::world::World;
use super::{Judgement, Request, Session, recent, startup};
use crate::exec::channel::{Channel, Reader};
use crate::host;
use crate::model::{Mode, Reason, Recent, Shell, ShellInvocation, Trace};
use crate::reading::{Environment, Past, SoFar};
use crate::syntax::{Dialect, Unit, first_unit};
use crate::sys::process::{self, Forked};
use crate::sys::{Stamp, descriptor, entry};

/// Signals that are meant for the shell and what it runs, where they are sent to all of a group. When the shell ends, so do we.
const SHELLS: [Signal; 9] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGTSTP,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    // A reader that is gone is told by the write that fails.
    Signal::SIGPIPE,
];

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// Begins to feed the shell that this process is about to become: its standard input is the channel then. `come` has come already, and
/// `so_far` is what is known of the shell before the first unit.
pub(super) fn begin(
    world: &World,
    invocation: &ShellInvocation,
    come: Vec<u8>,
    so_far: SoFar,
) -> Result<(), Stop> {
    let (channel, theirs) = Channel::open(invocation.shell).map_err(|it| Stop::Feed(it.into()))?;
    let shell = std::process::id();
    let watched = process::watch(shell).map_err(Stop::Feed)?;
    let input = descriptor::duplicate_from(&entry::standard_input(), 3).map_err(Stop::Feed)?;
    match process::fork().map_err(Stop::Feed)? {
        Forked::Parent(_) => dup2_stdin(&theirs).map_err(|it| Stop::Feed(it.into())),
        Forked::Child => {
            drop(theirs);
            let input = Input::new(input, come, invocation.shell);
            // Whatever is wrong, the channel closes with us, and the shell finds the end of its program.
            let done = withdraw().and_then(|()| end_with(&watched));
            if let Err(error) = done {
                let _ = Stop::Feed(error).report();
                process::end(126);
            }
            match Feeder::new(world, invocation, shell, so_far) {
                Ok(feeder) => feeder.feed(input, channel),
                Err(stop) => {
                    let _ = stop.report();
                }
            }
            leave(&watched)
        }
    }
}

/// Leaves to the shell what is its own: standard output, its caller's pipe and its signals.
fn withdraw() -> io::Result<()> {
    let none = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&none)?;
    dup2_stdout(&none)?;
    SHELLS.into_iter().try_for_each(process::ignore)
}

/// Ends this process when the shell does, whatever it waits for: who reads the shell's output waits for us too.
fn end_with(shell: &OwnedFd) -> io::Result<()> {
    let shell = shell.try_clone()?;
    std::thread::Builder::new().spawn(move || {
        wait_for(&shell);
        process::end(0)
    })?;
    Ok(())
}

fn wait_for(shell: &OwnedFd) {
    let mut polled = [PollFd::new(shell.as_fd(), PollFlags::POLLIN)];
    while poll(&mut polled, PollTimeout::NONE) == Err(Errno::EINTR) {}
}

/// Waits for the end of the shell, which has nothing more to come. A child that ended earlier would have its traps run.
fn leave(shell: &OwnedFd) -> ! {
    if let Ok(none) = File::options().read(true).write(true).open("/dev/null") {
        // Where this fails, only the reader of stderr waits as long as the shell lives.
        let _ = dup2_stderr(&none);
    }
    wait_for(shell);
    process::end(0)
}

/// What comes on standard input.
struct Input {
    from: OwnedFd,
    dialect: Dialect,
    come: Vec<u8>,
    /// Whether a unit may be in what has come: not where it was looked for since a line ended.
    looks: bool,
    has_ended: bool,
}

/// What is to be done next.
enum Next {
    /// This unit is to be run.
    Unit(Vec<u8>),
    /// Nothing more comes.
    End,
    /// What comes is over a limit.
    TooLarge,
}

impl Input {
    fn new(from: OwnedFd, come: Vec<u8>, shell: Shell) -> Self {
        Self { from, dialect: Dialect::from(shell), come, looks: true, has_ended: false }
    }

    /// Returns the next unit, as soon as it has come.
    fn next(&mut self) -> Next {
        loop {
            let found = if self.looks { first_unit(&self.come, self.dialect) } else { Unit::Open };
            match found {
                Unit::Whole(length) | Unit::Broken(length) => {
                    let rest = self.come.split_off(length);
                    return Next::Unit(std::mem::replace(&mut self.come, rest));
                }
                Unit::TooLarge => return Next::TooLarge,
                Unit::Open if !self.has_ended => {}
                Unit::Open if self.come.is_empty() => return Next::End,
                // The end of the text ends what is open.
                Unit::Open => return Next::Unit(std::mem::take(&mut self.come)),
            }
            self.looks = false;
            self.read();
        }
    }

    fn read(&mut self) {
        let length = self.come.len();
        self.come.resize(length + PIECE, 0);
        let read = loop {
            match nix::unistd::read(&self.from, &mut self.come[length..]) {
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => {
                    let mut polled = [PollFd::new(self.from.as_fd(), PollFlags::POLLIN)];
                    // What is wrong with it, reading says.
                    let _ = poll(&mut polled, PollTimeout::NONE);
                }
                read => break read,
            }
        };
        // What cannot be read any more has ended, as where a socket is reset.
        let read = read.unwrap_or(0);
        self.come.truncate(length + read);
        self.has_ended = read == 0;
        self.looks = self.has_ended || self.come[length..].contains(&b'\n');
    }
}

/// The process that feeds a shell.
struct Feeder {
    world: World,
    /// What its settings and rules were loaded from.
    stands: Vec<(PathBuf, Option<Stamp>)>,
    invocation: ShellInvocation,
    running: Running,
}

/// What is known of a shell that keeps running.
pub(super) struct Running {
    /// Its process.
    id: u32,
    shell: Shell,
    environment: Environment,
    /// What is not known of how it reads.
    opaque: Vec<Reason>,
    so_far: SoFar,
    past: RefCell<host::Past>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What units before left, with what lines of the session did.
#[derive(Debug)]
struct Earlier<'a> {
    session: Session<'a>,
    running: &'a Running,
}

impl Past for Earlier<'_> {
    fn recent(&self) -> Option<Recent> {
        let own = self.running.past.borrow().recent("");
        let Some(mut all) = self.session.recent() else { return Some(own) };
        all.files.retain(|trace| own.files.iter().all(|known| known.path != trace.path));
        all.files.extend(own.files);
        all.secrets = own.secrets.or(all.secrets);
        Some(all)
    }

    fn is_file(&self, path: &str, trace: &Trace) -> bool {
        self.session.is_file(path, trace)
    }

    fn is_unchanged(&self, path: &str, trace: &Trace) -> bool {
        self.session.is_unchanged(path, trace)
    }
}

impl Running {
    /// Judges a unit in what those before it left.
    pub(super) fn judge(&self, world: &World, unit: &[u8]) -> Result<Judgement, Stop> {
        let earlier = Earlier { session: Session::of(world), running: self };
        let request = Request {
            shell: Some(self.shell),
            environment: self.environment,
            opaque: self.opaque.clone(),
            past: &earlier,
            so_far: Some(&self.so_far),
            ..Request::about(unit)
        };
        let judgement = world.judge(&request)?;
        if let Some(next) = &judgement.next
            && world.terms().mode == Mode::Enforce
        {
            self.keep_between(next)?;
        }
        Ok(judgement)
    }

    /// Refuses what would make of later units something else than what was judged, whoever would permit it.
    fn keep_between(&self, next: &SoFar) -> Result<(), Stop> {
        let own: &[&str] = match self.shell {
            Shell::Bash | Shell::Zsh => &["builtin", "eval", "exit"],
            Shell::Sh | Shell::Dash => &["eval", "exit"],
        };
        if !next.means_own(own) {
            return Err(Stop::Between("`builtin`, `eval` and `exit` must stay the shell's own"));
        }
        if next.may_read_between() {
            return Err(Stop::Between("a trap or prompt that may read what the shell reads"));
        }
        Ok(())
    }

    /// Returns where the shell is; none if that is not known.
    fn directory(&self) -> Option<String> {
        let here = std::fs::read_link(format!("/proc/{}/cwd", self.id)).ok()?;
        // Linux gives a deleted directory, and one outside of our root, a path that is none.
        let path = here.to_str().filter(|path| path.starts_with('/'))?;
        here.is_dir().then(|| path.to_owned())
    }
}

impl Feeder {
    fn new(
        world: &World,
        invocation: &ShellInvocation,
        id: u32,
        so_far: SoFar,
    ) -> Result<Self, Stop> {
        let first = startup::request(world, invocation, b"");
        let running = Running {
            id,
            shell: invocation.shell,
            environment: first.environment,
            opaque: first.opaque,
            so_far,
            past: RefCell::default(),
        };
        let stands = world.stands();
        let world = world.around(world.judge.facts.cwd.clone())?;
        Ok(Self { world, stands, invocation: invocation.clone(), running })
    }

    /// Hands one unit after another to the shell, until nothing more comes or it has ended.
    fn feed(mut self, mut input: Input, mut channel: Channel) {
        loop {
            let done = match input.next() {
                Next::Unit(unit) => self.turn(&unit, &mut channel),
                Next::TooLarge => {
                    let _ = Stop::TooLarge.report();
                    let _ = channel.refuse(b"");
                    return;
                }
                Next::End => return,
            };
            match done {
                Ok(Reader::Waits) => {}
                Ok(Reader::Gone) => return,
                Err(error) => {
                    let _ = Stop::Feed(error).report();
                    return;
                }
            }
        }
    }

    /// Runs a unit, or says why it does not run.
    fn turn(&mut self, unit: &[u8], channel: &mut Channel) -> io::Result<Reader> {
        if is_blank(unit) {
            channel.skip(unit.split(|byte| *byte == b'\n').count() - 1);
            return Ok(Reader::Waits);
        }
        let line = unit.strip_suffix(b"\n").unwrap_or(unit);
        match self.follow().and_then(|()| self.ready(line)) {
            Ok(ready) => {
                let (left, now) = (recent::traces(&ready.judgement), Instant::now());
                self.running.past.borrow_mut().remember("", left, None, now);
                ready.keeping.stay();
                let next = ready.judgement.next.unwrap_or_default();
                let reader = channel.run(ready.permit)?;
                self.running.past.borrow_mut().look();
                self.running.so_far = next;
                Ok(reader)
            }
            Err(stop) => {
                // What was said is all that can be done about it here.
                let _ = stop.report();
                Ok(channel.refuse(unit)?)
            }
        }
    }

    /// Goes where the shell is, and takes over what the owner says by now.
    fn follow(&mut self) -> Result<(), Stop> {
        let directory = self.running.directory();
        if directory == self.world.judge.facts.cwd && self.world.stands() == self.stands {
            return Ok(());
        }
        // Looked at before it is loaded, so that what changes meanwhile is noticed next time.
        self.stands = self.world.around(directory.clone())?.stands();
        self.world = self.world.around(directory)?;
        Ok(())
    }

    fn ready(&self, line: &[u8]) -> Result<Ready<'_>, Stop> {
        let program = Some(OsString::from_vec(line.to_vec()));
        let invocation = ShellInvocation { program, ..self.invocation.clone() };
        road::ready(&self.world, invocation, Becomes::Unit(&self.running))
    }
}

/// Whether a unit holds no command: nothing but blanks, or one line of a comment.
fn is_blank(unit: &[u8]) -> bool {
    let text = unit.trim_ascii();
    text.is_empty() || text.starts_with(b"#") && !text.contains(&b'\n')
}
