//! The tests that need the world: real shells, real terminals, many processes.
#![allow(missing_docs, reason = "test names are sentences")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail where it stands")]
#![allow(
    clippy::items_after_statements,
    clippy::type_complexity,
    reason = "tables of a test stand beside it"
)]

mod always;
mod approval;
mod architecture;
mod audit;
mod bounds;
mod cli;
mod compat;
#[path = "../../fuzz/compose.rs"]
mod compose;
mod contained;
mod doctor;
mod drift;
#[path = "../../fuzz/entry.rs"]
mod entry;
mod exec;
mod fence;
mod forward;
mod frames;
mod fuzz;
mod grants;
mod home;
mod hooks;
mod host;
mod hostile;
mod import;
mod install;
mod languages;
mod looks;
mod owner;
mod packs;
mod page;
mod plugin;
mod policy;
mod properties;
mod ran;
mod reading;
mod run;
mod schemas;
mod scripts;
#[allow(dead_code, reason = "the rows of real agents need the rest")]
mod session;
mod sessions;
mod sheets;
mod sources;
mod subcommands;
mod support;
mod system;
#[allow(dead_code, reason = "the tests of questions need the rest")]
mod tmux;
mod undo;
mod units;
mod verdicts;
