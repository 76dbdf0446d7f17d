//! Programs that the service runs: with nothing of its environment but the home, and with a bound for what they say.

use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// Where programs are found.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Why what a program says is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// It ends before it is whole.
    Broken,
    /// It is longer than what is read.
    TooLong,
}

/// Returns a call of a program, which is given nothing, says what it says to us, and is ended when it is dropped.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", PATH).kill_on_drop(true);
    command.envs(std::env::var("HOME").map(|home| ("HOME", home)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Reads all that is said, if it is no longer than so many bytes.
pub async fn said(from: impl AsyncRead + Unpin, most: usize) -> Result<Vec<u8>, Unread> {
    let mut said = Vec::new();
    let room = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    from.take(room).read_to_end(&mut said).await.map_err(|_| Unread::Broken)?;
    if said.len() > most { Err(Unread::TooLong) } else { Ok(said) }
}
