//! The few system calls that have no safe wrapper, the entry of the process, and files put in place as a whole. The only module with `unsafe`.
//! Holds no policy: what is done with a call is decided by its callers.
#![allow(unsafe_code, reason = "this is the module that may")]

pub mod descent;
pub mod descriptor;
pub mod entry;
pub mod environment;
pub mod filter;
pub mod git;
pub mod hex;
pub mod landlock;
mod lock;
pub mod mounts;
pub mod powers;
pub mod process;
pub mod pty;
pub mod random;
mod replacement;
mod stamp;
#[cfg(quick_start)]
mod start;
pub mod terminal;
pub mod trace;
pub mod users;
pub mod writes;

pub use lock::lock_within;
pub use replacement::Replacement;
pub use stamp::Stamp;
