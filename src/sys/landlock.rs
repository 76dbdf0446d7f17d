//! Which version of its interface the kernel's Landlock has: the crate says that only of a domain that was put on.

use std::io;

use nix::libc;

/// From `linux/landlock.h`.
const CREATE_RULESET_VERSION: libc::c_uint = 1;

/// Returns the version; an error where there is none.
pub fn version() -> io::Result<i32> {
    // SAFETY: with this flag nothing is made, and no pointer is followed.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0_usize,
            CREATE_RULESET_VERSION,
        )
    };
    i32::try_from(version).ok().filter(|version| *version > 0).ok_or_else(io::Error::last_os_error)
}
