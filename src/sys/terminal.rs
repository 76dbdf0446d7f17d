//! A terminal that is put back as it was: when we are done with it, when we fail, and when a signal ends us meanwhile.

use std::cell::UnsafeCell;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use nix::libc::{self, c_int};

/// Makes the cursor visible again.
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";

/// Enters the alternate screen: no cursor, no wrapping at its end, what is pasted stands between brackets.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h\x1b[m\x1b[2J";
/// Leaves it.
const LEAVE: &[u8] = b"\x1b[m\x1b[?2004l\x1b[?7h\x1b[?1049l";

/// What ends a process that waits at a terminal. A key for SIGINT is an answer and so does not end it.
const ENDING: [c_int; 3] = [libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The terminal's mode, where the signal handler finds it.
struct Mode(UnsafeCell<MaybeUninit<libc::termios>>);

// SAFETY: it is written only by who holds `HELD`, before `DESCRIPTOR` says that it may be read.
unsafe impl Sync for Mode {}

static HELD: AtomicBool = AtomicBool::new(false);
/// Whether the alternate screen was entered.
static ENTERED: AtomicBool = AtomicBool::new(false);
static DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);
static MODE: Mode = Mode(UnsafeCell::new(MaybeUninit::uninit()));

/// A terminal that is put back when this is dropped. While it lives, SIGINT is ignored.
#[must_use = "the terminal is put back when this is dropped"]
pub struct Kept {
    previous: Vec<(c_int, libc::sigaction)>,
    // Keeps the descriptor open for as long as the handler may use it.
    terminal: File,
}

impl Kept {
    /// Notes the terminal's mode. There is one such value at a time.
    pub fn keep(terminal: &File) -> io::Result<Self> {
        let terminal = terminal.try_clone()?;
        if HELD.swap(true, Ordering::AcqRel) {
            return Err(io::Error::other("the terminal is already in use"));
        }
        let mut kept = Self { previous: Vec::new(), terminal };
        let descriptor = kept.terminal.as_raw_fd();
        // SAFETY: we hold `HELD`, and no handler reads while `DESCRIPTOR` is -1; the call fills what the pointer leads to.
        if unsafe { libc::tcgetattr(descriptor, (*MODE.0.get()).as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        DESCRIPTOR.store(descriptor, Ordering::Release);
        kept.set(libc::SIGINT, libc::SIG_IGN)?;
        for signal in ENDING {
            kept.set(signal, put_back_and_end as *const () as libc::sighandler_t)?;
        }
        Ok(kept)
    }

    /// Takes the keyboard byte for byte, and the whole of the terminal, until this is dropped. To be called again after the process was
    /// stopped: whoever had the terminal meanwhile may have set it as they like.
    pub fn take_over(&mut self) -> io::Result<()> {
        self.make_raw(0)?;
        ENTERED.store(true, Ordering::Release);
        io::Write::write_all(&mut self.terminal, ENTER)
    }

    /// Takes the keyboard byte for byte until this is dropped. What is written is treated as before.
    pub fn take_keys(&mut self) -> io::Result<()> {
        self.make_raw(libc::OPOST)
    }

    /// Takes the keyboard byte for byte until this is dropped, and has what is written go out as it is: another terminal has treated it.
    pub fn take_all(&mut self) -> io::Result<()> {
        self.make_raw(0)
    }

    /// Sets the mode for that; these flags of its output stay as they were.
    fn make_raw(&self, output: libc::tcflag_t) -> io::Result<()> {
        let descriptor = self.terminal.as_raw_fd();
        // SAFETY: `keep` filled it, and nobody writes to it while we hold `HELD`.
        let before: libc::termios = unsafe { (*MODE.0.get()).assume_init() };
        let mut raw = before;
        // SAFETY: the pointer leads to a termios.
        unsafe { libc::cfmakeraw(&raw mut raw) };
        raw.c_oflag |= before.c_oflag & output;
        // SAFETY: the descriptor is open, and the pointer leads to a termios that lives through the call.
        if unsafe { libc::tcsetattr(descriptor, libc::TCSANOW, &raw const raw) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Sets what a signal does, unless the caller has us ignore it.
    fn set(&mut self, signal: c_int, handler: libc::sighandler_t) -> io::Result<()> {
        // SAFETY: all zeros is a valid sigaction: default handler, empty mask, no flags.
        let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        action.sa_sigaction = handler;
        let mut previous = MaybeUninit::uninit();
        // SAFETY: both pointers lead to a sigaction that lives through the call.
        if unsafe { libc::sigaction(signal, &raw const action, previous.as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call succeeded, and so filled it.
        let previous: libc::sigaction = unsafe { previous.assume_init() };
        if previous.sa_sigaction == libc::SIG_IGN {
            // SAFETY: as above; there is nothing to get back.
            unsafe { libc::sigaction(signal, &raw const previous, ptr::null_mut()) };
            return Ok(());
        }
        self.previous.push((signal, previous));
        Ok(())
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        put_back();
        DESCRIPTOR.store(-1, Ordering::Release);
        for (signal, previous) in self.previous.drain(..) {
            // SAFETY: it is what `set` got for this signal.
            unsafe { libc::sigaction(signal, &raw const previous, ptr::null_mut()) };
        }
        HELD.store(false, Ordering::Release);
    }
}

/// Puts the terminal back, if one is kept. Only calls that a signal handler may make.
pub(super) fn put_back() {
    let descriptor = DESCRIPTOR.load(Ordering::Acquire);
    if descriptor == -1 {
        return;
    }
    // SAFETY: the descriptor is open and the mode filled, since `DESCRIPTOR` is set only between.
    unsafe { libc::tcsetattr(descriptor, libc::TCSANOW, (*MODE.0.get()).as_ptr()) };
    if ENTERED.swap(false, Ordering::AcqRel) {
        // SAFETY: the pointer and the length are those of one constant.
        unsafe { libc::write(descriptor, LEAVE.as_ptr().cast(), LEAVE.len()) };
    }
    // SAFETY: as above.
    unsafe { libc::write(descriptor, SHOW_CURSOR.as_ptr().cast(), SHOW_CURSOR.len()) };
}

/// Puts the terminal back and lets the signal end us, as it would have.
extern "C" fn put_back_and_end(signal: c_int) {
    put_back();
    // SAFETY: async-signal-safe; the signal is blocked here, and ends us when we return.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    // SAFETY: async-signal-safe.
    unsafe { libc::raise(signal) };
}
