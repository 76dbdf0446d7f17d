//! The plain question at a person's own terminal: two answers, of which the first, no, is what Enter gives.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{FlushArg, tcflush};

use super::choosing::{Choosing, Chosen, NO};
use super::others::Others;
use super::page::Before;
use super::{Beside, Error, Word, visible, words};
use crate::model::{Answer, Question};
use crate::sys::terminal::Kept;

/// How often it is asked again, where another program writes to the terminal meanwhile.
const ROUNDS: usize = 5;

const AGAIN: &str = "another program wrote over this: it is asked again, so read it anew";

/// The terminal at which a person was found.
pub struct Terminal {
    terminal: File,
    home: Option<String>,
}

impl Terminal {
    /// Takes the terminal that `observe::person` returned, and the home that paths are shortened by.
    #[must_use]
    pub const fn new(terminal: File, home: Option<String>) -> Self {
        Self { terminal, home }
    }

    /// Asks, and waits for the answer. What is not a clear yes is a no. None: what is said beside it is enough.
    pub fn ask(
        &mut self,
        question: &Question,
        beside: &mut dyn Beside,
    ) -> Result<Option<Answer>, Error> {
        let asks = words::plain(question, self.home.as_deref());
        let (mut text, mut heard) = (asks.clone(), String::new());
        for _ in 0..ROUNDS {
            let mut others = Others::notice(&self.terminal, Instant::now());
            let mut kept = Kept::keep(&self.terminal).map_err(Error::Terminal)?;
            let chosen = kept
                .take_keys()
                .and_then(|()| choose(&self.terminal, &text, (&mut *beside, &mut heard)));
            drop(kept);
            let Some(answer) = chosen.map_err(Error::Terminal)? else { return Ok(None) };
            // Nobody knows what was seen when a yes was given.
            if answer == NO || !others.wrote_beside_us() {
                return Ok(Some(answer));
            }
            text = format!("{AGAIN}\n{asks}{heard}");
        }
        Ok(Some(NO))
    }
}

/// Shows a text and returns what is chosen; what is said beside it is shown, and kept as a line.
fn choose(
    terminal: &File,
    text: &str,
    (beside, heard): (&mut dyn Beside, &mut String),
) -> io::Result<Option<Answer>> {
    let mut out = terminal;
    // What was typed before the question was there is no answer to it.
    let before =
        if is_typed(terminal, PollTimeout::ZERO, None)? { Before::Typing } else { Before::Rest };
    for line in text.lines() {
        writeln!(out, "{line}")?;
    }
    tcflush(terminal, FlushArg::TCIFLUSH)?;
    let mut choosing = Choosing::begin(before, Instant::now());
    draw(out, &choosing)?;
    loop {
        match beside.take() {
            Some(Word::Enough) => return Ok(None),
            Some(Word::Show(said)) => {
                write!(out, "\x1b[{}A\r\x1b[J", Choosing::ROWS)?;
                *heard = format!("{}\n", visible(&said));
                out.write_all(heard.as_bytes())?;
                draw(out, &choosing)?;
            }
            None => {}
        }
        let awaited = beside.awaited();
        let deadlines = choosing.deadline().into_iter().chain(awaited.map(|(_, late)| late));
        let left = deadlines.min().map(|end| end.saturating_duration_since(Instant::now()));
        // A millisecond more: it wakes when the time is over.
        let timeout = left.map_or(PollTimeout::NONE, |left| {
            PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
        });
        let chosen = if is_typed(terminal, timeout, awaited.map(|(fd, _)| fd))? {
            let mut bytes = [0; 1024];
            match out.read(&mut bytes) {
                // The terminal is gone.
                Ok(0) => return Ok(Some(NO)),
                Ok(count) => choosing.feed(&bytes[..count], Instant::now()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.raw_os_error() == Some(Errno::EIO as i32) => {
                    return Ok(Some(NO));
                }
                Err(error) => return Err(error),
            }
        } else {
            choosing.tick(Instant::now())
        };
        match chosen {
            Chosen::Nothing => {}
            Chosen::Redraw => {
                write!(out, "\x1b[{}A\r\x1b[J", Choosing::ROWS)?;
                draw(out, &choosing)?;
            }
            Chosen::Answer(answer) => return Ok(Some(answer)),
        }
    }
}

fn draw(mut out: &File, choosing: &Choosing) -> io::Result<()> {
    out.write_all((choosing.rows().join("\n") + "\n").as_bytes())
}

/// Waits until something was typed, or the terminal is gone, or something can be read beside it; returns whether it is one of the first.
fn is_typed(
    terminal: &File,
    timeout: PollTimeout,
    beside: Option<BorrowedFd<'_>>,
) -> io::Result<bool> {
    let mut polled = vec![PollFd::new(terminal.as_fd(), PollFlags::POLLIN)];
    polled.extend(beside.map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
    match poll(&mut polled, timeout) {
        Ok(_) => Ok(polled[0].any().unwrap_or(true)),
        Err(Errno::EINTR) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}
