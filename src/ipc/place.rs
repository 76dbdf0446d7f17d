//! Where hosts listen: a directory of the user's own, and in it for each host two sockets and a secret. A host that listens where a variable
//! says leaves a link to there in the place that every process of the user finds without one: who looks for it may know no variable that is
//! believed. A link only helps to find a host; who listens there is looked at as ever.
//! Which variable is believed is for the caller to say.

use std::ffi::OsString;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::client::try_connect;
use crate::sys::random;

/// The host that is there once for each user: `guarded-sh serve`.
pub const SERVICE: &str = "serve";

/// Bytes of a secret, before they are written in hexadecimal.
const SECRET: usize = 32;

/// Why the directory or what is in it cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It belongs to someone else, or others may write to it.
    #[error("'{}' {problem}, so whoever listens there proves nothing", path.display())]
    NotOurs {
        /// What.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The system refused.
    #[error("cannot use '{}'", path.display())]
    Unusable {
        /// What.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Returns the directories in which hosts may listen, the best first. `runtime` is `XDG_RUNTIME_DIR`, where it is believed.
#[must_use]
pub fn directories(runtime: Option<&Path>, uid: u32) -> Vec<PathBuf> {
    let usual = PathBuf::from(format!("/run/user/{uid}"));
    let mut bases: Vec<PathBuf> = Vec::new();
    bases.extend(runtime.filter(|path| path.is_absolute()).map(Path::to_owned));
    if !bases.contains(&usual) && usual.is_dir() {
        bases.push(usual);
    }
    let mut directories: Vec<PathBuf> =
        bases.into_iter().map(|base| base.join("guarded-sh")).collect();
    directories.push(PathBuf::from(format!("/tmp/guarded-sh-{uid}")));
    directories
}

/// Returns the directory of the links to hosts that listen elsewhere.
fn links(directory: &Path) -> PathBuf {
    directory.join("elsewhere")
}

/// Returns the directories in which hosts listen that left a link to there.
#[must_use]
pub fn linked(uid: u32) -> Vec<PathBuf> {
    linked_in(&directories(None, uid), uid)
}

fn linked_in(usual: &[PathBuf], uid: u32) -> Vec<PathBuf> {
    // Most have none: a look at what is there comes before all else.
    let entries = usual.iter().filter_map(|usual| {
        let entries = std::fs::read_dir(links(usual)).ok()?;
        check(usual, uid).is_ok().then_some(entries)
    });
    let targets = entries.flatten().flatten().filter_map(|entry| entry.path().read_link().ok());
    let mut found: Vec<PathBuf> = targets.filter(|target| target.is_absolute()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Leaves a link to the directory in which a host listens, where it is none of the usual ones.
pub fn link(directory: &Path, name: &str, uid: u32) -> Result<(), Error> {
    link_in(&directories(None, uid), directory, name, uid)
}

fn link_in(usual: &[PathBuf], directory: &Path, name: &str, uid: u32) -> Result<(), Error> {
    let is_same = |usual: &PathBuf| {
        usual == directory
            || usual
                .canonicalize()
                .is_ok_and(|real| directory.canonicalize().is_ok_and(|d| d == real))
    };
    if usual.iter().any(is_same) {
        return Ok(());
    }
    let links = links(&prepare(usual, uid)?);
    make(&links, uid)?;
    for entry in std::fs::read_dir(&links).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let listens = |to: PathBuf| is_heard(&ask(&to, link_of(&name.to_string_lossy())));
        if !path.read_link().is_ok_and(listens) {
            // Of a host that is gone. What cannot be removed leads to nobody.
            let _ = std::fs::remove_file(&path);
        }
    }
    let path = links.join(link_name(name));
    match symlink(directory, &path) {
        // Of a process that had our id.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => std::fs::remove_file(&path)
            .and_then(|()| symlink(directory, &path))
            .map_err(unusable(&path)),
        done => done.map_err(unusable(&path)),
    }
}

/// Removes the link that a host left.
fn unlink(name: &str, uid: u32) {
    for usual in directories(None, uid) {
        let links = links(&usual);
        // What is not there need not be removed, and a directory is not while another host has a link.
        let _ = std::fs::remove_file(links.join(link_name(name)));
        let _ = std::fs::remove_dir(links);
    }
}

/// Returns the name of a host's link: its own with the process, since there may be a host of the same name in each directory.
fn link_name(name: &str) -> String {
    format!("{name}@{}", std::process::id())
}

/// Returns the name of the host whose link is called so.
fn link_of(link: &str) -> &str {
    link.split('@').next().unwrap_or_default()
}

/// Returns the first of these directories that is ours, or can be made.
pub fn prepare(directories: &[PathBuf], uid: u32) -> Result<PathBuf, Error> {
    let mut failed = None;
    for directory in directories {
        match make(directory, uid) {
            Ok(()) => return Ok(directory.clone()),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    Err(failed.unwrap_or_else(|| unusable(Path::new(""))(io::ErrorKind::NotFound.into())))
}

fn make(directory: &Path, uid: u32) -> Result<(), Error> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(unusable(directory)(error))
        }
        _ => check(directory, uid),
    }
}

/// Checks that a directory is ours, that nobody else may look into it, and that it is no link to elsewhere.
pub fn check(directory: &Path, uid: u32) -> Result<(), Error> {
    let flags = libc::O_NOFOLLOW | libc::O_DIRECTORY | libc::O_PATH;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(directory);
    let metadata = opened.and_then(|file| file.metadata()).map_err(unusable(directory))?;
    let problem = if metadata.uid() != uid {
        "belongs to another user"
    } else if metadata.mode() & 0o077 != 0 {
        "may be used by others"
    } else {
        return Ok(());
    };
    Err(Error::NotOurs { path: directory.to_owned(), problem })
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Unusable { path, source }
}

/// Returns the socket on which shells ask a host of this name.
#[must_use]
pub fn ask(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.ask"))
}

/// Returns the socket on which people answer.
#[must_use]
pub fn desk(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.desk"))
}

/// Returns the directory for hosts in the user's own runtime directory, by the user database's word and no variable's, if it is ours alone. No line
/// is granted anything in it.
#[must_use]
pub fn own(uid: u32) -> Option<PathBuf> {
    let directory = PathBuf::from(format!("/run/user/{uid}/guarded-sh"));
    check(&directory, uid).is_ok().then_some(directory)
}

/// Returns the socket at which a host gives lines the domains that it has made for them, where it is in the user's [`own`] directory.
#[must_use]
pub fn domains(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.domains"))
}

/// Returns the name that a socket of a host has until somebody listens there.
#[must_use]
pub fn unheard(socket: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(socket.file_name().unwrap_or_default());
    name.push("-new");
    socket.with_file_name(name)
}

/// Returns the socket by which the user's own host is started where something listens there for it: whoever connects rings. Nothing is said
/// over it, and nobody is believed because of it.
#[must_use]
pub fn bell(directory: &Path) -> PathBuf {
    directory.join("bell")
}

/// Rings, and waits until the host listens: then it hangs up. False: nobody hears it.
#[must_use]
pub fn ring(directory: &Path, patience: Duration) -> bool {
    let Ok(stream) = try_connect(&bell(directory)) else { return false };
    let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    poll(&mut [PollFd::new(stream.as_fd(), PollFlags::POLLIN)], timeout)
        .is_ok_and(|ready| ready > 0)
}

/// Returns the file of a host's secret.
#[must_use]
pub fn secret(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.secret"))
}

/// Returns the directory in which there is a file for each host that remembers something of earlier lines: who looks there, and finds
/// none, need not ask.
fn memories(directory: &Path) -> PathBuf {
    directory.join("recent")
}

/// Returns whether a host that listens in this directory says that it remembers something.
#[must_use]
pub fn remembers(directory: &Path) -> bool {
    memories(directory).symlink_metadata().is_ok()
}

/// Says that a host remembers something.
pub fn say_memory(directory: &Path, name: &str) -> Result<(), Error> {
    let memories = memories(directory);
    match DirBuilder::new().mode(0o700).create(&memories) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(unusable(&memories)(error));
        }
        _ => {}
    }
    let path = memories.join(name);
    let mut file = OpenOptions::new();
    file.write(true).create(true).truncate(false).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    file.open(&path).map(drop).map_err(unusable(&path))
}

/// Says that a host remembers nothing any more.
pub fn say_no_memory(directory: &Path, name: &str) {
    let memories = memories(directory);
    // What is not there need not be removed, and a directory is not while another host remembers something.
    let _ = std::fs::remove_file(memories.join(name));
    let _ = std::fs::remove_dir(memories);
}

/// Makes a host's secret and writes it where the user alone may read it.
pub fn write_secret(directory: &Path, name: &str) -> Result<String, Error> {
    let path = secret(directory, name);
    let text = random::digits::<SECRET>().map_err(unusable(Path::new(random::SOURCE)))?;
    // One of a host that is gone.
    let _ = std::fs::remove_file(&path);
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(unusable(&path))?;
    Ok(text)
}

/// Reads a host's secret.
pub fn read_secret(directory: &Path, name: &str, uid: u32) -> Result<String, Error> {
    let path = secret(directory, name);
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file =
        OpenOptions::new().read(true).custom_flags(flags).open(&path).map_err(unusable(&path))?;
    let metadata = file.metadata().map_err(unusable(&path))?;
    if metadata.uid() != uid || metadata.mode() & 0o077 != 0 || !metadata.is_file() {
        let problem = "is not a file of ours alone";
        return Err(Error::NotOurs { path, problem });
    }
    let mut text = String::new();
    file.take(2 * SECRET as u64).read_to_string(&mut text).map_err(unusable(&path))?;
    Ok(text)
}

/// Returns the names of the hosts that have a desk in a directory, and may or may not run.
#[must_use]
pub fn hosts(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".desk")?.to_owned())).collect();
    names.sort_unstable();
    names
}

/// Returns whether someone listens at a socket. Waits for nobody: who listens may have as many connections as it can hold.
#[must_use]
pub fn is_heard(socket: &Path) -> bool {
    matches!(try_connect(socket), Ok(_) | Err(Errno::EAGAIN))
}

/// Removes what hosts left behind that are gone: nobody listens at their sockets.
pub fn clean(directory: &Path) {
    for name in hosts(directory) {
        if matches!(try_connect(&desk(directory, &name)), Err(Errno::ECONNREFUSED)) {
            remove(directory, &name);
        }
    }
}

/// Removes what a host of this name left.
pub fn remove(directory: &Path, name: &str) {
    let (ask, desk) = (ask(directory, name), desk(directory, name));
    let sockets = [unheard(&ask), unheard(&desk), ask, desk, domains(directory, name)];
    for path in sockets.into_iter().chain([secret(directory, name)]) {
        // What is not there need not be removed, and what cannot be removed is refused when it is made anew.
        let _ = std::fs::remove_file(path);
    }
    say_no_memory(directory, name);
}

/// Removes what this host left.
pub fn leave(directory: &Path, name: &str, uid: u32) {
    remove(directory, name);
    unlink(name, uid);
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use super::*;

    fn uid() -> u32 {
        nix::unistd::geteuid().as_raw()
    }

    #[test]
    fn only_a_directory_of_ours_alone_is_used() {
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        let made = prepare(&[at("made")], uid()).unwrap();
        assert_eq!(made.metadata().unwrap().mode() & 0o777, 0o700);
        symlink(&made, at("link")).unwrap();
        std::fs::write(at("file"), "").unwrap();
        std::fs::create_dir(at("open")).unwrap();
        std::fs::set_permissions(at("open"), PermissionsExt::from_mode(0o755)).unwrap();
        for name in ["link", "file", "open", "absent/below"] {
            assert!(prepare(&[at(name)], uid()).is_err(), "{name}");
        }
        assert!(check(&made, uid() + 1).is_err());
        assert_eq!(prepare(&[at("link"), at("made")], uid()).unwrap(), made);
    }

    #[test]
    fn a_secret_is_read_as_it_was_written_and_from_nowhere_else() {
        let base = tempfile::tempdir().unwrap();
        let directory = base.path();
        let written = write_secret(directory, "a").unwrap();
        assert_eq!((written.len(), &read_secret(directory, "a", uid()).unwrap()), (64, &written));
        assert_ne!(write_secret(directory, "a").unwrap(), written);
        symlink(secret(directory, "a"), secret(directory, "b")).unwrap();
        assert!(read_secret(directory, "b", uid()).is_err());
        std::fs::set_permissions(secret(directory, "a"), PermissionsExt::from_mode(0o644)).unwrap();
        assert!(read_secret(directory, "a", uid()).is_err());
        std::fs::write(secret(directory, "c"), "").unwrap();
        assert!(read_secret(directory, "c", uid()).is_err());
    }

    #[test]
    fn what_dead_hosts_left_is_removed() {
        let base = tempfile::tempdir().unwrap();
        let directory = base.path();
        for name in ["dead", "alive"] {
            write_secret(directory, name).unwrap();
            let listener = UnixListener::bind(desk(directory, name)).unwrap();
            if name == "alive" {
                std::mem::forget(listener);
            }
        }
        clean(directory);
        assert_eq!(hosts(directory), ["alive"]);
        assert!(!secret(directory, "dead").exists() && secret(directory, "alive").exists());
    }

    #[test]
    fn nobody_waits_for_a_host_that_takes_no_more_connections() {
        let base = tempfile::tempdir().unwrap();
        let directory = base.path();
        let path = desk(directory, "full");
        assert!(!is_heard(&path));
        let _listener = UnixListener::bind(&path).unwrap();
        let mut held = Vec::new();
        while let Ok(stream) = try_connect(&path) {
            held.push(stream);
        }
        assert!(is_heard(&path));
        clean(directory);
        assert_eq!(hosts(directory), ["full"]);
    }

    #[test]
    fn a_host_that_listens_elsewhere_is_found_by_its_link_while_it_is_there() {
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        let usual = [at("none/below"), at("usual")];
        let named = prepare(&[at("named")], uid()).unwrap();
        assert_eq!(linked_in(&usual, uid()), Vec::<PathBuf>::new());
        let listener = UnixListener::bind(ask(&named, SERVICE)).unwrap();
        link_in(&usual, &named, SERVICE, uid()).unwrap();
        assert_eq!(linked_in(&usual, uid()), std::slice::from_ref(&named));
        // Whoever may write there could say anything.
        assert_eq!(linked_in(&usual, uid() + 1), Vec::<PathBuf>::new());
        let other = prepare(&[at("other")], uid()).unwrap();
        link_in(&usual, &other, "7", uid()).unwrap();
        assert_eq!(linked_in(&usual, uid()), [named.clone(), other.clone()]);
        drop(listener);
        std::fs::remove_file(ask(&named, SERVICE)).unwrap();
        link_in(&usual, &other, "7", uid()).unwrap();
        assert_eq!(linked_in(&usual, uid()), [other]);
        // One of the usual ones is found without.
        link_in(&usual, &at("usual"), "8", uid()).unwrap();
        assert!(!at("usual/elsewhere").join(link_name("8")).exists());
    }

    #[test]
    fn the_runtime_directory_comes_first() {
        let places = directories(Some(Path::new("/x")), 4_000_000_000);
        let all = ["/x/guarded-sh", "/tmp/guarded-sh-4000000000"].map(PathBuf::from);
        assert_eq!(places, all);
        assert_eq!(directories(Some(Path::new("x")), 4_000_000_000), all[1..]);
    }
}
