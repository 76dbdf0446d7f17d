//! The witness of a line: a process apart that the kernel tells of each program which starts below it (seccomp(2), `SECCOMP_RET_USER_NOTIF`). It
//! lets each go on, and writes down what it saw: what the plan said and what it did not say, how each ended, and which files of the workspace were
//! made or changed. Holds nothing: what a thread was asked to run can be changed by another before it does, as the kernel's documentation says.
//!
//! It tells of no call what it is about to be: who asks to read that must be the parent of the line where Yama is. What a process runs is seen when
//! that is over: when it starts another program, when it ends, or a moment later. So a program that a signal ends within that moment is not seen.

mod changed;
mod watch;

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use nix::errno::Errno;
use nix::libc::{self, sock_filter};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, socketpair};
use nix::sys::wait::waitpid;

use crate::sys::filter::{self, ARCH, NUMBER, allow, answer, if_equal, load, unless};
use crate::sys::process::{self, Forked};
use crate::sys::{self, descriptor};

/// What a witness is told.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The files of the programs that the plan names, links followed.
    pub foreseen: Vec<PathBuf>,
    /// Those of what it names to be read: scripts, which are run, and files of tasks.
    pub scripts: Vec<PathBuf>,
    /// The workspace, of which it is said what was made and changed.
    pub workspace: Option<PathBuf>,
    /// The directory in which it writes.
    pub directory: PathBuf,
}

/// A witness that waits for its line.
pub struct Witness {
    way: OwnedFd,
    /// The file in which it writes.
    told: PathBuf,
}

/// How long a witness may take to begin.
const PATIENCE: Duration = Duration::from_secs(10);

impl Witness {
    /// Makes the witness, before anything holds this process: it is held by nothing that holds the line. It ends with the last of what the line
    /// starts, or where no line comes. This process must have no other thread.
    pub fn begin(watched: &Watched) -> io::Result<Self> {
        let told = watched.directory.join(sys::random::digits::<8>()? + ".jsonl");
        let flags = SockFlag::SOCK_CLOEXEC;
        let (own, theirs) = socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags)?;
        let start = Start { line: std::process::id(), at: Instant::now(), when: SystemTime::now() };
        match process::fork()? {
            Forked::Parent(first) => {
                // It ends at once, so what becomes the shell has no child of ours. Where its caller ignores children, there is nothing to wait for.
                match waitpid(first, None) {
                    Ok(_) | Err(Errno::ECHILD) => Ok(Self { way: own, told }),
                    Err(errno) => Err(errno.into()),
                }
            }
            Forked::Child => {
                let is_apart = nix::unistd::setsid().is_ok();
                if is_apart && matches!(process::fork(), Ok(Forked::Child)) {
                    drop(own);
                    // Nobody hears of what goes wrong: there is less in the file then.
                    let _ = watch::watch(theirs, start, watched, &told);
                }
                process::end(0)
            }
        }
    }

    /// Returns the file in which it will write.
    #[must_use]
    pub const fn told(&self) -> &PathBuf {
        &self.told
    }

    /// Has the kernel tell it of what this process and all that it starts run, from now on. To be called when the process holds itself. Returns false
    /// where that cannot be: the line that started this one has a witness already, or what holds this process does not let it.
    pub fn put_on(self) -> io::Result<bool> {
        let listener = match filter::listen(&program()) {
            Ok(listener) => listener,
            Err(error) if is_missing(&error) => return Ok(false),
            Err(error) => return Err(error),
        };
        descriptor::hand(&self.way, &[1], &listener, MsgFlags::empty())?;
        // From here on nobody else has it: a program that this process starts would wait for itself.
        drop(listener);
        descriptor::hear(&self.way, PATIENCE)?;
        Ok(true)
    }
}

/// Returns whether there can be one here.
#[must_use]
pub fn can_be() -> bool {
    !INTERFACES.is_empty()
        && process::can(|| {
            nix::sys::prctl::set_no_new_privs().is_ok() && filter::listen(&[allow()]).is_ok()
        })
}

/// The line that is witnessed.
#[derive(Clone, Copy, Debug)]
struct Start {
    line: u32,
    at: Instant,
    when: SystemTime,
}

/// Whether an error says that there can be none: no filter, none for who may gain privileges (`EACCES`), or no second one (`EBUSY`).
fn is_missing(error: &io::Error) -> bool {
    filter::is_missing(error) || matches!(error.raw_os_error(), Some(libc::EACCES | libc::EBUSY))
}

/// The numbers of calls in one of the interfaces that a kernel of this architecture has for programs.
struct Interface {
    /// `AUDIT_ARCH_…`.
    arch: u32,
    execve: u32,
    execveat: u32,
    exit_group: u32,
}

#[cfg(target_arch = "x86_64")]
const INTERFACES: &[Interface] = &[
    Interface { arch: 0xc000_003e, execve: 59, execveat: 322, exit_group: 231 },
    Interface { arch: 0x4000_0003, execve: 11, execveat: 358, exit_group: 252 },
];
#[cfg(target_arch = "aarch64")]
const INTERFACES: &[Interface] = &[
    Interface { arch: 0xc000_00b7, execve: 221, execveat: 281, exit_group: 94 },
    Interface { arch: 0x4000_0028, execve: 11, execveat: 387, exit_group: 248 },
];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const INTERFACES: &[Interface] = &[];

fn program() -> Vec<sock_filter> {
    let mut program = vec![load(ARCH)];
    for Interface { arch, execve, execveat, exit_group } in INTERFACES {
        let part = [
            load(NUMBER),
            if_equal(*execve, 2, 0),
            if_equal(*execveat, 1, 0),
            if_equal(*exit_group, 0, 1),
            answer(libc::SECCOMP_RET_USER_NOTIF),
            allow(),
        ];
        program.push(unless(*arch, part.len()));
        program.extend(part);
    }
    program.push(allow());
    program
}

/// Whether a call starts a program, or ends the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Starts,
    Ends,
}

fn what(call: &filter::Call) -> What {
    let ends =
        |interface: &Interface| interface.arch == call.arch && interface.exit_group == call.number;
    if INTERFACES.iter().any(ends) { What::Ends } else { What::Starts }
}
