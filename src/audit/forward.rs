//! Records, sent to where a machine collects its logs: the very lines that are in the record, so that they can be verified there too.
//! Waits for nobody and fails for nobody: where nothing listens the record is here, and a gap in `sequence` shows there that one is missing.

use std::io;
use std::os::unix::net::UnixDatagram;

use jiff::Zoned;
use nix::errno::Errno;
use nix::sys::socket::MsgFlags;

use super::record::Record;
use crate::model::{Action, Forward};
use crate::sys::descriptor;

/// What log collectors call us.
const NAME: &str = "guarded-sh";
/// Messages of security and authorisation that are private (RFC 3164, 4.1.1).
const FACILITY: u8 = 10;

/// Connects to a collector; nothing is sent.
pub fn connect(to: &Forward) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    socket.connect(to.path())?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// Sends a record; `line` is how it is stored, without the newline.
pub(super) fn send(to: &Forward, record: &Record, line: &[u8]) -> io::Result<()> {
    let socket = connect(to)?;
    match to {
        Forward::Socket(_) => socket.send(line).map(drop),
        Forward::Syslog => socket.send(&message(record, line)).map(drop),
        Forward::Journald => {
            let fields = fields(record, line);
            match socket.send(&fields) {
                // What is too long for a datagram is handed over in a file, as the journal's protocol says.
                Err(error) if is_too_long(&error) => {
                    let file = descriptor::sealed(c"record", &fields)?;
                    Ok(descriptor::hand(&socket, b"", &file, MsgFlags::MSG_DONTWAIT)?)
                }
                sent => sent.map(drop),
            }
        }
    }
}

/// Returns a record as syslog(3) would send it; `line` as for `send`.
#[must_use]
pub fn message(record: &Record, line: &[u8]) -> Vec<u8> {
    let priority = FACILITY * 8 + level(record);
    let time = Zoned::now().strftime("%b %e %H:%M:%S");
    let head = format!("<{priority}>{time} {NAME}[{}]: ", record.pid);
    [head.as_bytes(), line].concat()
}

/// Returns a record in the journal's native protocol. A stored line has no newline, so each field is one line.
#[must_use]
pub fn fields(record: &Record, line: &[u8]) -> Vec<u8> {
    let (action, severity) = (record.action.name(), record.severity.name());
    let head = format!(
        "SYSLOG_IDENTIFIER={NAME}\nPRIORITY={}\nGUARDED_SH_ACTION={action}\nGUARDED_SH_SEVERITY={severity}\nMESSAGE=",
        level(record),
    );
    [head.as_bytes(), line, b"\n"].concat()
}

/// How urgent it is, as syslog counts: a warning where something was held up, else information.
const fn level(record: &Record) -> u8 {
    match record.action {
        Action::Allow | Action::Contain => 6,
        Action::Ask | Action::Deny => 4,
    }
}

fn is_too_long(error: &io::Error) -> bool {
    let raw = error.raw_os_error().map(Errno::from_raw);
    matches!(raw, Some(Errno::EMSGSIZE | Errno::ENOBUFS))
}
