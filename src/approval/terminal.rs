//! The plain question at a person's own terminal: two answers, of which the first, no, is what Enter gives.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{FlushArg, tcflush};

use super::choosing::{Choosing, Chosen, NO};
use super::others::Others;
use super::page::Before;
use super::{Ask, Error, words};
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
}

impl Ask for Terminal {
    fn ask(&mut self, question: &Question) -> Result<Answer, Error> {
        let mut text = words::plain(question, self.home.as_deref());
        for _ in 0..ROUNDS {
            let mut others = Others::notice(&self.terminal, Instant::now());
            let mut kept = Kept::keep(&self.terminal).map_err(Error::Terminal)?;
            let chosen = kept.take_keys().and_then(|()| choose(&self.terminal, &text));
            drop(kept);
            let answer = chosen.map_err(Error::Terminal)?;
            // Nobody knows what was seen when a yes was given.
            if answer == NO || !others.wrote_beside_us() {
                return Ok(answer);
            }
            text = format!("{AGAIN}\n{}", words::plain(question, self.home.as_deref()));
        }
        Ok(NO)
    }
}

fn choose(terminal: &File, text: &str) -> io::Result<Answer> {
    let mut out = terminal;
    // What was typed before the question was there is no answer to it.
    let before = if is_typed(terminal, PollTimeout::ZERO)? { Before::Typing } else { Before::Rest };
    for line in text.lines() {
        writeln!(out, "{line}")?;
    }
    tcflush(terminal, FlushArg::TCIFLUSH)?;
    let mut choosing = Choosing::begin(before, Instant::now());
    draw(out, &choosing)?;
    loop {
        let left = choosing.deadline().map(|end| end.saturating_duration_since(Instant::now()));
        // A millisecond more: it wakes when the time is over.
        let timeout = left.map_or(PollTimeout::NONE, |left| {
            PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
        });
        let chosen = if is_typed(terminal, timeout)? {
            let mut bytes = [0; 1024];
            match out.read(&mut bytes) {
                // The terminal is gone.
                Ok(0) => return Ok(NO),
                Ok(count) => choosing.feed(&bytes[..count], Instant::now()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.raw_os_error() == Some(Errno::EIO as i32) => return Ok(NO),
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
            Chosen::Answer(answer) => return Ok(answer),
        }
    }
}

fn draw(mut out: &File, choosing: &Choosing) -> io::Result<()> {
    out.write_all((choosing.rows().join("\n") + "\n").as_bytes())
}

/// Waits until something was typed, or the terminal is gone; returns whether.
fn is_typed(terminal: &File, timeout: PollTimeout) -> io::Result<bool> {
    let mut polled = [PollFd::new(terminal.as_fd(), PollFlags::POLLIN)];
    match poll(&mut polled, timeout) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::EINTR) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}
