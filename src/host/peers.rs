//! Who is at the other end of a connection, as the kernel says, and what they may do: whoever runs below asks, only a person answers.
//! Believes nothing that a peer says of itself.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use super::memory::Owner;
use super::server::Kind;
use crate::observe::{
    self, Ancestor, Image, Look, Process, Seen, Unreachable, above, agent_of, ancestors_of,
};
use crate::sys::descent::Sign;

/// Why a peer may not do what it wants.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stranger {
    /// It could not be seen.
    #[error("who asks could not be seen")]
    Unseen(#[source] io::Error),
    /// It is of another user, or in a process namespace that is not ours.
    #[error("it is of another user or container")]
    Foreign,
    /// It ended, or became another program, while it was looked at.
    #[error("who asks was gone before it could be seen")]
    Gone,
    /// It does not run below this host.
    #[error("it does not run in this session")]
    Outside,
    /// It is another program, or another build of this one.
    #[error("only a guarded shell asks, and this is another program or another build of it")]
    Program,
    /// It runs below this host.
    #[error("it runs in this session, and an agent cannot answer its own question")]
    Inside,
    /// It runs below an agent or a guarded session.
    #[error("{0}, and an agent cannot answer its own question")]
    Agent(Unreachable),
    /// What started it is no agent's client, or is itself below an agent.
    #[error("it is no hook of an agent that a person started")]
    NoClient,
    /// It is at no terminal, or was left behind by what started it.
    #[error("it is not at a terminal, so it is no person's")]
    NoTerminal,
}

/// Who asks.
pub(super) struct Asks {
    /// The process, and those that it descends from.
    pub(super) chain: Vec<Process>,
    /// Whose grants count for it.
    pub(super) realm: String,
    /// The agent.
    pub(super) owner: Owner,
}

/// Holds what a peer is to what it wants.
pub(super) struct Peer {
    peer: observe::Peer,
    /// What it ran when it connected, if that was a guarded shell.
    image: Option<Image>,
}

impl Peer {
    /// Returns who connected.
    pub(super) fn of(stream: &UnixStream) -> Result<Self, Stranger> {
        let peer = observe::Peer::of(stream).map_err(Stranger::Unseen)?;
        let peer = peer.ok_or(Stranger::Foreign)?;
        let image = Image::ours(peer.id());
        Ok(Self { peer, image })
    }

    /// Returns its id.
    pub(super) const fn id(&self) -> u32 {
        self.peer.id()
    }

    /// Returns what is ready when it has ended.
    pub(super) fn end(&self) -> Option<OwnedFd> {
        self.peer.end()
    }

    /// Looks at it and at all that it descends from. Until [`Peer::still`] holds, that may be another with its id.
    fn chain(&self) -> Result<Vec<Seen>, Stranger> {
        Process::chain(self.peer.id()).map_err(Stranger::Unseen)
    }

    /// Holds that it is there, and has been since it connected.
    fn still(&self, seen: Option<&Seen>) -> Result<(), Stranger> {
        let same = match self.peer.is_there() {
            // So everything that was seen with its id until now was seen of it.
            Some(is_there) => is_there,
            None => seen.is_some_and(|seen| seen.process.is_there()),
        };
        if same { Ok(()) } else { Err(Stranger::Gone) }
    }

    /// Returns who asks, if it may. It may ask once.
    pub(super) fn asks(&mut self, kind: Kind, host: Process) -> Result<Asks, Stranger> {
        // What a session's host descends from itself says nothing of who asks.
        let last = (kind == Kind::Session).then_some(host);
        let chain = Process::chain_to(self.peer.id(), last).map_err(Stranger::Unseen)?;
        let processes: Vec<Process> = chain.iter().map(|seen| seen.process).collect();
        // The questions of a shell are its own reading of its line; anyone else could show one thing and ask for another. Whoever became
        // a guarded shell later may have said it before, and whoever was one may have become another program and one again.
        if !self.image.take().is_some_and(|image| image.is_there()) {
            return Err(Stranger::Program);
        }
        let (realm, owner) = match (kind, processes.as_slice()) {
            // What the host has started, or what was left to it.
            (Kind::Session, [.., owner, last]) if *last == host => {
                (String::new(), Owner { process: *owner, is_agent: true })
            }
            (Kind::Session, _) => return Err(Stranger::Outside),
            (Kind::Service, _) => {
                let owner = owner(self.peer.id(), &chain)?;
                let process = owner.process;
                (format!("{} {}", process.id, process.started), owner)
            }
        };
        self.still(chain.first())?;
        Ok(Asks { chain: processes, realm, owner })
    }

    /// Returns the client whose hook the peer is, if it is one that a person started at a terminal: the process that started the peer,
    /// known as an agent, with no other and no guarded shell above it. What an agent starts, be it by the name of one, has the agent above,
    /// or the sign that its hook put on it, with nobody above that a person's program has: it was left behind.
    pub(super) fn client(&self, kind: Kind, host: Process) -> Result<Process, Stranger> {
        let chain = self.chain()?;
        let client = chain.get(1).ok_or(Stranger::Gone)?;
        let ancestors = ancestors_of(client.process.id, Look::All).map_err(Stranger::Unseen)?;
        let (own, mut above_it) = ancestors.split_first().ok_or(Stranger::Gone)?;
        if own.id != client.process.id || agent_of(own).is_none() || !own.marks.is_empty() {
            return Err(Stranger::NoClient);
        }
        if kind == Kind::Session {
            // Above the host are its own reasons to be there.
            let end = above_it.iter().position(|ancestor| ancestor.id == host.id);
            above_it = &above_it[..end.ok_or(Stranger::Outside)?];
        }
        // In a session all are guarded.
        let is_guarded = |process: &Ancestor| {
            let is_signed = process.sign.is_some_and(|sign| sign != Sign::Client);
            kind == Kind::Service && (process.guarded || is_signed)
        };
        let doubtful = |ancestor: &Ancestor| {
            agent_of(ancestor).is_some()
                || !ancestor.marks.is_empty()
                || ancestor.sign == Some(Sign::Client)
                || is_guarded(ancestor)
        };
        // A shell may be the first process, in a container; whoever is in its session has its terminal.
        let is_left = own.sign == Some(Sign::Client)
            && above_it
                .first()
                .is_some_and(|parent| takes_orphans(parent) && parent.id != client.session);
        if is_guarded(own) || is_left || above_it.iter().any(doubtful) {
            return Err(Stranger::NoClient);
        }
        let leads = chain.iter().skip(1).any(|seen| seen.process.id == client.session);
        if client.terminal.is_none() || !leads {
            return Err(Stranger::NoTerminal);
        }
        self.still(chain.first())?;
        if client.process.is_there() { Ok(client.process) } else { Err(Stranger::Gone) }
    }

    /// Holds that a person is there who may answer.
    pub(super) fn answers(&self, host: Process) -> Result<(), Stranger> {
        let chain = self.chain()?;
        if chain.iter().any(|seen| seen.process == host) {
            return Err(Stranger::Inside);
        }
        // It has no terminal where the service has none. What it says, a browser has signed with a key that a code from a terminal paired.
        if observe::is_page(self.peer.id()).is_ok() {
            return self.still(chain.first());
        }
        let ancestors = ancestors_of(self.peer.id(), Look::All).map_err(Stranger::Unseen)?;
        above(&ancestors).map_err(Stranger::Agent)?;
        // What was left behind by the one who started it has a past that cannot be seen. It has no terminal, or one whose session
        // it does not descend from any more.
        let first = chain.first().ok_or(Stranger::Gone)?;
        let leads = chain.iter().any(|seen| seen.process.id == first.session);
        if first.terminal.is_none() || !leads {
            return Err(Stranger::NoTerminal);
        }
        self.still(Some(first))
    }
}

/// Holds that a person at a terminal is at the other end of a connection to this process: one who may answer.
pub fn is_person(stream: &UnixStream) -> Result<(), String> {
    let own = Process::see(std::process::id()).map_err(|error| error.to_string())?;
    let checked = Peer::of(stream).and_then(|peer| peer.answers(own.process));
    checked.map_err(|stranger| stranger.to_string())
}

/// Whether a process is one to which the kernel gives processes whose parents are gone: the first one, or the user's systemd.
fn takes_orphans(process: &Ancestor) -> bool {
    process.id == 1 || process.name == "systemd"
}

/// Whose grants count for one who asks the user's own host: the agent's process that it runs below, else the process that it
/// descends from first of all.
fn owner(id: u32, chain: &[Seen]) -> Result<Owner, Stranger> {
    let ancestors = ancestors_of(id, Look::Names).map_err(Stranger::Unseen)?;
    let agent = ancestors.iter().rev().find(|ancestor| agent_of(ancestor).is_some());
    let process = match agent {
        Some(agent) => chain.iter().find(|seen| seen.process.id == agent.id),
        // The first process of all is everyone's.
        None => chain.iter().rev().find(|seen| seen.process.id != 1),
    };
    let process = process.ok_or(Stranger::Gone)?.process;
    Ok(Owner { process, is_agent: agent.is_some() })
}
