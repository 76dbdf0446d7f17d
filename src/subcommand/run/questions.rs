//! The host of a session, at whose terminal its questions are asked: shows the oldest one that somebody waits for, and hands the
//! answer on. What is not asked here, because there is no terminal or none that can be drawn to, stays open for `watch` and
//! `approve`; nobody says yes to what cannot be seen.
//!
//! A question that nobody waits for any more leaves the screen, since the agent goes on, unless the person is about to answer it. It
//! comes back when the agent tries the same again.

use std::ffi::OsString;
use std::io;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags};

use super::super::asking::{Asking, Step};
use super::started::Started;
use crate::approval::page::{Escape, Look};
use crate::host::Server;
use crate::host::announce::Announcer;
use crate::host::relay::{Guest, Page, Room, Typed};
use crate::host::starts::Start;
use crate::ipc::{Entry, State};

/// For how long after a key a person is taken to be about to answer.
const ATTENTION: Duration = Duration::from_secs(30);

/// A host with the question that it asks.
pub(super) struct Questions {
    server: Server,
    asking: Option<Asking>,
    /// When the person did something to it.
    touched: Option<Instant>,
    /// Says elsewhere that a question came, as the owner set it.
    announcer: Announcer,
    /// The state of the questions that was announced.
    announced: u64,
    /// How the terminal is drawn to; none where nothing can be drawn at a place.
    look: Option<Look>,
    /// What paths are shortened by.
    home: Option<String>,
    /// What the agent starts besides its shells.
    started: Started,
}

impl Questions {
    /// Asks what this host is asked.
    pub(super) fn new(
        server: Server,
        announcer: Announcer,
        look: Option<Look>,
        home: Option<String>,
        started: Started,
    ) -> Self {
        let announced = server.changes();
        Self { server, asking: None, touched: None, announcer, announced, look, home, started }
    }

    fn announce(&mut self) {
        if self.announced != self.server.changes() {
            self.announced = self.server.changes();
            let open: Vec<Entry> = self.server.open(Instant::now()).collect();
            self.announcer.stand(&open);
        }
    }

    /// Turns to the question that is to be answered first.
    fn turn_to_front(&mut self, look: Look) {
        if self.stays() {
            return;
        }
        let Some(front) = self.server.front() else {
            self.asking = None;
            return;
        };
        let more = self.server.waiting().saturating_sub(1);
        match &mut self.asking {
            Some(asking) if asking.entry().id == front.id => asking.more(more),
            asking => {
                let entry = self.server.open(Instant::now()).find(|entry| entry.id == front.id);
                let home = self.home.as_deref();
                *asking = entry.map(|entry| Asking::new(entry, more, Escape::Denies, look, home));
                self.touched = None;
            }
        }
    }

    /// Whether the question that is shown stays though nobody waits for it any more.
    fn stays(&mut self) -> bool {
        let Some(until) = self.attention() else { return false };
        let Some(asking) = &mut self.asking else { return false };
        let now = Instant::now();
        let entry = self.server.open(now).find(|entry| entry.id == asking.entry().id);
        match entry {
            Some(entry) if entry.state == State::Left && now < until => {
                asking.stands(entry.state, entry.age);
                true
            }
            Some(entry) => {
                asking.stands(entry.state, entry.age);
                false
            }
            None => false,
        }
    }

    /// Until when the person is taken to be about to answer.
    fn attention(&self) -> Option<Instant> {
        self.touched.map(|touched| touched + ATTENTION)
    }

    fn take(&mut self, step: Step) {
        let (Some(asking), Step::Answer(answer)) = (&mut self.asking, step) else { return };
        match self.server.answer(&asking.entry().id, answer, Instant::now()) {
            Ok(()) => self.asking = None,
            Err(why) => asking.not_taken(why.to_string()),
        }
    }
}

impl Guest for Questions {
    fn environment(&self) -> Vec<(OsString, OsString)> {
        vec![("GUARDED_SH_SOCKET".into(), self.server.socket().into())]
    }

    fn unwatched(&mut self, why: &io::Error) -> bool {
        self.started.unwatched(why)
    }

    fn started(&mut self, start: Start) {
        if let Some(text) = self.started.take(&start, self.look.is_some()) {
            self.announcer.say(&text);
        }
    }

    fn wait_for<'a>(&'a self, descriptors: &mut Vec<PollFd<'a>>) {
        descriptors.extend(self.server.fds().map(|(fd, flags)| PollFd::new(fd, flags)));
    }

    fn wake_at(&self) -> Option<Instant> {
        let asking = self.asking.as_ref().and_then(Asking::deadline);
        let is_left = |asking: &Asking| asking.entry().state == State::Left;
        let left = self.asking.as_ref().filter(|asking| is_left(asking));
        let left = left.and_then(|_| self.attention());
        [self.server.deadline(), asking, left, self.started.deadline()].into_iter().flatten().min()
    }

    fn turn(&mut self, ready: &[PollFlags]) {
        self.server.turn(ready, Instant::now());
        if let Some(asking) = &mut self.asking {
            let step = asking.tick();
            self.take(step);
        }
        self.announce();
    }

    fn page(&mut self, room: Room) -> Option<Page> {
        let (Some(look), Room::Screen { rows, columns }) = (self.look, room) else {
            self.asking = None;
            return None;
        };
        self.turn_to_front(look);
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        let Some(asking) = &mut self.asking else {
            return self.started.page(columns, Instant::now());
        };
        let page = asking.page(columns);
        Some(Page { rows: page.rows(columns, rows), cursor: None })
    }

    fn typed(&mut self, input: Typed<'_>) {
        let Some(asking) = &mut self.asking else { return self.started.seen() };
        let step = match input {
            Typed::Key(bytes) => asking.feed(bytes),
            Typed::Pasted(text) => asking.paste(text),
        };
        if step != Step::Nothing {
            self.touched = Some(Instant::now());
        }
        self.take(step);
        self.announce();
    }
}
