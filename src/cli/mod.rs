//! Argv to an [`Invocation`]: a call of the shell, read as that shell reads its own argv, or one of our subcommands.
//! Starts nothing and looks at nothing but the words.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod error;
mod grammar;
mod name;
mod posix;
mod source;
mod zsh;

use std::ffi::OsString;

pub use error::Error;
pub use name::SUBCOMMANDS;

use crate::model::{Shell, ShellInvocation, Wanted};
use name::Called;

/// What the program was called for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// To be a shell.
    Shell(ShellInvocation),
    /// To do something of its own: the words after `argv[0]`.
    Subcommand(Vec<OsString>),
}

/// Parses argv. `configured` is the shell that stands behind our own name.
///
/// Which shell is meant is the name in `argv[0]`. Only `guarded-sh` has subcommands; as it is also a shell, a script
/// that is named like one of them has to be called with a slash in its path (`guarded-sh ./check`).
pub fn parse(argv: Vec<OsString>, configured: Shell) -> Result<Invocation, Error> {
    let called = name::called(argv.first());
    if called == Called::Guard && name::is_subcommand(&argv) {
        return Ok(Invocation::Subcommand(argv.into_iter().skip(1).collect()));
    }
    let (shell, wanted) = match called {
        Called::Guard | Called::Other => (configured, Wanted::Configured),
        Called::Shell(shell) => (shell, Wanted::Named),
    };
    let invocation = match shell {
        Shell::Bash | Shell::Sh | Shell::Dash => posix::parse(argv, shell, wanted),
        Shell::Zsh => zsh::parse(argv, wanted),
    }?;
    Ok(Invocation::Shell(invocation))
}
