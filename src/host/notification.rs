//! The process that shows one desktop notification: from its standard input it gets the text, and learns that nothing is to be shown any
//! more. The one place of the guard that speaks to the session bus.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc;

use zbus::blocking::{Connection, MessageIterator};
use zbus::zvariant::Value;
use zbus::{MatchRule, Message, message};

use super::announce::Notice;
use crate::sys::entry::standard_input;
use crate::sys::process::{Forked, fork};

/// Bytes of what is to be shown at most.
const MOST: u64 = 64 * 1024;
/// What the button is called on the bus, and what a click beside it is.
const BUTTONS: [&str; 2] = ["open", "default"];
/// The interface of what shows notifications, and the name that it has on the bus. See the Desktop Notifications Specification, "D-BUS
/// Protocol".
const NOTIFICATIONS: &str = "org.freedesktop.Notifications";
const OBJECT: &str = "/org/freedesktop/Notifications";

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
    let shown = Shown::begin(&notice).map_err(io::Error::other)?;
    let (sender, came) = mpsc::channel();
    let over = sender.clone();
    std::thread::spawn(move || {
        // Whatever ends it: nobody holds the other end any more.
        let _ = io::copy(&mut input, &mut io::sink());
        let _ = over.send(Came::Over);
    });
    let Shown { bus, heard, id } = shown;
    std::thread::spawn(move || {
        // As above: the other end is there until it has heard something.
        let _ =
            heard.flatten().find_map(|signal| answer(&signal, id)).map(|came| sender.send(came));
    });
    match came.recv() {
        Ok(Came::Pressed) => open(&notice.open)?,
        Ok(Came::Dismissed) => {}
        Ok(Came::Over) | Err(_) => {
            let at = Some(NOTIFICATIONS);
            // Where the desktop is gone, so is what it showed.
            let _ = bus.call_method(at, OBJECT, at, "CloseNotification", &id);
        }
    }
    Ok(())
}

/// A notification that is shown.
struct Shown {
    bus: Connection,
    /// What the desktop says of its notifications.
    heard: MessageIterator,
    id: u32,
}

impl Shown {
    /// Shows a notification. What the person does to it is heard from before it is there.
    fn begin(notice: &Notice) -> zbus::Result<Self> {
        let bus = Connection::session()?;
        let signals =
            MatchRule::builder().msg_type(message::Type::Signal).interface(NOTIFICATIONS)?.build();
        let heard = MessageIterator::for_match_rule(signals, &bus, None)?;
        let actions: Vec<&str> = if notice.open.is_empty() {
            Vec::new()
        } else {
            BUTTONS.iter().flat_map(|button| [button, notice.button.as_str()]).collect()
        };
        // Normal, or critical, which does not leave by itself.
        let urgency = if notice.stays { 2_u8 } else { 1 };
        let hints = HashMap::from([("urgency", Value::from(urgency))]);
        // In the place of none, without an icon, for as long as the desktop thinks right.
        let what = ("guarded-sh", 0_u32, "", &*notice.title, &*notice.body, actions, hints, -1_i32);
        let at = Some(NOTIFICATIONS);
        let id = bus.call_method(at, OBJECT, at, "Notify", &what)?.body().deserialize()?;
        Ok(Self { bus, heard, id })
    }
}

/// What a signal says that the person did to a notification.
fn answer(signal: &Message, id: u32) -> Option<Came> {
    let header = signal.header();
    match header.member()?.as_str() {
        "ActionInvoked" => {
            let (about, button): (u32, String) = signal.body().deserialize().ok()?;
            let is_ours = BUTTONS.contains(&button.as_str());
            (about == id).then_some(if is_ours { Came::Pressed } else { Came::Dismissed })
        }
        "NotificationClosed" => {
            let (about, _): (u32, u32) = signal.body().deserialize().ok()?;
            (about == id).then_some(Came::Dismissed)
        }
        _ => None,
    }
}

/// Starts the owner's command.
fn open(words: &[String]) -> io::Result<()> {
    let Some((program, words)) = words.split_first() else { return Ok(()) };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}
