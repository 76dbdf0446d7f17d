//! The two processes of a host, as `observe::host` has it: the outer one waits, and can be seen to be ours; the inner one listens, and
//! is to be looked into by nobody.

use std::fs::File;
use std::io::{self, PipeWriter, Read, Write};

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
        vouch: File,
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
            // Nobody believes it before it is vouched for. Where that fails, the outer one says why.
            match said.read_exact(&mut [0]) {
                Ok(()) => Ok(Part::Inner),
                Err(_) => process::end(1),
            }
        }
    }
}

fn vouch(inner: Pid, mut say: PipeWriter) -> io::Result<File> {
    let vouch = observe::vouch(u32::try_from(inner.as_raw()).map_err(io::Error::other)?)?;
    say.write_all(b"\n")?;
    Ok(vouch)
}
