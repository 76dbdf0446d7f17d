//! Our own subcommands: what people and other programs ask of guarded-sh, apart from being a shell.

mod answer;
mod arguments;
mod asking;
mod check;
mod config;
mod desk;
mod doctor;
mod edit;
mod explain;
mod failure;
mod ground;
mod help;
mod hook;
mod host;
mod host_output;
mod install;
mod jsonl;
mod judge;
mod log;
mod manual;
mod mcp;
mod output;
mod own;
mod page;
mod past;
mod pause;
mod pending;
mod policy;
mod rules;
mod run;
mod schema;
mod scratch;
mod serve;
mod setup;
mod sheet;
mod stats;
mod status;
mod suggest;
mod tree;
mod trial;
mod trust;
mod typed;
mod undo;
mod verbs;
mod verdict;
mod verify;
mod watch;
mod when;

use std::ffi::OsString;

pub use arguments::command;
pub use trial::changes;
pub use undo::{Became, Of, Since, Touched, since};
pub use verdict::WireVerdict;
// What other doors than the terminal change for an owner, by the same code.
pub use config::files as settings_files;
pub use failure::Failure;
pub use ground::Ground;
pub use judge::{Measured, measured};
pub use mcp::Clients;
pub use own::{file as own_settings, ignored, write as write_own_settings};
pub use page::{Passkeys, Tokens};
pub use past::{Changed, Line, Past};
pub use rules::files_in as rule_files;
pub use sheet::words;
pub use stats::spent_today;
pub use suggest::{LEAST, Suggestion, suggestions};

use crate::pipeline::Pages;

/// Runs a subcommand; returns the exit status.
#[must_use]
pub fn run(words: Vec<OsString>) -> u8 {
    arguments::run(words)
}

/// What a person may read behind a question.
pub const PAGES: Pages = Pages { explain: asking::explained, tried: trial::told };
