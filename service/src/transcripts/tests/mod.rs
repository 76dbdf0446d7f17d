//! Made-up transcripts of all agents, whole and damaged.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests panic")]

mod damage;
mod formats;
mod large;
mod matching;
mod support;
