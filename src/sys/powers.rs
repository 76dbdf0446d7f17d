//! What a process may do beyond its user: capabilities, seen and given up for good. And the loopback of a network of its own, switched on.
//! Does not know what for.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::libc;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

/// From `linux/capability.h`.
const VERSION: u32 = 0x2008_0522;
/// The last capability that any kernel has so far, with room for more.
const LAST: u32 = 63;

#[repr(C)]
struct Header {
    version: u32,
    process: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Half {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// A capability, by its number in `linux/capability.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs, reason = "named as in capabilities(7)")]
pub enum Capability {
    Chown = 0,
    DacOverride = 1,
    Fowner = 3,
    Fsetid = 4,
    Kill = 5,
    Setgid = 6,
    Setuid = 7,
    NetBindService = 10,
    SysAdmin = 21,
}

fn halves() -> io::Result<[Half; 2]> {
    let mut halves = [Half::default(); 2];
    let header = Header { version: VERSION, process: 0 };
    // SAFETY: this version of the interface fills two halves, and both pointers live through the call.
    let done = unsafe { libc::syscall(libc::SYS_capget, &raw const header, halves.as_mut_ptr()) };
    if done == 0 { Ok(halves) } else { Err(io::Error::last_os_error()) }
}

/// Returns whether this process has a capability now.
#[must_use]
pub fn has(capability: Capability) -> bool {
    halves().is_ok_and(|[low, _]| low.effective & (1 << capability as u32) != 0)
}

/// Gives up for good, for this process and all that it starts, every capability but these, which it keeps where it has them.
pub fn keep_only(kept: &[Capability]) -> io::Result<()> {
    let kept: u64 = kept.iter().fold(0, |kept, capability| kept | 1 << *capability as u32);
    for number in (0..=LAST).filter(|number| kept & (1 << number) == 0) {
        // SAFETY: it takes numbers alone.
        let done = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, number, 0, 0, 0) };
        let error = io::Error::last_os_error();
        // The kernel knows no capability of this number, and none above it.
        if done != 0 && error.raw_os_error() == Some(libc::EINVAL) {
            break;
        }
        if done != 0 {
            return Err(error);
        }
    }
    let mut halves = halves()?;
    for (half, kept) in halves.iter_mut().zip([kept, kept >> 32]) {
        let kept = u32::try_from(kept & u64::from(u32::MAX)).unwrap_or_default();
        half.effective &= kept;
        half.permitted &= kept;
        half.inheritable = 0;
    }
    let header = Header { version: VERSION, process: 0 };
    // SAFETY: this version of the interface reads two halves, and both pointers live through the call.
    let done = unsafe { libc::syscall(libc::SYS_capset, &raw const header, halves.as_ptr()) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Switches the loopback interface on, in the network namespace of this process.
pub fn raise_loopback() -> io::Result<()> {
    let socket: OwnedFd =
        socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    // SAFETY: all bytes zero are a valid request without a name.
    let mut request: libc::ifreq = unsafe { MaybeUninit::zeroed().assume_init() };
    for (into, byte) in request.ifr_name.iter_mut().zip(b"lo") {
        *into = libc::c_char::from_ne_bytes([*byte]);
    }
    let flags = libc::IFF_UP | libc::IFF_RUNNING;
    request.ifr_ifru.ifru_flags = i16::try_from(flags).unwrap_or_default();
    // SAFETY: the socket is open, and the request names an interface and lives through the call.
    let done =
        unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns whether a filter of system calls holds this process.
#[must_use]
pub fn is_filtered() -> bool {
    // SAFETY: it only asks.
    (unsafe { libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0) }) == 2
}

/// Returns whether this process and all that it starts gain no privileges any more.
#[must_use]
pub fn gains_none() -> bool {
    // SAFETY: it only asks.
    (unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) }) == 1
}

/// Returns the error that a system call without arguments that matter ends with, if it does.
#[must_use]
pub fn answer_to(call: i64) -> Option<i32> {
    // SAFETY: whatever it is asked, it is given no address.
    let done = unsafe { libc::syscall(call, 0, 0, 0) };
    (done == -1).then(|| io::Error::last_os_error().raw_os_error()).flatten()
}
