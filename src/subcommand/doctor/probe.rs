//! Starts what an agent would start, with an end to how long it may take, and with a line that is harmless or a stand-in for one that is not.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::Value;

use crate::subcommand::failure::Failure;
use crate::subcommand::scratch::Scratch;

/// How long one start may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked at.
const STEP: Duration = Duration::from_millis(5);
/// What the harmless line prints.
pub(super) const WORD: &str = "guarded-sh-doctor";

/// A directory of its own, and the lines.
pub(super) struct Stand {
    directory: Scratch,
}

/// What came of a start.
pub(super) struct Outcome {
    /// The exit status; none if it was ended by a signal.
    pub(super) status: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl Outcome {
    /// Returns what the guard says that answered, and what it says can be done; none where another program did.
    pub(super) fn own_words(&self) -> Option<(String, Option<String>)> {
        let said = |text: &str| text.strip_prefix("guarded-sh: ").map(str::to_owned);
        let hint = || self.err.lines().find_map(|line| line.strip_prefix("hint: "));
        if let Some(reason) = self.err.lines().find_map(said) {
            return Some((reason, hint().map(str::to_owned)));
        }
        let answer: Value = serde_json::from_str(&self.out).ok()?;
        let reason = text_of(&answer, &said)?;
        match reason.split_once("; ") {
            Some((reason, hint)) => Some((reason.to_owned(), Some(hint.to_owned()))),
            None => Some((reason, None)),
        }
    }
}

/// Returns the first text in an answer of which this makes something.
fn text_of(value: &Value, make: &impl Fn(&str) -> Option<String>) -> Option<String> {
    match value {
        Value::String(text) => make(text),
        Value::Object(fields) => fields.values().find_map(|value| text_of(value, make)),
        Value::Array(list) => list.iter().find_map(|value| text_of(value, make)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

impl Stand {
    pub(super) fn make() -> Result<Self, Failure> {
        Ok(Self { directory: Scratch::make()? })
    }

    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// A line that runs everywhere.
    pub(super) fn harmless() -> String {
        format!("echo {WORD}")
    }

    /// A line that a rule of ours refuses whatever the settings say: it deletes what would be ours, under a name that is not there.
    pub(super) fn dangerous() -> String {
        format!("rm -rf /etc/guarded-sh/doctor-{}-is-not-there", std::process::id())
    }

    /// The same, which leaves a file if anything of it runs.
    pub(super) fn telling(&self) -> String {
        let mark = self.mark();
        format!("touch {}; {}", shell_words::quote(&mark.to_string_lossy()), Self::dangerous())
    }

    /// Returns whether something of the last line ran, and forgets it.
    pub(super) fn ran(&self) -> bool {
        fs::remove_file(self.mark()).is_ok()
    }

    fn mark(&self) -> PathBuf {
        self.directory().join("ran")
    }
}

/// Runs it to its end; an error says why that could not be.
pub(super) fn run(command: &mut Command, input: &str) -> Result<Outcome, String> {
    run_within(PATIENCE, command, input)
}

/// Runs it for no longer than this.
pub(super) fn run_within(
    patience: Duration,
    command: &mut Command,
    input: &str,
) -> Result<Outcome, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
    let stdin = child.stdin.take();
    let input = input.to_owned();
    // What does not read its input closes it early.
    let feeder = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
    let readers = [collect(child.stdout.take()), collect(child.stderr.take())];
    let status = wait(&mut child, patience)?;
    let [out, err] = readers.map(|reader| reader.join().unwrap_or_default());
    // As above.
    drop(feeder.join());
    Ok(Outcome { status, out, err })
}

fn wait(child: &mut Child, patience: Duration) -> Result<Option<i32>, String> {
    let deadline = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.code()),
            Ok(None) if Instant::now() < deadline => thread::sleep(STEP),
            ended => {
                let group = i32::try_from(child.id()).map(Pid::from_raw);
                // It is gone already, or it is not ours to end.
                let _ = group.map(|group| killpg(group, Signal::SIGKILL));
                let _ = child.wait();
                return Err(match ended {
                    Err(error) => error.to_string(),
                    Ok(_) => format!("did not end within {} seconds", patience.as_secs()),
                });
            }
        }
    }
}

fn collect(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            // What was read until then is what there is.
            let _ = stream.take(1 << 16).read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
