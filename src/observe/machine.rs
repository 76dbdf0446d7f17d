//! The machine and the user by their names, as people tell records apart; whether the machine is a container. Names prove nothing: who may do what is never told by them.

use std::path::Path;

use nix::sys::utsname::uname;

use crate::sys::users;

/// Returns the machine's name; none where it has none.
#[must_use]
pub fn machine_name() -> Option<String> {
    let system = uname().ok()?;
    let name = system.nodename().to_string_lossy();
    (!name.is_empty()).then(|| name.into_owned())
}

/// Files by which containers can be told that people use: of Docker (and of what builds images like it), of Podman, and of what systemd runs in.
const OF_CONTAINERS: [&str; 3] = ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"];

/// Returns whether this is a container, as far as such files say. It decides nothing but what is convenient.
#[must_use]
pub fn is_in_container() -> bool {
    OF_CONTAINERS.iter().any(|file| Path::new(file).exists())
}

/// Returns the user's name; the number where the user database has none.
#[must_use]
pub fn user_name() -> String {
    let uid = nix::unistd::geteuid().as_raw();
    users::name_of(uid).unwrap_or_else(|| uid.to_string())
}
