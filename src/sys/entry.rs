//! The C entry point, in the place of the one that the standard library would bring.
//!
//! The standard library's entry ignores SIGPIPE and opens `/dev/null` on closed standard streams, before `main` is reached
//! and for every program that is later run by `exec`. Neither can be told apart afterwards from what the caller set. So
//! the process starts here, where nothing is changed that a shell run in our place would see.
//!
//! What follows from it: our own writes to a closed pipe end us by SIGPIPE, as a shell's do; where the caller ignores SIGPIPE
//! they fail, and `print!` would panic, so what writes much uses `write!` and looks at the result.

use std::ffi::{CStr, OsString, c_char, c_int};
use std::io::Write;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStringExt;
use std::panic::PanicHookInfo;
use std::sync::atomic::{AtomicU8, Ordering};

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};

/// The status of a call that was refused, whatever the reason; who is called by another than a shell's caller sets another.
static REFUSED: AtomicU8 = AtomicU8::new(126);

/// Sets the status with which the process ends when our own code fails, also where the system ends it: by the limit of a file's size, or
/// where no memory is given. Callers of hooks let a command run on most. For a process that becomes no other program.
pub fn fail_with(status: u8) {
    REFUSED.store(status, Ordering::Relaxed);
    let ended = SigAction::new(SigHandler::Handler(end), SaFlags::empty(), SigSet::empty());
    let ignored = SigAction::new(SigHandler::SigIgn, SaFlags::empty(), SigSet::empty());
    // SAFETY: `end` calls nothing but what may be called in a handler.
    let abort = unsafe { sigaction(Signal::SIGABRT, &ended) };
    // A write past the limit then fails as any other does, and is told. SAFETY: to ignore a signal runs nothing.
    let limit = unsafe { sigaction(Signal::SIGXFSZ, &ignored) };
    // Both can be handled on every system; where they could not, the process would end as it did before.
    let _ = (abort, limit);
}

/// Ends the process as a refusal where the standard library aborts it, which it does when no memory is given.
extern "C" fn end(_: c_int) {
    const SAID: &[u8] = b"guarded-sh: refused: out of memory, or internal error; nothing was run\n";
    // SAFETY: write(2) may be called in a handler, and the bytes are static.
    unsafe { libc::write(libc::STDERR_FILENO, SAID.as_ptr().cast(), SAID.len()) };
    // SAFETY: `_exit` may be called in a handler, runs nothing else and does not return.
    unsafe { libc::_exit(c_int::from(REFUSED.load(Ordering::Relaxed))) }
}

// Where the C library can be started without what it asks the processor (`sys::start`), a shell's call is: one whose first word
// is an option. Subcommands and scripts are started as usual.
#[cfg(all(quick_start, target_arch = "x86_64"))]
macro_rules! choose {
    () => {
        "cmp qword ptr [rsp], 2\njb _start\nmov rax, [rsp + 16]\ncmp byte ptr [rax], 45\nje guarded_sh_begin\njmp _start"
    };
}
#[cfg(all(statically_linked, not(quick_start), target_arch = "x86_64"))]
macro_rules! choose {
    () => {
        "jmp _start"
    };
}

// Before anything else is touched, the program asks that its file be read and mapped in huge pages: where it must be read
// from the disk anew, the page cache then holds it in pieces of 2 MiB, and a command line costs half the page faults. It
// stands apart from all else (`build/link.rs`), since what is touched before the call is read in small pages. A system
// that does not know the call, or does not want it, does nothing. What the kernel left in rdx is the C library's.
#[cfg(all(statically_linked, target_arch = "x86_64"))]
std::arch::global_asm!(
    ".pushsection .text.start, \"ax\", @progbits",
    ".globl guarded_sh_start",
    "guarded_sh_start:",
    "mov r8, rdx",
    "mov eax, {madvise}",
    "mov edi, offset __executable_start",
    "mov esi, offset etext",
    "sub rsi, rdi",
    "mov edx, {huge}",
    "syscall",
    "mov rdx, r8",
    choose!(),
    ".popsection",
    madvise = const libc::SYS_madvise,
    huge = const libc::MADV_HUGEPAGE,
);

/// Defines the process's entry point. To be used once, at the top of a binary without `main` of its own.
///
/// ```ignore
/// #![no_main]
/// guarded_sh::entry_point!(run); // fn run(argv: Vec<OsString>) -> u8
/// ```
#[macro_export]
macro_rules! entry_point {
    ($start:path) => {
        /// Starts the program.
        ///
        /// # Safety
        /// Only the C library calls it.
        #[allow(unsafe_code, reason = "the name is the C library's; `sys::entry` says why")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn main(
            argc: ::std::ffi::c_int,
            argv: *const *const ::std::ffi::c_char,
        ) -> ::std::ffi::c_int {
            // SAFETY: both come from the C library, unchanged.
            unsafe { $crate::sys::entry::start(argc, argv, $start) }
        }
    };
}

/// Runs `program` with the words of argv and returns its status. For [`entry_point!`](crate::entry_point) alone.
///
/// # Safety
/// `argc` and `argv` must be those that the C library gave to `main`.
#[doc(hidden)]
pub unsafe fn start(
    argc: c_int,
    argv: *const *const c_char,
    program: fn(Vec<OsString>) -> u8,
) -> c_int {
    std::panic::set_hook(Box::new(refuse));
    hold_standard_streams();
    let count = usize::try_from(argc).unwrap_or(0);
    let words = (0..count)
        .map(|index| {
            // SAFETY: the C library passes `argc` pointers to NUL-terminated strings that live as long as the process.
            let word = unsafe { CStr::from_ptr(*argv.add(index)) };
            OsString::from_vec(word.to_bytes().to_vec())
        })
        .collect();
    let status = program(words);
    // The standard library would do this behind its own entry. A reader that is gone has nothing left to be told.
    let _ = std::io::stdout().flush();
    c_int::from(status)
}

/// Returns standard input, without the buffer that the standard library makes for it.
#[must_use]
pub fn standard_input() -> BorrowedFd<'static> {
    // SAFETY: standard streams are open from the start of the process on, and nobody closes them; see `hold_standard_streams`.
    unsafe { BorrowedFd::borrow_raw(libc::STDIN_FILENO) }
}

/// Returns the three standard streams.
#[must_use]
pub fn standard_streams() -> [BorrowedFd<'static>; 3] {
    // SAFETY: as for standard input.
    [0, 1, 2].map(|stream| unsafe { BorrowedFd::borrow_raw(stream) })
}

/// Returns which standard streams the caller left closed: no program is started with one that closes on exec, so those are what we put there.
#[must_use]
pub fn closed_streams() -> [bool; 3] {
    standard_streams().map(|stream| {
        let flags = nix::fcntl::fcntl(stream, nix::fcntl::FcntlArg::F_GETFD);
        flags.is_ok_and(|flags| flags & libc::FD_CLOEXEC != 0)
    })
}

/// Puts `/dev/null` on standard streams that are closed, for this process only: what it opens next must not land there,
/// where a message to stderr would be written into it. Close-on-exec gives the real shell what the caller left closed.
fn hold_standard_streams() {
    for stream in 0..=2 {
        // SAFETY: F_GETFD reads a flag of a number, and fails if nothing is open there.
        if unsafe { libc::fcntl(stream, libc::F_GETFD) } != -1 {
            continue;
        }
        // SAFETY: the path is NUL-terminated. The lowest free number is `stream`, since those below it are open.
        unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    }
}

/// Ends the process as a refusal when our own code fails: whatever was about to run, does not.
fn refuse(panic: &PanicHookInfo<'_>) {
    super::terminal::put_back();
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    // Nothing is left to do if stderr is gone too.
    let _ = writeln!(
        std::io::stderr(),
        "guarded-sh: refused: internal error at {place}\nhint: please report this line"
    );
    // SAFETY: `_exit` takes any number, runs nothing else and does not return.
    unsafe { libc::_exit(c_int::from(REFUSED.load(Ordering::Relaxed))) }
}
