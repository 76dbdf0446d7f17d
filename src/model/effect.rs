//! One thing that a command does to one target.

use serde::{Deserialize, Serialize};

use super::PathClass;

/// What a command does. `rules/effects.toml` says how severe each is on which target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EffectKind {
    /// Looks at names and metadata, not at contents.
    List,
    /// Reads contents.
    Read,
    /// Makes or replaces a file or directory.
    Write,
    /// Adds to the end of a file.
    Append,
    /// Deletes one file or empty directory.
    Delete,
    /// Leaves nothing of what a file held, but the file.
    Empty,
    /// Deletes a directory with all that is in it.
    DeleteTree,
    /// Changes mode, owner or attributes.
    Permission,
    /// The same, on a directory with all that is in it.
    PermissionTree,
    /// Moves or renames: the source is gone.
    Move,
    /// Mounts, formats or partitions.
    Mount,
    /// Runs a program or code from this file.
    Execute,
    /// Asks a host something that carries nothing of ours (name lookup, ping, TLS handshake).
    Connect,
    /// Reads from a host.
    Fetch,
    /// Sends data to a host.
    Send,
    /// Waits for connections.
    Listen,
    /// Runs a command on another machine.
    Remote,
    /// Turns encoded data into plain data: a step on the way to hidden code.
    Decode,
    /// Prints secrets, or variables that hold them.
    Disclose,
    /// Prints without end.
    Endless,
    /// Takes files out of an archive, under the names that stand in it.
    Unpack,
    /// Installs packages and runs their scripts.
    Install,
    /// Runs the workspace's own build, tests or scripts.
    Build,
    /// Starts a program that waits for a person: an editor, a pager, a menu.
    Interact,
    /// Adds to version control, can be taken back.
    Commit,
    /// Loses uncommitted work or unreferenced commits.
    LoseWork,
    /// Publishes commits to a shared place.
    Publish,
    /// Rewrites history that others may have, or deletes it.
    RewriteShared,
    /// Changes settings of a tool for this user or repository.
    Configure,
    /// Starts or changes containers on this machine.
    Container,
    /// Reads the state of a cloud account, cluster or hosted service.
    CloudRead,
    /// Changes it.
    CloudChange,
    /// Deletes from it.
    CloudDestroy,
    /// Reads from a database.
    DatabaseRead,
    /// Changes data in it.
    DatabaseChange,
    /// Drops, truncates or flushes it.
    DatabaseDestroy,
    /// Acts as another user, mostly root.
    Privilege,
    /// Signals processes.
    Signal,
    /// Changes the running system: services, kernel, network, clock, users.
    System,
    /// Stops or restarts the machine.
    Halt,
    /// Arranges that something runs later or at every start.
    Persist,
    /// Changes this shell only: variables, options, directory.
    ShellState,
    /// Not known what it does.
    Unknown,
}

impl EffectKind {
    /// Returns whether it changes what files there are, or what is in them.
    #[must_use]
    pub const fn changes_files(self) -> bool {
        matches!(
            self,
            Self::Write | Self::Append | Self::Delete | Self::Empty | Self::DeleteTree | Self::Move
        )
    }

    /// Returns whether it changes files, or who may do what with them.
    #[must_use]
    pub const fn changes(self) -> bool {
        self.changes_files() || matches!(self, Self::Permission | Self::PermissionTree)
    }

    /// Every kind, in the order of the declaration.
    pub const ALL: [Self; 43] = [
        Self::List,
        Self::Read,
        Self::Write,
        Self::Append,
        Self::Delete,
        Self::Empty,
        Self::DeleteTree,
        Self::Permission,
        Self::PermissionTree,
        Self::Move,
        Self::Mount,
        Self::Execute,
        Self::Connect,
        Self::Fetch,
        Self::Send,
        Self::Listen,
        Self::Remote,
        Self::Decode,
        Self::Disclose,
        Self::Endless,
        Self::Unpack,
        Self::Install,
        Self::Build,
        Self::Interact,
        Self::Commit,
        Self::LoseWork,
        Self::Publish,
        Self::RewriteShared,
        Self::Configure,
        Self::Container,
        Self::CloudRead,
        Self::CloudChange,
        Self::CloudDestroy,
        Self::DatabaseRead,
        Self::DatabaseChange,
        Self::DatabaseDestroy,
        Self::Privilege,
        Self::Signal,
        Self::System,
        Self::Halt,
        Self::Persist,
        Self::ShellState,
        Self::Unknown,
    ];

    /// Returns what kind of target an operand in this role names.
    #[must_use]
    pub const fn target_kind(self) -> TargetKind {
        match self {
            Self::List
            | Self::Read
            | Self::Write
            | Self::Append
            | Self::Delete
            | Self::Empty
            | Self::DeleteTree
            | Self::Permission
            | Self::PermissionTree
            | Self::Move
            | Self::Mount
            | Self::Execute => TargetKind::Path,
            Self::Connect | Self::Fetch | Self::Send | Self::Remote => TargetKind::Host,
            Self::Listen
            | Self::Decode
            | Self::Disclose
            | Self::Endless
            | Self::Unpack
            | Self::Install
            | Self::Build
            | Self::Interact
            | Self::Commit
            | Self::LoseWork
            | Self::Publish
            | Self::RewriteShared
            | Self::Configure
            | Self::Container
            | Self::CloudRead
            | Self::CloudChange
            | Self::CloudDestroy
            | Self::DatabaseRead
            | Self::DatabaseChange
            | Self::DatabaseDestroy
            | Self::Privilege
            | Self::Signal
            | Self::System
            | Self::Halt
            | Self::Persist
            | Self::ShellState
            | Self::Unknown => TargetKind::Text,
        }
    }
}

/// What kind of thing an effect's target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A file or directory.
    Path,
    /// A host name or URL.
    Host,
    /// A name of another kind: a package, branch, process, service.
    Text,
}

/// What an effect is done to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum Target {
    /// Nothing that can be named.
    None,
    /// A path, absolute and without `.` or `..` where it is known.
    Path {
        /// The path or pattern, if known.
        path: Option<String>,
        /// Which kind of place it is.
        class: PathClass,
    },
    /// A host: its name if known.
    Host {
        /// Lower-case host name without port.
        host: Option<String>,
    },
    /// A name of another kind, if known.
    Text {
        /// The word as given.
        text: Option<String>,
    },
}

/// One thing that a command does to one target.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Effect {
    /// What it does.
    pub kind: EffectKind,
    /// To what.
    pub target: Target,
}

impl Target {
    /// A path of which nothing is known.
    pub const ANYWHERE: Self = Self::Path { path: None, class: PathClass::Unknown };

    /// Returns the path that it is, if that is known.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Path { path, .. } => path.as_deref(),
            Self::None | Self::Host { .. } | Self::Text { .. } => None,
        }
    }

    /// Returns the kind of place that it is, if it is a path.
    #[must_use]
    pub const fn class(&self) -> Option<PathClass> {
        match self {
            Self::Path { class, .. } => Some(*class),
            Self::None | Self::Host { .. } | Self::Text { .. } => None,
        }
    }
}

impl Effect {
    /// Returns the path that it is done to, if that is known.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.target.path()
    }
}
