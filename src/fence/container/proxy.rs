//! The way out of a container by names: a socket in its network, at which a process of the service listens that stays outside of it. A socket belongs to
//! the network in which it was made, so no other process is needed to get from one to the other. Speaks to no host.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, socketpair};

use crate::model::WireProxied;
use crate::sys::{descriptor, environment};

include!(concat!(env!("OUT_DIR"), "/proxy.rs"));

/// The port of the proxy. Nobody else listens in a network that is new, and what is built from the environment stays the same from line to line.
const PORT: u16 = 3128;
/// What no proxy is asked for.
const OWN: &str = "localhost,127.0.0.1,::1";
/// How long the service may take to begin.
const PATIENCE: Duration = Duration::from_secs(10);

/// A way out.
#[derive(Clone, Debug)]
pub(in crate::fence) struct Way {
    /// The service.
    pub(in crate::fence) program: PathBuf,
    /// The hosts that it leads to.
    pub(in crate::fence) hosts: Vec<String>,
    /// The file in which it is said what was asked for.
    pub(in crate::fence) told: Option<PathBuf>,
}

/// A service that was started, and serves nobody yet.
pub(super) struct Proxy {
    way: OwnedFd,
    starter: Child,
}

/// Starts the service, outside. It makes a process of its own, apart, which ends with the line; one that is told nothing ends.
pub(super) fn start(way: &Way) -> io::Result<Proxy> {
    let flags = SockFlag::SOCK_CLOEXEC;
    let (own, theirs) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)?;
    let mut command = Command::new(&way.program);
    command.arg("proxy").env_clear().current_dir("/").process_group(0);
    command.stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(Proxy { way: own, starter: command.spawn()? })
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Who serves is apart from it, and it has ended. One that hangs is not waited for, and what becomes the shell has no child of ours.
        let _ = self.starter.kill();
        let _ = self.starter.wait();
    }
}

impl Proxy {
    /// Has it serve this process's network, and tells all that will start here of it.
    pub(super) fn serve(self, way: &Way) -> io::Result<()> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PORT))?;
        let network = std::fs::read_link("/proc/self/ns/net")?;
        let request = WireProxied {
            hosts: way.hosts.clone(),
            line: std::process::id(),
            network: network.display().to_string(),
            told: way.told.clone(),
        };
        let text = serde_json::to_vec(&request)?;
        descriptor::hand(&self.way, &text, &listener, MsgFlags::empty())?;
        descriptor::hear(&self.way, PATIENCE)?;
        let proxy = format!("http://127.0.0.1:{PORT}");
        let variables = PROXY.iter().map(|name| (*name, proxy.as_str()));
        environment::set(variables.chain(WITHOUT.iter().map(|name| (*name, OWN))));
        Ok(())
    }
}
