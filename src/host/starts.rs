//! Watches which programs an agent's own processes start, so that no shell starts unguarded by whatever way: where one begins, the guard
//! begins in its place, with the same words and the same environment. What came through the guard is not watched.
//!
//! It is a process of its own, which the host starts and the kernel tells (`sys::trace`). If it ends, so does all that it watches.

use std::collections::HashMap;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::Path;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
use nix::unistd::{Pid, setsid};
use serde::{Deserialize, Serialize};

use crate::model::Shell;
use crate::observe::{Programs, Runs, words_of};
use crate::sys::descriptor;
use crate::sys::process::{self, Forked};
use crate::sys::trace::{self, Event};

/// Bytes of the words that are told of a start.
const TOLD: usize = 4096;
/// What a program that is not read here is judged as: a word of a line.
const LINE: &CStr = c"exec -- \"$0\" \"$@\"";

/// The process that watches, as the host has it.
#[derive(Debug)]
pub struct Starts {
    process: Pid,
    channel: UnixStream,
}

/// What an agent's process started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// What became of it.
    pub what: What,
    /// Its process.
    pub process: i32,
    /// Its words, cut where they are many.
    pub words: Vec<String>,
}

/// What became of a start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// A program that is no shell runs.
    Ran,
    /// The guard runs in its place.
    Guarded,
    /// It was ended, since the guard could not be put in its place, for this reason.
    Ended(String),
}

impl Starts {
    /// Makes the process that watches. The guard that it puts in the place of shells is `guard`; shells are also looked for on `path`.
    /// There must be no other thread.
    pub fn begin(guard: &Path, path: &OsStr) -> io::Result<Self> {
        let guard = CString::new(guard.as_os_str().as_bytes()).map_err(io::Error::other)?;
        let programs = Programs::find(path);
        // Packets, so that each is told whole or not at all.
        let flags = SockFlag::SOCK_CLOEXEC;
        let (ours, theirs) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)?;
        match process::fork()? {
            Forked::Parent(process) => Ok(Self { process, channel: ours.into() }),
            Forked::Child => {
                // Whoever tells us what to watch is gone, or we can do nothing more: what we watch ends with us.
                let _ = Watcher::new(theirs, programs, guard).and_then(Watcher::run);
                process::end(1)
            }
        }
    }

    /// Returns the process that watches.
    #[must_use]
    pub const fn process(&self) -> Pid {
        self.process
    }

    /// Watches a process, which must let this one: see [`trace::let_watch`]. The program that it runs first is the person's choice.
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
    pub fn next(&mut self) -> Result<Option<Start>, Gone> {
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

struct Watcher {
    channel: UnixStream,
    programs: Programs,
    guard: CString,
    /// Whose next program is the one that the person named.
    first: Option<Pid>,
    /// Those in whose place the guard is about to begin, with the words that were theirs.
    replaced: HashMap<Pid, Vec<OsString>>,
}

impl Watcher {
    fn new(channel: OwnedFd, programs: Programs, guard: CString) -> io::Result<Self> {
        // Nothing that others wait for the end of may stay open here, and no key ends this process.
        let channel = descriptor::keep_only(channel)?.into();
        setsid()?;
        std::env::set_current_dir("/")?;
        Ok(Self { channel, programs, guard, first: None, replaced: HashMap::new() })
    }

    fn run(mut self) -> io::Result<()> {
        let mut process = [0; 4];
        self.channel.read_exact(&mut process)?;
        let process = Pid::from_raw(i32::from_le_bytes(process));
        let watched = trace::watch(process);
        let errno = watched.as_ref().err().map_or(0, |error| error.raw_os_error().unwrap_or(Errno::EIO as i32));
        self.channel.write_all(&errno.to_le_bytes())?;
        watched?;
        self.channel.set_nonblocking(true)?;
        self.first = Some(process);
        while let Some((process, event)) = trace::next()? {
            match event {
                Event::Started => trace::go_on(process, 0),
                Event::Stopped => trace::leave_stopped(process),
                Event::Ended => drop(self.replaced.remove(&process)),
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
            if runs == Runs::Ours {
                self.tell(process, &words, What::Guarded);
                trace::let_go(process);
            } else {
                self.end(process, &words, "another program took the guard's place");
            }
            return;
        }
        let is_first = self.first == Some(process);
        if is_first {
            self.first = None;
        }
        match runs {
            Runs::Ours => trace::let_go(process),
            _ if is_first => trace::go_on(process, 0),
            Runs::Other => {
                self.tell(process, &words_of(id), What::Ran);
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
            Runs::Unread { path, before } => match CString::new(path.into_os_string().into_vec()) {
                Ok(path) => {
                    let front = [c"bash", c"-c", LINE, &path];
                    self.put_guard(process, &front, before + 1, words_of(id));
                }
                Err(_) => self.end(process, &words_of(id), "it has no name"),
            },
            Runs::Unseen => self.end(process, &words_of(id), "nobody may look at it"),
        }
    }

    fn put_guard(&mut self, process: Pid, front: &[&CStr], before: usize, words: Vec<OsString>) {
        match trace::run_instead(process, &self.guard, front, before) {
            Ok(()) => {
                self.replaced.insert(process, words);
                trace::go_on(process, 0);
            }
            Err(error) => self.end(process, &words, &error.to_string()),
        }
    }

    fn end(&mut self, process: Pid, words: &[OsString], why: &str) {
        // It is ours, and stopped: the number is its own.
        let _ = kill(process, Signal::SIGKILL);
        self.tell(process, words, What::Ended(why.to_owned()));
    }

    fn tell(&mut self, process: Pid, words: &[OsString], what: What) {
        let mut left = TOLD;
        let kept = words.iter().map_while(|word| {
            left = left.checked_sub(word.len())?;
            Some(word.to_string_lossy().into_owned())
        });
        let start = Start { what, process: process.as_raw(), words: kept.collect() };
        let Ok(packet) = serde_json::to_vec(&start) else { return };
        // A host that does not read is stopped, or gone: nothing waits for it.
        let _ = self.channel.write(&packet);
    }
}
