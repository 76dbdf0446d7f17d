//! How a guarded shell, a session host and a person's other terminals talk: messages, their frames, and a client that waits.
//! Decides nothing; whom to believe is checked by those who talk.
//!
//! A shell whose line runs files, sends something or hands on what it reads first asks what earlier lines left ([`ToHost::Recall`]), if a
//! host says by a file that there is something ([`place::remembers`]); one whose line leaves something says so before it runs
//! ([`ToHost::Note`]). All else that a shell asks is whether its line may run ([`ToHost::Ask`]).
//!
//! A host listens on two sockets. On the one that its sessions know, a shell asks ([`ToHost`]) and gets replies
//! ([`FromHost`]); whoever runs below the session may use it. There the host speaks first: it looks at who connected, and then
//! says [`FromHost::Welcome`]. Whoever spoke before that is refused, for it may have been another program then. On the other socket,
//! people list and answer ([`ToDesk`], [`FromDesk`]).
//! A message is a frame: `gsh` and one byte for the [`VERSION`], the length of what follows as four bytes, lowest first, and
//! that many bytes of JSON. A host that is spoken to in another version says so in a frame of its own version, and hangs up.
//!
//! Beside these, the service hands a guard that it starts a client's line ([`ClientLine`]), and hears what becomes of it ([`FromClientLine`]).

mod bridge;
mod client;
mod client_line;
mod frame;
mod message;
pub mod place;

pub use bridge::{BRIDGE, Begin, HEAD, Over, PIECE, Piece};
pub use client::{Client, Error};
pub use client_line::{ClientLine, FromClientLine};
pub use frame::{Fault, Frames, frame};
pub use message::{Door, Entry, FromDesk, FromHost, State, ToDesk, ToHost};

pub use crate::model::Passed;

/// The version of these messages: any change that an older program would misread counts it up.
pub const VERSION: u8 = 2;

/// Bytes of one message at most. A line that does not fit is too long for a person to read.
pub const LARGEST: u32 = 512 * 1024;
