//! A person at a terminal of their own, with no agent above what they type.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};

use crate::support::{Place, guard};

/// How long nothing may happen, in milliseconds.
const PATIENCE: u16 = 20_000;

/// A person at a terminal, in whose foreground a line runs that has no agent above it.
pub struct Person {
    leader: File,
    child: Child,
    seen: String,
}

impl Person {
    pub fn types(place: &Place, script: &str) -> Self {
        let leader = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).unwrap();
        grantpt(&leader).unwrap();
        unlockpt(&leader).unwrap();
        let follower =
            File::options().read(true).write(true).open(ptsname_r(&leader).unwrap()).unwrap();
        // Whoever runs the tests may ignore signals, as nohup(1) and jobs in the background do.
        let child = Command::new("env")
            .args(["--default-signal=HUP,INT,QUIT,TERM", "setsid"])
            .args(["--fork", "--ctty", "/bin/sh", "-c", &format!("{script}; echo \"status:$?\"")])
            .env_clear()
            .envs([("HOME", place.home().into_os_string()), ("PATH", "/usr/bin:/bin".into())])
            .env("GUARD", guard())
            .current_dir(place.work())
            .stdin(Stdio::from(follower.try_clone().unwrap()))
            .stdout(Stdio::from(follower.try_clone().unwrap()))
            .stderr(Stdio::from(follower))
            .spawn()
            .unwrap();
        Self { leader: File::from(OwnedFd::from(leader)), child, seen: String::new() }
    }

    /// Waits until the terminal shows this; what was shown before it is forgotten.
    pub fn sees(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.seen.find(text) {
                let rest = self.seen.split_off(at + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let mut polled = [PollFd::new(self.leader.as_fd(), PollFlags::POLLIN)];
            assert_ne!(
                poll(&mut polled, PollTimeout::from(PATIENCE)).unwrap(),
                0,
                "no {text:?} in {:?}",
                self.seen
            );
            let mut bytes = [0; 4096];
            // The kernel says EIO once nobody holds the other end.
            let count = self.leader.read(&mut bytes).unwrap_or(0);
            assert_ne!(count, 0, "no {text:?} in {:?}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }

    pub fn answers(&mut self, text: &str) {
        self.leader.write_all(text.as_bytes()).unwrap();
    }

    pub fn ends_with(mut self, status: i32) -> String {
        let seen = self.sees(&format!("status:{status}\r\n"));
        self.child.wait().unwrap();
        seen
    }
}
