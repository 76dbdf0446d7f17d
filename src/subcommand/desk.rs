//! The hosts of this user, as a person's other terminal talks to them.

use std::time::{Duration, Instant};

use super::failure::Failure;
use crate::ipc::{Client, Entry, Error, FromDesk, State, ToDesk, place};
use crate::model::Answer;
use crate::observe::{self, Look, Peer};
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

/// Connects to all hosts of this user.
pub(super) fn all(environment: &observe::Environment) -> Result<Vec<Desk>, Failure> {
    let uid = nix::unistd::geteuid().as_raw();
    let mut desks = Vec::new();
    for directory in socket_directories(environment) {
        // Where it is not ours alone, nobody of us listens.
        if place::check(&directory, uid).is_err() {
            continue;
        }
        for name in place::hosts(&directory) {
            let client = match Client::connect(&place::desk(&directory, &name), deadline()) {
                Ok(client) => client,
                // It ended and left its socket.
                Err(Error::Absent { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            if Peer::of(client.socket())?.is_none() {
                continue;
            }
            let secret = place::read_secret(&directory, &name, uid)
                .map_err(|error| Failure::new(error.to_string()))?;
            let mut desk = Desk { client };
            if let FromDesk::Refused { why } = desk.say(&ToDesk::Hello { secret })? {
                return Err(Failure::refused(why));
            }
            desks.push(desk);
        }
    }
    Ok(desks)
}

impl Desk {
    fn say(&mut self, message: &ToDesk) -> Result<FromDesk, Failure> {
        self.client.send(message, deadline())?;
        Ok(self.client.receive(Some(deadline()))?)
    }

    /// Returns the questions that are open.
    pub(super) fn open(&mut self) -> Result<Vec<Entry>, Failure> {
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

fn odd() -> Failure {
    Failure::new("the host said what it was not asked")
}

fn deadline() -> Instant {
    Instant::now() + PATIENCE
}
