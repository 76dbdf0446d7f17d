//! A person at a terminal of their own, with no agent above what they type.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Stdio};

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};

use crate::support::{Call, Place, guard, without_sequences};

/// How long nothing may happen, in milliseconds.
const PATIENCE: u16 = 20_000;

/// A person at a terminal, in whose foreground a line runs that has no agent above it.
pub struct Person {
    leader: File,
    child: Child,
    seen: String,
}

impl Person {
    /// Has a person type this line.
    pub fn types(place: &Place, script: &str) -> Self {
        let line = format!("{script}; echo \"status:$?\"");
        let call = place.call("/bin/sh").args(["-c", &line]);
        Self::runs(&call.env("GUARD", guard()).env("PATH", "/usr/bin:/bin"))
    }

    /// Has a person run this, which says `status:` with its status at its end.
    pub fn runs(call: &Call) -> Self {
        let leader = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).unwrap();
        grantpt(&leader).unwrap();
        unlockpt(&leader).unwrap();
        let follower =
            File::options().read(true).write(true).open(ptsname_r(&leader).unwrap()).unwrap();
        // Whoever runs the tests may ignore signals, as nohup(1) and jobs in the background do.
        let fresh = "--default-signal=HUP,INT,QUIT,TERM";
        let child = call
            .within("/usr/bin/env", [fresh, "setsid", "--fork", "--ctty"])
            .command()
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
            // What is in colours is seen without them.
            if !self.seen.contains(text) && without_sequences(&self.seen).contains(text) {
                self.seen = without_sequences(&self.seen);
            }
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
