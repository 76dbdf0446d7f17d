//! What a domain does not hold and a filter of system calls can: keys typed into a terminal, limits of other processes, attributes of mounts, and
//! ways to TCP that Landlock does not see. Looks at numbers alone, as no filter can follow a pointer.

use nix::libc::{self, sock_filter};

use crate::sys;
use crate::sys::filter::{
    ARCH, NUMBER, allow, code, high, if_at_least, if_equal, load, low, refuse, unless,
};
use crate::sys::process;

/// The numbers of calls in one of the interfaces that a kernel of this architecture has for programs.
struct Interface {
    /// `AUDIT_ARCH_…`.
    arch: u32,
    ioctl: u32,
    prlimit: u32,
    socket: u32,
    /// All calls about sockets in one, whose words no filter sees.
    socketcall: Option<u32>,
    /// From this number on, calls are those of another interface of the same name.
    end: Option<u32>,
}

// These two have the same number everywhere.
const MOUNT_SETATTR: u32 = 442;
const IO_URING_SETUP: u32 = 425;

/// The interface of this program, and that of 32-bit programs. Where none is known, nothing is filtered.
#[cfg(target_arch = "x86_64")]
const INTERFACES: &[Interface] = &[
    Interface {
        arch: 0xc000_003e,
        ioctl: 16,
        prlimit: 302,
        socket: 41,
        socketcall: None,
        end: Some(0x4000_0000),
    },
    Interface {
        arch: 0x4000_0003,
        ioctl: 54,
        prlimit: 340,
        socket: 359,
        socketcall: Some(102),
        end: None,
    },
];
#[cfg(target_arch = "aarch64")]
const INTERFACES: &[Interface] = &[
    Interface {
        arch: 0xc000_00b7,
        ioctl: 29,
        prlimit: 261,
        socket: 198,
        socketcall: None,
        end: None,
    },
    Interface {
        arch: 0x4000_0028,
        ioctl: 54,
        prlimit: 369,
        socket: 281,
        socketcall: None,
        end: None,
    },
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const INTERFACES: &[Interface] = &[];

/// What of a line a filter holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filtered {
    /// It neither connects nor listens by TCP.
    pub(super) tcp: bool,
    /// It changes no limits of other processes, which the kernel enforces by signals; one of them nobody changes.
    pub(super) limits: bool,
}

/// Puts the filter on this process and all that it starts, for good. Where there is none to be had, the domain alone holds the line: the kernel may have
/// been built without (`EINVAL`), and what holds this process may deny the call (`EPERM`) or say that it is missing (`ENOSYS`).
pub(super) fn put_on(filtered: Filtered) -> std::io::Result<()> {
    match sys::filter::put_on(&program(filtered)) {
        Err(error) if sys::filter::is_missing(&error) => Ok(()),
        done => done,
    }
}

/// Returns whether a filter can be put on here: tried in a process that then ends.
#[must_use]
pub fn are_here() -> bool {
    process::can(|| {
        let filter = program(Filtered { tcp: true, limits: true });
        nix::sys::prctl::set_no_new_privs().is_ok() && sys::filter::put_on(&filter).is_ok()
    })
}

fn program(filtered: Filtered) -> Vec<sock_filter> {
    let mut program = vec![load(ARCH)];
    for interface in INTERFACES {
        let part = interface.filter(filtered);
        program.push(unless(interface.arch, part.len()));
        program.extend(part);
    }
    program.push(allow());
    program
}

impl Interface {
    /// Returns the answers to the calls of this interface.
    fn filter(&self, filtered: Filtered) -> Vec<sock_filter> {
        let mut part = vec![load(NUMBER)];
        if let Some(end) = self.end {
            part.extend([if_at_least(end, 0, 1), refuse(libc::ENOSYS)]);
        }
        let mut on = |call: u32, answer: &[sock_filter]| {
            part.push(unless(call, answer.len()));
            part.extend_from_slice(answer);
        };
        on(self.ioctl, &typing());
        on(MOUNT_SETATTR, &[refuse(libc::EPERM)]);
        if filtered.limits {
            on(self.prlimit, &limits());
        } else {
            on(self.prlimit, &marks());
        }
        if filtered.tcp {
            on(self.socket, &sockets());
            // Programs that are told that these are missing do without.
            on(IO_URING_SETUP, &[refuse(libc::ENOSYS)]);
            if let Some(call) = self.socketcall {
                on(call, &[refuse(libc::ENOSYS)]);
            }
        }
        part.push(allow());
        part
    }
}

/// Keys that are put into a terminal as if they were typed there, and what a console is told to paste. The answer is that of kernels that do not
/// let this be done any more. The kernel, too, looks at 32 bits of the request.
fn typing() -> [sock_filter; 5] {
    [
        load(low(1)),
        if_equal(request(libc::TIOCSTI), 1, 0),
        if_equal(request(libc::TIOCLINUX), 0, 1),
        refuse(libc::EIO),
        allow(),
    ]
}

/// New limits for another process than the one that asks.
fn limits() -> Vec<sock_filter> {
    [[load(low(0)), if_equal(0, 5, 0)].as_slice(), &new_limits()].concat()
}

/// The limit that is the sign of a domain to guarded shells below it (`sys::descent`): set for the caller of a line, it would tell later lines that
/// they are held.
fn marks() -> Vec<sock_filter> {
    const RLIMIT_LOCKS: u32 = 10;
    let is_it = [load(low(0)), if_equal(0, 7, 0), load(low(1)), if_equal(RLIMIT_LOCKS, 0, 5)];
    [is_it.as_slice(), &new_limits()].concat()
}

/// Refuses where there are new limits. Its last instruction permits all else, and is jumped to.
fn new_limits() -> [sock_filter; 6] {
    [
        load(low(2)),
        if_equal(0, 0, 2),
        load(high(2)),
        if_equal(0, 1, 0),
        refuse(libc::EPERM),
        allow(),
    ]
}

/// Sockets for streams of the internet, of which Landlock holds `bind` and `connect` of plain TCP alone: not what connects with its first data, has
/// more than one path, or listens without a port. And those of virtual machines and of memory shared by network, which reach hosts too.
fn sockets() -> [sock_filter; 12] {
    const SMC: libc::c_int = 43;
    [
        load(low(0)),
        if_equal(libc::AF_INET.cast_unsigned(), 4, 0),
        if_equal(libc::AF_INET6.cast_unsigned(), 3, 0),
        if_equal(SMC.cast_unsigned(), 6, 0),
        if_equal(libc::AF_VSOCK.cast_unsigned(), 5, 0),
        allow(),
        load(low(1)),
        // What stands above these bits of the type are flags.
        code(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0, 0, 0xf),
        if_equal(libc::SOCK_STREAM.cast_unsigned(), 1, 0),
        if_equal(libc::SOCK_SEQPACKET.cast_unsigned(), 0, 1),
        refuse(libc::EACCES),
        allow(),
    ]
}

/// The request of an `ioctl`, whose type differs between C libraries.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "requests have 32 bits")]
const fn request(request: libc::Ioctl) -> u32 {
    request as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a program as the kernel would. None: it runs past its end.
    fn answer(program: &[sock_filter], data: [u32; 16]) -> Option<u32> {
        let (mut at, mut value) = (0, 0);
        loop {
            let one = program.get(at)?;
            let skipped = |is_so| usize::from(if is_so { one.jt } else { one.jf });
            at += 1;
            match u32::from(one.code) {
                0x20 => value = data[usize::try_from(one.k / 4).unwrap()],
                0x54 => value &= one.k,
                0x15 => at += skipped(value == one.k),
                0x35 => at += skipped(value >= one.k),
                0x06 => return Some(one.k),
                code => panic!("{code:x}"),
            }
        }
    }

    fn asked(interface: &Interface, number: u32, words: [u64; 3]) -> [u32; 16] {
        let mut data = [0; 16];
        (data[0], data[1]) = (number, interface.arch);
        for (index, word) in words.into_iter().enumerate() {
            data[4 + 2 * index] = u32::try_from(word & 0xffff_ffff).unwrap();
            data[5 + 2 * index] = u32::try_from(word >> 32).unwrap();
        }
        data
    }

    #[test]
    fn calls_are_answered_by_their_words_in_every_interface() {
        const ALLOWED: u32 = 0x7fff_0000;
        let refused = |errno: i32| 0x0005_0000 | errno.cast_unsigned();
        for interface in INTERFACES {
            for (tcp, limits) in [(true, true), (true, false), (false, true), (false, false)] {
                let program = program(Filtered { tcp, limits });
                let of = |number, words| {
                    answer(&program, asked(interface, number, words)).expect("it has an end")
                };
                let only = |is_held: bool, errno| if is_held { refused(errno) } else { ALLOWED };
                let typing = u64::from(request(libc::TIOCSTI));
                assert_eq!(of(interface.ioctl, [0, typing, 0]), refused(libc::EIO));
                assert_eq!(of(interface.ioctl, [0, typing | (1 << 32), 0]), refused(libc::EIO));
                let paste = u64::from(request(libc::TIOCLINUX));
                assert_eq!(of(interface.ioctl, [0, paste, 0]), refused(libc::EIO));
                let size = u64::from(request(libc::TIOCGWINSZ));
                assert_eq!(of(interface.ioctl, [0, size, 0]), ALLOWED);
                assert_eq!(of(MOUNT_SETATTR, [0, 0, 0]), refused(libc::EPERM));
                // Its own limits, another's that are only read, and another's that are set.
                assert_eq!(of(interface.prlimit, [0, 0, 9]), ALLOWED);
                assert_eq!(of(interface.prlimit, [7, 0, 0]), ALLOWED);
                assert_eq!(of(interface.prlimit, [7, 0, 9]), only(limits, libc::EPERM));
                assert_eq!(of(interface.prlimit, [7, 0, 9 << 32]), only(limits, libc::EPERM));
                assert_eq!(of(interface.prlimit, [7, 10, 9]), refused(libc::EPERM));
                assert_eq!(of(interface.prlimit, [0, 10, 9]), ALLOWED);
                assert_eq!(of(interface.prlimit, [7, 10, 0]), ALLOWED);
                // Streams with and without flags, datagrams, paths, hosts of virtual machines.
                assert_eq!(of(interface.socket, [2, 1, 0]), only(tcp, libc::EACCES));
                assert_eq!(of(interface.socket, [10, 0x8_0801, 262]), only(tcp, libc::EACCES));
                assert_eq!(of(interface.socket, [2, 2, 0]), ALLOWED);
                assert_eq!(of(interface.socket, [1, 1, 0]), ALLOWED);
                assert_eq!(of(interface.socket, [16, 3, 0]), ALLOWED);
                assert_eq!(of(interface.socket, [40, 1, 0]), only(tcp, libc::EACCES));
                assert_eq!(of(IO_URING_SETUP, [0, 0, 0]), only(tcp, libc::ENOSYS));
                assert_eq!(of(0, [2, 1, 0]), ALLOWED);
                if let Some(end) = interface.end {
                    assert_eq!(of(end + 514, [0, typing, 0]), refused(libc::ENOSYS));
                }
            }
        }
    }
}
