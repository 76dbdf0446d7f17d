//! What an agent writes to its hook: all of it, but never more than fits, and never for longer than there is time.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::Value;

use super::fault::Fault;
use super::watch::Watch;

/// The largest event that is read: a file of 50 MB in a call that writes it, with room for how JSON writes it.
const LARGEST: usize = 96 << 20;

/// Reads an event. One whose sender does not close the stream counts once half of the time is over, if it is whole by then.
pub(super) fn read(watch: &Watch) -> Result<Value, Fault> {
    let bytes = bytes(watch)?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Fault::Empty);
    }
    let value: Value = serde_json::from_slice(&bytes).map_err(Fault::NoJson)?;
    if value.is_object() { Ok(value) } else { Err(Fault::NoObject) }
}

fn bytes(watch: &Watch) -> Result<Vec<u8>, Fault> {
    let until = watch.left() / 2;
    let input = crate::sys::entry::standard_input();
    let mut file = std::fs::File::from(input.try_clone_to_owned().map_err(Fault::Input)?);
    let mut bytes = Vec::with_capacity(4096);
    loop {
        let Some(left) = watch.left().checked_sub(until).filter(|left| !left.is_zero()) else {
            return Ok(bytes);
        };
        if !is_ready(&file, left).map_err(Fault::Input)? {
            return Ok(bytes);
        }
        if bytes.len() >= LARGEST {
            return Err(Fault::TooLarge);
        }
        let start = bytes.len();
        bytes.resize((start * 2).clamp(start + 4096, start + (4 << 20)), 0);
        let read = match file.read(&mut bytes[start..]) {
            Ok(read) => read,
            Err(error) if is_passing(&error) => 0,
            Err(error) => return Err(Fault::Input(error)),
        };
        let is_end = read == 0;
        bytes.truncate(start + read);
        if is_end {
            return Ok(bytes);
        }
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock)
}

fn is_ready(file: &impl AsFd, left: Duration) -> io::Result<bool> {
    let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
    let mut polled = [PollFd::new(file.as_fd(), PollFlags::POLLIN)];
    match poll(&mut polled, timeout) {
        Ok(count) => Ok(count > 0),
        Err(Errno::EINTR) => Ok(true),
        Err(errno) => Err(errno.into()),
    }
}
