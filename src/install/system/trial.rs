//! Tells a shell from the guard, and both from what does not work, by starting it. What does not answer soon does not work.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a start may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked at.
const STEP: Duration = Duration::from_millis(2);
/// A status that nothing has by chance.
const STATUS: i32 = 7;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A real shell, which works.
    Shell,
    /// The guard, which works.
    Guard,
    /// Neither.
    Broken,
}

/// Returns what a program is that is called `name`.
pub(super) fn kind(path: &Path, name: &str) -> Kind {
    // Only the guard answers to its own name: a shell calls itself what it is, or does not know the word.
    let version = run(path, "guarded-sh", &["--version"]);
    let is_guard = version.is_ok_and(|output| output.stdout.starts_with(b"guarded-sh "));
    match (is_guard, works(path, name)) {
        (true, Ok(())) => Kind::Guard,
        (false, Ok(())) => Kind::Shell,
        (_, Err(_)) => Kind::Broken,
    }
}

/// Starts a program as `name` with lines that any shell runs. An error says what it did.
pub(super) fn works(path: &Path, name: &str) -> Result<(), String> {
    for (line, status) in [("true", 0), ("exit 7", STATUS)] {
        let output = run(path, name, &["-c", line])?;
        if output.status.code() != Some(status) {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "`{name} -c '{line}'` ended with {}: {}",
                output.status,
                said.trim()
            ));
        }
    }
    Ok(())
}

fn run(path: &Path, name: &str, words: &[&str]) -> Result<Output, String> {
    let mut command = Command::new(path);
    command.arg0(name).args(words).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
    ended(child)
}

/// Waits for its end, and ends it where that does not come. It writes less than what a pipe takes.
fn ended(mut child: Child) -> Result<Output, String> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => return child.wait_with_output().map_err(|error| error.to_string()),
            Ok(None) if start.elapsed() < PATIENCE => thread::sleep(STEP),
            Ok(None) => {
                // It is ended in any case.
                let _ = child.kill();
                let _ = child.wait();
                return Err("it does not end".to_owned());
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}
