//! What the proxy of a contained line is told, and what it tells.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a proxy is told when it is started, as JSON, together with the socket at which it listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireProxied {
    /// The hosts that the line's plan names: `HOST`, at the ports of HTTP and HTTPS, or `HOST:PORT`.
    pub hosts: Vec<String>,
    /// The process that becomes the line's shell.
    pub line: u32,
    /// The network namespace of the line, as `/proc/PID/ns/net` names it.
    pub network: String,
    /// The file in which the proxy says what was asked for.
    pub told: Option<PathBuf>,
}

/// A host that a line asked its proxy for: a line of JSON in the file that its record names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedHost {
    /// The host and the port, as the line wrote them.
    pub host: String,
    /// Why it was not reached; none where it was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refused: Option<String>,
}
