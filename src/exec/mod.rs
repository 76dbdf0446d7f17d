//! Hands over to the real shell in place: this process becomes it, and everything the caller gave us is what it gets.
//! Decides nothing and changes nothing: no descriptor, signal, variable or mask is touched on the way.

pub mod channel;

use std::convert::Infallible;
use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::unistd::dup2_stdin;

use crate::decision::Permit;
use crate::model::{Direct, RealShell, ShellInvocation, ShellMode};
use crate::sys::{descent, descriptor};

/// Why the real shell was not started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// What was permitted is not what argv would run.
    #[error("what was judged is not what would run")]
    NotWhatWasJudged,
    /// It may only run contained.
    #[error("it may only run contained, and is not")]
    NotContained,
    /// A word or the path holds a NUL byte, which no argument can.
    #[error("a NUL byte in the call of the shell")]
    Nul,
    /// The shell's file is gone.
    #[error("the real shell '{}' is gone", path.display())]
    Vanished {
        /// Where it was.
        path: PathBuf,
    },
    /// Argv and environment are together longer than the system takes.
    #[error("argv and environment are too long for the system")]
    TooLong,
    /// The program that was judged could not be put where the shell reads it.
    #[error("cannot give the program to the real shell")]
    Input {
        /// Why.
        source: Errno,
    },
    /// The system refused the program that no shell starts.
    #[error("cannot run '{}'", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// Why.
        source: Errno,
    },
    /// The system refused.
    #[error("cannot run the real shell '{}'", path.display())]
    Exec {
        /// The shell.
        path: PathBuf,
        /// Why.
        source: Errno,
    },
}

impl Error {
    /// Returns the exit status: 127 where there is no shell, else 126, as shells have it for commands.
    #[must_use]
    pub const fn status(&self) -> u8 {
        match self {
            Self::Vanished { .. } | Self::Start { source: Errno::ENOENT, .. } => 127,
            Self::NotWhatWasJudged
            | Self::NotContained
            | Self::Nul
            | Self::TooLong
            | Self::Input { .. }
            | Self::Start { .. }
            | Self::Exec { .. } => 126,
        }
    }
}

/// Becomes the real shell. The permit holds what was judged: the command line, the path of the script, the program on standard input,
/// or nothing for an input that is not read. It is spent here.
///
/// The words are the caller's, `argv[0]` included: a shell that stood at our path would see it, `$0` shows it, and a dash
/// before it makes a login shell. `$BASH` then names us as well, so what a script starts with it is judged too. The
/// environment is handed on as it is, broken entries and all, and what we opened is close-on-exec.
#[allow(clippy::needless_pass_by_value, reason = "a permit is good for one run")]
pub fn replace(
    permit: Permit,
    shell: &RealShell,
    invocation: ShellInvocation,
) -> Result<Infallible, Error> {
    check_container(&permit)?;
    hand_over(permit.bytes().to_owned(), shell, invocation)
}

/// Becomes a program that no shell starts, with its own words. The permit holds the line as which it was judged. It is spent here.
#[allow(clippy::needless_pass_by_value, reason = "a permit is good for one run")]
pub fn start(permit: Permit, program: Direct) -> Result<Infallible, Error> {
    check_container(&permit)?;
    if permit.bytes() != program.line() {
        return Err(Error::NotWhatWasJudged);
    }
    let source = become_program(&program.path, program.argv)?;
    Err(Error::Start { path: program.path, source })
}

/// Becomes an agent's own sandbox, which starts a shell: that is the sandbox's words from `at` on. The permit holds what was judged of the
/// shell. It is spent here.
#[allow(clippy::needless_pass_by_value, reason = "a permit is good for one run")]
pub fn start_in_sandbox(
    permit: Permit,
    sandbox: Direct,
    at: usize,
    invocation: ShellInvocation,
) -> Result<Infallible, Error> {
    check_container(&permit)?;
    let shell = given(permit.bytes().to_owned(), invocation)?;
    let argv = sandbox.argv.into_iter().take(at).chain(shell).collect();
    let source = become_program(&sandbox.path, argv)?;
    Err(Error::Start { path: sandbox.path, source })
}

fn hand_over(
    judged: OsString,
    shell: &RealShell,
    invocation: ShellInvocation,
) -> Result<Infallible, Error> {
    let mut words = given(judged, invocation)?;
    if let (Some(argv0), Some(first)) = (&shell.argv0, words.first_mut()) {
        first.clone_from(argv0);
    }
    let source = become_program(&shell.path, words)?;
    let path = shell.path.clone();
    Err(match source {
        Errno::ENOENT | Errno::ENOTDIR => Error::Vanished { path },
        Errno::E2BIG => Error::TooLong,
        source => Error::Exec { path, source },
    })
}

/// Returns the words of a call, with the very bytes that were judged in the place of those that they are equal to; a program that was judged
/// is what the shell reads then.
fn given(judged: OsString, invocation: ShellInvocation) -> Result<Vec<OsString>, Error> {
    check(&judged, &invocation)?;
    if invocation.mode == ShellMode::Input && !judged.is_empty() {
        give(&judged).map_err(|source| Error::Input { source })?;
    }
    let subject = invocation.mode.index();
    let mut words = invocation.argv;
    if let Some(word) = subject.and_then(|index| words.get_mut(index)) {
        *word = judged;
    }
    Ok(words)
}

/// Becomes a program; returns why the system refused it.
fn become_program(path: &Path, argv: Vec<OsString>) -> Result<Errno, Error> {
    let path = c_string(path.as_os_str().to_owned())?;
    let argv = argv.into_iter().map(c_string).collect::<Result<Vec<_>, _>>()?;
    let Err(errno) = nix::unistd::execv(&path, &argv);
    Ok(errno)
}

/// Checks that what may only run contained is: the container signs what it holds.
fn check_container(permit: &Permit) -> Result<(), Error> {
    let is_inside = || descent::bounds().is_some_and(|bounds| !bounds.outside);
    if permit.layers().is_empty() || is_inside() { Ok(()) } else { Err(Error::NotContained) }
}

/// Checks that the words which are about to run are those that were judged.
fn check(judged: &OsStr, invocation: &ShellInvocation) -> Result<(), Error> {
    let same = match invocation.mode {
        ShellMode::CommandLine { .. } | ShellMode::Script { .. } => {
            invocation.subject() == Some(judged)
        }
        // What was judged of an input is what the shell is given as one.
        ShellMode::Input => true,
        ShellMode::Information => judged.is_empty(),
    };
    if same { Ok(()) } else { Err(Error::NotWhatWasJudged) }
}

/// Makes a program our standard input: a file without a name, which nobody changes any more.
fn give(program: &OsStr) -> nix::Result<()> {
    dup2_stdin(descriptor::sealed(c"program", program.as_bytes())?)
}

fn c_string(word: OsString) -> Result<CString, Error> {
    CString::new(word.into_vec()).map_err(|_| Error::Nul)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Shell, StartUp, Wanted};

    fn invocation(line: &str) -> ShellInvocation {
        ShellInvocation {
            shell: Shell::Bash,
            wanted: Wanted::Named,
            argv: ["bash", "-c", line].map(OsString::from).to_vec(),
            mode: ShellMode::CommandLine { index: 2 },
            login: false,
            interactive: false,
            posix: false,
            restricted: false,
            privileged: false,
            program: None,
            start_up: StartUp::default(),
            settings: Vec::new(),
            reads_on: false,
            positional_start: 3,
        }
    }

    fn shell(path: &str) -> RealShell {
        RealShell { path: path.into(), shell: Shell::Bash, argv0: None }
    }

    fn failure(judged: &str, path: &str, line: &str) -> Error {
        match hand_over(OsString::from(judged), &shell(path), invocation(line)) {
            Err(error) => error,
            Ok(never) => match never {},
        }
    }

    #[test]
    fn other_bytes_than_those_that_were_judged_never_run() {
        assert_eq!(failure("echo a", "/bin/bash", "echo b"), Error::NotWhatWasJudged);
        assert_eq!(failure("", "/bin/bash", "echo b"), Error::NotWhatWasJudged);
        let input = ShellInvocation { mode: ShellMode::Input, ..invocation("x") };
        assert_eq!(check(OsStr::new(""), &input), Ok(()));
        let only_says = ShellInvocation { mode: ShellMode::Information, ..invocation("x") };
        assert_eq!(check(OsStr::new("x"), &only_says), Err(Error::NotWhatWasJudged));
    }

    #[test]
    fn a_shell_that_vanished_is_told_from_one_that_may_not_run() {
        let vanished = failure("echo a", "/does/not/exist/bash", "echo a");
        assert!(matches!(vanished, Error::Vanished { .. }));
        assert_eq!(vanished.status(), 127);
        let refused = failure("echo a", "/etc/passwd", "echo a");
        assert!(matches!(refused, Error::Exec { .. }), "{refused:?}");
        assert_eq!(refused.status(), 126);
    }
}
