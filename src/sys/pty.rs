//! Pseudo-terminals: allocated, sized, and made the controlling terminal of a session.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use nix::fcntl::OFlag;
use nix::libc;
use nix::pty::{grantpt, posix_openpt, unlockpt};

/// Returns the number of the terminal that a descriptor leads to, as `stat` numbers devices. Of `/dev/tty` it is that of the terminal for
/// which the name stands, and not its own (ioctl_tty(2), TIOCGDEV).
pub fn device(terminal: impl AsFd) -> io::Result<u64> {
    let mut device: libc::c_uint = 0;
    // SAFETY: the descriptor is open for the whole call, and the pointer leads to the number that it fills.
    let done = unsafe {
        libc::ioctl(terminal.as_fd().as_raw_fd(), libc::TIOCGDEV as libc::Ioctl, &raw mut device)
    };
    if done == -1 { Err(io::Error::last_os_error()) } else { Ok(device.into()) }
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// In characters.
    pub rows: u16,
    /// In characters.
    pub columns: u16,
    /// In pixels, or 0.
    pub width: u16,
    /// In pixels, or 0.
    pub height: u16,
}

/// Both ends of a pseudo-terminal, closed on exec.
#[derive(Debug)]
pub struct Pty {
    /// Where we read what programs write, and write what they read. Does not block.
    pub leader: File,
    /// The terminal that programs see.
    pub follower: File,
}

impl Pty {
    /// Allocates one.
    ///
    /// By the C library's calls: a crate for it (portable-pty) would bring its own way to start programs, which is not ours,
    /// and nothing that these do not do.
    pub fn open() -> io::Result<Self> {
        let flags = OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC;
        let leader = posix_openpt(flags | OFlag::O_NONBLOCK)?;
        grantpt(&leader)?;
        unlockpt(&leader)?;
        let leader = OwnedFd::from(leader);
        // SAFETY: the descriptor is open for the whole call. By number, so that no other mount of devpts answers to a name.
        let follower = unsafe {
            libc::ioctl(
                leader.as_raw_fd(),
                libc::TIOCGPTPEER,
                (OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).bits(),
            )
        };
        if follower == -1 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call succeeded, so this is a new descriptor that nobody else owns.
        let follower = unsafe { OwnedFd::from_raw_fd(follower) };
        Ok(Self { leader: leader.into(), follower: follower.into() })
    }
}

/// Returns the size of a terminal.
pub fn size(terminal: impl AsFd) -> io::Result<Size> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the descriptor is open for the whole call, and the pointer leads to a winsize.
    let done =
        unsafe { libc::ioctl(terminal.as_fd().as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) };
    if done == -1 {
        return Err(io::Error::last_os_error());
    }
    let libc::winsize { ws_row, ws_col, ws_xpixel, ws_ypixel } = size;
    Ok(Size { rows: ws_row, columns: ws_col, width: ws_xpixel, height: ws_ypixel })
}

/// Sets the size of a terminal; programs in its foreground get SIGWINCH if it is another one than before.
pub fn resize(terminal: impl AsFd, size: Size) -> io::Result<()> {
    let Size { rows, columns, width, height } = size;
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: width, ws_ypixel: height };
    // SAFETY: the descriptor is open for the whole call, and the pointer leads to an initialised winsize.
    let done =
        unsafe { libc::ioctl(terminal.as_fd().as_raw_fd(), libc::TIOCSWINSZ, &raw const size) };
    if done == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes a terminal the controlling one of the session that we lead. Safe between fork and exec.
pub fn control(terminal: impl AsFd) -> io::Result<()> {
    // SAFETY: the descriptor is open for the whole call; 0 asks not to steal the terminal from another session.
    let done = unsafe { libc::ioctl(terminal.as_fd().as_raw_fd(), libc::TIOCSCTTY, 0) };
    if done == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
