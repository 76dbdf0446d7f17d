//! What is on our standard input, which the real shell will get.

use std::os::fd::AsFd;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
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
}
