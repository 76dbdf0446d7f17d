//! A host, as a person's other terminal talks to it.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::ipc::{self, Client, Entry, FromDesk, ToDesk, place};
use crate::model::{Answer, Paused, PausedBy};
use crate::observe::{self, NoHost, Peer};

/// For how long a host may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Why a host is not spoken to.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The connection failed.
    #[error("cannot speak to the host")]
    Connection(#[from] ipc::Error),
    /// Another program listens there.
    #[error("what listens as the host is not believed")]
    Other(#[from] NoHost),
    /// Its secret cannot be read.
    #[error(transparent)]
    Secret(#[from] place::Error),
    /// Who is at the other end cannot be seen.
    #[error("cannot see who listens as the host")]
    Unseen(#[from] std::io::Error),
    /// It refused.
    #[error("refused: {0}")]
    Refused(String),
    /// It said something that fits no question.
    #[error("the host said what it was not asked")]
    Odd,
}

/// A host that is spoken to.
#[derive(Debug)]
pub struct Desk {
    client: Client,
    paused: Option<Paused>,
}

impl Desk {
    /// Connects to a host and says its secret; what it says to that is still to be heard. None: nobody of ours listens there.
    /// What is not that host is not told the secret.
    pub fn connect(
        directory: &Path,
        name: &str,
        uid: u32,
        deadline: Instant,
    ) -> Result<Option<Self>, DeskError> {
        let client = match Client::connect(&place::desk(directory, name), deadline) {
            Ok(client) => client,
            // It ended and left its socket.
            Err(ipc::Error::Absent { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let Some(peer) = Peer::of(client.socket())? else { return Ok(None) };
        believe(name, &peer)?;
        let secret = place::read_secret(directory, name, uid)?;
        let mut desk = Self { client, paused: None };
        desk.tell(&ToDesk::Hello { secret }, deadline)?;
        Ok(Some(desk))
    }

    /// Connects to a host, and returns it with what it has open. None: nobody of ours listens there.
    pub fn greeted(
        directory: &Path,
        name: &str,
        uid: u32,
    ) -> Result<Option<(Self, Vec<Entry>)>, DeskError> {
        let Some(mut desk) = Self::connect(directory, name, uid, deadline())? else {
            return Ok(None);
        };
        if let FromDesk::Refused { why } = desk.said()? {
            return Err(DeskError::Refused(why));
        }
        let entries = desk.open()?;
        Ok(Some((desk, entries)))
    }

    /// Says something, and waits for no reply.
    pub fn tell(&mut self, message: &ToDesk, deadline: Instant) -> Result<(), ipc::Error> {
        self.client.send(message, deadline)
    }

    /// Returns what was said and not heard yet; none if there is nothing more.
    pub fn hear(&mut self) -> Result<Option<FromDesk>, ipc::Error> {
        match self.client.receive(Some(Instant::now())) {
            Ok(message) => Ok(Some(message)),
            Err(ipc::Error::Late) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns what is ready when there is something to hear.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.client.socket().as_fd()
    }

    fn said(&mut self) -> Result<FromDesk, DeskError> {
        Ok(self.client.receive(Some(deadline()))?)
    }

    fn say(&mut self, message: &ToDesk) -> Result<FromDesk, DeskError> {
        self.tell(message, deadline())?;
        self.said()
    }

    /// Returns the questions that are open.
    fn open(&mut self) -> Result<Vec<Entry>, DeskError> {
        match self.say(&ToDesk::List)? {
            FromDesk::Questions { mut entries, paused } => {
                self.paused = paused;
                entries.retain(Entry::is_open);
                Ok(entries)
            }
            FromDesk::Refused { why } => Err(DeskError::Refused(why)),
            FromDesk::Welcome { .. } | FromDesk::Taken => Err(DeskError::Odd),
        }
    }

    /// Returns the person's pause, as the host said with its questions.
    #[must_use]
    pub const fn paused(&self) -> Option<Paused> {
        self.paused
    }

    /// Says that a person at this terminal wants to be told of no question for so many seconds; with none, no longer. Returns how it stands
    /// then.
    pub fn pause(&mut self, seconds: u64) -> Result<Option<Paused>, DeskError> {
        self.tell(&ToDesk::Pause { by: PausedBy::Terminal, seconds }, deadline())?;
        self.open()?;
        Ok(self.paused)
    }

    /// Answers a question.
    pub fn answer(&mut self, id: &str, answer: Answer) -> Result<(), DeskError> {
        match self.say(&ToDesk::Answer { id: id.to_owned(), answer, proof: None })? {
            FromDesk::Taken => Ok(()),
            FromDesk::Refused { why } => Err(DeskError::Refused(why)),
            FromDesk::Welcome { .. } | FromDesk::Questions { .. } => Err(DeskError::Odd),
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

fn deadline() -> Instant {
    Instant::now() + PATIENCE
}
