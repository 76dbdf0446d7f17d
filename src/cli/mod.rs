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
use std::path::PathBuf;

pub use error::Error;
pub use name::{SUBCOMMANDS, offered};

use crate::model::{CLIENT, DIRECT, Direct, Shell, ShellInvocation, Wanted};
use name::Called;

/// What the program was called for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// To be a shell.
    Shell(ShellInvocation),
    /// To do something of its own: the words after `argv[0]`.
    Subcommand(Vec<OsString>),
    /// To judge a program that no shell starts, and to become it.
    Direct(Direct),
    /// To judge the line of a client, and to become the shell that runs it.
    Client,
}

/// Returns why a call ends that names a script that is not there.
#[must_use]
pub fn no_script(invocation: &ShellInvocation) -> Error {
    let script = invocation.subject().unwrap_or_default().to_string_lossy().into_owned();
    if name::may_be_subcommand(&invocation.argv) {
        return Error::NoSubcommand { word: script };
    }
    let name = invocation
        .argv
        .first()
        .map_or(invocation.shell.name().into(), |name| name.to_string_lossy());
    Error::NoScript { name: name.into_owned(), script, shell: invocation.shell }
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
    if called == Called::Guard
        && argv.get(1).is_some_and(|word| word == DIRECT.to_str().unwrap_or(""))
    {
        let mut words = argv.into_iter().skip(2);
        let path = PathBuf::from(words.next().unwrap_or_default());
        return Ok(Invocation::Direct(Direct { path, argv: words.collect() }));
    }
    if called == Called::Guard && argv.len() == 2 && argv[1].as_encoded_bytes() == CLIENT.to_bytes()
    {
        return Ok(Invocation::Client);
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
