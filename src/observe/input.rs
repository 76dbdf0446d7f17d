//! What is on our standard input, which the real shell will get.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::{SFlag, fstat};

use crate::model::StandardInput;
use crate::sys;

/// The device that is `/dev/null` (Linux, admin-guide/devices).
const NULL: u64 = nix::libc::makedev(1, 3);

/// Looks at our standard input.
#[must_use]
pub fn standard_input() -> StandardInput {
    of(sys::entry::standard_input())
}

fn of(descriptor: impl AsFd) -> StandardInput {
    let Ok(found) = fstat(&descriptor) else { return StandardInput::Unknown };
    let is_device = found.st_mode & SFlag::S_IFMT.bits() == SFlag::S_IFCHR.bits();
    if !is_device || found.st_rdev != NULL {
        return StandardInput::Unknown;
    }
    // Where the caller closed it, `sys::entry` holds the place for us alone. What the shell opens first will then be its input.
    match fcntl(&descriptor, FcntlArg::F_GETFD) {
        Ok(flags) if flags & FdFlag::FD_CLOEXEC.bits() == 0 => StandardInput::Nothing,
        _ => StandardInput::Unknown,
    }
}

/// The largest program on standard input that is read.
const LARGEST: usize = 1 << 20;

/// How long is waited for the end of a program that comes through a pipe, in milliseconds.
const PATIENCE: u16 = 2_000;

/// Reads the program that stands on our standard input to its end: a file, or a pipe whose writer ends soon. None where that is not so,
/// as where a person or a program types: what was read of it is lost then.
#[must_use]
pub fn program() -> Option<Vec<u8>> {
    read_whole(sys::entry::standard_input(), PATIENCE)
}

fn read_whole(input: impl AsFd, patience: u16) -> Option<Vec<u8>> {
    if of(&input) == StandardInput::Nothing {
        return Some(Vec::new());
    }
    let kind = fstat(&input).ok()?.st_mode & SFlag::S_IFMT.bits();
    if kind != SFlag::S_IFREG.bits() && kind != SFlag::S_IFIFO.bits() {
        return None;
    }
    let end = Instant::now() + Duration::from_millis(patience.into());
    let mut text = Vec::new();
    let mut piece = [0; 1 << 14];
    while text.len() <= LARGEST {
        let left = end.saturating_duration_since(Instant::now());
        let left = PollTimeout::try_from(left).ok()?;
        let mut waited = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waited, left) {
            Ok(0) => return None,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
        match nix::unistd::read(&input, &mut piece) {
            Ok(0) => return Some(text),
            Ok(length) => text.extend_from_slice(&piece[..length]),
            Err(Errno::EINTR) => {}
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use nix::unistd::dup;

    use super::*;

    #[test]
    fn only_the_null_device_that_the_shell_gets_is_nothing() {
        let null = File::open("/dev/null").unwrap();
        // A duplicate is not closed on exec.
        assert_eq!(of(dup(&null).unwrap()), StandardInput::Nothing);
        assert_eq!(of(&null), StandardInput::Unknown);
        for path in ["/dev/zero", "/", "/etc/passwd"] {
            let other = dup(File::open(path).unwrap()).unwrap();
            assert_eq!(of(other), StandardInput::Unknown, "{path}");
        }
        let (pipe, _end) = nix::unistd::pipe().unwrap();
        assert_eq!(of(pipe), StandardInput::Unknown);
    }

    #[test]
    fn a_program_is_read_to_its_end_or_not_at_all() {
        let (pipe, end) = nix::unistd::pipe().unwrap();
        nix::unistd::write(&end, b"ls\n").unwrap();
        assert_eq!(read_whole(&pipe, 0), None);
        nix::unistd::write(&end, b"pwd\n").unwrap();
        drop(end);
        assert_eq!(read_whole(&pipe, PATIENCE), Some(b"pwd\n".to_vec()));
        assert_eq!(read_whole(&pipe, PATIENCE), Some(Vec::new()));
        let file = File::open("/etc/passwd").unwrap();
        assert_eq!(read_whole(&file, PATIENCE), std::fs::read("/etc/passwd").ok());
        assert_eq!(read_whole(File::open("/dev/zero").unwrap(), PATIENCE), None);
        let null = dup(File::open("/dev/null").unwrap()).unwrap();
        assert_eq!(read_whole(null, PATIENCE), Some(Vec::new()));
    }
}
