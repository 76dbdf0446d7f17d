//! Watching which programs a process and all that it starts run (ptrace(2)): they stop where they start another process, where they run
//! a program and where a signal comes, and nowhere else. Who watches is another process than the one that started them.
//!
//! Knows how a program is put in the place of another; not which.

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
#[path = "trace/aarch64.rs"]
mod machine;
#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
#[path = "trace/elsewhere.rs"]
mod machine;
#[cfg(target_arch = "x86_64")]
#[path = "trace/x86_64.rs"]
mod machine;

use std::ffi::CStr;
use std::io;

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl;
use nix::sys::ptrace::{self, AddressType, Options};
use nix::unistd::Pid;

/// Whether [`run_instead`] can do it on this kind of machine.
pub use machine::CAN_RUN_INSTEAD;
use machine::Registers;

/// What happened to a process that is watched, or to a thread of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It ended.
    Ended,
    /// It has just become another program, of which nothing ran yet.
    Ran,
    /// A signal comes.
    Signalled(i32),
    /// A signal stopped it, until another continues it.
    Stopped,
    /// It started a process or thread, or is a new one.
    Started,
}

/// Lets this process be watched by another, which does not have to be its parent. Safe between fork and exec.
pub fn let_watch(watcher: Pid) -> io::Result<()> {
    prctl::set_dumpable(true)?;
    // Where Yama does not say who may, there is nothing to be told.
    let watcher = libc::c_ulong::try_from(watcher.as_raw()).map_err(io::Error::other)?;
    // SAFETY: the call takes a number, and changes nothing but who may trace this process.
    let done = unsafe { libc::prctl(libc::PR_SET_PTRACER, watcher, 0, 0, 0) };
    match Errno::result(done) {
        Ok(_) | Err(Errno::EINVAL) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Watches a process and all that it will start. They end with who watches them.
pub fn watch(process: Pid) -> io::Result<()> {
    let options = Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_EXITKILL;
    Ok(ptrace::seize(process, options)?)
}

/// Waits for the next event; none once nobody is left who is watched.
pub fn next() -> io::Result<Option<(Pid, Event)>> {
    let mut status = 0;
    let process = loop {
        // SAFETY: the pointer leads to an integer that lives through the call.
        let process = unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL) };
        match Errno::result(process) {
            Ok(process) => break process,
            Err(Errno::ECHILD) => return Ok(None),
            Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    };
    let event = if libc::WIFSTOPPED(status) {
        let signal = libc::WSTOPSIG(status);
        match status >> 16 {
            0 => Event::Signalled(signal),
            libc::PTRACE_EVENT_EXEC => Event::Ran,
            // Anything else than a signal that stops says where a process begins or goes on.
            libc::PTRACE_EVENT_STOP if signal != libc::SIGTRAP => Event::Stopped,
            _ => Event::Started,
        }
    } else {
        Event::Ended
    };
    Ok(Some((Pid::from_raw(process), event)))
}

/// Lets a process go on, with the signal that came, or with 0. One that is gone is no error.
pub fn go_on(process: Pid, signal: i32) {
    request(libc::PTRACE_CONT, process, signal);
}

/// Leaves a process stopped by a signal until it is continued.
pub fn leave_stopped(process: Pid) {
    request(libc::PTRACE_LISTEN, process, 0);
}

/// Lets a process go on, and watches neither it nor what it will start any more.
pub fn let_go(process: Pid) {
    request(libc::PTRACE_DETACH, process, 0);
}

fn request(request: libc::c_uint, process: Pid, signal: i32) {
    let none = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: none of the requests reads or writes memory; the last argument is a number.
    unsafe {
        libc::ptrace(request, process.as_raw(), none, libc::c_ulong::from(signal.cast_unsigned()))
    };
}

/// Makes a process that has just become a program become another one instead, with the same environment and the same words, but for the
/// first `before`, in whose place `front` stands. It still has to go on; if it cannot become that program, it comes to
/// [`Event::Signalled`] with SIGTRAP.
///
/// At its first instruction is written: call execve(2), then trap. The kernel has laid the number of words, the words and the environment
/// on the new stack (System V ABI, AMD64 supplement, 3.4.1; the same on all that Linux runs on); what is new goes below them.
pub fn run_instead(process: Pid, program: &CStr, front: &[&CStr], before: usize) -> io::Result<()> {
    let number = |count: usize| u64::try_from(count).map_err(io::Error::other);
    let registers = Registers::of(process)?;
    let (stack, width) = (registers.stack(), registers.width());
    let bytes = usize::try_from(width).map_err(io::Error::other)?;
    let count = peek(process, stack)? & (u64::MAX >> (64 - 8 * width));
    if number(before)? > count {
        return Err(Errno::EINVAL.into());
    }
    let environment = stack + width * (count + 2);
    // The list that is there grows downwards.
    let words = stack + width * (1 + number(before)?) - width * number(front.len())?;
    let mut free = words.min(stack) & !15;
    let mut put = |text: &CStr| -> io::Result<u64> {
        let bytes = text.to_bytes_with_nul();
        free -= number(bytes.len().next_multiple_of(16))?;
        write(process, free, bytes)?;
        Ok(free)
    };
    let path = put(program)?;
    let mut list = Vec::new();
    for word in front {
        // All of these machines have the lowest byte first.
        list.extend_from_slice(&put(word)?.to_le_bytes()[..bytes]);
    }
    write(process, words, &list)?;
    write(process, registers.next(), registers.call())?;
    registers.set(process, [path, words, environment])
}

/// Returns the error with which the call that [`run_instead`] wrote failed, of a process that stands behind it.
#[must_use]
pub fn failure(process: Pid) -> Option<Errno> {
    let returned = Registers::of(process).ok()?.returned();
    i32::try_from(-returned).ok().map(Errno::from_raw)
}

fn peek(process: Pid, at: u64) -> io::Result<u64> {
    Ok(ptrace::read(process, at as AddressType)?.cast_unsigned())
}

/// Writes bytes into the memory of a process, whatever may be written there.
fn write(process: Pid, at: u64, bytes: &[u8]) -> io::Result<()> {
    for (at, chunk) in (at..).step_by(8).zip(bytes.chunks(8)) {
        let mut whole = if chunk.len() < 8 { peek(process, at)?.to_ne_bytes() } else { [0; 8] };
        whole[..chunk.len()].copy_from_slice(chunk);
        ptrace::write(process, at as AddressType, i64::from_ne_bytes(whole))?;
    }
    Ok(())
}
