//! The few system calls that have no safe wrapper, and the entry of the process. The only module with `unsafe`.
//! Holds no policy: what is done with a call is decided by its callers.
#![allow(unsafe_code, reason = "this is the module that may")]

pub mod descent;
pub mod entry;
pub mod process;
pub mod pty;
#[cfg(quick_start)]
mod start;
pub mod terminal;
pub mod users;
