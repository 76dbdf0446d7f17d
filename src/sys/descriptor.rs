//! Descriptors at numbers that others know.

use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd};

use nix::fcntl::{FcntlArg, fcntl};

/// Opens the same once more, by the lowest number from `least` on that is free, to be closed by execve(2) (fcntl(2), `F_DUPFD_CLOEXEC`).
pub fn duplicate_from(file: &impl AsFd, least: i32) -> io::Result<OwnedFd> {
    let made = fcntl(file, FcntlArg::F_DUPFD_CLOEXEC(least))?;
    // SAFETY: it was made by this call, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(made) })
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn the_next_free_number_is_taken() {
        let file = std::fs::File::open("/").unwrap();
        let one = duplicate_from(&file, 90).unwrap();
        let other = duplicate_from(&file, one.as_raw_fd()).unwrap();
        assert!(one.as_raw_fd() >= 90 && other.as_raw_fd() > one.as_raw_fd());
        assert!(duplicate_from(&file, i32::MAX).is_err());
    }
}
