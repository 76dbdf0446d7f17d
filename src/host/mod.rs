//! What a session remembers: who asks, what a person answered, and what that covers. Serves it over two sockets.
//! Judges nothing and runs nothing: a shell that was told yes runs its own line.
//!
//! [`Memory`] is what is remembered, [`Server`] the sockets around it. Whoever has a loop of its own (`serve`, and the interposer of
//! `run`, which is [`relay`]) polls the server's descriptors and gives it its turn when one is ready.

pub mod announce;
mod connection;
mod desk;
pub mod desks;
mod ending;
mod grants;
mod left;
mod memory;
pub mod notification;
mod parts;
mod pause;
mod peers;
mod recent;
pub mod relay;
mod server;
mod service;
pub mod starts;
mod unwatched;

pub use desk::{Desk, DeskError};
pub use memory::{Asker, Held, Memory, Owner, Reply, Unanswerable, Wait};
pub use peers::is_person;
pub(crate) use recent::Past;
pub use server::{Error, Kind, Server};
pub use service::{Error as ServiceError, Listener, serve};
