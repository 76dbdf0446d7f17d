//! Looks which shells run in a session whose processes nobody may watch, and tells of those that did not come through the guard.
//! Stops none, and sees not all: a shell that ends, or becomes another program, between two looks is missed.
//!
//! What a host's agent starts has a sign that stays on it, and what came through the guard another (`sys::descent`): so a look needs no
//! parents, which may be gone. It is looked four times a second, and again and again for a moment where a shell of this machine was opened
//! (inotify(7)), as execve(2) does.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

use super::starts::{Start, What};
use crate::observe::{Process, Programs, Runs, words_of};
use crate::sys::descent;

/// How often is looked, in milliseconds.
const EACH: u16 = 250;
/// How many of these looks are at all processes, whatever is known to be new.
const ALL: usize = 4;
/// For how long a shell that was opened is looked for, how often, and how much longer it is not looked for then.
const OPENED: Duration = Duration::from_millis(5);
const AGAIN: Duration = Duration::from_micros(150);
const REST: u32 = 4;
/// More new processes than these are not looked at one by one.
const NEW: u32 = 1024;
/// How often the words of a process that is becoming a program are asked for.
const TRIES: usize = 20;

/// A file.
type File = (u64, u64);

/// What looks.
pub(super) struct Looker {
    programs: Programs,
    /// The words that the person gave, and the process that they began in.
    words: Vec<OsString>,
    first: u32,
    /// Whether it runs something by now, and its words where that is a shell.
    is_begun: bool,
    persons: Option<Vec<OsString>>,
    /// The host, below which the session is.
    host: Process,
    /// What each process of an agent ran when it was last looked at.
    known: HashMap<u32, Option<File>>,
    /// The shells that were told of.
    told: HashMap<u32, Vec<OsString>>,
    /// The process that was new last.
    last: u32,
    /// Tells that a shell was opened; none where that cannot be noticed.
    opened: Option<Inotify>,
    looks: usize,
}

impl Looker {
    pub(super) fn new(programs: Programs, words: Vec<OsString>, first: u32) -> io::Result<Self> {
        let opened = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK).ok();
        for path in programs.files() {
            // What cannot be noticed is seen when it is looked.
            let _ = opened.as_ref().map(|opened| opened.add_watch(path, AddWatchFlags::IN_OPEN));
        }
        Ok(Self {
            programs,
            words,
            first,
            is_begun: false,
            persons: None,
            host: Process::see(std::os::unix::process::parent_id())?.process,
            known: HashMap::from([(first, None)]),
            told: HashMap::new(),
            last: 0,
            opened,
            looks: 0,
        })
    }

    /// Looks once more when it is time; returns what is new. None: the host has said or closed something.
    pub(super) fn turn(&mut self, host: impl AsFd) -> io::Result<Option<Vec<Start>>> {
        let mut fds = vec![PollFd::new(host.as_fd(), PollFlags::POLLIN)];
        let opened = self.opened.as_ref();
        fds.extend(opened.map(|opened| PollFd::new(opened.as_fd(), PollFlags::POLLIN)));
        poll(&mut fds, PollTimeout::from(EACH))?;
        let came = |fd: Option<&PollFd<'_>>| fd.and_then(PollFd::any).unwrap_or(false);
        if came(fds.first()) {
            return Ok(None);
        }
        self.looks += 1;
        if !came(fds.get(1)) {
            return Ok(Some(self.look(self.looks.is_multiple_of(ALL))));
        }
        // What they say is known.
        let _ = opened.map(Inotify::read_events);
        let mut new = Vec::new();
        let begun = Instant::now();
        while begun.elapsed() < OPENED {
            new.extend(self.look(false));
            sleep(AGAIN);
        }
        // What others start all the time takes a share of the processor, and no more.
        sleep(OPENED * REST);
        Ok(Some(new))
    }

    fn look(&mut self, all: bool) -> Vec<Start> {
        let last = last_process().unwrap_or(0);
        let is_many = last < self.last || last - self.last > NEW;
        let new = if all || is_many || last == 0 {
            Process::all()
        } else {
            (self.last + 1..=last).collect()
        };
        self.last = last;
        for id in new {
            if !self.known.contains_key(&id) && descent::is_unpassed(id) && leads(id) {
                self.known.insert(id, None);
            }
        }
        let mut starts = Vec::new();
        let ids: Vec<u32> = self.known.keys().copied().collect();
        for id in ids {
            match file_of(id) {
                // It is gone, or not ours to look at.
                None => {
                    self.known.remove(&id);
                    self.told.remove(&id);
                }
                Some(file) if self.known.get(&id) == Some(&Some(name_of(&file))) => {}
                Some(file) => {
                    self.known.insert(id, Some(name_of(&file)));
                    starts.extend(self.became(id, &file));
                }
            }
        }
        starts
    }

    /// Returns what is to be told of a process that has become another program. Of one whose words are gone nothing is: it may be a script
    /// of the system's, or what a shell forked.
    fn became(&mut self, id: u32, file: &Metadata) -> Option<Start> {
        let words = (0..TRIES).map(|_| words_of(id)).find(|words| *words != [""]);
        let is_it = file_of(id).is_some_and(|now| name_of(&now) == name_of(file));
        let runs = self.programs.seen_in(id, file, words.as_deref().unwrap_or_default());
        if !descent::is_unpassed(id) {
            // Nor is what it starts.
            self.known.remove(&id);
            return None;
        }
        let is_first = id == self.first && runs != Runs::Ours && !self.is_begun;
        self.is_begun |= is_first;
        if !matches!(runs, Runs::Shell { .. } | Runs::Unread { .. }) {
            return None;
        }
        let words = words.filter(|_| is_it)?;
        if is_first {
            self.persons = Some(words.clone());
        }
        // A shell that the person started is theirs, with what that forks.
        let is_persons = self.persons.as_ref() == Some(&words)
            || self.is_named(&words)
            || self.words.ends_with(&words);
        if is_persons || !self.is_ours(id) {
            return None;
        }
        let parent = Process::see(id).map_or(0, |seen| seen.parent);
        // What a shell forks runs the same file, with the same words.
        let is_fork = self.told.get(&parent) == Some(&words);
        self.told.insert(id, words.clone());
        (!is_fork).then(|| Start::of(id, &words, What::Passed))
    }

    /// Whether these are the words that run what the person named, wherever that is.
    fn is_named(&self, words: &[OsString]) -> bool {
        let own = words.get(words.len().saturating_sub(self.words.len())..).unwrap_or_default();
        let name = |words: &[OsString]| {
            words.first().and_then(|word| Path::new(word).file_name().map(OsStr::to_owned))
        };
        name(own).is_some() && name(own) == name(&self.words) && own[1..] == self.words[1..]
    }

    /// Whether a process is of this session.
    fn is_ours(&self, id: u32) -> bool {
        // One that has just lost its parent is between two.
        (0..2).any(|_| {
            Process::chain_to(id, Some(self.host))
                .is_ok_and(|chain| chain.last().is_some_and(|last| last.process == self.host))
        })
    }
}

/// Returns the process that was made last, of all that we may see (proc(5), `loadavg`).
fn last_process() -> Option<u32> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().last()?.parse().ok()
}

/// Whether an id is a process's, and not another thread's.
fn leads(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let group = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
    group.is_some_and(|group| group.trim() == id.to_string())
}

/// Returns the file that a process runs.
fn file_of(id: u32) -> Option<Metadata> {
    fs::metadata(format!("/proc/{id}/exe")).ok()
}

fn name_of(file: &Metadata) -> File {
    (file.dev(), file.ino())
}
