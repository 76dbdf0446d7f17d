//! What a person looks at: the list of questions, or one of them. Keys and what hosts say in, and what is to be done about it out.
//! Holds no terminal and no sockets.

use std::time::{Duration, Instant};

use crate::approval::others::{DISTURBED, DISTURBING};
use crate::approval::page::keys::{Key, Keys};
use crate::approval::page::{Came, Escape, Guard, Look, Pace};
use crate::approval::{visible, words};
use crate::host::desks::Key as Host;
use crate::ipc::{Entry, State};
use crate::language::Language;
use crate::model::Answer;
use crate::subcommand::asking::{Asking, Step};

/// For how long is shown what came of an answer.
const NOTICE: Duration = Duration::from_secs(6);
/// What is said where a key came among others.
const BURST: &str = "watch-keys-in-burst";

/// Which questions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tab {
    /// Those that are open.
    Open,
    /// Those that were answered lately.
    History,
}

/// What is looked at.
pub(super) enum View {
    /// The list.
    List,
    /// What the keys do.
    Help,
    /// One question.
    Question(Box<Opened>),
}

/// A question that was opened.
pub(super) struct Opened {
    host: Host,
    pub(super) asking: Asking,
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Doing {
    /// Nothing but to draw it anew.
    Redraw,
    /// To give an answer to a host.
    Answer(Host, String, Answer),
    /// To tell a host that a question is about to be denied.
    Denying(Host, String),
    /// To tell a host that the line of a question is to be tried.
    Try(Host, String),
    /// To end.
    Quit(End),
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The person has seen enough.
    Left,
    /// The one question that it was about is answered, and how.
    Answered(Box<Entry>),
    /// Its host is gone, or has forgotten it.
    Gone,
}

/// What is shown for how long.
pub(super) struct Notice {
    pub(super) text: String,
    until: Instant,
    /// It is about what others wrote.
    is_disturbing: bool,
}

/// The list, and what is looked at of it.
pub(super) struct List {
    entries: Vec<(Host, Entry)>,
    pub(super) tab: Tab,
    pub(super) view: View,
    /// Which is selected: by what it is, not by where it stands.
    selected: Option<(Host, String)>,
    /// Whether the person has gone to it, so that nothing else is selected in its place.
    is_chosen: bool,
    /// Until when no key answers what is selected.
    guard: Guard,
    /// Until when no key but those that end it counts, since others wrote to the terminal.
    disturbed: Guard,
    keys: Keys,
    pace: Pace,
    /// What was denied by a key that nothing may follow for a moment, and when it counts.
    denied: Option<(Host, Entry, Instant)>,
    pub(super) notice: Option<Notice>,
    /// What a host was told, and has not replied to yet.
    sent: Option<(Host, Entry)>,
    /// The one question that this is about; none where it is about all.
    only: Option<(Host, String)>,
    pub(super) look: Look,
    home: Option<String>,
    pub(super) language: Language,
}

impl List {
    /// Makes an empty one, in this language. `home` is what paths are shortened by.
    pub(super) fn new(look: Look, home: Option<String>, language: Language, now: Instant) -> Self {
        Self {
            entries: Vec::new(),
            tab: Tab::Open,
            view: View::List,
            selected: None,
            is_chosen: false,
            guard: Guard::over(now),
            disturbed: Guard::over(now),
            keys: Keys::default(),
            pace: Pace::default(),
            denied: None,
            notice: None,
            sent: None,
            only: None,
            look,
            home,
            language,
        }
    }

    /// Returns what paths are shortened by.
    pub(super) fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// Is about one question alone from now on, and shows it. None: it is not open.
    pub(super) fn only(&mut self, id: &str) -> Option<()> {
        let is = |(_, entry): &&(Host, Entry)| entry.id == id && is_open(entry);
        let (host, entry) = self.entries.iter().find(is)?.clone();
        self.only = Some((host.clone(), id.to_owned()));
        self.open(host, entry);
        Some(())
    }

    /// Returns the questions of a tab, in the order of the list: who waits longest first, what was asked last of those answered.
    pub(super) fn rows(&self, tab: Tab) -> Vec<&(Host, Entry)> {
        let wanted = |(_, entry): &&(Host, Entry)| is_open(entry) == (tab == Tab::Open);
        let mut rows: Vec<&(Host, Entry)> = self.entries.iter().filter(wanted).collect();
        rows.sort_by_key(|(_, entry)| match tab {
            Tab::Open => (!entry.is_waiting(), u64::MAX - entry.age),
            Tab::History => (false, entry.age),
        });
        rows
    }

    /// Returns where what is selected stands in its tab.
    pub(super) fn at(&self) -> Option<usize> {
        let (host, id) = self.selected.as_ref()?;
        let is = |row: &&(Host, Entry)| row.0 == *host && row.1.id == *id;
        self.rows(self.tab).iter().position(is)
    }

    /// Takes what the hosts have now.
    pub(super) fn stand(&mut self, entries: Vec<(Host, Entry)>, now: Instant) -> Doing {
        let before = self.at();
        self.entries = entries;
        if self.at().is_none() {
            self.select(before.unwrap_or(0), now);
        } else if !self.is_chosen && self.current().is_some_and(|(_, entry)| !entry.is_waiting()) {
            // Somebody waits for the first one, if for any.
            self.select(0, now);
        }
        let View::Question(opened) = &mut self.view else { return Doing::Redraw };
        let id = &opened.asking.entry().id;
        let is = |(host, entry): &&(Host, Entry)| *host == opened.host && entry.id == *id;
        let found = self.entries.iter().find(is).map(|(_, entry)| entry.clone());
        let waiting = |(_, entry): &&(Host, Entry)| entry.is_waiting();
        let waiting = self.entries.iter().filter(waiting).count();
        match found {
            Some(entry) if self.sent.is_none() => {
                let own = usize::from(entry.is_waiting());
                opened.asking.stands(entry.state.clone(), entry.age);
                opened.asking.more(waiting - own);
                if let Some(heard) = &entry.question.opinion {
                    opened.asking.heard(heard);
                }
                opened.asking.trying(&entry.trying);
                if self.only.is_some() && !is_open(&entry) {
                    return Doing::Quit(End::Answered(Box::new(entry)));
                }
            }
            // Its reply is to come.
            Some(_) => {}
            None if self.only.is_some() => return Doing::Quit(End::Gone),
            // Whoever is typing at it answers nothing else by that.
            None => opened.asking.withdraw(self.language.say("watch-asker-ended")),
        }
        Doing::Redraw
    }

    /// Says that others wrote to the terminal, and that all is drawn again.
    pub(super) fn disturbed(&mut self, now: Instant) {
        match &mut self.view {
            View::Question(opened) => opened.asking.disturbed(),
            View::List | View::Help => self.hold(now),
        }
    }

    /// Has no key count for a moment but those that end it.
    fn hold(&mut self, now: Instant) {
        (self.disturbed, self.denied) = (Guard::begin(now), None);
        self.notice = Some(Notice {
            text: self.language.say(DISTURBING).into_owned(),
            until: self.disturbed.until(),
            is_disturbing: true,
        });
    }

    /// Takes what a host says to an answer.
    pub(super) fn taken(&mut self, host: &Host, taken: Result<(), String>, now: Instant) -> Doing {
        let Some((_, entry)) = self.sent.take_if(|(sent, _)| sent == host) else {
            return Doing::Redraw;
        };
        match taken {
            Ok(()) => {
                if self.only.is_some() {
                    return Doing::Quit(End::Answered(Box::new(entry)));
                }
                if let State::Answered { answer } = &entry.state {
                    let text = words::answered(answer, self.language);
                    let text = format!("{text}: {}", entry.question.line);
                    self.tell(&text, now);
                }
                self.view = View::List;
            }
            Err(why) => {
                let told = self.language.tell("watch-not-taken", &[("why", why.into())]);
                match &mut self.view {
                    View::Question(opened) if opened.asking.entry().id == entry.id => {
                        opened.asking.not_taken(told);
                    }
                    _ => self.tell(&told, now),
                }
            }
        }
        Doing::Redraw
    }

    /// Returns when [`List::tick`] is to be called, if no keys come before.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let own = match &self.view {
            View::Question(opened) => opened.asking.deadline(),
            View::List | View::Help => {
                let denied = self.denied.as_ref().map(|(.., counts_at)| *counts_at);
                [self.keys.deadline(), denied].into_iter().flatten().min()
            }
        };
        let notice = self.notice.as_ref().map(|notice| notice.until);
        [own, notice].into_iter().flatten().min()
    }

    /// Lets time pass.
    pub(super) fn tick(&mut self, now: Instant) -> Option<Doing> {
        let over = self.notice.take_if(|notice| notice.until <= now);
        if over.as_ref().is_some_and(|notice| notice.is_disturbing) {
            self.tell(&self.language.say(DISTURBED), now);
        }
        let over = over.map(|_| Doing::Redraw);
        if let Some((host, entry, _)) = self.denied.take_if(|(.., counts_at)| *counts_at <= now) {
            return Some(self.send(host, entry, Answer::Deny { message: None }));
        }
        let step = match &mut self.view {
            View::Question(opened) => {
                let step = opened.asking.tick();
                self.step(step, now)
            }
            View::List | View::Help => self.keys.tick(now).and_then(|key| self.key(&key, now)),
        };
        step.or(over)
    }

    /// Takes bytes from the keyboard. What is left of them when the view changes was typed for the one before.
    pub(super) fn feed(&mut self, bytes: &[u8], now: Instant) -> Option<Doing> {
        if let View::Question(opened) = &mut self.view {
            let step = opened.asking.feed(bytes);
            return self.step(step, now);
        }
        let mut done = None;
        for key in self.keys.feed(bytes, now) {
            // A key that comes right behind one that denies shows that neither was meant for the list.
            if self.denied.take().is_some() {
                self.guard = Guard::again(now);
                self.tell(&self.language.say(BURST), now);
                done = Some(Doing::Redraw);
                continue;
            }
            done = self.key(&key, now).or(done);
            if matches!(done, Some(Doing::Answer(..) | Doing::Quit(_)))
                || matches!(self.view, View::Question(_))
            {
                break;
            }
        }
        done
    }

    fn key(&mut self, key: &Key, now: Instant) -> Option<Doing> {
        let came = self.pace.take(now);
        let ends = matches!(key, Key::Char('q') | Key::Control('c'));
        if !ends && !self.disturbed.is_over(now) {
            self.hold(now);
            return Some(Doing::Redraw);
        }
        if matches!(self.view, View::Help) {
            self.view = View::List;
            return match key {
                Key::Control('c') => Some(Doing::Quit(End::Left)),
                _ => Some(Doing::Redraw),
            };
        }
        self.is_chosen = true;
        let last = self.rows(self.tab).len().saturating_sub(1);
        let at = self.at().unwrap_or(0);
        match key {
            Key::Char('q') | Key::Control('c') => return Some(Doing::Quit(End::Left)),
            Key::Up | Key::Char('k') => self.select(at.saturating_sub(1), now),
            Key::Down | Key::Char('j') => self.select(at + 1, now),
            Key::PageUp => self.select(at.saturating_sub(10), now),
            Key::PageDown => self.select(at + 10, now),
            Key::Home | Key::Char('g') => self.select(0, now),
            Key::End | Key::Char('G') => self.select(last, now),
            Key::Tab | Key::BackTab | Key::Char('h') => self.turn(now),
            Key::Escape if self.tab == Tab::History => self.turn(now),
            Key::Char('?') => self.view = View::Help,
            Key::Enter => {
                let (host, entry) = self.current()?;
                self.open(host, entry);
            }
            Key::Char('d') => return self.deny(came, now),
            _ => return None,
        }
        Some(Doing::Redraw)
    }

    /// Denies what is selected, once nothing came right behind the key.
    fn deny(&mut self, came: Came, now: Instant) -> Option<Doing> {
        let (host, entry) = self.current()?;
        if self.tab != Tab::Open || self.sent.is_some() {
            return None;
        }
        // What came under the cursor a moment ago is not what was meant.
        if came == Came::InBurst || !self.guard.is_over(now) {
            self.guard = Guard::begin(now);
            self.tell(&self.language.say(BURST), now);
            return Some(Doing::Redraw);
        }
        let denying = Doing::Denying(host.clone(), entry.id.clone());
        self.denied = Some((host, entry, now + Pace::LETTER));
        Some(denying)
    }

    fn send(&mut self, host: Host, entry: Entry, answer: Answer) -> Doing {
        let id = entry.id.clone();
        let state = State::Answered { answer: answer.clone() };
        self.sent = Some((host.clone(), Entry { state, ..entry }));
        Doing::Answer(host, id, answer)
    }

    fn step(&mut self, step: Step, now: Instant) -> Option<Doing> {
        match step {
            Step::Nothing => None,
            Step::Redraw => Some(Doing::Redraw),
            Step::Denying | Step::Try => {
                let View::Question(opened) = &self.view else { return None };
                let (host, id) = (opened.host.clone(), opened.asking.entry().id.clone());
                let is_try = step == Step::Try;
                Some(if is_try { Doing::Try(host, id) } else { Doing::Denying(host, id) })
            }
            Step::Leave if self.only.is_some() => Some(Doing::Quit(End::Left)),
            Step::Leave => {
                self.view = View::List;
                self.guard = Guard::begin(now);
                Some(Doing::Redraw)
            }
            Step::Answer(answer) => {
                let View::Question(opened) = &self.view else { return None };
                let (host, entry) = (opened.host.clone(), opened.asking.entry().clone());
                Some(self.send(host, entry, answer))
            }
        }
    }

    fn open(&mut self, host: Host, entry: Entry) {
        let rows = self.rows(Tab::Open);
        let waits = |other: &Entry| other.is_waiting() && other.id != entry.id;
        let more = rows.iter().filter(|(_, other)| waits(other)).count();
        let asking = Asking::new(
            entry,
            more,
            Escape::Leaves,
            self.look,
            self.home.as_deref(),
            self.language,
        );
        self.view = View::Question(Box::new(Opened { host, asking }));
    }

    /// Shows the other tab.
    fn turn(&mut self, now: Instant) {
        self.tab = match self.tab {
            Tab::Open => Tab::History,
            Tab::History => Tab::Open,
        };
        self.select(0, now);
    }

    fn select(&mut self, at: usize, now: Instant) {
        let rows = self.rows(self.tab);
        let row = rows.get(at).or_else(|| rows.last());
        let selected = row.map(|(host, entry)| (host.clone(), entry.id.clone()));
        if self.selected != selected {
            self.guard = Guard::begin(now);
        }
        self.selected = selected;
    }

    /// Returns what is selected.
    pub(super) fn current(&self) -> Option<(Host, Entry)> {
        self.rows(self.tab).get(self.at()?).copied().cloned()
    }

    /// Shows something for a while.
    pub(super) fn tell(&mut self, text: &str, now: Instant) {
        self.notice = Some(Notice {
            text: visible(text).into_owned(),
            until: now + NOTICE,
            is_disturbing: false,
        });
    }
}

fn is_open(entry: &Entry) -> bool {
    !matches!(entry.state, State::Answered { .. })
}
