//! Other programs that write to the terminal at which a person is asked: that they did, and when all is to be drawn again therefore.
//! Draws nothing, and takes no keys: until a question was drawn again and seen for a moment, whoever shows it takes none for an answer.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::sys::stat::{major, minor};

use crate::sys::pty;
use crate::sys::writes::{Own, Writes};

/// What is said where others wrote to the terminal.
pub const DISTURBED: &str = "question-disturbed";

/// The same, while keys do not count yet.
pub const DISTURBING: &str = "question-disturbing";

/// What others may have told the terminal: a mouse, keys and a width that are not the question's. Margins stay as they are, since places
/// on the screen are not counted from them.
pub const HEALED: &[u8] = b"\x18\x1b\\\x1b[?69l\x1b[?5l\x1b[?6l\x1b[4l\x1b[?7l\x1b[?1l\x1b>\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\
    \x1b[?1004l\x1b[?2004h\x1b[?2031l\x1b[?2048l\x1b[>4;0m\x1b[=0u";

/// How long a question stays as it was drawn where it cannot be noticed that others write to the terminal.
const REDRAW: Duration = Duration::from_secs(1);
/// How soon it is drawn again after they did.
const REPAIR: Duration = Duration::from_millis(50);

/// The device `/dev/tty`: major 5, minor 0.
const OWN_TERMINAL: u64 = 5 << 8;
/// The major number of pseudo-terminals.
const PSEUDO: u64 = 136;

/// Notices what others write to a terminal.
#[derive(Debug)]
pub struct Others {
    /// What is written to the terminal; none where that cannot be noticed.
    writes: Option<Writes>,
    /// When all is to be drawn again; none: when others write.
    repair_at: Option<Instant>,
    /// When it was drawn last.
    drawn: Instant,
}

impl Others {
    /// Notices them from now on, at the terminal that this file is.
    #[must_use]
    pub fn notice(terminal: &File, now: Instant) -> Self {
        let named = named(terminal);
        let writes = named.and_then(|file| {
            let own = if is_same(&file, terminal) { Own::Seen } else { Own::Unseen };
            Writes::notice(file, own).ok()
        });
        let repair_at = writes.is_none().then(|| now + REDRAW);
        Self { writes, repair_at, drawn: now }
    }

    /// Returns whether they wrote since this was called last: then all is drawn again soon.
    pub fn wrote(&mut self, now: Instant) -> bool {
        let wrote = self.writes.as_mut().is_some_and(Writes::were_seen);
        if wrote {
            self.repair_at.get_or_insert(now.max(self.drawn + REPAIR));
        }
        wrote
    }

    /// Returns whether they wrote, as far as that is told from what we write ourselves.
    pub fn wrote_beside_us(&mut self) -> bool {
        self.writes.as_ref().is_some_and(Writes::are_of_others) && self.wrote(Instant::now())
    }

    /// Forgets what we wrote ourselves just now.
    pub fn forget_own(&mut self) {
        if let Some(writes) = &mut self.writes {
            writes.forget_own();
        }
    }

    /// Returns whether all is to be drawn again now. It then counts as drawn.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.repair_at.is_some_and(|at| at <= now);
        if is_due {
            self.drawn = now;
            self.repair_at = self.writes.is_none().then(|| now + REDRAW);
        }
        is_due
    }

    /// Returns when all is to be drawn again, if that is known by now.
    #[must_use]
    pub const fn deadline(&self) -> Option<Instant> {
        self.repair_at
    }

    /// Returns what is to be polled for their writes.
    #[must_use]
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.writes.as_ref().map(AsFd::as_fd)
    }
}

/// Appends that no row is twice as wide as it was (DECDWL).
pub fn narrow(rows: usize, out: &mut Vec<u8>) {
    for row in 1..=rows {
        out.extend_from_slice(format!("\x1b[{row};1H\x1b#5").as_bytes());
    }
}

/// Returns the terminal by a name that is its own. Of `/dev/tty`, which stands for the terminal of whoever opens it, others' writes to theirs
/// would be seen; so one of the standard streams is taken in its place, or what has its number, if it is the same terminal.
fn named(terminal: &File) -> Option<File> {
    let streams = [io::stdin().as_fd(), io::stdout().as_fd(), io::stderr().as_fd()]
        .map(|stream| stream.try_clone_to_owned().ok().map(File::from));
    let files = std::iter::once(terminal.try_clone().ok()).chain(streams).flatten();
    let files = files.chain(by_number(terminal));
    let device = pty::device(terminal).ok()?;
    let is_it = |file: &File| {
        file.metadata().is_ok_and(|found| found.rdev() != OWN_TERMINAL)
            && pty::device(file).is_ok_and(|other| other == device)
    };
    files.into_iter().find(is_it)
}

/// Returns a pseudo-terminal by its number, if this is one: major 136 (the kernel's admin-guide/devices).
fn by_number(terminal: &File) -> Option<File> {
    let device = pty::device(terminal).ok().filter(|device| major(*device) == PSEUDO)?;
    let flags = OFlag::O_NOCTTY | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(flags.bits());
    options.open(format!("/dev/pts/{}", minor(device))).ok()
}

fn is_same(one: &File, other: &File) -> bool {
    let id = |file: &File| file.metadata().ok().map(|found| (found.dev(), found.ino()));
    id(one).is_some() && id(one) == id(other)
}
