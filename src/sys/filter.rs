//! A filter of system calls, put on this process and all that it starts, for good; and one that has another process told of calls.
//! Knows no call: what is refused or told is for the caller to say.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use nix::errno::Errno;
use nix::libc::{self, sock_filter};

/// Puts a program of the kernel's filter machine on. The process may gain no privileges any more, or has them all.
pub fn put_on(program: &[sock_filter]) -> io::Result<()> {
    let program = kernels(program)?;
    let mode = libc::c_ulong::from(libc::SECCOMP_MODE_FILTER);
    // SAFETY: the kernel reads `len` instructions from the slice, which is borrowed for the whole call, and writes to none.
    let done = unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns whether an error of either says that there are no filters here: the kernel was built without (`EINVAL`), or what holds this process denies
/// the call (`EPERM`), or says that it is missing (`ENOSYS`).
#[must_use]
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EINVAL | libc::EPERM | libc::ENOSYS))
}

/// Puts a program on as [`put_on`] does; who holds what is returned is told of the calls for which it answers `SECCOMP_RET_USER_NOTIF`, and they
/// wait until they may go on. Where nobody holds it any more they fail (`ENOSYS`). `EBUSY`: there is one already (seccomp(2)).
pub fn listen(program: &[sock_filter]) -> io::Result<OwnedFd> {
    let program = kernels(program)?;
    // Of a call that was heard of, no signal but one that ends the process makes it be told twice. Before Linux 5.19 some do.
    let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    let patient = flags | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    let put_on = |flags: libc::c_ulong| {
        let mode = libc::SECCOMP_SET_MODE_FILTER;
        // SAFETY: as above.
        let made = unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program) };
        Errno::result(made)
    };
    let made = put_on(patient).or_else(|errno| match errno {
        Errno::EINVAL => put_on(flags),
        errno => Err(errno),
    })?;
    let made = libc::c_int::try_from(made).map_err(io::Error::other)?;
    // SAFETY: it was made by this call, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(made) })
}

fn kernels(program: &[sock_filter]) -> io::Result<libc::sock_fprog> {
    let Ok(len) = libc::c_ushort::try_from(program.len()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    Ok(libc::sock_fprog { len, filter: program.as_ptr().cast_mut() })
}

/// A call that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The thread that makes it.
    pub thread: u32,
    /// Its number, in the interface of the kernel by which it is made (`AUDIT_ARCH_…`).
    pub number: u32,
    /// That interface.
    pub arch: u32,
    /// Its first word.
    pub word: u64,
    id: u64,
}

/// The calls that wait, with one who hears of them.
#[derive(Debug)]
pub struct Calls(OwnedFd);

impl From<OwnedFd> for Calls {
    fn from(listener: OwnedFd) -> Self {
        Self(listener)
    }
}

impl AsFd for Calls {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Calls {
    /// Returns the next call that waits; none if the one that did was given up meanwhile.
    pub fn next(&self) -> io::Result<Option<Call>> {
        // SAFETY: it is made of numbers. The kernel wants it to be empty.
        let mut told: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel writes one such structure, which lives through the call.
        let done = unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut told)
        };
        match Errno::result(done) {
            Ok(_) => Ok(Some(Call {
                thread: told.pid,
                number: told.data.nr.cast_unsigned(),
                arch: told.data.arch,
                word: told.data.args[0],
                id: told.id,
            })),
            Err(Errno::ENOENT | Errno::EINTR) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Lets a call go on as if nobody had heard of it. One that was given up is none any more.
    pub fn go_on(&self, call: Call) -> io::Result<()> {
        let mut answer = libc::seccomp_notif_resp {
            id: call.id,
            val: 0,
            error: 0,
            flags: u32::try_from(libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE).unwrap_or_default(),
        };
        // SAFETY: the kernel reads one such structure, which lives through the call.
        let done = unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut answer)
        };
        match Errno::result(done) {
            Ok(_) | Err(Errno::ENOENT) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// Where `struct seccomp_data` has the number of a call.
pub const NUMBER: u32 = 0;
/// Where it has the interface of the kernel by which the call is made (`AUDIT_ARCH_…`).
pub const ARCH: u32 = 4;

/// Where it has the low half of a word of the call.
#[must_use]
pub const fn low(argument: u32) -> u32 {
    16 + 8 * argument
}

/// Where it has the high half.
#[must_use]
pub const fn high(argument: u32) -> u32 {
    low(argument) + 4
}

/// One instruction. Jumps say how many are skipped, if so and if not.
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "codes have eight bits")]
pub const fn code(code: u32, so: u8, not: u8, value: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: so, jf: not, k: value }
}

/// Takes what stands at a place of `struct seccomp_data`.
#[must_use]
pub const fn load(place: u32) -> sock_filter {
    code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, place)
}

/// Skips so many if what was taken is this, and so many if not.
#[must_use]
pub const fn if_equal(value: u32, so: u8, not: u8) -> sock_filter {
    code(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, so, not, value)
}

/// Likewise, if it is at least this.
#[must_use]
pub const fn if_at_least(value: u32, so: u8, not: u8) -> sock_filter {
    code(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, so, not, value)
}

/// Skips what follows unless the value is this one. Parts are short: all of an interface is below 64 instructions.
#[must_use]
pub fn unless(value: u32, skipped: usize) -> sock_filter {
    if_equal(value, 0, u8::try_from(skipped).unwrap_or(u8::MAX))
}

/// Ends with an answer: `SECCOMP_RET_…`.
#[must_use]
pub const fn answer(answer: u32) -> sock_filter {
    code(libc::BPF_RET | libc::BPF_K, 0, 0, answer)
}

/// Refuses the call with an error.
#[must_use]
pub const fn refuse(errno: i32) -> sock_filter {
    answer(libc::SECCOMP_RET_ERRNO | errno.cast_unsigned())
}

/// Lets the call be made.
#[must_use]
pub const fn allow() -> sock_filter {
    answer(libc::SECCOMP_RET_ALLOW)
}
