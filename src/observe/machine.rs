//! The machine and the user by their names, as people tell records apart. Names prove nothing: who may do what is never told by them.

use nix::sys::utsname::uname;

use crate::sys::users;

/// Returns the machine's name; none where it has none.
#[must_use]
pub fn machine_name() -> Option<String> {
    let system = uname().ok()?;
    let name = system.nodename().to_string_lossy();
    (!name.is_empty()).then(|| name.into_owned())
}

/// Returns the user's name; the number where the user database has none.
#[must_use]
pub fn user_name() -> String {
    let uid = nix::unistd::geteuid().as_raw();
    users::name_of(uid).unwrap_or_else(|| uid.to_string())
}
