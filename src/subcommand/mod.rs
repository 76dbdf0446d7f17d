//! Our own subcommands: what people and other programs ask of guarded-sh, apart from being a shell.

mod arguments;
mod check;
mod config;
mod explain;
mod failure;
mod ground;
mod jsonl;
mod log;
mod manual;
mod output;
mod quieter;
mod rules;
mod sheet;
mod tree;
mod trust;
mod verdict;
mod verify;
mod when;

use std::ffi::OsString;

pub use arguments::command;

/// Runs a subcommand; returns the exit status.
#[must_use]
pub fn run(words: Vec<OsString>) -> u8 {
    arguments::run(words)
}
