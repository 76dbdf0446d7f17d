//! `page`: what runs, what waits and why, in a browser. The service beside this program serves it.

use std::os::unix::process::CommandExt;
use std::process::Command;

use super::arguments::PageArguments;
use super::desk;
use super::failure::Failure;
use super::judge::missing;
use crate::judge::beside;

/// Becomes the service that serves the page.
pub(super) fn run(arguments: &PageArguments) -> Result<u8, Failure> {
    desk::person("open the page")?;
    let program = beside().ok_or_else(missing)?;
    let mut command = Command::new(program);
    command.arg("page").arg("--port").arg(arguments.port.to_string());
    if arguments.no_open {
        command.arg("--no-open");
    }
    Err(Failure::new(format!("guarded-shd: {}", command.exec())))
}
