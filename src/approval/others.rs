//! Other programs that write to the terminal at which a person is asked: that they did, and when all is to be drawn again therefore.
//! Draws nothing, and takes no keys: until a question was drawn again and seen for a moment, whoever shows it takes none for an answer.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt as _;
use std::time::{Duration, Instant};

use nix::sys::termios::tcgetsid;

use crate::sys::writes::Writes;

/// What is said where others wrote to the terminal.
pub const DISTURBED: &str = "another program wrote over this: it was drawn again, so read it anew";

/// The same, while keys do not count yet.
pub const DISTURBING: &str = "another program wrote over this; one moment: keys do not count yet";

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

/// Notices what others write to a terminal.
#[derive(Debug)]
pub struct Others {
    /// What is written to the terminal; none where that cannot be noticed.
    writes: Option<Writes>,
    /// Whether what we write ourselves is among it.
    sees_own: bool,
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
        let writes = named.as_ref().and_then(|file| Writes::notice(file).ok());
        let sees_own = named.is_some_and(|file| is_same(&file, terminal));
        let repair_at = writes.is_none().then(|| now + REDRAW);
        Self { writes, sees_own, repair_at, drawn: now }
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
        !self.sees_own && self.wrote(Instant::now())
    }

    /// Forgets what we wrote ourselves just now.
    pub fn forget_own(&mut self) {
        if let Some(writes) = self.writes.as_mut().filter(|_| self.sees_own) {
            writes.were_seen();
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
/// would be seen; so one of the standard streams is taken in its place, if it is the same terminal.
fn named(terminal: &File) -> Option<File> {
    let streams = [io::stdin().as_fd(), io::stdout().as_fd(), io::stderr().as_fd()]
        .map(|stream| stream.try_clone_to_owned().ok().map(File::from));
    let files = std::iter::once(terminal.try_clone().ok()).chain(streams).flatten();
    let session = tcgetsid(terminal).ok();
    let is_it = |file: &File| {
        let is_device = file.metadata().is_ok_and(|found| found.rdev() != OWN_TERMINAL);
        is_device
            && (is_same(file, terminal) || session.is_some() && tcgetsid(file).ok() == session)
    };
    files.into_iter().find(is_it)
}

fn is_same(one: &File, other: &File) -> bool {
    let id = |file: &File| file.metadata().ok().map(|found| (found.dev(), found.ino()));
    id(one).is_some() && id(one) == id(other)
}
