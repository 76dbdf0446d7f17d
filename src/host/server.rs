//! The sockets of a host: a shell asks on one, a person's other terminal answers on the other. Driven by whoever has a loop.
//! Keeps no questions itself: that is [`Memory`]'s.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::poll::PollFlags;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::PassCred;

use super::connection::{Connection, Role, prepared};
use super::ending::Ending;
use super::memory::{Asker, Held, Memory, Reply, Unanswerable, Wait};
use super::peers::{Asks, Peer};
use super::recent::Past;
use crate::fence;
use crate::ipc::{self, Door, Entry, FromDesk, FromHost, LARGEST, State, ToDesk, ToHost, place};
use crate::judge::Models;
use crate::model::{Answer, Heard, Passed, Paused, PausedBy, Proof, Trying};
use crate::observe::Process;
use crate::sys;

/// Connections of shells at once at most: one that waits, and for a moment a second one, to whoever asks models. More are told so, and what they
/// asked is refused. Two descriptors each stay below what a process may have open.
const SHELLS: usize = 400;
/// Other terminals at once at most.
const DESKS: usize = 32;
/// How often it is looked whether the agents still run whose questions nobody waits for.
const LOOK: Duration = Duration::from_secs(1);
/// Connections of one process at once at most, on each socket.
const OF_ONE: usize = 4;

/// For whom a host is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// For what runs below it.
    Session,
    /// For all that its user runs.
    Service,
}

/// Why a host cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no directory for its sockets.
    #[error(transparent)]
    Place(#[from] place::Error),
    /// A socket cannot be made.
    #[error("cannot listen at '{}'", path.display())]
    Listen {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// We cannot see ourselves.
    #[error("cannot read /proc")]
    Unseen(#[source] io::Error),
}

/// A host, listening.
pub struct Server {
    memory: Memory,
    past: Past,
    kind: Kind,
    /// This process.
    host: Process,
    session: String,
    directory: PathBuf,
    name: String,
    secret: String,
    ask: UnixListener,
    desk: UnixListener,
    connections: Vec<Connection>,
    next: u64,
    /// When it was looked last whether agents have ended.
    looked: Instant,
    /// Who asks models, where the owner wants any.
    models: Option<Models>,
    /// The agents that a person ends.
    ending: Ending,
}

impl Server {
    /// Listens in a directory that [`place::prepare`] returned. It must be this process that serves: peers see who listened.
    pub fn listen(kind: Kind, directory: &Path, session: &str) -> Result<Self, Error> {
        let host = Process::see(std::process::id()).map_err(Error::Unseen)?.process;
        let name = match kind {
            // So that what runs below finds it by what it descends from.
            Kind::Session => host.id.to_string(),
            Kind::Service => place::SERVICE.to_owned(),
        };
        place::clean(directory);
        // What is still there under our own name is of a process that had our id, or whose place we hold the lock of.
        place::remove(directory, &name);
        // The process that makes domains ahead begins before the host's sockets are made, so that it holds none of them. Without it, each line makes
        // its own domain.
        if place::own(nix::unistd::geteuid().as_raw()).as_deref() == Some(directory) {
            let _ = fence::prepare(&place::domains(directory, &name));
        }
        let secret = place::write_secret(directory, &name)?;
        let ask = listener(&place::ask(directory, &name))?;
        let desk = listener(&place::desk(directory, &name))?;
        // Whoever is told where it is finds it all the same.
        let _ = place::link(directory, &name, nix::unistd::geteuid().as_raw());
        Ok(Self {
            memory: Memory::new(random, Process::is_there),
            past: Past::default(),
            kind,
            host,
            session: session.to_owned(),
            directory: directory.to_owned(),
            name,
            secret,
            ask,
            desk,
            connections: Vec::new(),
            next: 0,
            looked: Instant::now(),
            models: None,
            ending: Ending::default(),
        })
    }

    /// Hands whoever wants to ask a model to this one.
    #[must_use]
    pub fn with_models(mut self, models: Option<Models>) -> Self {
        self.models = models;
        self
    }

    /// Returns the socket on which shells ask, for `GUARDED_SH_SOCKET`.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        place::ask(&self.directory, &self.name)
    }

    /// Returns what is to be polled, and for what. In this order [`Server::turn`] wants to know what is ready.
    pub fn fds(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        let listeners = [&self.ask, &self.desk].map(|l| (l.as_fd(), PollFlags::POLLIN));
        let connections = self.connections.iter();
        let connections = connections.map(|c| (c.stream().as_fd(), c.flags()));
        listeners.into_iter().chain(connections).chain(self.past.fds())
    }

    /// Returns when the next turn is due even if nothing is ready.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let look = self.memory.has_left().then(|| self.looked + LOOK);
        let ending = self.ending.deadline();
        let others = [look, ending, self.memory.pause_ends()].into_iter().flatten();
        self.connections.iter().filter_map(Connection::deadline).chain(others).min()
    }

    /// Does what can be done without waiting. `ready` says what poll(2) saw of each of [`Server::fds`].
    pub fn turn(&mut self, ready: &[PollFlags], now: Instant) {
        let at = |index: usize| ready.get(index).copied().unwrap_or(PollFlags::empty());
        let mut connections = std::mem::take(&mut self.connections);
        self.past.turn(ready.get(connections.len() + 2..).unwrap_or_default());
        // All are read before anything is answered: whoever has gone by then is not told yes.
        for (index, connection) in connections.iter_mut().enumerate() {
            let seen = at(index + 2);
            if seen.intersects(PollFlags::POLLOUT) {
                connection.write(now);
            }
            if seen.intersects(PollFlags::POLLIN | PollFlags::POLLHUP | PollFlags::POLLERR) {
                connection.read();
            }
        }
        self.connections = connections;
        self.sweep(now);
        for index in 0..self.connections.len() {
            self.hear(index, now);
        }
        if !at(0).is_empty() {
            self.accept(Socket::Ask, now);
        }
        if !at(1).is_empty() {
            self.accept(Socket::Desk, now);
        }
        self.sweep(now);
        if now >= self.looked + LOOK {
            self.looked = now;
            self.memory.withdraw();
        }
        self.ending.turn(now);
        self.memory.end_pause(now);
        self.tell(now);
    }

    /// Takes the answer of a person, who is known by this.
    pub fn answer(
        &mut self,
        id: &str,
        answer: Answer,
        proof: Proof,
        now: Instant,
    ) -> Result<(), Unanswerable> {
        let agent = match &answer {
            Answer::Stop => Some(self.memory.agent(id)?),
            _ => None,
        };
        let waiting = self.memory.answer(id, answer.clone(), now)?;
        let covers = match &answer {
            Answer::Session { covers } => Some(*covers),
            _ => None,
        };
        self.end(waiting, &FromHost::Answered { answer, proof: Some(proof) }, now);
        if let Some(agent) = agent {
            self.ending.begin(agent, now);
        }
        if let Some(covers) = covers {
            let covered = self.memory.settle(covers, now);
            self.end(covered, &FromHost::Granted { by: Passed::Session }, now);
        }
        Ok(())
    }

    /// Notes that a person at some terminal is about to deny a question: for a moment no yes is taken.
    pub fn denying(&mut self, id: &str, now: Instant) {
        self.memory.denying(id, now);
    }

    /// Has a line be tried by whoever waits for the answer, if they can.
    pub fn begin_trial(&mut self, id: &str, now: Instant) {
        let waiting = self.memory.begin_trial(id);
        if let Some(connection) = self.connections.iter_mut().find(|c| Some(c.id) == waiting) {
            connection.say(&FromHost::Try, now);
        }
    }

    /// Takes a person's wish to be told of no question for so many seconds; with none, no longer.
    pub fn pause(&mut self, by: PausedBy, seconds: u64, now: Instant) {
        self.memory.pause(by, seconds, now);
    }

    /// Returns the person's pause, if there is one.
    #[must_use]
    pub fn paused(&self, now: Instant) -> Option<Paused> {
        self.memory.paused(now)
    }

    /// Says the last thing to those who wait on these connections.
    fn end(&mut self, waiting: impl IntoIterator<Item = u64>, said: &FromHost, now: Instant) {
        for id in waiting {
            if let Some(connection) = self.connections.iter_mut().find(|c| c.id == id) {
                connection.end(said, now);
            }
        }
    }

    /// Returns how a question stands that is open or was answered lately, and how many seconds ago it was asked.
    #[must_use]
    pub fn stands(&self, id: &str, now: Instant) -> Option<(State, u64)> {
        self.memory.stands(id, now)
    }

    /// Returns what a model says of an open question, if it has said something.
    #[must_use]
    pub fn heard(&self, id: &str) -> Option<&Heard> {
        self.memory.heard(id)
    }

    /// Returns how it stands with the trial of an open question.
    #[must_use]
    pub fn trying(&self, id: &str) -> Option<&Trying> {
        self.memory.trying(id)
    }

    /// Returns the question that is to be answered first.
    #[must_use]
    pub fn front(&self) -> Option<&Held> {
        self.memory.front()
    }

    /// Returns how many questions someone waits for.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.memory.waiting()
    }

    /// Returns the questions that are open, oldest first.
    pub fn open(&self, now: Instant) -> impl Iterator<Item = Entry> {
        self.memory.open(now)
    }

    /// Returns a number that is another one whenever something changed in what is open or answered.
    #[must_use]
    pub const fn changes(&self) -> u64 {
        self.memory.changes()
    }

    /// Drops connections that are done. What was asked over them stays open.
    fn sweep(&mut self, now: Instant) {
        let memory = &mut self.memory;
        self.connections.retain(|connection| {
            let done = connection.is_done(now);
            if done {
                memory.leave(connection.id);
            }
            !done
        });
    }

    fn accept(&mut self, socket: Socket, now: Instant) {
        let listener = match socket {
            Socket::Ask => &self.ask,
            Socket::Desk => &self.desk,
        };
        let mut accepted = Vec::new();
        // The rest has its turn after those that are there.
        while accepted.len() < 64
            && let Ok((stream, _)) = listener.accept()
        {
            accepted.push(stream);
        }
        for stream in accepted {
            self.greet(socket, stream, now);
        }
    }

    fn greet(&mut self, socket: Socket, stream: UnixStream, now: Instant) {
        // Whoever cannot be seen, or is gone again, is not spoken to.
        let Ok(stream) = prepared(stream) else { return };
        let Ok(peer) = Peer::of(&stream) else { return };
        let is_here = |c: &&Connection| socket == Socket::of(&c.role);
        let here = self.connections.iter().filter(is_here);
        let own = here.clone().filter(|c| c.peer.id() == peer.id()).count();
        let (role, most) = match socket {
            Socket::Ask => (Role::Shell { waits: false }, SHELLS),
            Socket::Desk => (Role::Desk { welcome: false, told: None }, DESKS),
        };
        let is_full = here.count() >= most;
        // Whoever only came keeps nobody out: the first of them makes room.
        let is_full = is_full && own < OF_ONE && !self.make_room(socket);
        self.next += 1;
        let mut connection = Connection::new(self.next, role, peer, stream, now);
        if is_full || own >= OF_ONE {
            let why = match own {
                0..OF_ONE => "as many are connected to the host as it can serve".to_owned(),
                _ => "this process has as many connections to the host as one may".to_owned(),
            };
            match socket {
                Socket::Ask => connection.end(&FromHost::Nobody { why }, now),
                Socket::Desk => connection.end(&FromDesk::Refused { why }, now),
            }
        } else if socket == Socket::Ask {
            // It was looked at a moment ago, and may have been another program when it said what is there already.
            connection.read();
            if connection.has_spoken() {
                let why = "it spoke before it was welcomed".to_owned();
                connection.end(&FromHost::Refused { why }, now);
            } else {
                connection.say(&FromHost::Welcome, now);
            }
        }
        self.connections.push(connection);
    }

    /// Drops the oldest connection on a socket that has said nothing yet that counts: a shell that has not asked, a terminal that has not said
    /// the secret. Returns whether there was one.
    fn make_room(&mut self, socket: Socket) -> bool {
        let is_stranger = |c: &Connection| {
            let counts = match c.role {
                Role::Shell { waits } => waits,
                Role::Desk { welcome, .. } => welcome,
            };
            !counts && socket == Socket::of(&c.role)
        };
        let Some(index) = self.connections.iter().position(is_stranger) else { return false };
        let dropped = self.connections.remove(index);
        self.memory.leave(dropped.id);
        true
    }

    /// Answers what one of them said.
    fn hear(&mut self, index: usize, now: Instant) {
        // A shell says one thing; a person's terminal does not say more at once than it waits for answers to.
        for _ in 0..16 {
            let Some(connection) = self.connections.get_mut(index) else { return };
            if connection.is_foreign() {
                let why = "another process spoke than the one that connected".to_owned();
                return match connection.role {
                    Role::Shell { .. } => connection.end(&FromHost::Refused { why }, now),
                    Role::Desk { .. } => connection.end(&FromDesk::Refused { why }, now),
                };
            }
            let more = match connection.role {
                Role::Shell { .. } => match connection.take::<ToHost>(now) {
                    Ok(None) => return,
                    Ok(Some(message)) => self.asked(index, message, now),
                    Err(fault) => {
                        let why = fault.to_string();
                        return connection.end(&FromHost::Refused { why }, now);
                    }
                },
                Role::Desk { .. } => match connection.take::<ToDesk>(now) {
                    Ok(None) => return,
                    Ok(Some(message)) => self.told(index, message, now),
                    Err(fault) => {
                        let why = fault.to_string();
                        return connection.end(&FromDesk::Refused { why }, now);
                    }
                },
            };
            if more.is_none() {
                return;
            }
        }
    }

    /// What a shell said. None: it is not heard any more in this turn.
    fn asked(&mut self, index: usize, message: ToHost, now: Instant) -> Option<()> {
        let (kind, host) = (self.kind, self.host);
        let connection = self.connections.get_mut(index)?;
        if let Role::Shell { waits: true } = connection.role {
            return self.told_beside(index, message, now);
        }
        let Asks { chain, realm, owner } = match connection.peer.asks(kind, host) {
            Ok(asker) => asker,
            Err(stranger) => {
                connection.end(&FromHost::Refused { why: stranger.to_string() }, now);
                return None;
            }
        };
        let process = *chain.first()?;
        if let ToHost::Ask { question, .. } | ToHost::Asked { question } = &message
            && !question.shows_all()
        {
            let why = "what a yes would cover is more severe than what would be shown".to_owned();
            connection.end(&FromHost::Refused { why }, now);
            return None;
        }
        match message {
            ToHost::Heard { .. } | ToHost::Tried { .. } | ToHost::Settled => {
                let why = "nothing was asked".to_owned();
                connection.end(&FromHost::Refused { why }, now);
            }
            ToHost::Model => {
                let none = || io::Error::other("this session was started without one");
                let handed = self.models.as_mut().ok_or_else(none);
                let stream = connection.stream().as_fd();
                match handed.and_then(|models| models.hand(stream, now)) {
                    Ok(()) => connection.end(&FromHost::Handed, now),
                    Err(error) => {
                        let why = format!("no model can be asked here: {error}");
                        connection.end(&FromHost::Nobody { why }, now);
                    }
                }
            }
            ToHost::List => {
                let entries = fitting(self.memory.open(now));
                connection.end(&FromHost::Questions { entries }, now);
            }
            ToHost::Recall => {
                let recent = Box::new(self.past.recent(&realm));
                connection.end(&FromHost::Recalled { recent }, now);
            }
            ToHost::Note { traces, door } => {
                // A hook does not run what it is about.
                let shell = matches!(door, Door::Shell { .. }).then(|| connection.peer.end());
                self.past.remember(&realm, *traces, shell.flatten(), now);
                // Where it cannot be said, lines after this one are read as if nothing came before.
                let _ = place::say_memory(&self.directory, &self.name);
                connection.end(&FromHost::Noted, now);
            }
            ToHost::Closes => {
                self.memory.closes(&realm);
                self.past.forget(&realm);
                if self.past.is_empty() {
                    place::say_no_memory(&self.directory, &self.name);
                }
                if let Some(parent) = chain.get(1) {
                    self.memory.turn_ends(*parent);
                }
                connection.end(&FromHost::Noted, now);
            }
            ToHost::TurnEnds => {
                if let Some(parent) = chain.get(1) {
                    self.memory.turn_ends(*parent);
                }
                connection.end(&FromHost::Noted, now);
            }
            ToHost::Asked { question } => match connection.peer.client(kind, host) {
                Ok(client) => {
                    let (id, door, tries) = (connection.id, Door::Hook, false);
                    let asker = Asker { connection: id, process, chain, realm, owner, door, tries };
                    self.memory.asked_by_client(*question, &asker, client, now);
                    connection.end(&FromHost::Noted, now);
                }
                Err(stranger) => {
                    connection.end(&FromHost::Refused { why: stranger.to_string() }, now);
                }
            },
            ToHost::Ask { question, wait, seconds, tries, door } => {
                let until = seconds.map(|seconds| now + Duration::from_secs(seconds.into()));
                let wait = if wait { Wait::ForPerson { until } } else { Wait::Never };
                let asker =
                    Asker { connection: connection.id, process, chain, realm, owner, door, tries };
                match self.memory.ask(*question, asker, wait, now) {
                    Reply::Granted(by) => connection.end(&FromHost::Granted { by }, now),
                    Reply::Answered(answer) => {
                        connection.end(&FromHost::Answered { answer, proof: None }, now);
                    }
                    Reply::Nobody(why) => {
                        connection.end(&FromHost::Nobody { why: why.to_owned() }, now);
                    }
                    Reply::Open(id) => {
                        connection.role = Role::Shell { waits: true };
                        let is_ours = kind == Kind::Session;
                        let session = is_ours.then(|| self.session.clone());
                        let paused = self.memory.paused(now);
                        connection.say(&FromHost::Open { id, session, paused }, now);
                    }
                }
            }
        }
        Some(())
    }

    /// What a shell said that waits for a person. None: it is not heard any more in this turn.
    fn told_beside(&mut self, index: usize, message: ToHost, now: Instant) -> Option<()> {
        let connection = self.connections.get_mut(index)?;
        match message {
            ToHost::Heard { heard } => {
                self.memory.hear(connection.id, heard);
                return Some(());
            }
            ToHost::Tried { trying } => {
                self.memory.tried(connection.id, trying);
                return Some(());
            }
            ToHost::Settled => {
                self.memory.take_back(connection.id);
                connection.end(&FromHost::Noted, now);
            }
            ToHost::Ask { .. }
            | ToHost::Asked { .. }
            | ToHost::Recall
            | ToHost::Model
            | ToHost::Note { .. }
            | ToHost::TurnEnds
            | ToHost::Closes
            | ToHost::List => {
                let why = "a shell asks one question".to_owned();
                connection.end(&FromHost::Refused { why }, now);
            }
        }
        None
    }

    /// What a person's terminal said. None: it is not heard any more in this turn.
    fn told(&mut self, index: usize, message: ToDesk, now: Instant) -> Option<()> {
        let connection = self.connections.get_mut(index)?;
        // Each time: who was a person's a moment ago may have become another program.
        if let Err(stranger) = connection.peer.answers(self.host) {
            connection.end(&FromDesk::Refused { why: stranger.to_string() }, now);
            return None;
        }
        match (&mut connection.role, message) {
            (Role::Desk { welcome, .. }, ToDesk::Hello { secret })
                if is_same(&secret, &self.secret) =>
            {
                *welcome = true;
                let session = self.session.clone();
                connection.say(&FromDesk::Welcome { session }, now);
            }
            (Role::Desk { welcome: true, .. }, ToDesk::List) => {
                let said = self.questions(now);
                self.connections.get_mut(index)?.say(&said, now);
            }
            (Role::Desk { welcome: true, told }, ToDesk::Watch) => {
                // Another number than any: it is told at the end of this turn.
                *told = Some(u64::MAX);
            }
            (Role::Desk { welcome: true, .. }, ToDesk::Denying { id }) => self.denying(&id, now),
            (Role::Desk { welcome: true, .. }, ToDesk::Try { id }) => self.begin_trial(&id, now),
            (Role::Desk { welcome: true, .. }, ToDesk::Pause { by, seconds }) => {
                self.pause(by, seconds, now);
            }
            (Role::Desk { welcome: true, .. }, ToDesk::Answer { id, answer, proof }) => {
                // Who is at the desk was just seen to be at a terminal.
                let proof = proof.unwrap_or(Proof::Terminal);
                let reply = match self.answer(&id, answer, proof, now) {
                    Ok(()) => FromDesk::Taken,
                    Err(error) => FromDesk::Refused { why: error.to_string() },
                };
                self.connections.get_mut(index)?.say(&reply, now);
            }
            _ => {
                let why = "the secret is not that of this host".to_owned();
                connection.end(&FromDesk::Refused { why }, now);
                return None;
            }
        }
        Some(())
    }

    /// Tells those who watch what changed.
    fn tell(&mut self, now: Instant) {
        let changes = self.memory.changes();
        let behind = |c: &Connection| {
            let Role::Desk { welcome: true, told: Some(told) } = c.role else { return false };
            // Whoever has not taken the last yet gets the next when they have.
            told != changes && c.is_told()
        };
        if !self.connections.iter().any(behind) {
            return;
        }
        let said = self.questions(now);
        for connection in self.connections.iter_mut().filter(|c| behind(c)) {
            connection.say(&said, now);
            if let Role::Desk { told, .. } = &mut connection.role {
                *told = Some(changes);
            }
        }
    }

    /// What people are shown: all that is open, and after it what was answered lately.
    fn questions(&self, now: Instant) -> FromDesk {
        let entries = fitting(self.memory.open(now).chain(self.memory.answered(now)));
        FromDesk::Questions { entries, paused: self.memory.paused(now) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        place::leave(&self.directory, &self.name, nix::unistd::geteuid().as_raw());
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Socket {
    Ask,
    Desk,
}

impl Socket {
    /// Returns the socket on which one of this role came.
    const fn of(role: &Role) -> Self {
        match role {
            Role::Shell { .. } => Self::Ask,
            Role::Desk { .. } => Self::Desk,
        }
    }
}

/// Takes as many as fit into one message.
fn fitting(entries: impl Iterator<Item = Entry>) -> Vec<Entry> {
    /// What stands around them.
    const AROUND: usize = 128;
    let mut left = LARGEST as usize - AROUND;
    entries
        .map_while(|entry| {
            let length = ipc::frame(&entry).map_or(usize::MAX, |bytes| bytes.len());
            left = left.checked_sub(length)?;
            Some(entry)
        })
        .collect()
}

/// Makes a socket that is heard from the moment on at which it is there: what cannot be connected to, other hosts take for left behind.
fn listener(path: &Path) -> Result<UnixListener, Error> {
    let failed = |source| Error::Listen { path: path.to_owned(), source };
    let new = place::unheard(path);
    // One of a host that was killed before it listened.
    let _ = std::fs::remove_file(&new);
    let listener = UnixListener::bind(&new).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    // Connections take this over: the kernel says who said what, from before it is accepted.
    setsockopt(&listener, PassCred, &true).map_err(|errno| failed(errno.into()))?;
    // The directory keeps others out already.
    std::fs::set_permissions(&new, PermissionsExt::from_mode(0o600)).map_err(failed)?;
    std::fs::rename(&new, path).map_err(failed)?;
    Ok(listener)
}

/// Compares without saying by its time how much is right.
fn is_same(said: &str, secret: &str) -> bool {
    let different = |(a, b): (u8, u8)| a ^ b;
    let differs = said.bytes().zip(secret.bytes()).map(different).fold(0, |all, one| all | one);
    said.len() == secret.len() && differs == 0
}

/// A number that nobody can guess. Where the system gives none, it is one that was not there before: ids are no secret, since whoever
/// may answer is known by other signs.
fn random() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    sys::random::bytes().map_or_else(|_| COUNT.fetch_add(1, Ordering::Relaxed), u64::from_le_bytes)
}

#[cfg(test)]
mod tests;
