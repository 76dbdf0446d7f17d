//! What an owner lets run unasked beyond what is harmless anywhere.

use serde::{Deserialize, Serialize};

/// A key of `[permit]` in the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// Installs of exactly what a lock file of the workspace says.
    LockedInstalls,
    /// The services of the workspace's own compose file.
    ProjectCompose,
    /// Reading from the hosts of `rules/documentation-hosts.txt`.
    DocumentationHosts,
    /// The network for lines that run contained and are known to need it: installs from a lock file, reading from unlisted hosts.
    ContainedNetwork,
}

impl Permission {
    /// Every permission.
    pub const ALL: [Self; 4] = [
        Self::LockedInstalls,
        Self::ProjectCompose,
        Self::DocumentationHosts,
        Self::ContainedNetwork,
    ];

    /// Returns its key in the settings, with the table before it.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Self::LockedInstalls => "permit.locked_installs",
            Self::ProjectCompose => "permit.project_compose",
            Self::DocumentationHosts => "permit.documentation_hosts",
            Self::ContainedNetwork => "permit.contained_network",
        }
    }

    /// Returns what it lets run, in words.
    #[must_use]
    pub const fn says(self) -> &'static str {
        match self {
            Self::LockedInstalls => "installs from a lock file",
            Self::ProjectCompose => "the services of a project's own compose file",
            Self::DocumentationHosts => "reading from hosts of documentation",
            Self::ContainedNetwork => "contained installs and reading from hosts",
        }
    }
}
