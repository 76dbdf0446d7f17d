//! `page`: what runs, what waits and why, in a browser. The service beside this program serves it.

use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::arguments::PageArguments;
use super::desk;
use super::failure::Failure;
use super::judge::missing;
use crate::judge::beside;
use crate::observe::{self, Environment};

/// For how long the page of the service may take to start: questions wait for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// The variables that a page has which the service starts. Any other may say what else is loaded, or whom to ask on the way.
const KEPT: [&str; 7] =
    ["HOME", "PATH", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "LANG", "TZ"];

/// Becomes the service that serves the page.
pub(super) fn run(arguments: &PageArguments) -> Result<u8, Failure> {
    desk::person("open the page")?;
    let program = beside().ok_or_else(missing)?;
    let mut command = Command::new(program);
    command.arg("page");
    if let Some(port) = arguments.port {
        command.arg("--port").arg(port.to_string());
    }
    if arguments.no_open {
        command.arg("--no-open");
    }
    Err(Failure::new(format!("guarded-shd: {}", command.exec())))
}

/// Starts the page of the service, which ends with it, and says that it is that: for as long as what is returned is kept.
pub(super) fn of_service(environment: &Environment) -> Result<OwnedFd, Failure> {
    let program = beside().ok_or_else(missing)?;
    let mut command = Command::new(program);
    command.args(["page", "--served"]).stdin(Stdio::null()).stdout(Stdio::piped()).env_clear();
    command.envs(KEPT.iter().filter_map(|name| Some((name, environment.get(name)?))));
    let mut page = command.spawn()?;
    // It says so when nobody can look into it any more.
    let mut said = [0];
    let is_ready = page.stdout.take().is_some_and(|mut out| {
        let timeout = PollTimeout::try_from(PATIENCE).unwrap_or(PollTimeout::MAX);
        let ready = poll(&mut [PollFd::new(out.as_fd(), PollFlags::POLLIN)], timeout);
        ready.is_ok_and(|count| count > 0) && out.read_exact(&mut said).is_ok()
    });
    if !is_ready {
        // Where it has ended, it has said why.
        let _ = page.kill();
        return Err(Failure::new("the page did not start"));
    }
    Ok(observe::vouch_for_page(page.id())?)
}
