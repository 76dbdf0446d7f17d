//! The second opinion from end to end: the guard, the service beside it, and loopback servers that speak as providers do.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests panic")]

mod attached;
mod believed;
mod commands;
mod faults;
mod injected;
mod notes;
mod road;
mod scope;
mod serve;
mod support;
mod wishes;
