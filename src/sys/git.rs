//! git, started so that nothing that a repository could set runs a program or asks another host.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::users::may_others_write;

/// Where git may stand.
const PLACES: [&str; 4] =
    ["/usr/bin/git", "/bin/git", "/usr/local/bin/git", "/run/current-system/sw/bin/git"];

/// Words before each subcommand.
const GLOBAL: [&str; 13] = [
    "--no-replace-objects",
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "protocol.allow=never",
    "-c",
    "log.mailmap=false",
    "-c",
    "core.commitGraph=false",
];

/// Words of each `log`: without drivers of differences, without what submodules set, without signatures and notes, in UTF-8, and all of it.
pub const LOG: [&str; 14] = [
    "log",
    "--reverse",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-show-signature",
    "--no-notes",
    "--submodule=short",
    "--ignore-submodules=none",
    "--no-relative",
    "--root",
    "--encoding=UTF-8",
    "--diff-merges=first-parent",
    "--text",
];

/// Why git does not say what it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsaid {
    /// There is none that is started.
    #[error("git cannot be run")]
    None,
    /// It cannot be read.
    #[error("git cannot be read")]
    Broken,
    /// It says more than there is room for.
    #[error("longer than what is looked at")]
    TooLong,
    /// It takes longer than there is time.
    #[error("git takes too long")]
    Late,
}

/// Returns the git that is started; none where there is none that only root could have put there.
#[must_use]
pub fn program() -> Option<&'static Path> {
    let is_roots = |path: &&Path| {
        let found = path.metadata();
        found.is_ok_and(|found| found.is_file() && found.uid() == 0 && !may_others_write(&found))
    };
    PLACES.iter().map(Path::new).find(is_roots)
}

/// Asks git in a directory, with variables by which it finds its owner's settings. Returns what it says; none where it ends with another status than 0.
pub fn said(
    directory: &str,
    variables: &[(&str, String)],
    words: &[&str],
    room: usize,
    until: Instant,
) -> Result<Option<Vec<u8>>, Unsaid> {
    let mut command = Command::new(program().ok_or(Unsaid::None)?);
    command.arg("-C").arg(directory).args(GLOBAL).args(words).current_dir("/").env_clear();
    command.env("PATH", "/usr/bin:/bin").envs(variables.iter().map(|(name, value)| (name, value)));
    command.envs([("LC_ALL", "C"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_TERMINAL_PROMPT", "0")]);
    // No protocol is allowed, whatever settings say of one; no commit has other parents than its own.
    command.envs([("GIT_ALLOW_PROTOCOL", ""), ("GIT_GRAFT_FILE", "/dev/null")]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().map_err(|_| Unsaid::None)?;
    let text = read(&mut child, room, until);
    if text.is_err() {
        // It may have ended, and what it started with it.
        let _ = killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL);
    }
    let ended = child.wait().map_err(|_| Unsaid::Broken)?;
    Ok(Some(text?).filter(|_| ended.success()))
}

fn read(child: &mut Child, room: usize, until: Instant) -> Result<Vec<u8>, Unsaid> {
    let mut out = child.stdout.take().ok_or(Unsaid::Broken)?;
    let (mut text, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(out.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(0) => return Err(Unsaid::Late),
            Err(nix::errno::Errno::EINTR) => continue,
            Err(_) => return Err(Unsaid::Broken),
            Ok(_) => {}
        }
        match out.read(&mut piece) {
            Ok(0) => return Ok(text),
            Ok(count) => text.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Err(Unsaid::Broken),
        }
        if text.len() > room {
            return Err(Unsaid::TooLong);
        }
    }
}
