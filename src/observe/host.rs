//! Which process is a session host. What variables and sockets say of it, anyone could have set: only the processes themselves count.
//!
//! A host is two processes of our own file. The outer one, `guarded-sh run` or `guarded-sh serve`, can be seen by every process of the
//! user; the inner one, its only child, listens, and lets nobody look into it or trace it. So the inner one is known by its
//! parent.

use std::ffi::OsStr;
use std::path::Path;

use super::ancestry::{Look, ancestors_of, command};
use super::person::{Unreachable, above};
use super::process::{Process, Program, Seen, program_of};

/// What the outer process of a host was called for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// `guarded-sh run`: the host of what runs below it.
    Run,
    /// `guarded-sh serve`: the user's own.
    Serve,
}

impl Host {
    const fn word(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Serve => "serve",
        }
    }
}

/// Returns the host that this process runs below, if there is one. Of several, it is the outermost: whoever is inside could have
/// started the others.
pub fn host_above() -> Result<Option<Process>, std::io::Error> {
    let chain = Process::chain(std::os::unix::process::parent_id())?;
    // A name is no proof, but a host has taken it, and looking closer at each would cost as much again.
    let pairs = chain.windows(2).rev().filter(|pair| pair[1].named_so);
    let host = |pair: &&[Seen]| is_host(&pair[0], Host::Run);
    Ok({ pairs }.find(host).map(|pair| pair[0].process))
}

/// Returns whether a process is the inner one of the user's own host, which a person started.
pub fn is_service(id: u32) -> Result<(), NoHost> {
    let seen = inner(id, Host::Serve)?;
    let ancestors = ancestors_of(seen.parent, Look::All).map_err(|_| NoHost::Unseen)?;
    above(&ancestors).map_err(NoHost::Guarded)?;
    still(&seen)
}

/// Returns whether a process is the inner one of a session's host, whoever started it.
pub fn is_session(id: u32) -> Result<(), NoHost> {
    still(&inner(id, Host::Run)?)
}

fn inner(id: u32, host: Host) -> Result<Seen, NoHost> {
    let seen = Process::see(id).map_err(|_| NoHost::Gone)?;
    if is_host(&seen, host) { Ok(seen) } else { Err(NoHost::Other) }
}

/// Holds that nobody took its id meanwhile.
fn still(seen: &Seen) -> Result<(), NoHost> {
    if seen.process.is_there() { Ok(()) } else { Err(NoHost::Gone) }
}

/// Why a process is no host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoHost {
    /// It is another program.
    #[error("another program listens there")]
    Other,
    /// It ended.
    #[error("it ended")]
    Gone,
    /// What started it could not be seen.
    #[error("what started it could not be seen")]
    Unseen,
    /// An agent started it.
    #[error("it was not started by a person: {0}")]
    Guarded(Unreachable),
}

fn is_host(inner: &Seen, host: Host) -> bool {
    let words = || command(inner.parent);
    program_of(inner.parent) == Program::Ours
        && program_of(inner.process.id) != Program::Other
        && is_call(&words(), host)
}

fn is_call(words: &[impl AsRef<OsStr>], host: Host) -> bool {
    let [name, word, ..] = words else { return false };
    let name = Path::new(name).file_name();
    name == Some(OsStr::new("guarded-sh")) && word.as_ref() == host.word()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_called_as_one() {
        for (words, is_run) in [
            (&["guarded-sh", "run", "--", "claude"] as &[&str], true),
            (&["/usr/bin/guarded-sh", "run"], true),
            (&["guarded-sh", "serve"], false),
            (&["guarded-sh", "-c", "run"], false),
            (&["bash", "run"], false),
            (&["guarded-bash", "run"], false),
            (&["guarded-sh"], false),
            (&[], false),
        ] {
            assert_eq!(is_call(words, Host::Run), is_run, "{words:?}");
        }
    }

    #[test]
    fn what_is_another_program_is_no_host() {
        assert_eq!(host_above().unwrap(), None);
        assert_eq!(is_service(std::process::id()), Err(NoHost::Other));
        assert_eq!(is_service(u32::MAX), Err(NoHost::Gone));
        assert_eq!(is_session(std::process::id()), Err(NoHost::Other));
        assert_eq!(is_session(u32::MAX), Err(NoHost::Gone));
    }
}
