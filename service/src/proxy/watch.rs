//! When a line has ended, with all that it left running in its network.

use std::os::fd::OwnedFd;
use std::time::Duration;

use guarded_sh::model::WireProxied;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// How often is looked for what a line left running: no event tells of the last process in a network.
const STEP: Duration = Duration::from_secs(1);

/// A line that runs.
pub struct Line {
    shell: OwnedFd,
    network: String,
}

impl Line {
    /// The one that is asked for.
    pub fn of(request: &WireProxied) -> std::io::Result<Self> {
        let none = || std::io::Error::other("there is no such line");
        let pid = i32::try_from(request.line).ok().and_then(Pid::from_raw).ok_or_else(none)?;
        let shell = pidfd_open(pid, PidfdFlags::empty())?;
        Ok(Self { shell, network: request.network.clone() })
    }

    /// Waits until nothing is left of it.
    pub async fn ended(self) {
        let Self { shell, network } = self;
        // What cannot be waited for has ended.
        let _ = tokio::task::spawn_blocking(move || wait(&shell)).await;
        while is_left(&network) {
            tokio::time::sleep(STEP).await;
        }
    }
}

/// Waits for the end of a process.
fn wait(process: &OwnedFd) {
    let mut polled = [PollFd::new(process, PollFlags::IN)];
    while poll(&mut polled, None) == Err(Errno::INTR) {}
}

/// Whether a process is in a network. One that cannot be looked at is none of the line's: that has our user.
fn is_left(network: &str) -> bool {
    let is_in = |entry: std::fs::DirEntry| {
        let own = std::fs::read_link(entry.path().join("ns/net"));
        own.is_ok_and(|own| own.as_os_str() == network)
    };
    std::fs::read_dir("/proc").into_iter().flatten().flatten().any(is_in)
}
