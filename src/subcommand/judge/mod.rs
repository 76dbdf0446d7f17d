//! `judge`: what a language model is told, and by which templates, which the service says; and what it makes of labelled lines.

mod eval;
mod measured;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Subcommand;

pub use measured::{Measured, measured};

use super::check::joined;
use super::failure::Failure;
use crate::judge::beside;
use crate::model::StandardInput;
use crate::pipeline::{self, Request, World};

/// What of it.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Prints what would be sent about a line, and to whom; sends nothing
    ///
    /// The session is this terminal's: what a person typed to an agent is not known here. Secrets are masked as they would be.
    ///
    /// Exit status: 0; 2 usage, or guarded-shd is not installed beside guarded-sh.
    Preview {
        /// The line; several words are joined by spaces
        #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true)]
        line: Vec<OsString>,
    },
    /// Checks the owner's templates, `prompts/*.txt` beside `config.toml`
    ///
    /// Exit status: 0; 1 one cannot be used; 2 guarded-shd is not installed beside guarded-sh.
    Prompts,
    /// Measures the configured models on labelled lines; runs nothing
    ///
    /// Each row of the file is a JSON object: `line`; `prompts`, a list of what the person typed; `label`, which is `within` or `wider`; and, to
    /// group them, `pair`, a number, and `dimension`, a word. Prints what would have been allowed wrongly in mode `decide`, which questions would
    /// have been spared, how often one asking differed from another, which verdicts were right, the cost and the time.
    ///
    /// Exit status: 0; 2 usage, a row that is none, no provider, or guarded-shd is not installed beside guarded-sh.
    Eval {
        /// The rows
        file: PathBuf,
        /// How often each is asked about
        #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
        runs: u32,
    },
}

pub(super) fn run(action: &Action) -> Result<u8, Failure> {
    match action {
        Action::Preview { line } => preview(line),
        Action::Prompts => prompts(),
        Action::Eval { file, runs } => eval::eval(file, *runs),
    }
}

/// Prints what would be sent about a line.
fn preview(words: &[OsString]) -> Result<u8, Failure> {
    let world = World::read()?.with_input(StandardInput::Nothing);
    let judgement = world.judge(&Request::about(&joined(words)))?;
    let (request, variables) = pipeline::second_opinion(&world, &judgement);
    let request = serde_json::to_vec(&request).map_err(|error| Failure::new(error.to_string()))?;
    let mut command = service()?;
    command.arg("preview").env_clear().envs(variables);
    serve(command, &request)
}

/// Checks the owner's templates.
fn prompts() -> Result<u8, Failure> {
    let settings = World::read()?.places.settings();
    let directory = settings.map_or_else(PathBuf::new, |settings| settings.join("prompts"));
    let mut command = service()?;
    command.arg("prompts").arg(directory).env_clear();
    serve(command, &[])
}

/// Returns the service beside this program, to be started.
pub(super) fn service() -> Result<Command, Failure> {
    beside().map(Command::new).ok_or_else(missing)
}

/// Returns why nothing is asked of the service.
fn missing() -> Failure {
    Failure::new("guarded-shd is not installed beside guarded-sh")
        .hint("`cargo build --release` makes both; they belong into one directory")
}

/// Runs the service with this on its standard input; what it writes is read by whoever reads ours.
fn serve(mut command: Command, input: &[u8]) -> Result<u8, Failure> {
    let failed = |error: std::io::Error| Failure::new(format!("guarded-shd: {error}"));
    let mut child = command.stdin(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // What does not want it all says why.
        let _ = stdin.write_all(input);
    }
    let status = child.wait().map_err(failed)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
