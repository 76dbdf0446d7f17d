//! The process that shows one desktop notification: from its standard input it gets the text, and learns that nothing is to be shown any
//! more. The one place that speaks to the session bus.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};

use futures_lite::future::block_on;
use notify_rust::{ActionResponse, Notification, Urgency};

use super::announce::Notice;
use crate::sys::entry::standard_input;
use crate::sys::process::{Forked, fork};

/// Bytes of what is to be shown at most.
const MOST: u64 = 64 * 1024;
/// What the button is called on the bus, and what a click beside it is.
const BUTTONS: [&str; 2] = ["open", "default"];

/// What came first.
enum Came {
    /// The input ended.
    Over,
    /// A button.
    Pressed,
    /// The person dismissed it.
    Dismissed,
}

/// Shows what standard input says, until that ends. To be called while there is one thread.
pub fn show() -> io::Result<()> {
    let mut input = BufReader::new(std::fs::File::from(standard_input().try_clone_to_owned()?));
    let mut line = Vec::new();
    input.by_ref().take(MOST).read_until(b'\n', &mut line)?;
    let notice: Notice = serde_json::from_slice(&line)?;
    if matches!(fork()?, Forked::Parent(_)) {
        return Ok(());
    }
    // What the button starts must outlive the terminal of who started the host.
    nix::unistd::setsid()?;
    let mut notification = Notification::new();
    notification.appname("guarded-sh").summary(&notice.title).body(&notice.body);
    notification.urgency(if notice.stays { Urgency::Critical } else { Urgency::Normal });
    if !notice.open.is_empty() {
        notification.action(BUTTONS[0], "Open").action(BUTTONS[1], "Open");
    }
    let handle = Arc::new(notification.show().map_err(io::Error::other)?);
    let (sender, came) = mpsc::channel();
    let over = sender.clone();
    std::thread::spawn(move || {
        // Whatever ends it: nobody holds the other end any more.
        let _ = io::copy(&mut input, &mut io::sink());
        let _ = over.send(Came::Over);
    });
    let waiting = Arc::clone(&handle);
    std::thread::spawn(move || {
        block_on(waiting.wait_for_action_async(|response: &ActionResponse<'_>| {
            let pressed =
                matches!(response, ActionResponse::Custom(name) if BUTTONS.contains(name));
            // As above: the other end is there until it has heard something.
            let _ = sender.send(if pressed { Came::Pressed } else { Came::Dismissed });
        }));
    });
    match came.recv() {
        Ok(Came::Pressed) => open(&notice.open)?,
        Ok(Came::Dismissed) => {}
        Ok(Came::Over) | Err(_) => block_on(handle.close_async()),
    }
    Ok(())
}

/// Starts the owner's command.
fn open(words: &[String]) -> io::Result<()> {
    let Some((program, words)) = words.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}
