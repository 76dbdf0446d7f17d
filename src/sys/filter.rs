//! A filter of system calls, put on this process and all that it starts, for good.
//! Knows no call: what is refused is for the caller to say.

use std::io;

use nix::libc;

/// Puts a program of the kernel's filter machine on. The process may gain no privileges any more, or has them all.
pub fn put_on(program: &[libc::sock_filter]) -> io::Result<()> {
    let Ok(len) = libc::c_ushort::try_from(program.len()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let program = libc::sock_fprog { len, filter: program.as_ptr().cast_mut() };
    let mode = libc::c_ulong::from(libc::SECCOMP_MODE_FILTER);
    // SAFETY: the kernel reads `len` instructions from the slice, which is borrowed for the whole call, and writes to none.
    let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
