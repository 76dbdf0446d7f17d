//! The world as it was read once, before judging. Filled by `observe` and `config`, read by everything pure.

use std::collections::HashMap;
use std::sync::Arc;

use super::Permission;

/// Who called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Caller {
    /// No sign of an agent.
    #[default]
    Unknown,
    /// A known agent, by name: `claude`, `copilot`, `codex`, `gemini`, `opencode`.
    Agent(String),
}

/// An agent that is the process that called us itself, and no other process below it. Variables cannot say that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParentAgent {
    /// Its name, as in [`Caller::Agent`].
    pub name: String,
    /// The file that it runs from, where that is the agent and not an interpreter's.
    pub program: Option<String>,
}

/// What is known of the repository around the working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitFacts {
    /// The branch that is checked out, if any.
    pub branch: Option<String>,
    /// Names of the remotes.
    pub remotes: Vec<String>,
}

/// What a path is behind the links on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Real {
    /// What it says, as far as can be seen.
    Same,
    /// Another path.
    Other(String),
    /// It leads nowhere, in a circle, or further than is looked.
    Unknown,
}

/// What stands in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name there.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry of a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Link,
    /// A file of another kind.
    Other,
}

/// Where git keeps what it knows of a repository (gitrepository-layout(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Its own directory: `.git`, or that of a linked worktree.
    pub directory: String,
    /// That which it shares with its other worktrees.
    pub common: String,
}

/// What the shell that runs a line has on its standard input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StandardInput {
    /// `/dev/null`: whatever reads it finds its end.
    Nothing,
    /// A pipe, a file, a terminal, or not looked at.
    #[default]
    Unknown,
}

/// The world as it was read once.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The working directory, absolute; none if it was deleted.
    pub cwd: Option<String>,
    /// The home directory, absolute.
    pub home: Option<String>,
    /// Roots of the workspaces: the repository around the working directory, and what the owner named.
    pub workspaces: Vec<String>,
    /// Files and directories in them that others start by themselves: what hooks, settings of git and of agents name, and where more settings stand.
    pub hook_paths: Vec<String>,
    /// Temporary directories: `/tmp`, `/var/tmp`, `$TMPDIR`.
    pub temporary: Vec<String>,
    /// guarded-sh's own files and directories.
    pub guard_paths: Vec<String>,
    /// The environment that the shell will get, as far as it is text.
    pub environment: Arc<HashMap<String, String>>,
    /// Whether the agent gave the line another home than it has itself: what programs read there counts as set on the line.
    pub is_home_moved: bool,
    /// Names of programs in directories of `PATH` where an agent may write: they are not what they are called.
    pub loose_programs: Vec<String>,
    /// The repository, when a line asks for it.
    pub git: Option<GitFacts>,
    /// Branches that the owner protects, as globs.
    pub protected_branches: Vec<String>,
    /// Commands that the owner calls safe: the first words of an argv.
    pub safe_commands: Vec<Vec<String>>,
    /// Where the owner says so: a file and a line. Empty where nobody does.
    pub safe_commands_at: String,
    /// Hosts that the owner calls safe, as globs.
    pub safe_domains: Vec<String>,
    /// What the owner lets run unasked by a key of the settings.
    pub permits: Vec<Permission>,
    /// Who called.
    pub caller: Caller,
    /// The agent that called for itself; none where that was not looked at.
    pub parent_agent: Option<ParentAgent>,
    /// The program that runs tasks and started this as a part of one; none where that was not looked at.
    pub task: Option<String>,
    /// Whether who runs the line may read every file of the machine, as root may.
    pub reads_all: bool,
    /// What is on standard input.
    pub input: StandardInput,
    /// The time in UTC, as RFC 3339 writes it in whole seconds; empty where nobody looked at a clock.
    pub now: String,
}
