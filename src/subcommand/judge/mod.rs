//! `judge`: what a language model is told, and by which templates, which the service says; and what it makes of labelled lines.

mod eval;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

pub(super) use eval::eval;

use super::check::joined;
use super::failure::Failure;
use crate::judge::beside;
use crate::model::StandardInput;
use crate::pipeline::{self, Request, World};

/// Prints what would be sent about a line.
pub(super) fn preview(words: &[OsString]) -> Result<u8, Failure> {
    let world = World::read()?.with_input(StandardInput::Nothing);
    let judgement = world.judge(&Request::about(&joined(words)))?;
    let (request, variables) = pipeline::second_opinion(&world, &judgement);
    let request = serde_json::to_vec(&request).map_err(|error| Failure::new(error.to_string()))?;
    let mut command = service()?;
    command.arg("preview").env_clear().envs(variables);
    run(command, &request)
}

/// Checks the owner's templates.
pub(super) fn prompts() -> Result<u8, Failure> {
    let settings = World::read()?.places.settings();
    let directory = settings.map_or_else(PathBuf::new, |settings| settings.join("prompts"));
    let mut command = service()?;
    command.arg("prompts").arg(directory).env_clear();
    run(command, &[])
}

fn service() -> Result<Command, Failure> {
    beside().map(Command::new).ok_or_else(missing)
}

fn missing() -> Failure {
    Failure::new("guarded-shd is not installed beside guarded-sh")
        .hint("`cargo build --release` makes both; they belong into one directory")
}

/// Runs the service with this on its standard input; what it writes is read by whoever reads ours.
fn run(mut command: Command, input: &[u8]) -> Result<u8, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("guarded-shd: {error}"));
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // What does not want it all says why.
        let _ = stdin.write_all(input);
    }
    let status = child.wait().map_err(failed)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
