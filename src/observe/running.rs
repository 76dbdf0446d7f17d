//! A process as it runs now, told from what it ran before: its memory begins elsewhere after each execve(2).

use std::ffi::OsString;
use std::path::PathBuf;

use super::process::{self, Stat};

/// What a process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// The process that started it.
    pub parent: u32,
    /// When it started, in the kernel's ticks.
    pub started: u64,
    /// Where its stack begins, which the kernel draws anew for each program; 0 where we may not see it.
    stack: u64,
    /// The file that it runs; none where we may not see it.
    pub program: Option<PathBuf>,
}

impl Running {
    /// Looks at a process. None: there is none.
    #[must_use]
    pub fn see(process: u32) -> Option<Self> {
        let (parent, started, stack) = process::stat(process, numbers).ok()?;
        let program = std::fs::read_link(format!("/proc/{process}/exe")).ok();
        Some(Self { parent, started, stack, program })
    }

    /// Returns whether this is the same program, started once.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        (self.started, self.stack, &self.program) == (other.started, other.stack, &other.program)
    }
}

fn numbers(Stat { fields, .. }: Stat<'_>) -> Option<(u32, u64, u64)> {
    let fields: Vec<&str> = fields.collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    // The 4th, 22nd and 28th field, of which the first two stand before these (proc(5)).
    Some((u32::try_from(number(1)?).ok()?, number(19)?, number(25)?))
}

/// Returns the process that a thread is of.
#[must_use]
pub fn process_of(thread: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

/// Returns the files that a process runs: the program, and, where that was told of one, the script. Words that lead to no file are none.
#[must_use]
pub fn files_of(process: u32, running: &Running, words: &[OsString]) -> Vec<PathBuf> {
    let place = PathBuf::from(format!("/proc/{process}/cwd"));
    let cwd = std::fs::read_link(place).unwrap_or_default();
    let scripts = words.iter().skip(1).take(SCRIPTS).map(|word| cwd.join(word));
    let scripts = scripts.filter(|path| path.is_file()).filter_map(|path| path.canonicalize().ok());
    running.program.iter().cloned().chain(scripts).collect()
}

/// Words behind the first in which the kernel puts a script: its interpreter's option, and the script (execve(2)).
const SCRIPTS: usize = 2;

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_a_process_runs_is_told_from_what_it_ran_before() {
        let me = Running::see(std::process::id()).unwrap();
        assert!(me.is_same(&Running::see(std::process::id()).unwrap()));
        assert_eq!(me.program, std::env::current_exe().ok());
        let mut shell = Command::new("/bin/sh");
        let shell = shell.args(["-c", "read a; exec /bin/sh -c 'read b' <&1"]);
        let shell = shell.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
        let mut child = shell.spawn().unwrap();
        let before = Running::see(child.id()).unwrap();
        assert!(!before.is_same(&me));
        assert_eq!((before.parent, process_of(child.id())), (std::process::id(), Some(child.id())));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(Running::see(child.id()), None);
        assert_eq!(process_of(u32::MAX), None);
    }
}
