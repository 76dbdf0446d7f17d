//! Starting and ending processes: fork, exec, and dying by a signal. The process must have no other thread.

use std::ffi::{CString, OsStr, OsString, c_char};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid};

/// Which process one is after [`fork`].
#[derive(Clone, Copy, Debug)]
pub enum Forked {
    /// The one that called.
    Parent(Pid),
    /// The new one.
    Child,
}

/// Makes a second process of this one. It has all that this one has, except threads: there must be no others.
pub fn fork() -> io::Result<Forked> {
    // SAFETY: without other threads nothing is half done in the child.
    Ok(match unsafe { nix::unistd::fork() }? {
        ForkResult::Parent { child } => Forked::Parent(child),
        ForkResult::Child => Forked::Child,
    })
}

/// Returns whether something can be done: tried in a second process, which then ends. This one must have no other thread.
pub fn can(tried: impl FnOnce() -> bool) -> bool {
    match fork() {
        Ok(Forked::Child) => end(i32::from(!tried())),
        Ok(Forked::Parent(child)) => waitpid(child, None) == Ok(WaitStatus::Exited(child, 0)),
        Err(_) => false,
    }
}

/// A program with its words and its environment, ready to be run without allocating.
#[derive(Debug)]
pub struct Program {
    path: CString,
    // The pointers lead into these.
    _strings: Vec<CString>,
    words: Vec<*const c_char>,
    environment: Vec<*const c_char>,
}

impl Program {
    /// Prepares a program, which is looked for on our own PATH. None: a NUL byte is in it.
    #[must_use]
    pub fn new(words: &[OsString], environment: &[(OsString, OsString)]) -> Option<Self> {
        let c_string = |bytes: &OsStr| CString::new(bytes.as_bytes()).ok();
        let path = c_string(words.first()?)?;
        let entry = |(name, value): &(OsString, OsString)| {
            let mut entry = name.clone().into_vec();
            entry.push(b'=');
            entry.extend_from_slice(value.as_bytes());
            CString::new(entry).ok()
        };
        let mut strings = words.iter().map(|word| c_string(word)).collect::<Option<Vec<_>>>()?;
        strings.extend(environment.iter().map(entry).collect::<Option<Vec<_>>>()?);
        let pointers = |strings: &[CString]| {
            let pointers = strings.iter().map(|string| string.as_ptr());
            pointers.chain([std::ptr::null()]).collect::<Vec<_>>()
        };
        let (first, rest) = strings.split_at(words.len());
        let (words, environment) = (pointers(first), pointers(rest));
        Some(Self { path, _strings: strings, words, environment })
    }

    /// Becomes the program; returns why not. Safe between fork and exec.
    #[must_use]
    pub fn exec(&self) -> Errno {
        // SAFETY: all pointers lead to NUL-terminated strings that we own, and both lists end with a null pointer.
        unsafe {
            libc::execvpe(self.path.as_ptr(), self.words.as_ptr(), self.environment.as_ptr())
        };
        Errno::last()
    }
}

/// Returns whether we ignore a signal, as our caller had it.
#[must_use]
pub fn is_ignored(signal: Signal) -> bool {
    let mut action = std::mem::MaybeUninit::uninit();
    // SAFETY: without a new action nothing is set; the pointer leads to room for one.
    let done = unsafe { libc::sigaction(signal as i32, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: where the call succeeded it has filled it.
    done == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN
}

/// Sets a signal to what it does to a process that never said anything about it.
pub fn set_default(of: Signal) -> io::Result<()> {
    // SAFETY: the default action is no function of ours.
    unsafe { signal(of, SigHandler::SigDfl) }?;
    Ok(())
}

/// Sets a signal to be ignored.
pub fn ignore(of: Signal) -> io::Result<()> {
    // SAFETY: ignoring is no function of ours.
    unsafe { signal(of, SigHandler::SigIgn) }?;
    Ok(())
}

/// What became of a process below us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It ended by itself, with a status.
    Exited(i32),
    /// A signal ended it.
    Killed(i32),
    /// It was stopped, and may go on.
    Stopped,
    /// It goes on.
    Continued,
}

/// Which processes [`wait`] looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// All that are our children.
    All,
    /// One of them.
    One(Pid),
}

/// Returns the next thing that happened to our children, without waiting for it; none if nothing did. The C library's call, since
/// the one around it knows no signal of real time.
pub fn wait(which: Which) -> io::Result<Option<(Pid, Change)>> {
    let which = match which {
        Which::All => -1,
        Which::One(process) => process.as_raw(),
    };
    let mut status = 0;
    let flags = libc::WNOHANG | libc::WUNTRACED | libc::WCONTINUED;
    // SAFETY: the pointer leads to an integer that lives through the call.
    let process = unsafe { libc::waitpid(which, &raw mut status, flags) };
    let change = match process {
        -1 => return Err(io::Error::last_os_error()),
        0 => return Ok(None),
        _ if libc::WIFEXITED(status) => Change::Exited(libc::WEXITSTATUS(status)),
        _ if libc::WIFSIGNALED(status) => Change::Killed(libc::WTERMSIG(status)),
        _ if libc::WIFSTOPPED(status) => Change::Stopped,
        _ => Change::Continued,
    };
    Ok(Some((Pid::from_raw(process), change)))
}

/// Returns what can be waited for to know that a process has ended (pidfd_open(2)): it can then be read.
pub fn watch(process: u32) -> io::Result<OwnedFd> {
    // SAFETY: the call takes two numbers.
    let made = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    let made = i32::try_from(Errno::result(made)?).map_err(io::Error::other)?;
    // SAFETY: it was made by this call, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(made) })
}

/// Ends this process by a signal, as a program ended that ran in our place, but without dumping core: that would be ours. Returns
/// if the signal does not end processes.
pub fn die_by(signal: i32) {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer leads to limits that live through the call.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
    // SAFETY: the default action is no function of ours.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    let mut only = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: fills what the pointer leads to.
    unsafe { libc::sigemptyset(only.as_mut_ptr()) };
    // SAFETY: the set was made above; a number that is no signal is refused.
    unsafe { libc::sigaddset(only.as_mut_ptr(), signal) };
    // SAFETY: the set was made above, and nothing is wanted back.
    unsafe { libc::sigprocmask(libc::SIG_UNBLOCK, only.as_ptr(), std::ptr::null_mut()) };
    // SAFETY: a number that is no signal is refused.
    unsafe { libc::raise(signal) };
}

/// Ends this process at once, without anything that is done at an exit. Safe between fork and exec.
pub fn end(status: i32) -> ! {
    // SAFETY: takes any number, runs nothing else and does not return.
    unsafe { libc::_exit(status) }
}
