//! The loop of a session: bytes both ways between the person's terminal and the agent's, the guest's turns, and what becomes of the
//! agent. One thread; it sleeps until something is there.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, raise};

use super::Ending;
use super::agent::Agent;
use super::guest::{Guest, Page, Purpose, Room, Typed};
use super::host::Host;
use super::keys::{Keys, Part};
use super::measure::{ASKS, Measure};
use super::overlay::Overlay;
use super::queue::Queue;
use super::screen::Screen;
use super::typing::Typing;
use crate::approval::others::Others;
use crate::approval::page::Guard;
use crate::host::starts::{Gone, Starts};
use crate::sys::process::{self, Change, Which};
use crate::sys::pty::{self, Pty};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 16;
/// Bytes that may wait for the terminal, or for the agent, before no more are read.
const WAITING: usize = 1 << 16;
/// Bytes of output that are kept while a page is shown. Then the agent waits.
const KEPT: usize = 1 << 20;
/// How long output is kept while a page is shown that only says something.
const BEHIND: Duration = Duration::from_millis(100);
/// Reads of output before anything else has its turn.
const READS: usize = 64;
/// How long they may take. Some output costs more to follow than to write.
const READING: Duration = Duration::from_millis(20);
/// How long the end of a sequence may take.
const SEQUENCE: Duration = Duration::from_millis(50);
/// How long the agent may leave a sequence of its own unfinished where a page is to be shown.
const UNFINISHED: Duration = Duration::from_millis(200);
/// How long nothing must come from a terminal that others than the agent still hold, when it has ended.
const QUIET: Duration = Duration::from_millis(50);
/// How long they may go on to write.
const LONGEST: Duration = Duration::from_millis(500);
/// For how long a terminal is waited for that takes nothing, once the agent has ended.
const STUCK: Duration = Duration::from_secs(5);

/// A page that is shown, and what waits for its end.
struct Shown {
    overlay: Overlay,
    /// Output of the agent since, and when it began.
    kept: Queue,
    kept_since: Option<Instant>,
    keys: Keys,
    /// Since when a sequence waits for its end.
    waits_since: Option<Instant>,
    /// Until when keys are not for it.
    guard: Guard,
    /// Others that write to the terminal.
    others: Others,
}

impl Shown {
    /// Returns when the output that is kept is to be seen; none: when the page has gone.
    fn lets_through_at(&self) -> Option<Instant> {
        let since = self.kept_since.filter(|_| self.overlay.purpose() == Purpose::Say);
        since.map(|since| since + BEHIND)
    }

    /// Returns whether it makes place for the agent's screen before this page is shown.
    fn makes_place(&self, page: &Page, now: Instant) -> bool {
        self.overlay.purpose() != page.purpose || self.lets_through_at().is_some_and(|at| at <= now)
    }

    /// Notices that others wrote to the terminal. Whatever is seen since, no key counts until it was drawn again and seen for a moment.
    fn look_for_others(&mut self) -> bool {
        let now = Instant::now();
        let disturbed = self.others.wrote(now);
        if disturbed {
            self.guard = Guard::begin(now);
        }
        disturbed
    }
}

/// The agent has ended, and its last output may still be on the way.
#[derive(Clone, Copy)]
struct Last {
    ending: Ending,
    quiet: Instant,
    longest: Instant,
}

/// Both terminals, the agent and the guest.
pub struct Wire<'a, G> {
    host: &'a Host<'a>,
    /// The end of the agent's terminal that is ours.
    leader: Option<File>,
    /// The agent's end. Held while it runs, so that what it writes has always somewhere to go.
    follower: Option<File>,
    agent: Agent,
    guest: G,
    /// None once nobody watches.
    starts: Option<Starts>,
    screen: Screen,
    to_terminal: Queue,
    to_agent: Queue,
    /// What the person types to the agent.
    typing: Typing,
    shown: Option<Shown>,
    /// Since when a page waits for the end of a sequence.
    unfinished_since: Option<Instant>,
    last: Option<Last>,
    buffer: Vec<u8>,
    /// Whether the person's terminal is still there.
    connected: bool,
    /// What it says of its size.
    measure: Measure,
    /// Since when the terminal takes nothing of what is to be written.
    stalled_since: Option<Instant>,
    /// Whether what the agent left on the terminal was taken back.
    is_left_usual: bool,
}

/// What was ready when the loop woke up.
struct Ready {
    signals: bool,
    abandoned: bool,
    keys: PollFlags,
    output: PollFlags,
    starts: bool,
    guest: Vec<PollFlags>,
}

impl<'a, G: Guest> Wire<'a, G> {
    /// Puts it together. Without a pseudo-terminal nothing is relayed.
    pub fn new(
        host: &'a Host<'a>,
        pty: Option<Pty>,
        agent: Agent,
        guest: G,
        starts: Option<Starts>,
    ) -> Self {
        let mut measure = Measure::default();
        let size = host.terminal.map_or((24, 80), |terminal| {
            let size = terminal.size();
            measure.told(size);
            (size.rows, size.columns)
        });
        let (leader, follower) = pty.map(|pty| (pty.leader, pty.follower)).unzip();
        Self {
            connected: leader.is_some(),
            host,
            leader,
            follower,
            agent,
            guest,
            starts,
            screen: Screen::new(size.0, size.1),
            to_terminal: Queue::default(),
            to_agent: Queue::default(),
            typing: Typing::default(),
            shown: None,
            unfinished_since: None,
            last: None,
            buffer: vec![0; BUFFER],
            measure,
            stalled_since: None,
            is_left_usual: false,
        }
    }

    /// Runs until the agent has ended. None: what started us is gone.
    pub fn run(mut self) -> io::Result<Option<Ending>> {
        self.look_at_children()?;
        loop {
            self.show();
            if let Some(ending) = self.ending() {
                return Ok(Some(ending));
            }
            let ready = self.wait()?;
            if ready.abandoned {
                self.abandon();
                return Ok(None);
            }
            if ready.signals {
                self.read_signals()?;
            }
            // Before any key is taken: it may answer what was not to be seen, or what is being denied elsewhere.
            self.look_for_others();
            self.guest.turn(&ready.guest);
            if ready.keys.intersects(PollFlags::POLLIN | PollFlags::POLLHUP | PollFlags::POLLERR) {
                self.read_keys();
            }
            if ready.output.intersects(PollFlags::POLLIN | PollFlags::POLLHUP | PollFlags::POLLERR)
            {
                self.read_output();
            }
            if ready.starts {
                self.read_starts();
            }
            self.write();
            self.give_up_sequences();
        }
    }

    /// Sleeps until something is there or has to be done.
    fn wait(&self) -> io::Result<Ready> {
        let flag = |wanted: bool, flag: PollFlags| if wanted { flag } else { PollFlags::empty() };
        let mut fds = vec![
            PollFd::new(self.host.signals.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.host.channel.as_fd(), PollFlags::POLLIN),
        ];
        let terminal = self.host.terminal.filter(|_| self.connected);
        if let Some(terminal) = terminal {
            let wanted = flag(self.to_agent.len() < WAITING, PollFlags::POLLIN)
                | flag(!self.to_terminal.is_empty(), PollFlags::POLLOUT);
            fds.push(PollFd::new(terminal.as_fd(), wanted));
        }
        if let Some(leader) = &self.leader {
            let wanted = flag(self.takes_output(), PollFlags::POLLIN)
                | flag(!self.to_agent.is_empty(), PollFlags::POLLOUT);
            fds.push(PollFd::new(leader.as_fd(), wanted));
        }
        let output = fds.len() - 1;
        let starts = fds.len();
        fds.extend(
            self.starts.as_ref().map(|starts| PollFd::new(starts.as_fd(), PollFlags::POLLIN)),
        );
        let after_starts = fds.len();
        let others = self.shown.as_ref().and_then(|shown| shown.others.fd());
        fds.extend(others.map(|others| PollFd::new(others, PollFlags::POLLIN)));
        let first = fds.len();
        self.guest.wait_for(&mut fds);
        match poll(&mut fds, self.timeout()) {
            Err(Errno::EINTR) | Ok(_) => {}
            Err(errno) => return Err(errno.into()),
        }
        let came = |index: usize| fds[index].revents().unwrap_or(PollFlags::empty());
        let at_terminal = terminal.map_or(PollFlags::empty(), |_| came(2));
        Ok(Ready {
            signals: !came(0).is_empty(),
            abandoned: !came(1).is_empty(),
            keys: at_terminal,
            output: self.leader.as_ref().map_or(PollFlags::empty(), |_| came(output)),
            starts: after_starts > starts && !came(starts).is_empty(),
            guest: fds[first..]
                .iter()
                .map(|fd| fd.revents().unwrap_or(PollFlags::empty()))
                .collect(),
        })
    }

    fn timeout(&self) -> PollTimeout {
        let shown = self.shown.as_ref();
        let until = [
            self.guest.wake_at(),
            shown.and_then(|shown| shown.waits_since).map(|since| since + SEQUENCE),
            shown.and_then(|shown| shown.others.deadline()),
            shown.and_then(Shown::lets_through_at),
            self.unfinished_since.map(|since| since + UNFINISHED),
            self.last.map(|last| last.quiet.min(last.longest)),
            self.last.and(self.stalled_since).map(|since| since + STUCK),
        ];
        let Some(until) = until.into_iter().flatten().min() else { return PollTimeout::NONE };
        let left = until.saturating_duration_since(Instant::now());
        // Rounded up: woken too early, the loop would turn until the time has come.
        PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
    }

    /// Returns whether output of the agent is read now.
    fn takes_output(&self) -> bool {
        match &self.shown {
            Some(shown) => shown.kept.len() < KEPT,
            None => self.to_terminal.len() < WAITING,
        }
    }

    fn read_signals(&mut self) -> io::Result<()> {
        while let Some(came) = self.host.signals.next()? {
            match came.signal {
                Signal::SIGCHLD => self.look_at_children()?,
                Signal::SIGWINCH => self.resize(),
                Signal::SIGCONT => self.agent.tell_job(Signal::SIGCONT),
                _ if self.last.is_some() => {}
                // Without a terminal of its own the agent has got what a key sends. Where it had one that is gone, only we are told.
                _ if came.by_kernel && self.host.terminal.is_none() => {}
                Signal::SIGTSTP => {
                    self.agent.tell_foreground(self.follower.as_ref(), Signal::SIGTSTP);
                }
                signal => self.agent.tell(signal),
            }
        }
        Ok(())
    }

    fn read_starts(&mut self) {
        while let Some(starts) = &mut self.starts {
            match starts.told() {
                Ok(Some(start)) => self.guest.started(start),
                Ok(None) => return,
                Err(Gone) => {
                    // Who watches ends when all that it watched has, or takes it along.
                    if self.starts.take().is_some_and(|starts| starts.watcher().is_none()) {
                        self.guest.unseen();
                    }
                }
            }
        }
    }

    /// Looks at the agent, and at what was left behind by its parent and is ours to wait for.
    fn look_at_children(&mut self) -> io::Result<()> {
        loop {
            let (process, change) = match process::wait(Which::All) {
                Ok(Some(changed)) => changed,
                Ok(None) => return Ok(()),
                // There is none: the agent was the last.
                Err(error) if error.raw_os_error() == Some(Errno::ECHILD as i32) => return Ok(()),
                Err(error) => return Err(error),
            };
            if process != self.agent.process {
                continue;
            }
            match change {
                Change::Exited(status) => {
                    self.has_ended(Ending::Exited(u8::try_from(status).unwrap_or(u8::MAX)));
                }
                Change::Killed(signal) => self.has_ended(Ending::Killed(signal)),
                Change::Stopped => self.suspend()?,
                Change::Continued => {}
            }
        }
    }

    fn has_ended(&mut self, ending: Ending) {
        let now = Instant::now();
        self.last = Some(Last { ending, quiet: now + QUIET, longest: now + LONGEST });
        // If nobody else holds the terminal, reading it now finds its end behind the last byte.
        self.follower = None;
        self.to_agent.clear();
    }

    /// Returns how the agent ended, once all of its output is written.
    fn ending(&mut self) -> Option<Ending> {
        let last = self.last?;
        let now = Instant::now();
        if self.shown.is_some() {
            // Nobody is left who asks.
            self.release();
            self.write();
        }
        let all_read = self.leader.is_none() || now >= last.quiet.min(last.longest);
        if all_read && !std::mem::replace(&mut self.is_left_usual, true) {
            let mut out = Vec::new();
            self.screen.write_usual(&mut out);
            self.to_terminal.push(&out);
            self.write();
        }
        let is_stuck = self.stalled_since.is_some_and(|since| now >= since + STUCK);
        let all_written = !self.connected || self.to_terminal.is_empty() || is_stuck;
        (all_read && all_written).then_some(last.ending)
    }

    /// The agent was stopped: so are we, until the person's shell continues its job.
    fn suspend(&mut self) -> io::Result<()> {
        // What it wrote before, such as the way back to the shell's screen.
        self.read_output();
        self.release();
        self.flush();
        raise(Signal::SIGSTOP)?;
        // Here we were stopped.
        self.resize();
        self.agent.tell_job(Signal::SIGCONT);
        Ok(())
    }

    /// What started us was killed: the terminal is put back, and the agent hung up.
    fn abandon(&mut self) {
        self.release();
        self.flush();
        if let Some(terminal) = self.host.terminal.filter(|_| self.connected) {
            terminal.put_back();
            terminal.clean_up();
        }
        if self.leader.is_none() {
            // With a terminal it gets this when we end.
            self.agent.tell(Signal::SIGHUP);
        }
    }

    fn resize(&mut self) {
        let (Some(terminal), Some(leader)) = (self.host.terminal, &self.leader) else { return };
        self.measure.told(terminal.size());
        let size = self.measure.size(terminal.size());
        // A terminal that is gone has none.
        let _ = pty::resize(leader, size);
        self.screen.resize(size.rows, size.columns);
        let room = self.room();
        let Some(shown) = &mut self.shown else { return };
        let mut out = Vec::new();
        if let (Some(page), Room::Screen { rows, .. }) = (self.guest.page(room), room) {
            shown.overlay.resize(&self.screen, rows.into(), page, &mut out);
            self.to_terminal.push(&out);
            self.ask_size();
        } else {
            self.release();
        }
    }

    fn room(&self) -> Room {
        let Some(terminal) = self.host.terminal.filter(|_| self.connected) else {
            return Room::NoTerminal;
        };
        let size = self.measure.seen(terminal.size(), self.screen.changes_window());
        Room::Screen { rows: size.rows, columns: size.columns }
    }

    /// Shows what the guest wants to be shown now, or the agent's screen.
    fn show(&mut self) {
        let room = self.room();
        let page = self.guest.page(room).filter(|_| self.last.is_none());
        let (Some(page), Room::Screen { rows, .. }) = (page, room) else {
            self.unfinished_since = None;
            self.release();
            return;
        };
        let now = Instant::now();
        if self.shown.as_ref().is_some_and(|shown| shown.makes_place(&page, now)) {
            self.release();
        }
        self.keep_raw();
        let mut out = Vec::new();
        if let Some(shown) = &mut self.shown {
            if shown.others.is_due(now) {
                shown.overlay.repair(&self.screen, page, &mut out);
                self.to_terminal.push(&out);
                self.ask_size();
            } else {
                shown.overlay.change(&self.screen, page, &mut out);
                self.to_terminal.push(&out);
            }
            self.write();
        } else if self.may_interrupt() {
            self.hold(rows.into(), page);
        }
    }

    /// Has the terminal hand on each key, where somebody told it otherwise while a question is shown: what was typed meanwhile answers nothing.
    fn keep_raw(&mut self) {
        let (Some(terminal), Some(shown)) = (self.host.terminal, &mut self.shown) else { return };
        if shown.overlay.purpose() == Purpose::Ask && !terminal.is_raw() {
            // A terminal that is gone has no modes.
            let _ = terminal.make_raw();
            shown.guard = Guard::begin(Instant::now());
            self.guest.disturbed();
            self.ask_size();
        }
    }

    /// Returns whether the agent is at the end of a sequence, or has not come to it for too long.
    fn may_interrupt(&mut self) -> bool {
        let now = Instant::now();
        let since = *self.unfinished_since.get_or_insert(now);
        let may = self.screen.is_between_sequences() || now >= since + UNFINISHED;
        if may {
            self.unfinished_since = None;
        }
        may
    }

    fn hold(&mut self, rows: usize, page: Page) {
        let Some(terminal) = self.host.terminal else { return };
        // What was typed before was typed for the agent.
        self.read_keys_of_agent();
        let mut out = Vec::new();
        let overlay = Overlay::begin(&self.screen, rows, page, &mut out);
        self.to_terminal.push(&out);
        let now = Instant::now();
        self.shown = Some(Shown {
            overlay,
            others: Others::notice(terminal.writer(), now),
            kept: Queue::default(),
            kept_since: None,
            keys: Keys::default(),
            waits_since: None,
            guard: Guard::after(self.typing.before(now), now),
        });
        self.guest.begins(self.typing.before(now));
        self.ask_size();
        self.write();
    }

    /// Asks the terminal how large it is, where a key may answer what is shown.
    fn ask_size(&mut self) {
        let asks = |shown: &Shown| shown.overlay.purpose() == Purpose::Ask;
        if !self.shown.as_ref().is_some_and(asks) {
            return;
        }
        self.to_terminal.push(ASKS);
        self.measure.asked(Instant::now());
    }

    /// The terminal has said how large it is. Where what is shown was drawn for another size, it is drawn again, and read again.
    fn measured(&mut self) {
        let Some(terminal) = self.host.terminal else { return };
        let size = self.measure.size(terminal.size());
        let drawn = (self.screen.height(), self.screen.width());
        let Room::Screen { rows, .. } = self.room() else { return };
        let is_placed = |shown: &Shown| shown.overlay.height() == usize::from(rows);
        if drawn == (size.rows.into(), size.columns.into())
            && self.shown.as_ref().is_none_or(is_placed)
        {
            return;
        }
        self.resize();
        if let Some(shown) = &mut self.shown {
            shown.guard = Guard::begin(Instant::now());
            self.guest.disturbed();
        }
    }

    fn release(&mut self) {
        let Some(mut shown) = self.shown.take() else { return };
        let mut out = Vec::new();
        shown.overlay.end(&self.screen, &mut out);
        self.to_terminal.push(&out);
        let rest = shown.keys.flush();
        // The key ESC was meant for the page; the beginning of anything longer may be the terminal's answer to the agent.
        if rest != b"\x1b" {
            self.to_agent.push(&rest);
        }
        for report in self.measure.flush() {
            self.to_agent.push(&report);
        }
        let kept = shown.kept.take();
        self.screen.feed(&kept);
        self.to_terminal.push(&kept);
        self.write();
    }

    /// Looks whether others wrote to the terminal while a page is shown.
    fn look_for_others(&mut self) {
        if self.shown.as_mut().is_some_and(Shown::look_for_others) {
            self.guest.disturbed();
        }
    }

    fn read_keys_of_agent(&mut self) {
        let Some(terminal) = self.host.terminal else { return };
        let mut wanted = [PollFd::new(terminal.as_fd(), PollFlags::POLLIN)];
        let there = |wanted: &mut [PollFd<'_>; 1]| {
            poll(wanted, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
        };
        while self.to_agent.len() < WAITING && there(&mut wanted) {
            match terminal.read(&mut self.buffer) {
                Ok(count) if count > 0 => {
                    self.hand_to_agent(count);
                }
                // What has happened to it is found out by the loop.
                _ => return,
            }
        }
    }

    fn read_keys(&mut self) {
        let Some(terminal) = self.host.terminal else { return };
        match terminal.read(&mut self.buffer) {
            Ok(0) => self.disconnect(),
            Ok(count) => self.take_typed(count),
            Err(error) if is_passing(&error) => {}
            Err(_) => self.disconnect(),
        }
    }

    fn take_typed(&mut self, count: usize) {
        match self.shown.as_ref().map(|shown| shown.overlay.purpose()) {
            Some(Purpose::Ask) => self.take_keys(count),
            Some(Purpose::Say) => {
                if self.hand_to_agent(count) {
                    self.guest.passed();
                }
            }
            None => {
                self.hand_to_agent(count);
            }
        }
    }

    /// Returns whether the person typed any of it.
    fn hand_to_agent(&mut self, count: usize) -> bool {
        let typed = &self.buffer[..count];
        let bytes = self.measure.is_any_awaited().then(|| self.measure.taken_out(typed));
        let bytes = bytes.as_deref().unwrap_or(typed);
        self.to_agent.push(bytes);
        self.typing.take(bytes, Instant::now())
    }

    /// Takes keys while a page that asks is shown.
    fn take_keys(&mut self, count: usize) {
        let Some(shown) = &mut self.shown else { return };
        let now = Instant::now();
        let parts = shown.keys.take(&self.buffer[..count]);
        shown.waits_since = shown.keys.is_waiting().then_some(now);
        self.hand_on(parts, now);
    }

    /// Gives up waiting for the end of a sequence: it was the key ESC.
    fn give_up_sequences(&mut self) {
        let now = Instant::now();
        let Some(shown) = &mut self.shown else { return };
        if shown.waits_since.is_some_and(|since| now >= since + SEQUENCE) {
            shown.waits_since = None;
            let key = shown.keys.flush();
            self.hand_on(vec![Part::Key(key)], now);
        }
    }

    /// Takes what the terminal says by itself: what we have asked, or what is the agent's.
    fn take_report(&mut self, report: Vec<u8>) {
        let Some(terminal) = self.host.terminal else { return };
        let mut rest = Vec::new();
        let is_own = self.measure.take(report, terminal.size(), &mut rest);
        for report in rest {
            self.to_agent.push(&report);
        }
        if is_own {
            self.measured();
        }
    }

    fn hand_on(&mut self, parts: Vec<Part>, now: Instant) {
        for part in parts {
            let typed = match part {
                Part::Report(bytes) => {
                    self.take_report(bytes);
                    continue;
                }
                Part::Key(ref bytes) => Typed::Key(bytes),
                Part::Pasted(ref bytes) => Typed::Pasted(bytes),
            };
            let Some(shown) = &mut self.shown else { return };
            // Who is typing when the page comes is not answering it, nor who cannot be known to see it.
            let is_unseen = !self.to_terminal.is_empty() || self.measure.is_awaited(now);
            if !shown.guard.is_over(now) || is_unseen {
                shown.guard = Guard::again(now);
                self.guest.dropped();
                if is_unseen && self.measure.is_late(now) {
                    self.ask_size();
                }
            } else {
                self.guest.typed(typed);
            }
        }
    }

    fn read_output(&mut self) {
        let start = Instant::now();
        for _ in 0..READS {
            if !self.takes_output() || start.elapsed() > READING {
                return;
            }
            let Some(leader) = &mut self.leader else { return };
            match leader.read(&mut self.buffer) {
                Ok(0) => return self.close(),
                Ok(count) => self.take_output(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if is_passing(&error) => {}
                Err(_) => return self.close(),
            }
        }
    }

    fn take_output(&mut self, count: usize) {
        if let Some(last) = &mut self.last {
            last.quiet = Instant::now() + QUIET;
        }
        let bytes = &self.buffer[..count];
        if let Some(shown) = &mut self.shown {
            shown.kept.push(bytes);
            shown.kept_since.get_or_insert_with(Instant::now);
            return;
        }
        self.to_terminal.push(bytes);
        self.write();
        // After it was written: the person waits for the terminal, and nobody for the model.
        self.screen.feed(&self.buffer[..count]);
    }

    /// Nobody holds the agent's terminal any more.
    fn close(&mut self) {
        if let Some(last) = &mut self.last {
            last.quiet = Instant::now();
            self.leader = None;
        }
    }

    fn write(&mut self) {
        self.look_for_others();
        if let Some(terminal) = self.host.terminal.filter(|_| self.connected) {
            let before = self.to_terminal.len();
            if self.to_terminal.write_to(terminal.writer(), terminal.piece()).is_err() {
                self.disconnect();
            }
            let left = self.to_terminal.len();
            self.stalled_since = match self.stalled_since {
                _ if left == 0 => None,
                Some(since) if left == before => Some(since),
                _ => Some(Instant::now()),
            };
            if left > 0 {
                terminal.go_on();
            }
        }
        if let Some(shown) = &mut self.shown {
            shown.others.forget_own();
        }
        if let Some(leader) = &self.leader
            && self.to_agent.write_to(leader, usize::MAX).is_err()
        {
            // Nobody reads what is typed any more.
            self.to_agent.clear();
        }
    }

    /// Writes all that waits for the terminal, as long as it takes some.
    fn flush(&mut self) {
        while self.connected && !self.to_terminal.is_empty() {
            let Some(terminal) = self.host.terminal else { return };
            let mut wanted = [PollFd::new(terminal.as_fd(), PollFlags::POLLOUT)];
            if poll(&mut wanted, PollTimeout::from(1000_u16)) != Ok(1) {
                return;
            }
            self.write();
        }
    }

    /// The person's terminal is gone: so is the agent's. That sends us SIGHUP, who lead its session, and we hand it on.
    fn disconnect(&mut self) {
        self.connected = false;
        self.to_terminal.clear();
        self.shown = None;
        self.leader = None;
        self.follower = None;
    }
}

/// Returns whether it may succeed if it is tried again.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
