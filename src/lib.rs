//! The shell for coding agents: every command line is read as bash reads it, judged piece by piece, and only then run.

pub mod approval;
pub mod audit;
pub mod catalog;
pub mod cli;
pub mod config;
pub mod decision;
pub(crate) mod embedded;
pub mod exec;
pub mod fence;
pub mod frame;
pub mod hooks;
pub mod host;
pub mod install;
pub mod ipc;
pub mod judge;
pub mod language;
// Beside the module: it reads files, which the module itself never does.
#[cfg(test)]
#[path = "language/tests.rs"]
mod languages;
pub mod model;
pub mod observe;
pub mod paths;
pub mod pipeline;
pub mod policy;
pub mod reading;
pub(crate) mod recipes;
pub mod rules;
pub mod subcommand;
pub mod syntax;
pub mod sys;
pub mod undo;
pub mod variables;
pub mod witness;
