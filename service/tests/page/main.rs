//! The page by itself, with real hosts and shells behind it: every way by which something other than the person's browser could look or answer, and a
//! real browser that does both. Each test plays in namespaces of its own, with a home that is thrown away.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests panic")]

mod api;
mod browser;
mod changes;
mod damage;
mod described;
mod files;
mod forgotten;
mod intruders;
mod keys;
mod languages;
mod languages_owner;
mod load;
mod programs;
mod remote;
mod token_changes;
mod transcripts;
mod tray;
mod web;
mod world;
