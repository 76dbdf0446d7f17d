//! The owner's own programs: an event as JSON in, a word about it as JSON out. They can make an answer stricter, never looser, and whatever
//! goes wrong with one is a refusal.
//!
//! In: `{"event","agent","session","cwd","tool","kind","value"}`, and `"input"`, what the tool gets, where contents may leave. `value` is the
//! command line, path or URL, with secrets masked unless contents may leave.
//! Out: nothing, or `{"action"?: "allow"|"ask"|"deny", "reason"?: "…", "context"?: "…"}`.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::watch::Watch;
use crate::audit::mask;
use crate::config::Handler;
use crate::hooks::{Agent, Event, Handlers, ToolKind, Work};
use crate::model::Action;

/// Bytes of an answer that are read.
const LONGEST: u64 = 64 << 10;
/// Between two looks at whether it has ended.
const PAUSE: Duration = Duration::from_millis(1);
/// What is left of the time for the answer itself.
pub(super) const OWN: Duration = Duration::from_millis(200);

/// What all of them said.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The strictest action.
    pub(super) action: Option<Action>,
    /// Its reason.
    pub(super) reason: String,
    /// What the agent is told.
    pub(super) context: Vec<String>,
}

#[derive(Serialize)]
struct WireQuestion<'a> {
    event: &'a str,
    agent: &'a str,
    session: Option<&'a str>,
    cwd: Option<&'a str>,
    tool: Option<&'a str>,
    kind: Option<&'static str>,
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a Value>,
}

#[derive(Default, Deserialize)]
struct WireWord {
    action: Option<Action>,
    reason: Option<String>,
    context: Option<String>,
}

/// Runs them, one after another.
pub(super) fn run(
    handlers: &Handlers<'_>,
    agent: &Agent,
    event: &Event,
    work: Option<&Work>,
    watch: &Watch,
) -> Told {
    let mut told = Told::default();
    for handler in &handlers.customs {
        let limit = Duration::from_millis(handler.timeout_ms.into());
        let limit = limit.min(watch.left().saturating_sub(OWN));
        let word = ask(handler, &question(handler, agent, event, work), limit);
        let word = word.unwrap_or_else(|what| WireWord {
            action: Some(Action::Deny),
            reason: Some(format!("'{}' {what}", handler.command[0])),
            context: None,
        });
        if word.action > told.action {
            told.action = word.action;
            told.reason =
                word.reason.unwrap_or_else(|| format!("'{}' says so", handler.command[0]));
        }
        told.context.extend(word.context);
    }
    told
}

fn question(handler: &Handler, agent: &Agent, event: &Event, work: Option<&Work>) -> Vec<u8> {
    let value = work.map(|work| work.subject.as_str()).or(event.text.as_deref());
    let masked = value.map(mask::mask);
    let may_leave = handler.contents_may_leave;
    let question = WireQuestion {
        event: &event.name,
        agent: agent.name,
        session: event.session.as_deref(),
        cwd: event.cwd.as_deref(),
        tool: work.map(|work| work.title.as_str()),
        kind: work.map(|work| kind(work.kind)),
        value: if may_leave { value } else { masked.as_deref() },
        input: event.call.as_ref().map(|call| &call.input).filter(|_| may_leave),
    };
    // Our own values: nothing in them cannot be written.
    serde_json::to_vec(&question).unwrap_or_default()
}

const fn kind(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Shell => "shell",
        ToolKind::Read => "read",
        ToolKind::Write => "write",
        ToolKind::Edit => "edit",
        ToolKind::Web => "web",
        ToolKind::Mcp => "mcp",
        ToolKind::Own => "own",
    }
}

/// Runs one. The error is what is wrong with it, in words that follow its name.
fn ask(handler: &Handler, question: &[u8], limit: Duration) -> Result<WireWord, String> {
    let until = Instant::now() + limit;
    let failed = |error: std::io::Error| format!("cannot be run: {error}");
    // A socket and no pipe: writing to one that nobody reads fails, and does not end us.
    let (ours, theirs) = UnixStream::pair().map_err(failed)?;
    let mut child = Command::new(&handler.command[0])
        .args(&handler.command[1..])
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let question = question.to_vec();
    thread::spawn(move || {
        let mut ours = ours;
        // What does not read its question need not answer it.
        let _ = ours.write_all(&question);
    });
    let output = child.stdout.take();
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut output = output.map(|output| output.take(LONGEST));
        let read = output.as_mut().map(|output| output.read_to_end(&mut bytes));
        read.and_then(Result::ok).map(|_| bytes)
    });
    let ended = wait(&mut child, until);
    let answered = ended && wait_for(|| reader.is_finished(), until);
    // Whatever it left behind ends too.
    if let Ok(group) = i32::try_from(child.id()) {
        // There may be nobody left.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let status = child.wait().map_err(failed)?;
    if !answered {
        return Err(format!("did not answer within {} ms", limit.as_millis()));
    }
    let bytes = reader.join().ok().flatten().ok_or("could not be read")?;
    if !status.success() {
        return Err(format!("failed ({status})"));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(WireWord::default());
    }
    serde_json::from_slice(&bytes).map_err(|error| format!("said what is no answer: {error}"))
}

fn wait(child: &mut Child, until: Instant) -> bool {
    wait_for(|| matches!(child.try_wait(), Ok(Some(_)) | Err(_)), until)
}

fn wait_for(mut is_done: impl FnMut() -> bool, until: Instant) -> bool {
    loop {
        if is_done() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(PAUSE);
    }
}
