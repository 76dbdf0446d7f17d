//! What a witness does: hears of each start and end, looks at the process, lets it go on.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::{Start, Watched, What, changed, what};
use crate::audit::{aside, mask};
use crate::model::{Begun, Foreseen, Ran, RanLine, Shell, head};
use crate::observe::{self, Running};
use crate::sys::filter::{Call, Calls};
use crate::sys::{descriptor, process};

/// Programs that are told one by one; of more only how many there are.
const MOST: usize = 2_000;
/// Bytes of a program's words that are told.
const WORDS: usize = 2_000;
/// How soon it is looked at what a process has become, and for how long at most.
const MOMENT: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(2);
/// Processes that are followed upward.
const ABOVE: usize = 64;

/// Watches a line to its end, and what it leaves behind to theirs.
pub(super) fn watch(way: OwnedFd, start: Start, watched: &Watched, told: &Path) -> io::Result<()> {
    let way = descriptor::keep_only(way)?;
    // By its words it is the line.
    nix::sys::prctl::set_name(c"guarded-witness")?;
    nix::unistd::chdir("/")?;
    let Some(listener) = descriptor::take(&way)? else { return Ok(()) };
    let calls = Calls::from(listener);
    // It waits for us, and so is there.
    let line = process::watch(start.line)?;
    let file = aside::make(told);
    nix::unistd::write(&way, &[1])?;
    drop(way);
    let mut seen = Seen {
        start,
        watched,
        file,
        live: HashMap::new(),
        programs: 0,
        unforeseen: 0,
        run: Vec::new(),
    };
    seen.hear(&calls, line)
}

/// What was seen of a line.
struct Seen<'w> {
    start: Start,
    watched: &'w Watched,
    file: Option<File>,
    /// The processes that a program began in, or may have.
    live: HashMap<u32, Process>,
    programs: u32,
    unforeseen: u32,
    /// What of the plan ran, by its place in `foreseen`.
    run: Vec<usize>,
}

/// A process.
struct Process {
    /// What it was when it was looked at last.
    was: Running,
    runs: Option<Program>,
    /// When it asked to run another program, of which nothing was seen yet; and who started it.
    asked: Option<(Instant, Option<Program>)>,
}

/// A program that runs.
#[derive(Clone, Copy)]
struct Program {
    number: u32,
    began: Instant,
    foreseen: Foreseen,
    is_shell: bool,
}

impl Seen<'_> {
    fn hear(&mut self, calls: &Calls, line: OwnedFd) -> io::Result<()> {
        let mut line = Some(line);
        let mut status = None;
        loop {
            let is_waiting = self.live.values().any(|process| process.asked.is_some());
            let timeout = if is_waiting {
                MOMENT.try_into().unwrap_or(PollTimeout::MAX)
            } else {
                PollTimeout::NONE
            };
            let mut polled = vec![PollFd::new(calls.as_fd(), PollFlags::POLLIN)];
            polled.extend(line.as_ref().map(|line| PollFd::new(line.as_fd(), PollFlags::POLLIN)));
            match poll(&mut polled, timeout) {
                Err(Errno::EINTR) => continue,
                done => done?,
            };
            let found = |index: usize| {
                polled.get(index).and_then(PollFd::revents).unwrap_or(PollFlags::empty())
            };
            let (heard, ended) = (found(0), !found(1).is_empty());
            if heard.contains(PollFlags::POLLIN) {
                if let Some(call) = calls.next()? {
                    let is_end = self.look(&call);
                    calls.go_on(call)?;
                    status = is_end.or(status);
                }
            } else {
                // Whoever waits for a word goes first.
                self.look_again();
                let is_last = heard.contains(PollFlags::POLLHUP);
                if ended || is_last {
                    // The kernel says that nobody is left to make a call before it says that the line has ended.
                    if let Some(line) = line.take() {
                        wait_for(&line)?;
                        self.tell_line(status);
                    }
                }
                if is_last {
                    return Ok(());
                }
            }
        }
    }

    /// Looks at who makes a call; returns the status with which the line ends by it.
    fn look(&mut self, call: &Call) -> Option<u8> {
        let is_known = self.live.contains_key(&call.thread);
        let process = if is_known { call.thread } else { observe::process_of(call.thread)? };
        let now = Running::see(process)?;
        self.settle(process, &now);
        match what(call) {
            What::Starts => {
                let by = self.live.get(&process).and_then(|process| process.runs);
                let by = by.or_else(|| self.above(now.parent));
                let asked = Some((Instant::now(), by));
                let live = self.live.entry(process).or_insert_with(|| Process {
                    was: now.clone(),
                    runs: None,
                    asked: None,
                });
                (live.was, live.asked) = (now, asked);
                None
            }
            What::Ends => {
                // The kernel takes the low byte (exit(3)).
                let status = u8::try_from(call.word & 0xff).unwrap_or_default();
                let ended = self.live.remove(&process).and_then(|process| process.runs);
                if let Some(Program { number, began, .. }) = ended {
                    let millis = millis(began.elapsed());
                    self.tell(number, &Ran::Ended { number, status, millis });
                }
                (process == self.start.line).then_some(status)
            }
        }
    }

    /// The program that a process runs, or else the nearest above it that is known.
    fn above(&mut self, process: u32) -> Option<Program> {
        let mut next = process;
        for _ in 0..ABOVE {
            // What starts another has become what it asked for, though it made no call since.
            if self.live.get(&next).is_some_and(|process| process.asked.is_some())
                && let Some(now) = Running::see(next)
            {
                self.settle(next, &now);
            }
            if let Some(program) = self.live.get(&next).and_then(|process| process.runs) {
                return Some(program);
            }
            next = observe::Process::see(next).ok()?.parent;
        }
        None
    }

    /// Finds out whether a process has become what it asked to run.
    fn settle(&mut self, id: u32, now: &Running) {
        let Some(process) = self.live.get_mut(&id) else { return };
        if process.was.started != now.started {
            // The process that was is gone, and another has its id.
            self.live.remove(&id);
            return;
        }
        let Some((at, by)) = process.asked.take() else { return };
        if process.was.is_same(now) {
            // It could not be run, as when a shell looks for a program in one directory after the other.
            return;
        }
        process.was = now.clone();
        let program = self.begun(id, now, at, by);
        if let Some(process) = self.live.get_mut(&id) {
            process.runs = Some(program);
        }
    }

    /// Looks at those that asked, and made no call since.
    fn look_again(&mut self) {
        let asked: Vec<u32> = self
            .live
            .iter()
            .filter(|(_, process)| process.asked.is_some())
            .map(|(id, _)| *id)
            .collect();
        for id in asked {
            let Some(now) = Running::see(id) else {
                self.live.remove(&id);
                continue;
            };
            let Some(process) = self.live.get_mut(&id) else { continue };
            let is_old = process.asked.is_some_and(|(at, _)| at.elapsed() > LONGEST);
            if is_old || !process.was.is_same(&now) {
                self.settle(id, &now);
            }
        }
    }

    /// Takes note of a program that began.
    fn begun(
        &mut self,
        process: u32,
        running: &Running,
        at: Instant,
        by: Option<Program>,
    ) -> Program {
        let words = observe::words_of(process);
        let files = observe::files_of(process, running, &words);
        let place = |file: &PathBuf| self.watched.foreseen.iter().position(|known| known == file);
        let named: Vec<usize> = files.iter().filter_map(place).collect();
        let number = self.programs;
        let is_script = files.iter().any(|file| self.watched.scripts.contains(file));
        let foreseen = if number == 0 || is_script || !named.is_empty() {
            Foreseen::Named
        } else if by.is_some_and(|by| {
            by.foreseen == Foreseen::Below || by.foreseen == Foreseen::Named && !by.is_shell
        }) {
            Foreseen::Below
        } else {
            Foreseen::No
        };
        self.run.extend(named);
        self.programs += 1;
        self.unforeseen += u32::from(foreseen == Foreseen::No);
        let program = running
            .program
            .clone()
            .or_else(|| words.first().map(PathBuf::from))
            .unwrap_or_default();
        let is_shell = program
            .file_name()
            .and_then(OsStr::to_str)
            .is_some_and(|name| Shell::named(name).is_some());
        let words = shell_words::join(words.iter().map(|word| word.to_string_lossy()));
        let begun = Begun {
            number,
            pid: process,
            by: by.map(|by| by.number),
            program: program.to_string_lossy().into_owned(),
            words: head(&mask::mask(&words), WORDS).to_owned(),
            at: millis(at.duration_since(self.start.at)),
            foreseen,
        };
        self.tell(number, &Ran::Began(begun));
        Program { number, began: at, foreseen, is_shell }
    }

    /// Writes what was seen when the line ended.
    fn tell_line(&mut self, status: Option<u8>) {
        let is_run = |index: &usize| self.run.contains(index);
        let unrun = (0..self.watched.foreseen.len()).filter(|index| !is_run(index));
        let unrun =
            unrun.filter_map(|index| self.watched.foreseen.get(index)?.to_str().map(str::to_owned));
        let millis = millis(self.start.at.elapsed());
        // A signal may have ended one, of which nobody told.
        let is_there = |(id, process): &(&u32, &Process)| {
            process.runs.is_some()
                && Running::see(**id).is_some_and(|now| now.started == process.was.started)
        };
        let left = self.live.iter().filter(is_there).count();
        let told = RanLine {
            status,
            millis,
            programs: self.programs,
            unforeseen: self.unforeseen,
            left: u32::try_from(left).unwrap_or(u32::MAX),
            unrun: unrun.collect(),
            ..self
                .watched
                .workspace
                .as_deref()
                .map_or_else(RanLine::default, |root| changed::since(root, self.start.when))
        };
        self.tell(0, &Ran::Line(told));
    }

    fn tell(&mut self, number: u32, ran: &Ran) {
        if usize::try_from(number).is_ok_and(|number| number >= MOST) {
            return;
        }
        let Ok(mut text) = serde_json::to_string(ran) else { return };
        text.push('\n');
        if let Some(file) = &mut self.file {
            // The record says less, and the line runs on.
            let _ = file.write_all(text.as_bytes());
        }
    }
}

/// Waits until a process has ended.
fn wait_for(process: &OwnedFd) -> io::Result<()> {
    let mut polled = [PollFd::new(process.as_fd(), PollFlags::POLLIN)];
    while let Err(errno) = poll(&mut polled, PollTimeout::NONE) {
        if errno != Errno::EINTR {
            return Err(errno.into());
        }
    }
    Ok(())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
