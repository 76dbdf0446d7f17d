//! Whether a command reads its standard input yet: what the kernel says that its processes wait in. Where that is not said, it counts as reading.

use std::fs;
use std::path::Path;
use std::time::Duration;

use nix::libc;

/// How often is looked, at first and at last: what reads at once is not kept waiting, and what does not costs little.
const FIRST: Duration = Duration::from_millis(1);
const LAST: Duration = Duration::from_millis(50);

/// A command whose standard input is a pipe.
pub struct Demand {
    process: u32,
    pipe: String,
}

impl Demand {
    /// Returns that of a process, whose pipe has this inode.
    pub fn of(process: u32, pipe: u64) -> Self {
        Self { process, pipe: format!("pipe:[{pipe}]") }
    }

    /// Waits until it is read.
    pub async fn wait(&self) {
        let mut pause = FIRST;
        while !self.is_there() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LAST);
        }
    }

    fn is_there(&self) -> bool {
        let mut left = vec![self.process];
        let mut seen = 0;
        while let Some(process) = left.pop() {
            seen += 1;
            if seen > 1_000 || self.waits(process) {
                return true;
            }
            left.extend(children(process));
        }
        false
    }

    /// Whether a process waits for the pipe, or may.
    fn waits(&self, process: u32) -> bool {
        let process = format!("/proc/{process}");
        let Ok(tasks) = fs::read_dir(format!("{process}/task")) else { return false };
        tasks.flatten().any(|task| match fs::read_to_string(task.path().join("syscall")) {
            Ok(call) => {
                let mut words = call.split_whitespace();
                let number = words.next().and_then(|number| number.parse::<i64>().ok());
                let first = words
                    .next()
                    .and_then(|word| i32::from_str_radix(word.trim_start_matches("0x"), 16).ok());
                match number {
                    Some(libc::SYS_read | libc::SYS_readv) => {
                        first.is_some_and(|fd| self.is_pipe(&process, fd))
                    }
                    Some(
                        libc::SYS_splice
                        | libc::SYS_ppoll
                        | libc::SYS_pselect6
                        | libc::SYS_epoll_pwait,
                    ) => self.is_pipe(&process, 0),
                    #[cfg(target_arch = "x86_64")]
                    Some(libc::SYS_poll | libc::SYS_select | libc::SYS_epoll_wait) => {
                        self.is_pipe(&process, 0)
                    }
                    _ => false,
                }
            }
            Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
        })
    }

    fn is_pipe(&self, process: &str, descriptor: i32) -> bool {
        let target = fs::read_link(Path::new(process).join(format!("fd/{descriptor}")));
        target.is_ok_and(|target| target.to_str() == Some(&self.pipe))
    }
}

fn children(process: u32) -> Vec<u32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists =
        tasks.flatten().filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn what_reads_is_told_from_what_does_not() {
        for (line, reads) in
            [("exec sleep 100", false), ("exec cat", true), ("cat; sleep 100", true)]
        {
            let (theirs, own) = super::super::jobs::pipe().unwrap();
            let pipe = rustix::fs::fstat(theirs.as_fd()).unwrap().st_ino;
            let mut command = Command::new("/bin/sh");
            command.args(["-c", line]).stdin(Stdio::from(theirs)).stdout(Stdio::null());
            let mut child = command.spawn().unwrap();
            let demand = Demand::of(child.id(), pipe);
            let sleeps = || {
                fs::read_to_string(format!("/proc/{}/comm", child.id()))
                    .is_ok_and(|name| name == "sleep\n")
            };
            // What it becomes is waited for; a kernel that says nothing is of no use here.
            let is_said = fs::read_to_string("/proc/self/syscall").is_ok();
            while is_said && !(demand.is_there() || sleeps()) {
                std::thread::yield_now();
            }
            if is_said {
                assert_eq!(demand.is_there(), reads, "{line}");
            }
            child.kill().unwrap();
            child.wait().unwrap();
            drop(own);
        }
    }
}
