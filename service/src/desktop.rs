//! The person's desktop.

use std::io;
use std::process::{Command, Stdio};

/// Has the desktop open an address, and waits for nothing.
pub fn open(address: &str) -> io::Result<()> {
    let mut command = Command::new("xdg-open");
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    std::thread::spawn(move || child.wait());
    Ok(())
}
