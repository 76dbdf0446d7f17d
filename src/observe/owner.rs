//! Whose home is the owner's: the one place that says it, for settings, rules, records, grants and hosts.
//!
//! It is the home that the user database has for the user we run as, whatever `HOME` says. A container may run as a user that is in no user
//! database; then `HOME` says it, as far as whoever started the outermost process has said it: an agent chooses none for its lines.
//! It has to be a directory of that user alone, since who else may write there would write the owner's settings.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::ancestry::{Look, ancestors};
use super::environment::Environment;
use super::person;
use crate::sys::descent::Sign;
use crate::sys::users;

/// Why there is none, where there is none.
pub const NO_HOME: &str = "the user database has none for this user, and the outermost process here was given no HOME that is a directory of this user's alone";

/// Returns the owner's home; none if there is none that counts.
#[must_use]
pub fn owners_home(environment: &Environment) -> Option<PathBuf> {
    let listed = users::home_of(nix::unistd::geteuid().as_raw());
    listed.or_else(|| given_home(environment))
}

/// Returns the home that the processes above were given, from the outermost down to the first agent; below one, nobody else's counts.
fn given_home(environment: &Environment) -> Option<PathBuf> {
    // Who is not seen may be an agent.
    let above = ancestors(Look::All).ok()?;
    for ancestor in above.iter().rev() {
        let is_an_agents = person::above(std::slice::from_ref(ancestor)).is_err();
        // What came through a guarded shell is not the agent: the processes that it came from are gone.
        if ancestor.sign != Some(Sign::Guarded)
            && let Some(home) = home_of(ancestor.id).filter(|home| is_ours_alone(home))
        {
            return Some(home);
        }
        if is_an_agents {
            return None;
        }
    }
    person::free_of_agents(environment, Look::All).ok()?;
    environment.get("HOME").map(PathBuf::from).filter(|home| is_ours_alone(home))
}

/// Returns the home that a process was started with. Another user's is not readable.
fn home_of(process: u32) -> Option<PathBuf> {
    let bytes = std::fs::read(format!("/proc/{process}/environ")).ok()?;
    let home = bytes.split(|&byte| byte == 0).find_map(|entry| entry.strip_prefix(b"HOME="))?;
    Some(PathBuf::from(OsString::from_vec(home.to_vec())))
}

/// Returns whether this is a directory of the user we run as, named from the root, and no other user may write to it.
fn is_ours_alone(home: &Path) -> bool {
    let is_ours = |found: std::fs::Metadata| {
        found.is_dir()
            && found.uid() == nix::unistd::geteuid().as_raw()
            && !users::may_others_write(&found)
    };
    home.is_absolute() && home.metadata().is_ok_and(is_ours)
}
