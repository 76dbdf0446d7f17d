//! One connection to a host: what came and is not whole yet, what is to be said and was not taken yet, and until when it is waited for.
//! Knows no questions.

use std::io::{self, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::peers::Peer;
use crate::ipc::{Fault, Frames, frame};
use crate::sys::descriptor::{self, Letter};

/// For how long a peer is waited for that has said a part of something, or does not take what is said to it.
const PATIENCE: Duration = Duration::from_secs(5);

/// On which socket it came, and how far it is.
pub(super) enum Role {
    /// A shell; with the question that it waits for.
    Shell {
        /// Whether it waits for a person.
        waits: bool,
    },
    /// A person's other terminal.
    Desk {
        /// Whether it said the secret.
        welcome: bool,
        /// The state that it was last told of, if it wants to know.
        told: Option<u64>,
    },
}

/// A connection.
pub(super) struct Connection {
    pub(super) id: u64,
    pub(super) role: Role,
    pub(super) peer: Peer,
    stream: UnixStream,
    frames: Frames,
    out: Vec<u8>,
    /// Nothing more is read; it ends when all is said.
    ending: bool,
    /// The other end is gone.
    gone: bool,
    /// Another process than the one that connected said something.
    is_foreign: bool,
    deadline: Option<Instant>,
}

impl Connection {
    pub(super) fn new(id: u64, role: Role, peer: Peer, stream: UnixStream, now: Instant) -> Self {
        let deadline = Some(now + PATIENCE);
        let (frames, out) = (Frames::default(), Vec::new());
        let (ending, gone, is_foreign) = (false, false, false);
        Self { id, role, peer, stream, frames, out, ending, gone, is_foreign, deadline }
    }

    pub(super) const fn stream(&self) -> &UnixStream {
        &self.stream
    }

    /// What is to be waited for.
    pub(super) fn flags(&self) -> PollFlags {
        let reads = if self.ending { PollFlags::empty() } else { PollFlags::POLLIN };
        let writes = if self.out.is_empty() { PollFlags::empty() } else { PollFlags::POLLOUT };
        reads | writes
    }

    /// Until when it is waited for; none: as long as it likes.
    pub(super) const fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns whether it is to be dropped.
    pub(super) fn is_done(&self, now: Instant) -> bool {
        self.gone
            || (self.ending && self.out.is_empty())
            || self.deadline.is_some_and(|deadline| deadline <= now)
    }

    /// Reads what is there.
    pub(super) fn read(&mut self) {
        let mut bytes = [0; 16 * 1024];
        // So that one who never stops talking does not keep the others waiting.
        for _ in 0..64 {
            match descriptor::letter(&self.stream, &mut bytes) {
                Ok(Letter { length: 0, .. }) => return self.gone = true,
                // The kernel tells apart what one process said and what another did.
                Ok(Letter { sender, .. }) if sender.map(|(id, _)| id) != Some(self.peer.id()) => {
                    self.is_foreign = true;
                }
                Ok(Letter { length, .. }) => self.frames.add(&bytes[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => return self.gone = true,
            }
        }
    }

    /// Returns whether another process than the one that connected said something. Whoever connected is looked at; one that it gave the
    /// connection to is not.
    pub(super) const fn is_foreign(&self) -> bool {
        self.is_foreign && !self.ending
    }

    /// Returns whether it said anything that was not taken.
    pub(super) const fn has_spoken(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Takes the next message.
    pub(super) fn take<T: DeserializeOwned>(&mut self, now: Instant) -> Result<Option<T>, Fault> {
        if self.ending {
            return Ok(None);
        }
        let taken = self.frames.take()?;
        self.expect(now);
        Ok(taken)
    }

    /// Whoever has said all and is told all may wait as long as they like.
    fn expect(&mut self, now: Instant) {
        let idle = self.frames.is_empty() && self.out.is_empty() && !self.ending;
        let known = match self.role {
            Role::Shell { waits } => waits,
            Role::Desk { welcome, .. } => welcome,
        };
        self.deadline = match self.deadline {
            _ if idle && known => None,
            None => Some(now + PATIENCE),
            deadline => deadline,
        };
    }

    /// Says something.
    pub(super) fn say<T: Serialize>(&mut self, message: &T, now: Instant) {
        // What is too long was cut before.
        let Some(bytes) = frame(message) else { return self.gone = true };
        self.out.extend_from_slice(&bytes);
        self.write(now);
    }

    /// Says something and hangs up.
    pub(super) fn end<T: Serialize>(&mut self, message: &T, now: Instant) {
        self.say(message, now);
        self.ending = true;
        self.expect(now);
    }

    /// Writes what is to be said, as far as it is taken.
    pub(super) fn write(&mut self, now: Instant) {
        while !self.out.is_empty() {
            match self.stream.write(&self.out) {
                Ok(count) => drop(self.out.drain(..count)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return self.gone = true,
            }
        }
        self.expect(now);
    }

    /// Returns whether all was taken that was said.
    pub(super) fn is_told(&self) -> bool {
        self.out.is_empty() && !self.gone
    }
}

/// Makes a socket such that nothing waits for it.
pub(super) fn prepared(stream: UnixStream) -> io::Result<UnixStream> {
    stream.set_nonblocking(true)?;
    Ok(stream)
}
