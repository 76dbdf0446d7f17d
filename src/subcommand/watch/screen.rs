//! The person's terminal, taken over for as long as the list is there: what is drawn on it, its size, its bytes, the signals about it.
//! Knows nothing of what is drawn.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Rect, Size};
use ratatui::{Frame, Terminal, TerminalOptions, Viewport};

use crate::approval::others::{HEALED, Others, narrow};
use crate::sys::terminal::Kept;

/// Columns and rows where the terminal does not say.
const USUAL: Size = Size { width: 80, height: 24 };

/// The whole screen scrolls again, in the usual characters.
const RESET: &[u8] = b"\x1b[r\x1b(B\x0f";

/// A terminal that is taken over, and put back when this is dropped.
pub(super) struct Screen {
    terminal: Terminal<Certain>,
    file: File,
    signals: SignalFd,
    others: Others,
    kept: Kept,
}

/// Whether others wrote to the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum Seen {
    /// Nobody did.
    Ours,
    /// Somebody did: nobody knows what was seen meanwhile.
    Others,
}

impl Screen {
    /// Takes over the terminal that `observe::person` returned.
    pub(super) fn take(file: File) -> io::Result<Self> {
        let mut set = SigSet::empty();
        set.add(Signal::SIGWINCH);
        set.add(Signal::SIGCONT);
        set.thread_block()?;
        let signals = SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?;
        let size = size(&file);
        let options = TerminalOptions { viewport: Viewport::Fixed(area(size)) };
        let writer = BufWriter::with_capacity(16 * 1024, file.try_clone()?);
        let backend = Certain { inner: CrosstermBackend::new(writer), size };
        let mut kept = Kept::keep(&file)?;
        kept.take_over()?;
        let terminal = Terminal::with_options(backend, options)?;
        let others = Others::notice(&file, Instant::now());
        Ok(Self { terminal, file, signals, others, kept })
    }

    /// Draws what is different from what stands there; all of it, some time after others wrote.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if self.others.is_due(Instant::now()) {
            let mut healed = [HEALED, RESET].concat();
            narrow(self.terminal.backend().size.height.into(), &mut healed);
            self.file.write_all(&healed)?;
            self.take_anew(true)?;
        }
        self.terminal.draw(draw)?;
        self.others.forget_own();
        Ok(())
    }

    /// Looks whether others wrote to the terminal. To be called before keys are taken.
    pub(super) fn seen(&mut self) -> Seen {
        if self.others.wrote(Instant::now()) { Seen::Others } else { Seen::Ours }
    }

    /// Returns when it is to be drawn at the latest.
    pub(super) const fn deadline(&self) -> Option<Instant> {
        self.others.deadline()
    }

    /// Returns what is to be polled: the keyboard, the signals, and the writes of others.
    pub(super) fn fds(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        [self.file.as_fd(), self.signals.as_fd()].into_iter().chain(self.others.fd())
    }

    /// Reads what was typed. None: the terminal is gone.
    pub(super) fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = [0; 4096];
        match self.file.read(&mut bytes) {
            Ok(0) => Ok(None),
            Ok(count) => Ok(Some(bytes[..count].to_vec())),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(Some(Vec::new())),
            // What a terminal says whose other end is closed.
            Err(error) if error.raw_os_error() == Some(nix::libc::EIO) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Looks at what the signals were about: another size, or going on after having been stopped. All is drawn anew then.
    pub(super) fn look(&mut self) -> io::Result<()> {
        let mut continued = false;
        while let Some(signal) = self.signals.read_signal()? {
            continued |= signal.ssi_signo == Signal::SIGCONT as u32;
        }
        self.take_anew(continued)
    }

    /// Has all of it drawn anew, on a terminal that is taken over once more where others may have set it as they like.
    fn take_anew(&mut self, takes_over: bool) -> io::Result<()> {
        if takes_over {
            self.kept.take_over()?;
        }
        let size = size(&self.file);
        self.terminal.backend_mut().size = size;
        self.terminal.resize(area(size))
    }
}

fn size(file: &File) -> Size {
    let told = terminal_size::terminal_size_of(file);
    let told = told.map(|(width, height)| Size { width: width.0, height: height.0 });
    told.filter(|size| size.width > 0 && size.height > 0).unwrap_or(USUAL)
}

const fn area(size: Size) -> Rect {
    Rect { x: 0, y: 0, width: size.width, height: size.height }
}

/// Draws by places that are certain: behind each character that is not one column on every terminal, the place is said anew. And
/// asks the terminal nothing: its replies would come between keys.
struct Certain {
    inner: CrosstermBackend<BufWriter<File>>,
    size: Size,
}

impl Backend for Certain {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut run = Vec::new();
        for (x, y, cell) in content {
            run.push((x, y, cell));
            if !cell.symbol().is_ascii() {
                self.inner.draw(run.drain(..))?;
            }
        }
        if run.is_empty() { Ok(()) } else { self.inner.draw(run.into_iter()) }
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, kind: ClearType) -> io::Result<()> {
        self.inner.clear_region(kind)
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}
