//! Which process is a session host. What variables and sockets say of it, anyone could have set: only the processes themselves count.
//!
//! A host is two processes of our own file. The outer one, `guarded-sh run` or `guarded-sh serve`, can be seen by every process of the
//! user; the inner one, its only child, listens, and lets nobody look into it or trace it. So the inner one is known by its
//! parent, and by what the parent has open: any process can have had a child before it became a host, but what it opened then is
//! closed, or is not marked to be closed by execve(2).

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use super::ancestry::{Look, ancestors_of, command};
use super::image::Image;
use super::person::{Unreachable, above};
use super::process::{Process, Program, Seen, program_of};
use crate::sys::{descent, descriptor};

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

/// What this process runs below, and what is called as a host of sessions is: not looked at any closer yet.
#[derive(Clone, Copy, Debug)]
pub struct Claim(Seen);

impl Claim {
    /// Returns the id that the host would have.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.0.process.id
    }

    /// Returns whether it is a host.
    #[must_use]
    pub fn holds(&self) -> bool {
        is_host(&self.0, Host::Run)
    }
}

/// Returns what this process runs below that may be hosts, the nearest first. The nearest that is one counts: `guarded-sh run` is no host
/// of its own where it is below another.
pub fn hosts_above() -> impl Iterator<Item = io::Result<Claim>> {
    let mut child: Option<Seen> = None;
    Process::upward(std::os::unix::process::parent_id()).filter_map(move |seen| match seen {
        Ok(seen) => {
            // A name is no proof, but both of a host have taken it, and looking closer at each would cost as much again.
            let inner = child.replace(seen).filter(|inner| inner.named_so && seen.named_so);
            inner.map(|inner| Ok(Claim(inner)))
        }
        Err(error) => Some(Err(error)),
    })
}

/// Returns whether this process runs below a host. An error says that what it runs below was not seen.
pub fn is_below_host() -> io::Result<bool> {
    for claim in hosts_above() {
        if claim?.holds() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether the session that this process runs below watches it (`TracerPid` in proc(5)). A session lets go of a guard before that
/// begins, unless the program that the guard becomes is to be held to what was judged.
#[must_use]
pub fn is_watched() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    let tracer = tracer.and_then(|id| id.trim().parse().ok()).map(Process::see);
    let Some(Ok(tracer)) = tracer else { return false };
    // The agent is a child of the host's as well, and signed as one.
    let id = tracer.process.id;
    program_of(id) != Program::Other
        && descent::sign_of(id).is_none()
        && hosts_above()
            .filter_map(Result::ok)
            .any(|claim| claim.id() == tracer.parent && claim.holds())
}

/// Returns whether the host that this process runs below was started with a variable as it is, or with this directory in its `PATH`: then
/// that is the owner's.
#[must_use]
pub fn is_hosts(name: &str, value: &str) -> bool {
    let is_it = |variable: &[u8]| {
        let own = variable.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        own.is_some_and(|own| match name {
            "PATH" => own.split(|byte| *byte == b':').any(|entry| entry == value.as_bytes()),
            _ => own == value.as_bytes(),
        })
    };
    host_environment().is_some_and(|all| all.split(|byte| *byte == 0).any(is_it))
}

/// Returns the value of a variable that the host was started with which this process runs below.
#[must_use]
pub fn of_host(name: &str) -> Option<String> {
    let all = host_environment()?;
    let mut variables = all.split(|byte| *byte == 0);
    let value = variables.find_map(|variable| {
        variable.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="))
    })?;
    String::from_utf8(value.to_vec()).ok()
}

fn host_environment() -> Option<Vec<u8>> {
    let host = hosts_above().filter_map(Result::ok).find(Claim::holds)?;
    fs::read(place(host.0.parent).join("environ")).ok()
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

/// Returns whether a process is the page that the user's own host started, and a person started that host. The host says so by what it has open.
pub fn is_page(id: u32) -> Result<(), NoHost> {
    let seen = Process::see(id).map_err(|_| NoHost::Gone)?;
    let outer = Image::ours(seen.parent).ok_or(NoHost::Other)?;
    let is_hosts = is_call(&command(seen.parent), Host::Serve)
        && has_open(seen.parent, &page(id))
        && outer.is_there();
    if !is_hosts {
        return Err(NoHost::Other);
    }
    let ancestors = ancestors_of(seen.parent, Look::All).map_err(|_| NoHost::Unseen)?;
    above(&ancestors).map_err(NoHost::Guarded)?;
    still(&seen)
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

/// The descriptor by which it is said which process the inner one is, where nothing else was open by that number.
const VOUCH: i32 = 16;

/// Says, as the outer process of a host, which process the inner one is. It counts for as long as what is returned is kept.
pub fn vouch(inner: u32) -> io::Result<OwnedFd> {
    descriptor::duplicate_from(&File::open(place(inner))?, VOUCH)
}

/// Says, as the outer process of the user's own host, which process is its page. It counts for as long as what is returned is kept.
pub fn vouch_for_page(id: u32) -> io::Result<OwnedFd> {
    Ok(File::open(page(id))?.into())
}

fn place(id: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{id}"))
}

/// Returns what a host has open to say that a process is its page: not what it has open to say which process is the inner one.
fn page(id: u32) -> PathBuf {
    place(id).join("stat")
}

fn is_host(inner: &Seen, host: Host) -> bool {
    let Some(outer) = Image::ours(inner.parent) else { return is_outside(inner, host) };
    program_of(inner.process.id) != Program::Other
        && is_call(&command(inner.parent), host)
        && is_vouched(inner)
        // All that was of one image: a host's.
        && outer.is_there()
}

/// Returns whether a process has the names of a host, of which the fence lets us see no more, and stands outside of the fence itself: so what we run
/// in has not started it. Whoever got around the fence could take these names, and has no need to.
fn is_outside(inner: &Seen, host: Host) -> bool {
    let is_held = is_held();
    let is_named = Process::see(inner.parent).is_ok_and(|outer| outer.named_so);
    let is_users = fs::metadata(place(inner.parent))
        .is_ok_and(|place| place.uid() == nix::unistd::geteuid().as_raw());
    // The domain denies every signal to what stands outside of it, and none to what stands inside.
    let denies = |id: u32| {
        let id = i32::try_from(id).map(Pid::from_raw);
        id.is_ok_and(|id| kill(id, None) == Err(Errno::EPERM))
    };
    is_held
        && is_named
        && is_users
        && is_call(&command(inner.parent), host)
        && denies(inner.parent)
        && denies(inner.process.id)
}

/// Returns whether the fence holds this process, its signals too. Then a host above is known by less, and only the outermost counts.
#[must_use]
pub fn is_held() -> bool {
    descent::bounds().is_some_and(|bounds| !bounds.signals)
}

/// Returns whether the parent of a process has said with [`vouch`] that this is the inner one, since it runs what it runs.
fn is_vouched(inner: &Seen) -> bool {
    has_open(inner.parent, &place(inner.process.id))
}

/// Returns whether a process has opened this since it runs what it runs.
fn has_open(outer: u32, place: &Path) -> bool {
    let outer = self::place(outer);
    let says_so = |file: &OsStr| {
        // Of a process that is gone, another name is told.
        fs::read_link(outer.join("fd").join(file)).is_ok_and(|target| target == place)
            && info(&outer.join("fdinfo").join(file)).is_ok_and(|info| is_closed_by_exec(&info))
    };
    says_so(OsStr::new(&VOUCH.to_string())) || {
        let all = fs::read_dir(outer.join("fd")).into_iter().flatten().filter_map(Result::ok);
        all.map(|entry| entry.file_name()).any(|file| says_so(&file))
    }
}

/// Returns the first lines of a file of proc(5), as many as say what is common to all files.
fn info(path: &Path) -> io::Result<String> {
    let mut bytes = [0; 256];
    let length = File::open(path)?.read(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes[..length]).into_owned())
}

/// Returns whether a file is one that execve(2) closes, by its `/proc/ID/fdinfo/N`, where flags are octal (proc(5)).
fn is_closed_by_exec(info: &str) -> bool {
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| i32::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| flags & nix::libc::O_CLOEXEC != 0)
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
        assert!(!is_below_host().unwrap());
        assert_eq!(is_service(std::process::id()), Err(NoHost::Other));
        assert_eq!(is_service(u32::MAX), Err(NoHost::Gone));
        assert_eq!(is_session(std::process::id()), Err(NoHost::Other));
        assert_eq!(is_session(u32::MAX), Err(NoHost::Gone));
    }
}
