//! The two processes of a host, as `observe::host` has it: the outer one waits, and can be seen to be ours; the inner one listens, and
//! is to be looked into by nobody.

use std::io::{self, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;

use nix::sys::prctl::set_dumpable;
use nix::unistd::Pid;

use crate::observe;
use crate::sys::process::{self, Forked};

/// Which of the two this process is.
pub(super) enum Part {
    /// The one that was started.
    Outer {
        /// The other one.
        inner: Pid,
        /// What says so to those who look; to be kept until the other one has ended.
        vouch: OwnedFd,
    },
    /// The other one.
    Inner,
}

/// Becomes the two processes of a host. There must be no other thread.
pub(super) fn part() -> io::Result<Part> {
    observe::take_name()?;
    let (mut said, say) = io::pipe()?;
    match process::fork()? {
        Forked::Parent(inner) => {
            drop(said);
            Ok(Part::Outer { inner, vouch: vouch(inner, say)? })
        }
        Forked::Child => {
            drop(say);
            // Whoever of the same user could trace it, or open what it has open, could answer what is asked. And nobody believes it
            // before it is vouched for. Where either fails, the outer one says why.
            let is_part = set_dumpable(false).is_ok() && said.read_exact(&mut [0]).is_ok();
            if is_part { Ok(Part::Inner) } else { process::end(1) }
        }
    }
}

fn vouch(inner: Pid, mut say: PipeWriter) -> io::Result<OwnedFd> {
    let vouch = observe::vouch(u32::try_from(inner.as_raw()).map_err(io::Error::other)?)?;
    say.write_all(b"\n")?;
    Ok(vouch)
}
