//! The kinds of files that hold the tasks of a workspace.

use serde::{Deserialize, Serialize};

/// By what a task runner finds what a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runner {
    /// A makefile.
    Make,
    /// The scripts of a `package.json`.
    Package,
    /// The scripts of a `package.json` that an installation runs.
    Lifecycle,
    /// The tasks of a `deno.json`, or the scripts of a `package.json`.
    Deno,
    /// A justfile.
    Just,
    /// `mise.toml`, and files that are tasks.
    Mise,
    /// A Taskfile.
    Task,
    /// The scripts of a `package.json`, where a program of that name is run if there is none.
    Tool,
    /// A file that is not read.
    Other,
}
