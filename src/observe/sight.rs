//! Whether another process sees the files that say what the owner wants as we see them. Where it made a mount namespace or a root of its own,
//! the guard that begins there reads what is mounted there. And whether another may answer its system calls in the kernel's place (seccomp(2),
//! `SECCOMP_RET_USER_NOTIF`): then the guard sees what that one likes, and only who is outside can tell.

use std::fs;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::owner::owners_home;
use super::process::Process;
use super::programs::file_at;
use crate::sys::descent;
use crate::sys::users::PASSWD;

/// The owner's directories, below the home in the user database.
const OWNERS: [&str; 3] = [".config/guarded-sh", ".local/state/guarded-sh", ".cache/guarded-sh"];

/// Files of theirs that are compared at most: whoever has more is not seen to the end.
const MOST: usize = 512;

/// Returns whether a process sees the owner's settings and records as we do (mount_namespaces(7)). What may not be looked at is not seen so.
#[must_use]
pub fn sees_as_we(process: u32) -> bool {
    let place = PathBuf::from(format!("/proc/{process}"));
    let namespace = |place: &Path| fs::read_link(place.join("ns/mnt")).ok();
    let root = place.join("root");
    let ours = namespace(Path::new("/proc/self"));
    if ours.is_some() && namespace(&place) == ours && file_at(&root) == file_at(Path::new("/")) {
        return true;
    }
    let home = owners_home(&Environment::read());
    let own = home.iter().flat_map(|home| OWNERS.map(|below| home.join(below)));
    let mut open: Vec<PathBuf> = [PASSWD, "/etc/guarded-sh"].map(PathBuf::from).into();
    open.extend(own);
    let mut seen = 0;
    while let Some(path) = open.pop() {
        let theirs = root.join(path.strip_prefix("/").unwrap_or(&path));
        if seen == MOST || file_at(&path) != file_at(&theirs) {
            return false;
        }
        seen += 1;
        // Records are many, and what is written there is written to the directory that was compared.
        if !path.ends_with("records") {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|one| one.path()));
        }
    }
    true
}

/// What `/proc/ID/fd` calls the descriptor by which system calls are answered.
const LISTENER: &str = "anon_inode:seccomp notify";

/// Returns how many filters of system calls a process has; of one that is gone, none.
#[must_use]
pub fn filters_of(process: u32) -> u32 {
    let count = |name| status(process, name).and_then(|count| count.parse().ok());
    // Before Linux 5.9 nobody counts them; 2 is the mode of who has some.
    let is_filtered = || u32::from(count("Seccomp") == Some(2));
    count("Seccomp_filters").unwrap_or_else(is_filtered)
}

/// Returns whether a process that has a sign holds a descriptor by which system calls of others are answered, or is one of those that this
/// process traces and lets nobody see what it holds. Which descriptors are on the way from one process to another is not seen.
#[must_use]
pub fn is_any_listener() -> bool {
    let own = std::process::id().to_string();
    Process::all().into_iter().filter(|id| descent::is_signed(*id)).any(|id| {
        match fs::read_dir(format!("/proc/{id}/fd")) {
            Ok(entries) => {
                let mut targets =
                    entries.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
                targets.any(|target| target == Path::new(LISTENER))
            }
            Err(_) => status(id, "TracerPid").as_deref() == Some(own.as_str()),
        }
    })
}

/// Returns a field of `/proc/ID/status`.
fn status(process: u32, name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim().to_owned());
    text.lines().find_map(field)
}
