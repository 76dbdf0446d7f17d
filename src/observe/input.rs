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

/// How long is waited for the end of a program that comes through a pipe, in milliseconds. Whoever keeps the pipe open waits once for as
/// long before the first unit runs.
const PATIENCE: u16 = 200;

/// The program on standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// All of it: it was in a file, or in a pipe whose writer has ended.
    Whole(Vec<u8>),
    /// What came of one that is still being written.
    Begun(Vec<u8>),
    /// It is not read: too long, from a terminal, or from what is no file.
    Unread,
}

/// Reads the program that stands on our standard input, as far as it is there.
#[must_use]
pub fn program() -> Program {
    read_program(sys::entry::standard_input(), PATIENCE).unwrap_or(Program::Unread)
}

fn read_program(input: impl AsFd, patience: u16) -> nix::Result<Program> {
    if of(&input) == StandardInput::Nothing {
        return Ok(Program::Whole(Vec::new()));
    }
    let kind = SFlag::from_bits_truncate(fstat(&input)?.st_mode & SFlag::S_IFMT.bits());
    let is_file = match kind {
        // Who has one end of a socket keeps it, and talks.
        SFlag::S_IFSOCK => return Ok(Program::Begun(Vec::new())),
        SFlag::S_IFREG => true,
        SFlag::S_IFIFO => false,
        _ => return Ok(Program::Unread),
    };
    let end = Instant::now() + Duration::from_millis(patience.into());
    let mut text = Vec::new();
    let mut piece = [0; 1 << 14];
    while text.len() <= LARGEST {
        let left = end.saturating_duration_since(Instant::now());
        let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        let mut waited = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waited, left) {
            Ok(0) => return Ok(Program::Begun(text)),
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
        match nix::unistd::read(&input, &mut piece) {
            Ok(0) => return Ok(Program::Whole(text)),
            Ok(length) => text.extend_from_slice(&piece[..length]),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(if is_file { Program::Unread } else { Program::Begun(text) })
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
    fn a_program_is_read_to_its_end_or_as_far_as_it_came() {
        let read = |input: &dyn AsFd, patience| read_program(input.as_fd(), patience).unwrap();
        let (pipe, end) = nix::unistd::pipe().unwrap();
        assert_eq!(read(&pipe, 0), Program::Begun(Vec::new()));
        nix::unistd::write(&end, b"ls\n").unwrap();
        assert_eq!(read(&pipe, 0), Program::Begun(b"ls\n".to_vec()));
        nix::unistd::write(&end, b"pwd\n").unwrap();
        drop(end);
        assert_eq!(read(&pipe, PATIENCE), Program::Whole(b"pwd\n".to_vec()));
        assert_eq!(read(&pipe, PATIENCE), Program::Whole(Vec::new()));
        let file = File::open("/etc/passwd").unwrap();
        assert_eq!(read(&file, PATIENCE), Program::Whole(std::fs::read("/etc/passwd").unwrap()));
        assert_eq!(read(&File::open("/dev/zero").unwrap(), PATIENCE), Program::Unread);
        let null = dup(File::open("/dev/null").unwrap()).unwrap();
        assert_eq!(read(&null, PATIENCE), Program::Whole(Vec::new()));
        let (one, _other) = std::os::unix::net::UnixStream::pair().unwrap();
        assert_eq!(read(&one, PATIENCE), Program::Begun(Vec::new()));
    }
}
