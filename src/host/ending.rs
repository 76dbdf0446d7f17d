//! Ends agents, where a person says no to a question and to whoever asked.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::observe::Process;

/// How long an agent has to put its things in order. The refusal of its line comes first.
const PATIENCE: Duration = Duration::from_secs(5);

/// The agents that were told to end, and when they are ended if they have not by then.
#[derive(Debug, Default)]
pub(super) struct Ending(Vec<(Process, Instant)>);

impl Ending {
    /// Tells an agent to end, as the system does (SIGTERM).
    pub(super) fn begin(&mut self, agent: Process, now: Instant) {
        signal(&agent, Signal::SIGTERM);
        // One that is stopped hears it only when it goes on.
        signal(&agent, Signal::SIGCONT);
        self.0.push((agent, now + PATIENCE));
    }

    /// Returns when [`Ending::turn`] is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.0.iter().map(|(_, until)| *until).min()
    }

    /// Ends those that were given time enough.
    pub(super) fn turn(&mut self, now: Instant) {
        for (agent, _) in self.0.extract_if(.., |(_, until)| *until <= now) {
            signal(&agent, Signal::SIGKILL);
        }
    }
}

/// Sends a signal to a process that is still the one that was seen.
fn signal(process: &Process, signal: Signal) {
    if process.is_there() {
        // Whoever ended meanwhile, or is no longer ours, has nothing to hear.
        let _ = kill(Pid::from_raw(process.id.cast_signed()), signal);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};

    use super::*;

    /// Starts a shell that does this, and returns it once it has.
    fn begun(script: &str) -> (std::process::Child, Process) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{script}; echo; exec sleep 1000")]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut said = [0];
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        let process = Process::see(child.id()).unwrap().process;
        (child, process)
    }

    #[test]
    fn an_agent_is_told_and_then_ended() {
        let mut ending = Ending::default();
        let now = Instant::now();
        let (mut told, process) = begun(":");
        ending.begin(process, now);
        assert_eq!(told.wait().unwrap().signal(), Some(Signal::SIGTERM as i32));

        let (mut deaf, process) = begun("trap '' TERM");
        ending.begin(process, now);
        ending.turn(now + PATIENCE / 2);
        assert!(deaf.try_wait().unwrap().is_none());
        assert_eq!(ending.deadline(), Some(now + PATIENCE));
        ending.turn(now + PATIENCE);
        assert_eq!(deaf.wait().unwrap().signal(), Some(Signal::SIGKILL as i32));
        assert_eq!(ending.deadline(), None);
    }

    #[test]
    fn another_process_with_its_id_is_left_alone() {
        let (mut child, process) = begun(":");
        let earlier = Process { started: process.started - 1, ..process };
        let mut ending = Ending::default();
        let now = Instant::now();
        ending.begin(earlier, now);
        ending.turn(now + PATIENCE);
        assert!(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
