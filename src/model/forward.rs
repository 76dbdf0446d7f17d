//! Where records are sent to besides the record.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where journald listens (systemd's native protocol).
const JOURNALD: &str = "/run/systemd/journal/socket";
/// Where the system's log listens (syslog(3)).
const SYSLOG: &str = "/dev/log";

/// Where each record is sent, once it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forward {
    /// To journald, with fields to search by.
    Journald,
    /// To the system's log.
    Syslog,
    /// To a datagram socket, a record in each.
    Socket(PathBuf),
}

impl Forward {
    /// Returns what settings say: `journald`, `syslog`, or `unix:` and an absolute path.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "journald" => Some(Self::Journald),
            "syslog" => Some(Self::Syslog),
            _ => {
                let path = Path::new(text.strip_prefix("unix:")?);
                path.is_absolute().then(|| Self::Socket(path.to_owned()))
            }
        }
    }

    /// Returns the socket at which the collector listens.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Journald => Path::new(JOURNALD),
            Self::Syslog => Path::new(SYSLOG),
            Self::Socket(path) => path,
        }
    }
}

impl fmt::Display for Forward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Journald => f.write_str("journald"),
            Self::Syslog => f.write_str("syslog"),
            Self::Socket(path) => write!(f, "unix:{}", path.display()),
        }
    }
}
