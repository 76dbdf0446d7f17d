//! Which kind of place a path is, for the one who owns the machine.

use serde::{Deserialize, Serialize};

/// The kind of place that a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathClass {
    /// `/dev/null` and the standard streams: nothing is kept.
    Null,
    /// Below a temporary directory.
    Temporary,
    /// Below a temporary directory, and made by the very line that deletes it.
    Made,
    /// What a build makes again, inside a workspace: `target`, `node_modules`, `dist`.
    BuildOutput,
    /// Inside a workspace.
    Inside,
    /// A file inside a workspace that runs by itself: git hooks, CI files, agents' settings.
    Hooks,
    /// A workspace itself, or its repository (`.git`).
    Workspace,
    /// Inside the home directory, outside every workspace.
    HomeFile,
    /// The home directory itself, or its parent.
    Home,
    /// What runs at login or by schedule: shell start-up files, crontabs, units, `authorized_keys`.
    Startup,
    /// Keys, tokens, passwords, cookies.
    Secret,
    /// The operating system's files: `/etc`, `/usr`, `/boot`…
    System,
    /// The root directory, or a directory directly below it.
    Root,
    /// A disk, memory or another device.
    Device,
    /// A socket that bash opens for `/dev/tcp` and `/dev/udp`.
    NetworkDevice,
    /// guarded-sh itself: binary, settings, rules, records.
    Guard,
    /// Anywhere else.
    Outside,
    /// The path is not known.
    Unknown,
}

impl PathClass {
    /// Returns whether what stands there is temporary, or made again.
    #[must_use]
    pub const fn is_of_little_worth(self) -> bool {
        matches!(self, Self::Temporary | Self::Made | Self::BuildOutput)
    }

    /// Every class, in the order of the declaration.
    pub const ALL: [Self; 18] = [
        Self::Null,
        Self::Temporary,
        Self::Made,
        Self::BuildOutput,
        Self::Inside,
        Self::Hooks,
        Self::Workspace,
        Self::HomeFile,
        Self::Home,
        Self::Startup,
        Self::Secret,
        Self::System,
        Self::Root,
        Self::Device,
        Self::NetworkDevice,
        Self::Guard,
        Self::Outside,
        Self::Unknown,
    ];
}
