//! Watches which programs an agent's own processes start, so that no shell starts unguarded by whatever way: where one begins, the guard
//! begins in its place, with the same words and the same environment. What came through the guard is not watched.
//!
//! It is a process of its own, which the host starts and the kernel tells (`sys::trace`). If it ends, so does all that it watches. Where
//! nobody may or should watch, the same process looks now and then (`unwatched`), and ends nothing.

use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::unistd::{Pid, setsid};
use serde::{Deserialize, Serialize};

use super::unwatched::Looker;
use crate::model::{DIRECT, Direct, Shell};
use crate::observe::{
    Environment, Own, Process, Programs, Runs, Sandboxed, all_words_of, file_of, filters_of,
    honest, honest_words_of, is_any_listener, is_same_file, sandboxed, sees_as_we, words_of,
};
use crate::sys::descriptor;
use crate::sys::process::{self, Forked};
use crate::sys::trace::{self, Event};

/// Bytes of the words that are told of a start.
const TOLD: usize = 4096;
/// Processes above one that are looked at for the sandbox that it is in.
const DEPTH: usize = 16;

/// Says whether a program that no shell starts, in this directory and with this environment, needs nobody's yes.
pub type MayStart = fn(&Direct, Option<String>, Environment) -> bool;

/// The process that watches, as the host has it.
#[derive(Debug)]
pub struct Starts {
    process: Pid,
    /// Whether it watches, and does not only look.
    watches: bool,
    channel: UnixStream,
}

/// What an agent's process started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// What became of it.
    pub what: What,
    /// Its process.
    pub process: i32,
    /// Where it was started; none if that is gone.
    pub cwd: Option<String>,
    /// Its words, cut where they are many.
    pub words: Vec<String>,
}

/// What became of a start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// A program that is no shell runs.
    Ran,
    /// A shell runs that did not come through the guard: it was seen where nobody watches.
    Passed,
    /// The guard runs in its place.
    Guarded,
    /// It was ended, since the guard could not be put in its place, for this reason.
    Ended(String),
    /// So many more were started than could be told of, and may have run.
    Untold(usize),
}

impl Start {
    /// Puts together what is told of a process that has these words now.
    pub(super) fn of(process: u32, words: &[OsString], what: What) -> Self {
        let mut left = TOLD;
        let kept = words.iter().map_while(|word| {
            left = left.checked_sub(word.len())?;
            Some(word.to_string_lossy().into_owned())
        });
        let cwd = std::fs::read_link(format!("/proc/{process}/cwd")).ok();
        let cwd = cwd.and_then(|cwd| cwd.into_os_string().into_string().ok());
        Self { what, process: process.cast_signed(), cwd, words: kept.collect() }
    }
}

impl Starts {
    /// Makes the process that watches. The guard that it puts in the place of shells is `guard`, and without one it only looks; shells are
    /// also looked for on `path`.
    /// `words` are what the person starts: a shell among them is theirs. Where other programs are judged too, `judge` does. There must be
    /// no other thread.
    pub fn begin(
        guard: Option<&Path>,
        path: &OsStr,
        words: &[OsString],
        judge: Option<MayStart>,
    ) -> io::Result<Self> {
        let name = |guard: &Path| CString::new(guard.as_os_str().as_bytes());
        let guard = guard.map(name).transpose().map_err(io::Error::other)?;
        let watches = guard.is_some();
        let programs = Programs::find(path);
        // Packets, so that each is told whole or not at all.
        let flags = SockFlag::SOCK_CLOEXEC;
        let (ours, theirs) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)?;
        match process::fork()? {
            Forked::Parent(process) => Ok(Self { process, watches, channel: ours.into() }),
            Forked::Child => {
                // Whoever tells us what to watch is gone, or we can do nothing more: what we watch ends with us.
                let _ = Watcher::new(theirs, programs, guard, words, judge).and_then(Watcher::run);
                process::end(1)
            }
        }
    }

    /// Returns the process that watches, where it does.
    #[must_use]
    pub fn watcher(&self) -> Option<Pid> {
        self.watches.then_some(self.process)
    }

    /// Watches a process, which must let the watcher: see [`trace::let_watch`]. The program that it runs first is the person's choice. After
    /// an error it is looked at.
    pub fn watch(&mut self, process: Pid) -> io::Result<()> {
        self.channel.write_all(&process.as_raw().to_le_bytes())?;
        let mut errno = [0; 4];
        self.channel.read_exact(&mut errno)?;
        self.channel.set_nonblocking(true)?;
        match i32::from_le_bytes(errno) {
            0 => Ok(()),
            errno => Err(io::Error::from_raw_os_error(errno)),
        }
    }

    /// Returns the next start that was told; none if there is none yet.
    pub fn told(&mut self) -> Result<Option<Start>, Gone> {
        let mut packet = [0; 3 * TOLD];
        match self.channel.read(&mut packet) {
            Ok(0) => Err(Gone),
            // It is our own program that wrote it.
            Ok(count) => Ok(serde_json::from_slice(&packet[..count]).ok()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(_) => Err(Gone),
        }
    }
}

/// Nobody watches any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

impl AsFd for Starts {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}

/// What is known of the shell that an agent starts in a sandbox of its own. There the guard would reach neither record nor host: so it begins
/// in the place of the sandbox, and what it judged there is the one shell that starts unguarded inside.
enum InSandbox {
    /// The guard judges it.
    Judged,
    /// The sandbox begins, and it is the shell with these words.
    Begun(Vec<OsString>),
}

struct Watcher {
    channel: UnixStream,
    programs: Programs,
    /// None: nobody watches.
    guard: Option<CString>,
    /// The words that the person gave, and whose first program they name.
    words: Vec<OsString>,
    first: Option<Pid>,
    /// Whether that runs by now.
    is_begun: bool,
    /// Judges programs that are no shells.
    judge: Option<MayStart>,
    /// What is the agent's own, and runs without that.
    own: Own,
    /// Those in whose place the guard is about to begin, with the words that were theirs.
    replaced: HashMap<Pid, Vec<OsString>>,
    /// The agent's own sandboxes.
    sandboxes: HashMap<Pid, InSandbox>,
    /// How many starts the host did not take, and was not yet told of.
    untold: usize,
    /// How many filters of system calls the first program had when it began.
    filters: u32,
}

impl Watcher {
    fn new(
        channel: OwnedFd,
        programs: Programs,
        guard: Option<CString>,
        words: &[OsString],
        judge: Option<MayStart>,
    ) -> io::Result<Self> {
        // Nothing that others wait for the end of may stay open here, and no key ends this process.
        let channel = descriptor::keep_only(channel)?.into();
        setsid()?;
        std::env::set_current_dir("/")?;
        Ok(Self {
            channel,
            programs,
            guard,
            words: words.to_vec(),
            first: None,
            is_begun: false,
            judge,
            own: Own::default(),
            replaced: HashMap::new(),
            sandboxes: HashMap::new(),
            untold: 0,
            filters: 0,
        })
    }

    fn run(mut self) -> io::Result<()> {
        let mut process = [0; 4];
        self.channel.read_exact(&mut process)?;
        let process = Pid::from_raw(i32::from_le_bytes(process));
        let watched = match self.guard {
            None => Ok(()),
            // Else every shell that is not ours would be ended.
            Some(_) if !trace::CAN_RUN_INSTEAD => Err(Errno::EOPNOTSUPP.into()),
            Some(_) => trace::watch(process),
        };
        let errno = watched.as_ref().err();
        let errno = errno.map_or(0, |error| error.raw_os_error().unwrap_or(Errno::EIO as i32));
        self.channel.write_all(&errno.to_le_bytes())?;
        self.channel.set_nonblocking(true)?;
        if watched.is_err() || self.guard.is_none() {
            let id = process.as_raw().cast_unsigned();
            let programs = std::mem::replace(&mut self.programs, Programs::find(OsStr::new("")));
            let mut looker = Looker::new(programs, self.words.clone(), id)?;
            while let Some(starts) = looker.turn(&self.channel)? {
                self.tell_untold();
                for start in &starts {
                    self.take(start);
                }
            }
            return Ok(());
        }
        self.first = Some(process);
        self.filters = filters_of(process.as_raw().cast_unsigned());
        while let Some((process, event)) = trace::next()? {
            self.tell_untold();
            match event {
                Event::Started if self.is_of_guard(process) => trace::let_go(process),
                Event::Started => trace::go_on(process, 0),
                Event::Stopped => trace::leave_stopped(process),
                Event::Ended => {
                    self.replaced.remove(&process);
                    self.sandboxes.remove(&process);
                }
                Event::Ran => self.ran(process),
                Event::Signalled(signal) if signal == Signal::SIGTRAP as i32 => {
                    match self.replaced.remove(&process) {
                        Some(words) => {
                            let why = trace::failure(process).map_or("it trapped", Errno::desc);
                            self.end(process, &words, why);
                        }
                        None => trace::go_on(process, signal),
                    }
                }
                Event::Signalled(signal) => trace::go_on(process, signal),
            }
        }
        Ok(())
    }

    /// Decides what becomes of a program that is about to begin.
    fn ran(&mut self, process: Pid) {
        let id = process.as_raw().cast_unsigned();
        let runs = self.programs.run_by(id);
        if let Some(words) = self.replaced.remove(&process) {
            if runs != Runs::Ours {
                return self.end(process, &words, "another program took the guard's place");
            }
            self.tell(process, &words, What::Guarded);
            if sandboxed(&words).is_some() {
                self.sandboxes.insert(process, InSandbox::Judged);
                return trace::go_on(process, 0);
            }
            return trace::let_go(process);
        }
        if let Some(InSandbox::Judged) = self.sandboxes.get(&process) {
            return self.became(process);
        }
        if let Some((sandbox, shell)) = self.sandbox_of(process) {
            return self.ran_inside(process, sandbox, &runs, &shell);
        }
        match runs {
            Runs::Ours => match self.why_blind(process) {
                Some(why) => self.end(process, &words_of(id), why),
                None => trace::let_go(process),
            },
            _ if self.is_persons(process) => trace::go_on(process, 0),
            Runs::Other => {
                let words = words_of(id);
                let sandbox = sandboxed(&words).and_then(|_| c_string(file_of(id)?));
                if let Some(path) = sandbox.or_else(|| self.judged(process, &words)) {
                    return self.put_guard(process, &[c"guarded-sh", DIRECT, &path], 0, words);
                }
                // A script that the person named is run by its interpreter, whose words come before.
                if self.first != Some(process) || !words.ends_with(&self.words) {
                    self.tell(process, &honest(id, words), What::Ran);
                }
                trace::go_on(process, 0);
            }
            Runs::Shell { shell, before } => {
                let words = words_of(id);
                let own = words.get(before).and_then(|word| Path::new(word).file_name());
                let name = own.and_then(OsStr::to_str).unwrap_or_default();
                let plain = name.strip_prefix('-').unwrap_or(name);
                if before == 0 && Shell::named(plain).is_some() {
                    return self.put_guard(process, &[], 0, words);
                }
                let name = CString::new(shell.name()).unwrap_or_default();
                self.put_guard(process, &[&name], before + 1, words);
            }
            // It is judged as any program is that a line runs.
            Runs::Unread { path, before } => {
                let words = words_of(id);
                match line_of(&path, words.get(before + 1..).unwrap_or_default()) {
                    Some(line) => {
                        self.put_guard(process, &[c"bash", c"-c", &line], words.len(), words);
                    }
                    None => self.end(process, &words, "its words are not text"),
                }
            }
            Runs::Unseen => self.end(process, &words_of(id), "nobody may look at it"),
        }
    }

    /// Takes what the guard became that judged a shell in a sandbox: the sandbox, or what a person put in its place.
    fn became(&mut self, process: Pid) {
        let words = all_words_of(process.as_raw().cast_unsigned()).unwrap_or_default();
        let Some(Sandboxed { at, .. }) = sandboxed(&words) else {
            self.sandboxes.remove(&process);
            return trace::let_go(process);
        };
        self.sandboxes.insert(process, InSandbox::Begun(words[at..].to_vec()));
        self.tell(process, &honest_words_of(process.as_raw().cast_unsigned()), What::Ran);
        trace::go_on(process, 0);
    }

    /// Decides what becomes of a program inside of a sandbox: the shell that was judged runs, and so does what makes the sandbox.
    fn ran_inside(&mut self, process: Pid, sandbox: Pid, runs: &Runs, shell: &[OsString]) {
        let id = process.as_raw().cast_unsigned();
        let words = all_words_of(id).unwrap_or_default();
        let begins =
            |words: &[OsString]| sandboxed(words).is_some_and(|is| words[is.at..] == *shell);
        match runs {
            Runs::Shell { before: 0, .. } if words == shell && is_file_of(id, &shell[0]) => {
                self.sandboxes.remove(&sandbox);
                trace::let_go(process);
            }
            Runs::Other if sandboxed(&words).is_none() || begins(&words) => {
                trace::go_on(process, 0);
            }
            _ => self.end(process, &words, "another shell was judged for this sandbox"),
        }
    }

    /// Returns the sandbox that a process makes or is in, and the shell that was judged for it.
    fn sandbox_of(&self, process: Pid) -> Option<(Pid, Vec<OsString>)> {
        if self.sandboxes.is_empty() {
            return None;
        }
        let mut at = process;
        for _ in 0..DEPTH {
            if let Some(InSandbox::Begun(shell)) = self.sandboxes.get(&at) {
                return Some((at, shell.clone()));
            }
            at = parent_of(at)?;
        }
        None
    }

    /// Whether a process that begins is the guard's, which judges a shell in a sandbox: it is nobody's to watch.
    fn is_of_guard(&self, process: Pid) -> bool {
        let is_judged = |at: &Pid| matches!(self.sandboxes.get(at), Some(InSandbox::Judged));
        !self.sandboxes.is_empty()
            && !self.sandboxes.contains_key(&process)
            && parent_of(process).is_some_and(|parent| is_judged(&parent))
    }

    /// Returns the path of a program that is no shell, where it may not run as it is.
    fn judged(&mut self, process: Pid, words: &[OsString]) -> Option<CString> {
        let judge = self.judge?;
        let id = process.as_raw().cast_unsigned();
        if self.first == Some(process) && !self.own.is_known() {
            self.own.learn(id, words);
            return None;
        }
        if self.own.is_run_by(id, words) {
            return None;
        }
        let path = file_of(id).unwrap_or_default();
        // The guard gets the words that are there. What cannot be read is judged by it.
        let may_start = |argv| {
            let place = format!("/proc/{process}");
            let variables = std::fs::read(format!("{place}/environ"))?;
            let variables = variables.split(|byte| *byte == 0).filter_map(|variable| {
                let at = variable.iter().position(|byte| *byte == b'=')?;
                let text = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
                Some((text(&variable[..at]), text(&variable[at + 1..])))
            });
            let cwd = std::fs::read_link(format!("{place}/cwd"))?;
            let (cwd, direct) =
                (cwd.to_str().map(str::to_owned), Direct { path: path.clone(), argv });
            Ok(judge(&direct, cwd, Environment::of(variables)))
        };
        let may_start = all_words_of(id).and_then(may_start).unwrap_or(false);
        (!may_start).then(|| c_string(path).unwrap_or_default())
    }

    /// Whether a program is one that the person named: the first, or what that runs in its own place of the rest, as env(1) does.
    fn is_persons(&mut self, process: Pid) -> bool {
        if self.first != Some(process) {
            return false;
        }
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let words = words_of(process.as_raw().cast_unsigned());
        let is_theirs = is_first || self.words.ends_with(&words);
        if is_theirs && self.judge.is_some() {
            self.own.learn(process.as_raw().cast_unsigned(), &words);
        }
        is_theirs
    }

    fn put_guard(&mut self, process: Pid, front: &[&CStr], before: usize, words: Vec<OsString>) {
        if let Some(why) = self.why_blind(process) {
            return self.end(process, &words, why);
        }
        let guard = self.guard.clone().unwrap_or_default();
        match trace::run_instead(process, &guard, front, before) {
            Ok(()) => {
                self.replaced.insert(process, words);
                trace::go_on(process, 0);
            }
            Err(error) => self.end(process, &words, &error.to_string()),
        }
    }

    /// Returns why a guard that begins in a process would be another's, if it would.
    fn why_blind(&self, process: Pid) -> Option<&'static str> {
        let id = process.as_raw().cast_unsigned();
        if !sees_as_we(id) {
            return Some("it sees other settings than their owner's");
        }
        // An agent's own sandbox may have filters that nobody answers for.
        let is_answered = filters_of(id) > self.filters && is_any_listener();
        is_answered.then_some("another process may answer its system calls (seccomp)")
    }

    fn end(&mut self, process: Pid, words: &[OsString], why: &str) {
        // It is ours, and stopped: the number is its own.
        let _ = kill(process, Signal::SIGKILL);
        self.tell(process, words, What::Ended(why.to_owned()));
    }

    fn tell(&mut self, process: Pid, words: &[OsString], what: What) {
        self.take(&Start::of(process.as_raw().cast_unsigned(), words, what));
    }

    fn take(&mut self, start: &Start) {
        // The agent does not wait for a host that is behind: what the guard does not record by itself is counted.
        if !self.send(start) && start.what != What::Guarded {
            self.untold += 1;
        }
    }

    fn tell_untold(&mut self) {
        if self.untold == 0 {
            return;
        }
        let what = What::Untold(self.untold);
        if self.send(&Start { what, process: 0, cwd: None, words: Vec::new() }) {
            self.untold = 0;
        }
    }

    /// Returns whether the host takes it.
    fn send(&mut self, start: &Start) -> bool {
        let packet = serde_json::to_vec(start).unwrap_or_default();
        self.channel.write(&packet).is_ok()
    }
}

fn parent_of(process: Pid) -> Option<Pid> {
    let seen = Process::see(process.as_raw().cast_unsigned()).ok()?;
    (seen.parent != 0).then(|| Pid::from_raw(seen.parent.cast_signed()))
}

/// Whether a process runs the file at this path.
fn is_file_of(process: u32, path: &OsStr) -> bool {
    is_same_file(Path::new(&format!("/proc/{process}/exe")), Path::new(path))
}

fn c_string(path: PathBuf) -> Option<CString> {
    CString::new(path.into_os_string().into_vec()).ok()
}

/// Returns the line that runs a program with these words, as which it is judged.
fn line_of(path: &Path, words: &[OsString]) -> Option<CString> {
    let words = words.iter().map(|word| word.to_str()).collect::<Option<Vec<_>>>()?;
    let all = ["exec", "--", path.to_str()?].into_iter().chain(words);
    CString::new(shell_words::join(all)).ok()
}
