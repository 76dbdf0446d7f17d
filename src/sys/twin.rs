//! A process that becomes two: the same program goes on in both.
//! Between the two nothing is shared but what was open.

use std::io;

use nix::libc;

/// Which of the two this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    /// The one that was there before, with the id of the other.
    Outer(i32),
    /// The new one, its child.
    Inner,
}

/// Becomes two. To be called while there is one thread: another would be missing in the new process, with all locks that it held.
pub fn part() -> io::Result<Twin> {
    // SAFETY: there is one thread, as the caller must see to, so the new process is whole and may do what any process may.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Twin::Inner),
        id => Ok(Twin::Outer(id)),
    }
}
