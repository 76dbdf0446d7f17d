//! Calls of Landlock that the crate makes with more calls around them, or not at all: its version, a rule, putting a ruleset on.
//! Knows no right by name.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use nix::libc;

// From `linux/landlock.h`.
const CREATE_RULESET_VERSION: libc::c_uint = 1;
const RULE_PATH_BENEATH: libc::c_uint = 1;

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct PathBeneath {
    allowed_access: u64,
    parent_fd: libc::c_int,
}

/// Grants rights at what a descriptor stands for, and below it.
pub fn grant(ruleset: BorrowedFd<'_>, place: BorrowedFd<'_>, rights: u64) -> io::Result<()> {
    let rule = PathBeneath { allowed_access: rights, parent_fd: place.as_raw_fd() };
    // SAFETY: both descriptors are borrowed for the whole call, and the kernel reads the rule, which lives as long, and writes to nothing.
    let done = unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset.as_raw_fd(),
            RULE_PATH_BENEATH,
            &raw const rule,
            0_u32,
        )
    };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Puts a ruleset on this thread and all that it starts, for good; they gain no privileges any more.
pub fn restrict(ruleset: BorrowedFd<'_>) -> io::Result<()> {
    nix::sys::prctl::set_no_new_privs()?;
    // SAFETY: the descriptor is borrowed for the whole call, which follows no pointer.
    let done =
        unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0_u32) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

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
