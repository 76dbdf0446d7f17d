//! The hosts of this user, as a person's other terminal talks to them.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use super::failure::{Failure, with_causes};
use crate::ipc::{Client, Entry, Error, FromDesk, State, ToDesk, place};
use crate::model::Answer;
use crate::observe::{self, Look, NoHost, Peer};
use crate::pipeline::socket_directories;

/// For how long a host may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A host that is spoken to.
pub(super) struct Desk {
    client: Client,
}

/// Returns the world's environment, if a person is there to see it.
pub(super) fn person(what: &str) -> Result<observe::Environment, Failure> {
    let environment = observe::Environment::read();
    // The host looks for itself; this says it sooner.
    observe::free_of_agents(&environment, Look::All)
        .map_err(|why| Failure::refused(format!("only a person can {what}, and {why}")))?;
    Ok(environment)
}

/// Returns the terminal of a person who wants to do this, which only a person can.
pub(super) fn at_terminal(environment: &observe::Environment, what: &str) -> Result<File, Failure> {
    observe::person(environment).map_err(|why| {
        Failure::refused(format!("only a person can {what}, and {why}"))
            .hint("ask the person to do it")
    })
}

/// Returns what is open at each host of this user. One that cannot be spoken to keeps nobody from the others: what is wrong with it is
/// said on stderr. Where there is no other, that is the failure.
pub(super) fn questions(
    environment: &observe::Environment,
) -> Result<Vec<(Desk, Vec<Entry>)>, Failure> {
    let uid = nix::unistd::geteuid().as_raw();
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    for directory in socket_directories(environment) {
        // Where it is not ours alone, nobody of us listens.
        if place::check(&directory, uid).is_err() {
            continue;
        }
        for name in place::hosts(&directory) {
            match Desk::greeted(&directory, &name, uid) {
                Ok(None) => {}
                Ok(Some(host)) => found.push(host),
                Err(failure) => failures.push(failure),
            }
        }
    }
    let mut failures = failures.into_iter();
    if found.is_empty()
        && let Some(first) = failures.next()
    {
        failures.for_each(Failure::note);
        return Err(first);
    }
    failures.for_each(Failure::note);
    Ok(found)
}

impl Desk {
    /// Connects to a host and says its secret; what it says to that is still to be heard. None: nobody of ours listens there.
    /// What is not that host is not told the secret.
    pub(super) fn connect(
        directory: &Path,
        name: &str,
        uid: u32,
        deadline: Instant,
    ) -> Result<Option<Self>, Failure> {
        let client = match Client::connect(&place::desk(directory, name), deadline) {
            Ok(client) => client,
            // It ended and left its socket.
            Err(Error::Absent { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let Some(peer) = Peer::of(client.socket())? else { return Ok(None) };
        believe(name, &peer).map_err(|why| {
            Failure::new(format!("what listens as the host is not believed: {why}"))
        })?;
        let secret = place::read_secret(directory, name, uid)
            .map_err(|error| Failure::new(with_causes(&error)))?;
        let mut desk = Self { client };
        desk.tell(&ToDesk::Hello { secret }, deadline)?;
        Ok(Some(desk))
    }

    /// Connects to a host, and returns it with what it has open. None: nobody of ours listens there.
    fn greeted(
        directory: &Path,
        name: &str,
        uid: u32,
    ) -> Result<Option<(Self, Vec<Entry>)>, Failure> {
        let Some(mut desk) = Self::connect(directory, name, uid, deadline())? else {
            return Ok(None);
        };
        if let FromDesk::Refused { why } = desk.said()? {
            return Err(Failure::refused(why));
        }
        let entries = desk.open()?;
        Ok(Some((desk, entries)))
    }

    /// Says something, and waits for no reply.
    pub(super) fn tell(&mut self, message: &ToDesk, deadline: Instant) -> Result<(), Error> {
        self.client.send(message, deadline)
    }

    /// Returns what was said and not heard yet; none if there is nothing more.
    pub(super) fn hear(&mut self) -> Result<Option<FromDesk>, Error> {
        match self.client.receive(Some(Instant::now())) {
            Ok(message) => Ok(Some(message)),
            Err(Error::Late) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns what is ready when there is something to hear.
    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.client.socket().as_fd()
    }

    fn said(&mut self) -> Result<FromDesk, Failure> {
        Ok(self.client.receive(Some(deadline()))?)
    }

    fn say(&mut self, message: &ToDesk) -> Result<FromDesk, Failure> {
        self.tell(message, deadline())?;
        self.said()
    }

    /// Returns the questions that are open.
    fn open(&mut self) -> Result<Vec<Entry>, Failure> {
        match self.say(&ToDesk::List)? {
            FromDesk::Questions { mut entries } => {
                entries.retain(|entry| !matches!(entry.state, State::Answered { .. }));
                Ok(entries)
            }
            FromDesk::Refused { why } => Err(Failure::refused(why)),
            FromDesk::Welcome { .. } | FromDesk::Taken => Err(odd()),
        }
    }

    /// Answers a question.
    pub(super) fn answer(&mut self, id: &str, answer: Answer) -> Result<(), Failure> {
        match self.say(&ToDesk::Answer { id: id.to_owned(), answer })? {
            FromDesk::Taken => Ok(()),
            FromDesk::Refused { why } => Err(Failure::refused(why)),
            FromDesk::Welcome { .. } | FromDesk::Questions { .. } => Err(odd()),
        }
    }
}

/// Holds that a peer is the host of this name. Any program of the user could listen there, and show a person a harmless line with the id
/// of another one.
fn believe(name: &str, peer: &Peer) -> Result<(), NoHost> {
    match name {
        place::SERVICE => observe::is_service(peer.id())?,
        _ if name == peer.id().to_string() => observe::is_session(peer.id())?,
        _ => return Err(NoHost::Other),
    }
    if peer.is_there() == Some(false) { Err(NoHost::Gone) } else { Ok(()) }
}

fn odd() -> Failure {
    Failure::new("the host said what it was not asked")
}

fn deadline() -> Instant {
    Instant::now() + PATIENCE
}
