//! The host of a session, at whose terminal its questions are asked: shows the oldest one that somebody waits for, and hands the
//! answer on. What is not asked here, because there is no terminal or none that can be drawn to, stays open for `watch` and
//! `approve`; nobody says yes to what cannot be seen.
//!
//! A question that nobody waits for any more leaves the screen, since the agent goes on, unless the person is about to answer it. It
//! comes back when the agent tries the same again. Whoever looks at the keyboard does not see it leave: so it takes the keys that were
//! meant for it with it, until the person closes it, or nobody has typed for a while.

use std::ffi::OsString;
use std::io;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags};

use super::super::asking::{Asking, Step};
use super::started::{Place, Started, say};
use crate::approval::page::{Before, Escape, Look};
use crate::approval::text::cut;
use crate::approval::{visible, words};
use crate::host::announce::Announcer;
use crate::host::relay::{Guest, Page, Purpose, Room, Typed};
use crate::host::starts::Start;
use crate::host::{Server, Unanswerable};
use crate::ipc::{Entry, State};
use crate::language::Language;
use crate::model::Proof;

/// For how long after a key a person is taken to be about to answer.
const ATTENTION: Duration = Duration::from_secs(30);
/// For how long a question that left by itself still takes keys, where nobody has typed anything.
const GRACE: Duration = Duration::from_secs(10);
/// Columns of a line that is told where it cannot be shown.
const LINE: usize = 200;
/// How often the time that is left is told anew.
const SECOND: Duration = Duration::from_secs(1);

/// How the person is asked.
pub(super) struct Person {
    /// How the terminal is drawn to; none where nothing can be drawn at a place.
    pub(super) look: Option<Look>,
    /// What paths are shortened by.
    pub(super) home: Option<String>,
    /// The language in which they are asked.
    pub(super) language: Language,
}

/// A host with the question that it asks.
pub(super) struct Questions {
    server: Server,
    asking: Option<Asking>,
    /// When the person did something to it.
    touched: Option<Instant>,
    /// When it left by itself.
    left: Option<Instant>,
    /// Says elsewhere that a question came, as the owner set it.
    announcer: Announcer,
    /// The state of the questions that was announced.
    announced: u64,
    person: Person,
    /// Where something is said that is no question, as the terminal is now.
    place: Place,
    /// What the agent starts besides its shells.
    started: Started,
    /// The question of which was said how it is answered, where it cannot be shown.
    told: Option<String>,
}

impl Questions {
    /// Asks what this host is asked.
    pub(super) fn new(
        server: Server,
        announcer: Announcer,
        person: Person,
        started: Started,
    ) -> Self {
        let announced = server.changes();
        let (asking, touched, left, place) = (None, None, None, Place::Stderr);
        let told = None;
        Self { server, asking, touched, left, announcer, announced, person, place, started, told }
    }

    fn announce(&mut self) {
        if self.announced != self.server.changes() {
            self.announced = self.server.changes();
            let now = Instant::now();
            let open: Vec<Entry> = self.server.open(now).collect();
            self.announcer.stand(&open, self.server.paused(now));
        }
    }

    /// Turns to the question that is to be answered first, when the one that is shown is done with. As long as somebody waits for that
    /// one, no other takes its place: keys would answer what the person has not read.
    fn turn_to_front(&mut self, look: Look) {
        let now = Instant::now();
        if self.stays(now) {
            return;
        }
        self.clear();
        let Some(front) = self.server.front() else { return };
        let more = self.server.waiting().saturating_sub(1);
        let entry = self.server.open(now).find(|entry| entry.id == front.id);
        let (home, language) = (self.person.home.as_deref(), self.person.language);
        self.asking =
            entry.map(|entry| Asking::new(entry, more, Escape::Denies, look, home, language));
    }

    /// Says how the question that waits is answered, where the terminal is one that cannot show it.
    fn tell(&mut self) {
        let Some(front) = self.server.front() else { return };
        if self.told.as_ref() == Some(&front.id) {
            return;
        }
        self.told = Some(front.id.clone());
        let entry = self.server.open(Instant::now()).find(|entry| entry.id == front.id);
        let Some(entry) = entry else { return };
        let line = cut(&visible(&entry.question.line), LINE);
        let language = self.person.language;
        let who = words::who(&entry.question, language);
        let values = [("who", visible(&who).into()), ("line", line.into())];
        say(&language.tell("run-cannot-show", &values));
    }

    fn clear(&mut self) {
        (self.asking, self.touched, self.left) = (None, None, None);
    }

    /// Whether the question that is shown stays.
    fn stays(&mut self, now: Instant) -> bool {
        let until = self.until();
        let Some(asking) = &mut self.asking else { return false };
        let stands = self.server.stands(&asking.entry().id, now);
        let waiting = self.server.waiting();
        if let Some(heard) = self.server.heard(&asking.entry().id) {
            asking.heard(heard);
        }
        if let Some(trying) = self.server.trying(&asking.entry().id) {
            asking.trying(trying);
        }
        if asking.is_withdrawn() {
            asking.more(waiting);
            // What is asked again is the same question.
            let is_back = matches!(stands, Some((State::Waiting { .. }, _)));
            return !is_back && until.is_some_and(|until| now < until);
        }
        let why = match stands {
            Some((state @ State::Waiting { .. }, age)) => {
                asking.stands(state, age);
                asking.more(waiting.saturating_sub(1));
                return true;
            }
            Some((State::Left, age)) if until.is_some_and(|until| now < until) => {
                asking.stands(State::Left, age);
                asking.more(waiting);
                return true;
            }
            Some((State::Left, _)) => self.person.language.say("run-gave-up"),
            Some((State::Answered { answer }, _)) => {
                let language = self.person.language;
                let how = words::answered(&answer, language);
                language.tell("run-answered-elsewhere", &[("how", how.into())]).into()
            }
            None => self.person.language.say("run-needs-none"),
        };
        asking.withdraw(why);
        asking.more(waiting);
        self.left = Some(now);
        true
    }

    /// Until when the person is taken to be about to answer, or to be typing what was meant for the question that left.
    fn until(&self) -> Option<Instant> {
        let touched = self.touched.map(|touched| touched + ATTENTION);
        touched.max(self.left.map(|left| left + GRACE))
    }

    fn take(&mut self, step: Step) {
        let Some(asking) = &mut self.asking else { return };
        let answer = match step {
            Step::Answer(answer) => answer,
            Step::Leave => return self.clear(),
            Step::Try => return self.server.begin_trial(&asking.entry().id, Instant::now()),
            Step::Denying => return self.server.denying(&asking.entry().id, Instant::now()),
            Step::Nothing | Step::Redraw => return,
        };
        match self.server.answer(&asking.entry().id, answer, Proof::Terminal, Instant::now()) {
            Ok(()) => self.clear(),
            Err(Unanswerable::Unknown(_) | Unanswerable::Withdrawn) => {
                asking.withdraw(self.person.language.say("run-ended"));
                self.left = Some(Instant::now());
            }
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
        if let Some(text) = self.started.take(&start, self.place) {
            self.announcer.say(&text);
        }
    }

    fn unseen(&mut self) {
        if let Some(text) = self.started.unseen(self.place) {
            self.announcer.say(&text);
        }
    }

    fn wait_for<'a>(&'a self, descriptors: &mut Vec<PollFd<'a>>) {
        descriptors.extend(self.server.fds().map(|(fd, flags)| PollFd::new(fd, flags)));
    }

    fn wake_at(&self) -> Option<Instant> {
        let asking = self.asking.as_ref().and_then(Asking::deadline);
        let shown = self.asking.as_ref().map(|asking| {
            match asking.entry().state {
                // The time that is left is told second by second.
                State::Waiting { left: Some(_) } if !asking.is_withdrawn() => {
                    Some(Instant::now() + SECOND)
                }
                State::Waiting { .. } if !asking.is_withdrawn() => None,
                State::Waiting { .. } | State::Left | State::Answered { .. } => self.until(),
            }
        });
        let deadlines = [self.server.deadline(), asking, shown.flatten(), self.started.deadline()];
        deadlines.into_iter().flatten().min()
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
        let (Some(look), Room::Screen { rows, columns }) = (self.person.look, room) else {
            self.place = Place::Stderr;
            self.clear();
            if matches!(room, Room::Screen { .. }) {
                self.tell();
            }
            return None;
        };
        self.place = Place::Screen;
        self.turn_to_front(look);
        let (columns, rows) = (usize::from(columns), usize::from(rows));
        let Some(asking) = &mut self.asking else {
            return self.started.page(columns, Instant::now());
        };
        let page = asking.page(columns);
        Some(Page { purpose: Purpose::Ask, rows: page.rows(columns, rows), cursor: None })
    }

    fn begins(&mut self, before: Before) {
        if let Some(asking) = &mut self.asking {
            asking.begins(before);
        }
    }

    fn dropped(&mut self) {
        if let Some(asking) = &mut self.asking {
            asking.dropped();
        }
    }

    fn disturbed(&mut self) {
        if let Some(asking) = &mut self.asking {
            asking.disturbed();
        }
    }

    fn typed(&mut self, input: Typed<'_>) {
        let Some(asking) = &mut self.asking else { return };
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

    fn passed(&mut self) {
        self.started.passed(Instant::now());
    }
}
