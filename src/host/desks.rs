//! All hosts of this user, followed as they come and go: what each of them has open, and what it says to an answer.
//! Waits for none of them: one that says nothing keeps nobody else.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::desk::{Desk, DeskError};
use crate::approval::text::with_causes;
use crate::ipc::{Entry, Error, FromDesk, ToDesk, place};
use crate::model::{Answer, Paused, PausedBy, Proof};

/// For how long a host may take before it counts as one that does not answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// After what time one that could not be spoken to is tried again.
const AGAIN: Duration = Duration::from_secs(10);
/// For how long something may take that takes no time where all is well.
const MOMENT: Duration = Duration::from_millis(200);

/// Which host: where its desk is.
pub type Key = PathBuf;

/// A host that is spoken to.
struct Host {
    key: Key,
    desk: Desk,
    /// Its session; none until it has said so.
    session: Option<String>,
    /// What it has; none until it has said so.
    entries: Option<Vec<Entry>>,
    /// The person's pause, as it said with them.
    paused: Option<Paused>,
    heard: Instant,
    /// Until when it must have said what it was asked for.
    late: Option<Instant>,
}

/// One that cannot be spoken to.
struct Silent {
    key: Key,
    why: String,
    since: Instant,
}

/// What came of listening.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// Something is open that was not, or the other way round.
    Changed,
    /// An answer was taken.
    Taken,
    /// It was not.
    NotTaken(String),
    /// The host is there no more.
    Gone,
}

/// The hosts of this user.
pub struct Desks {
    directories: Vec<PathBuf>,
    uid: u32,
    connected: Vec<Host>,
    silent: Vec<Silent>,
}

impl Desks {
    /// Makes it for the directories in which hosts may listen. None is spoken to yet.
    #[must_use]
    pub fn new(directories: Vec<PathBuf>) -> Self {
        let uid = nix::unistd::geteuid().as_raw();
        Self { directories, uid, connected: Vec::new(), silent: Vec::new() }
    }

    /// Looks for hosts that came, and for those that are late. Returns whether something is different.
    pub fn look(&mut self, now: Instant) -> bool {
        let mut changed = self.give_up(now);
        let mut found = Vec::new();
        for directory in &self.directories {
            // Where it is not ours alone, nobody of us listens.
            if place::check(directory, self.uid).is_ok() {
                let names = place::hosts(directory).into_iter();
                found.extend(names.map(|name| (directory.clone(), name)));
            }
        }
        let desk = |(directory, name): &(PathBuf, String)| place::desk(directory, name);
        let known = self.silent.len();
        self.silent.retain(|silent| {
            found.iter().any(|found| desk(found) == silent.key) && now < silent.since + AGAIN
        });
        changed |= self.silent.len() != known;
        for (directory, name) in found {
            let key = place::desk(&directory, &name);
            let is_known = self.connected.iter().any(|host| host.key == key)
                || self.silent.iter().any(|silent| silent.key == key);
            if !is_known {
                changed |= self.connect(&directory, &name, key, now);
            }
        }
        changed
    }

    fn connect(&mut self, directory: &Path, name: &str, key: Key, now: Instant) -> bool {
        let greeted = Desk::connect(directory, name, self.uid, now + MOMENT);
        let watched = greeted.and_then(|desk| {
            let Some(mut desk) = desk else { return Ok(None) };
            desk.tell(&ToDesk::Watch, now + MOMENT)?;
            Ok::<_, DeskError>(Some(desk))
        });
        match watched {
            Ok(None) => false,
            Ok(Some(desk)) => {
                let late = Some(now + PATIENCE);
                let (session, entries, paused) = (None, None, None);
                let host = Host { key, desk, session, entries, paused, heard: now, late };
                self.connected.push(host);
                true
            }
            Err(error) => {
                self.silent.push(Silent { key, why: with_causes(&error), since: now });
                true
            }
        }
    }

    /// Drops those that do not say what they were asked for.
    fn give_up(&mut self, now: Instant) -> bool {
        let is_late = |host: &Host| host.late.is_some_and(|late| late <= now);
        let (late, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.connected).into_iter().partition(is_late);
        self.connected = others;
        let is_any = !late.is_empty();
        self.silent.extend(late.into_iter().map(|host| {
            let why = "a host does not answer".to_owned();
            Silent { key: host.key, why, since: now }
        }));
        is_any
    }

    /// Returns what is to be polled. In this order [`Desks::hear`] wants to know what is ready.
    pub fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.connected.iter().map(|host| host.desk.fd())
    }

    /// Hears those that said something.
    pub fn hear(&mut self, ready: &[bool], now: Instant) -> Vec<(Key, Heard)> {
        let mut heard = Vec::new();
        let mut gone = Vec::new();
        for (at, host) in self.connected.iter_mut().enumerate() {
            if !ready.get(at).is_some_and(|ready| *ready) {
                continue;
            }
            match host.hear(now) {
                Ok(said) => heard.extend(said.into_iter().map(|said| (host.key.clone(), said))),
                Err(why) => gone.push((at, why)),
            }
        }
        for (at, why) in gone.into_iter().rev() {
            let host = self.connected.remove(at);
            heard.push((host.key.clone(), Heard::Gone));
            if let Some(why) = why {
                self.silent.push(Silent { key: host.key, why, since: now });
            }
        }
        heard
    }

    /// Returns all questions, with the seconds since they were asked as of now.
    #[must_use]
    pub fn entries(&self, now: Instant) -> Vec<(Key, Entry)> {
        let of = |host: &Host| {
            let passed = now.saturating_duration_since(host.heard).as_secs();
            let entries = host.entries.iter().flatten().cloned();
            let key = host.key.clone();
            let aged = move |entry: Entry| entry.after(passed);
            entries.map(aged).map(move |entry| (key.clone(), entry)).collect::<Vec<_>>()
        };
        self.connected.iter().flat_map(of).collect()
    }

    /// Returns the person's pause, of several hosts' the longest.
    #[must_use]
    pub fn paused(&self, now: Instant) -> Option<Paused> {
        let of =
            |host: &Host| host.paused?.after(now.saturating_duration_since(host.heard).as_secs());
        self.connected.iter().filter_map(of).max_by_key(|paused| paused.left)
    }

    /// Tells all hosts that a person wants to be told of no question for so many seconds; with none, no longer. What they say to that is how
    /// it stands.
    pub fn pause(&mut self, by: PausedBy, seconds: u64) {
        for host in &mut self.connected {
            // One that does not hear it still tells of questions.
            let _ = host.desk.tell(&ToDesk::Pause { by, seconds }, Instant::now() + MOMENT);
        }
    }

    /// Returns how many hosts there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.connected.iter().filter(|host| host.session.is_some()).count()
    }

    /// Returns whether all that are there have said what they have.
    #[must_use]
    pub fn all_heard(&self) -> bool {
        self.connected.iter().all(|host| host.entries.is_some())
    }

    /// Returns why one cannot be spoken to.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.silent.first().map(|silent| silent.why.as_str())
    }

    /// Tells a host that a question is about to be denied. Where that cannot be told, the answer says so.
    pub fn denying(&mut self, key: &Key, id: String) {
        self.tell(key, &ToDesk::Denying { id });
    }

    /// Tells a host that the line of a question is to be tried. What it says to that is how the question stands.
    pub fn begin_trial(&mut self, key: &Key, id: String) {
        self.tell(key, &ToDesk::Try { id });
    }

    fn tell(&mut self, key: &Key, message: &ToDesk) {
        if let Some(host) = self.connected.iter_mut().find(|host| host.key == *key) {
            let _ = host.desk.tell(message, Instant::now() + MOMENT);
        }
    }

    /// Gives an answer to a host, with what it is known by where that is more than a terminal. What the host says to that is heard later.
    pub fn answer(
        &mut self,
        key: &Key,
        id: &str,
        answer: Answer,
        proof: Option<Proof>,
    ) -> Result<(), String> {
        let host = self.connected.iter_mut().find(|host| host.key == *key);
        let host = host.ok_or("its host is gone")?;
        let now = Instant::now();
        host.late = Some(now + PATIENCE);
        let message = ToDesk::Answer { id: id.to_owned(), answer, proof };
        host.desk.tell(&message, now + MOMENT).map_err(|error| with_causes(&error))
    }
}

impl Host {
    /// Hears all that it said. The error says why it is spoken to no more, unless it just ended.
    fn hear(&mut self, now: Instant) -> Result<Vec<Heard>, Option<String>> {
        let mut heard = Vec::new();
        loop {
            let said = match self.desk.hear() {
                Ok(Some(said)) => said,
                Ok(None) => return Ok(heard),
                Err(Error::Broken(_)) => return Err(None),
                Err(error) => return Err(Some(with_causes(&error))),
            };
            match said {
                FromDesk::Welcome { session } => self.session = Some(session),
                FromDesk::Questions { entries, paused } => {
                    self.late = self.late.filter(|_| self.entries.is_some());
                    (self.entries, self.paused, self.heard) = (Some(entries), paused, now);
                    heard.push(Heard::Changed);
                }
                FromDesk::Taken => {
                    self.late = None;
                    heard.push(Heard::Taken);
                }
                // Before it was welcome: it hangs up.
                FromDesk::Refused { why } if self.session.is_none() => return Err(Some(why)),
                FromDesk::Refused { why } => {
                    self.late = None;
                    heard.push(Heard::NotTaken(why));
                }
            }
        }
    }
}
