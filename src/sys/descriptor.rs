//! Descriptors at numbers that others know, and descriptors that others are given.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, SealFlag, fcntl};
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::socket::{
    ControlMessage, ControlMessageOwned, MsgFlags, UnixAddr, UnixCredentials, recvmsg, sendmsg,
};
use nix::unistd::{Whence, dup2_stderr, dup2_stdin, dup2_stdout, lseek, write};

/// Opens the same once more, by the lowest number from `least` on that is free, to be closed by execve(2) (fcntl(2), `F_DUPFD_CLOEXEC`).
pub fn duplicate_from(file: &impl AsFd, least: i32) -> io::Result<OwnedFd> {
    let made = fcntl(file, FcntlArg::F_DUPFD_CLOEXEC(least))?;
    // SAFETY: it was made by this call, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(made) })
}

/// The number of the first file that a process is started with for it (sd_listen_fds(3)).
const PASSED: i32 = 3;

/// Takes the file that this process was started with for it, behind the standard streams. To be called once, where something says that there
/// is one, before anything is opened.
pub fn passed() -> io::Result<OwnedFd> {
    // SAFETY: this marks a number, and fails where nothing is open by it.
    Errno::result(unsafe { libc::fcntl(PASSED, libc::F_SETFD, libc::FD_CLOEXEC) })?;
    // SAFETY: it is open, and was given to this process, in which nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(PASSED) })
}

/// Closes all that is open but one file, which it returns; the standard streams lead nowhere then. For a process that has just been made,
/// and goes on with nothing else that was opened before.
pub fn keep_only(file: impl Into<OwnedFd>) -> io::Result<OwnedFd> {
    let none = File::options().read(true).write(true).open("/dev/null")?;
    let file = duplicate_from(&file.into(), 3)?;
    dup2_stdin(&none)?;
    dup2_stdout(&none)?;
    dup2_stderr(&none)?;
    drop(none);
    let kept = file.into_raw_fd();
    for (first, last) in [(3, kept - 1), (kept + 1, i32::MAX)] {
        if first <= last {
            // SAFETY: whoever opened what is closed here does not go on in this process.
            let done = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
            Errno::result(done)?;
        }
    }
    // SAFETY: it was made here, and is still open.
    Ok(unsafe { OwnedFd::from_raw_fd(kept) })
}

/// Has one be closed by execve(2).
pub fn close_on_exec(one: &impl AsFd) -> io::Result<()> {
    fcntl(one, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    Ok(())
}

/// Has all that is open besides the standard streams be closed by execve(2) (close_range(2)).
pub fn close_with_exec() -> io::Result<()> {
    // SAFETY: this marks numbers, and closes nothing yet.
    let done =
        unsafe { libc::syscall(libc::SYS_close_range, 3, i32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    Errno::result(done).map(drop).map_err(io::Error::from)
}

/// Returns a file without a name, which holds these bytes and nobody changes any more, to be read from its start (memfd_create(2)).
pub fn sealed(name: &CStr, content: &[u8]) -> nix::Result<File> {
    let file = memfd_create(name, MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING)?;
    let mut rest = content;
    while !rest.is_empty() {
        rest = &rest[write(&file, rest)?..];
    }
    lseek(&file, 0, Whence::SeekSet)?;
    fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::all()))?;
    Ok(file.into())
}

/// Sends bytes through a socket, and what is open by a descriptor with them (unix(7), `SCM_RIGHTS`). Where nobody is at the other end, it is an error and
/// no signal.
pub fn hand(
    way: &impl AsRawFd,
    bytes: &[u8],
    given: &impl AsRawFd,
    flags: MsgFlags,
) -> nix::Result<()> {
    send(way, None, bytes, given, flags)
}

/// Sends bytes to whoever listens at a path, as [`hand`] does. Waits for nobody.
pub fn post(
    socket: &impl AsRawFd,
    path: &Path,
    bytes: &[u8],
    given: &impl AsRawFd,
) -> nix::Result<()> {
    send(socket, Some(&UnixAddr::new(path)?), bytes, given, MsgFlags::MSG_DONTWAIT)
}

fn send(
    socket: &impl AsRawFd,
    to: Option<&UnixAddr>,
    bytes: &[u8],
    given: &impl AsRawFd,
    flags: MsgFlags,
) -> nix::Result<()> {
    let rights = [given.as_raw_fd()];
    let control = [ControlMessage::ScmRights(&rights)];
    let flags = flags | MsgFlags::MSG_NOSIGNAL;
    sendmsg(socket.as_raw_fd(), &[IoSlice::new(bytes)], &control, flags, to).map(drop)
}

/// One message that came.
#[derive(Debug)]
pub struct Letter {
    /// How many bytes of it there was room for.
    pub length: usize,
    /// What was handed with it.
    pub given: Option<OwnedFd>,
    /// The process and the user that sent it, where the socket was set to say so (unix(7), `SO_PASSCRED`).
    pub sender: Option<(u32, u32)>,
}

/// Files that can be given with one message (unix(7), `SCM_MAX_FD`).
const MOST_GIVEN: usize = 253;

/// Receives one message. Of several files that are given with it the last one counts, and the others are closed.
pub fn letter(way: &impl AsRawFd, bytes: &mut [u8]) -> io::Result<Letter> {
    // With less room than for all, what was given would stay open and unknown.
    let mut space = nix::cmsg_space!(UnixCredentials, [i32; MOST_GIVEN]);
    let mut parts = [IoSliceMut::new(bytes)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = loop {
        match recvmsg::<()>(way.as_raw_fd(), &mut parts, Some(&mut space), flags) {
            Err(Errno::EINTR) => {}
            message => break message?,
        }
    };
    let mut letter = Letter { length: message.bytes, given: None, sender: None };
    for control in message.cmsgs()? {
        match control {
            ControlMessageOwned::ScmRights(numbers) => {
                // SAFETY: the kernel made them for this process with the message, and nobody else in it knows them.
                let taken = numbers.into_iter().map(|it| unsafe { OwnedFd::from_raw_fd(it) });
                for one in taken {
                    letter.given = Some(one);
                }
            }
            ControlMessageOwned::ScmCredentials(sender) => {
                letter.sender = u32::try_from(sender.pid()).ok().map(|id| (id, sender.uid()));
            }
            _ => {}
        }
    }
    Ok(letter)
}

/// Takes what was handed with one message. None: nobody is at the other end any more.
pub fn take(way: &impl AsRawFd) -> io::Result<Option<OwnedFd>> {
    Ok(letter(way, &mut [0])?.given)
}

/// Waits for a word of who is at the other end, but no longer than this.
pub fn hear(way: &impl AsFd, patience: Duration) -> io::Result<()> {
    let mut polled = [PollFd::new(way.as_fd(), PollFlags::POLLIN)];
    let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    loop {
        match poll(&mut polled, timeout) {
            Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
            Err(Errno::EINTR) => continue,
            done => done?,
        };
        return match nix::unistd::read(way, &mut [0])? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixDatagram;

    use super::*;

    #[test]
    fn however_many_files_are_given_one_is_kept() {
        let (ours, theirs) = UnixDatagram::pair().unwrap();
        for count in [0, 1, 2, 3, MOST_GIVEN] {
            let numbers = vec![0; count];
            let rights = [ControlMessage::ScmRights(&numbers)];
            let control = if count == 0 { &[][..] } else { &rights };
            let parts = [IoSlice::new(b"a")];
            sendmsg::<()>(theirs.as_raw_fd(), &parts, control, MsgFlags::empty(), None).unwrap();
            let letter = letter(&ours, &mut [0; 2]).unwrap();
            assert_eq!((letter.length, letter.given.is_some()), (1, count > 0), "{count}");
        }
    }

    #[test]
    fn the_next_free_number_is_taken() {
        let file = std::fs::File::open("/").unwrap();
        let one = duplicate_from(&file, 90).unwrap();
        let other = duplicate_from(&file, one.as_raw_fd()).unwrap();
        assert!(one.as_raw_fd() >= 90 && other.as_raw_fd() > one.as_raw_fd());
        assert!(duplicate_from(&file, i32::MAX).is_err());
    }
}
