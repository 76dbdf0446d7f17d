//! The question at a person's own terminal, below what stands there: the same page as anywhere, with the same keys, drawn from row to row.
//! What only a host remembers, a yes for the session, is not offered.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{FlushArg, tcflush};

use super::others::Others;
use super::page::{Asked, Before, Look, Outcome, Page};
use super::text::cut;
use super::{Behind, Error, Word, visible, words};
use crate::model::Answer;
use crate::sys::terminal::Kept;

/// How often it is asked again, where another program writes to the terminal meanwhile.
const ROUNDS: usize = 5;
/// Columns and rows where the terminal does not say.
const USUAL: (usize, usize) = (80, 24);
/// What is no clear yes.
const NO: Answer = Answer::Deny { message: None };

/// The terminal at which a person was found.
pub struct Terminal {
    terminal: File,
    look: Look,
}

impl Terminal {
    /// Takes the terminal that `observe::person` returned, and how it is drawn on.
    #[must_use]
    pub const fn new(terminal: File, look: Look) -> Self {
        Self { terminal, look }
    }

    /// Asks, and waits for the answer. What is not a clear yes is a no. None: what is said beside it is enough.
    pub fn ask(&self, asked: Asked, behind: &mut dyn Behind) -> Result<Option<Answer>, Error> {
        let (line, language) = (asked.entry.question.line.clone(), asked.language);
        let mut kept = Kept::keep(&self.terminal).map_err(Error::Terminal)?;
        let mut drawn = Drawn::default();
        let answer = kept
            .take_keys()
            .and_then(|()| self.choose(asked, behind, &mut drawn))
            .map_err(Error::Terminal)?;
        let came = answer.as_ref().map_or_else(
            || language.say("question-no-answer-needed"),
            |answer| words::answered(answer, language).into(),
        );
        let text = visible(&format!("guarded-sh: {came}: {line}")).into_owned();
        drawn.end(&self.terminal, &text).map_err(Error::Terminal)?;
        Ok(answer)
    }

    /// Shows the question until there is an answer.
    fn choose(
        &self,
        asked: Asked,
        behind: &mut dyn Behind,
        drawn: &mut Drawn,
    ) -> io::Result<Option<Answer>> {
        let mut terminal = &self.terminal;
        // What was typed before the question was there is no answer to it.
        let is_typed_before = is_typed(terminal, PollTimeout::ZERO, &[])?;
        let before = if is_typed_before { Before::Typing } else { Before::Rest };
        let mut others = Others::notice(terminal, Instant::now());
        let mut page = Page::new(asked, self.look, Instant::now());
        drawn.draw(terminal, &mut page)?;
        tcflush(terminal, FlushArg::TCIFLUSH)?;
        page.begins(before, Instant::now());
        let (mut rounds, language) = (0, page.language());
        loop {
            match behind.take() {
                Some(Word::Enough) => return Ok(None),
                Some(Word::Heard(heard)) => {
                    page.heard(&heard);
                    drawn.draw(terminal, &mut page)?;
                }
                Some(Word::Tried(trying)) => {
                    page.trying(&trying, |trial| behind.tried(trial));
                    drawn.draw(terminal, &mut page)?;
                }
                None => {}
            }
            let (awaited, late) = behind.awaited();
            let deadlines = page.deadline().into_iter().chain(late);
            let left = deadlines.min().map(|end| end.saturating_duration_since(Instant::now()));
            // A millisecond more: it wakes when the time is over.
            let timeout = left.map_or(PollTimeout::NONE, |left| {
                PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
            });
            let outcome = if is_typed(terminal, timeout, &awaited)? {
                let mut bytes = [0; 1024];
                match terminal.read(&mut bytes) {
                    // The terminal is gone.
                    Ok(0) => return Ok(Some(NO)),
                    Ok(count) => page.feed(&bytes[..count], Instant::now()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) if error.raw_os_error() == Some(Errno::EIO as i32) => {
                        return Ok(Some(NO));
                    }
                    Err(error) => return Err(error),
                }
            } else {
                page.tick(Instant::now())
            };
            match outcome {
                Outcome::Nothing | Outcome::Denying => continue,
                Outcome::Redraw => {}
                Outcome::Explain => page.explained(&behind.explain(drawn.columns)),
                Outcome::Try => {
                    if let Some(trying) = behind.attempt() {
                        page.trying(&trying, |trial| behind.tried(trial));
                    }
                }
                Outcome::Leave | Outcome::Answer(NO) => return Ok(Some(NO)),
                Outcome::Answer(_) if others.wrote_beside_us() => {
                    // Nobody knows what was seen when it was given.
                    rounds += 1;
                    if rounds == ROUNDS {
                        return Ok(Some(NO));
                    }
                    page.not_taken("");
                    page.disturbed(Instant::now());
                    *drawn = Drawn::default();
                    others = Others::notice(terminal, Instant::now());
                }
                Outcome::Answer(Answer::Always) => match behind.write() {
                    Ok(()) => return Ok(Some(Answer::Always)),
                    Err(why) => {
                        page.not_taken(language.tell("question-no-rule", &[("why", why.into())]));
                    }
                },
                Outcome::Answer(answer) => return Ok(Some(answer)),
            }
            drawn.draw(terminal, &mut page)?;
        }
    }
}

/// What of a page stands on the terminal: the cursor is in the last row of it.
#[derive(Default)]
struct Drawn {
    rows: usize,
    columns: usize,
}

impl Drawn {
    /// Draws a page over itself; below itself where the terminal has another width by now, since nobody knows where its rows went.
    fn draw(&mut self, mut terminal: &File, page: &mut Page) -> io::Result<()> {
        let (columns, height) = size(terminal);
        let rows = page.rows(columns, height);
        let mut out = if columns == self.columns { self.back() } else { b"\r\n".to_vec() };
        for (at, row) in rows.iter().enumerate() {
            let is_last = at + 1 == rows.len();
            // Before the text: behind one that fills the row the cursor still stands on its last character.
            out.extend_from_slice(if is_last { b"\x1b[m\x1b[J" } else { b"\x1b[m\x1b[K" });
            out.extend_from_slice(row);
            out.extend_from_slice(if is_last { b"\x1b[m" } else { b"\x1b[m\r\n" });
        }
        (self.rows, self.columns) = (rows.len(), columns);
        terminal.write_all(&out)
    }

    /// Puts one row of text in its place.
    fn end(&self, mut terminal: &File, text: &str) -> io::Result<()> {
        let mut out = self.back();
        out.extend_from_slice(b"\x1b[J");
        let columns = size(terminal).0;
        out.extend_from_slice(cut(text, columns).as_bytes());
        out.extend_from_slice(b"\r\n");
        terminal.write_all(&out)
    }

    /// Returns what leads to the beginning of the first row.
    fn back(&self) -> Vec<u8> {
        match self.rows {
            0 | 1 => b"\r".to_vec(),
            rows => format!("\r\x1b[{}A", rows - 1).into_bytes(),
        }
    }
}

fn size(terminal: &File) -> (usize, usize) {
    let told = terminal_size::terminal_size_of(terminal);
    let told = told.map(|(width, height)| (usize::from(width.0), usize::from(height.0)));
    told.filter(|(columns, rows)| *columns > 0 && *rows > 0).unwrap_or(USUAL)
}

/// Waits until something was typed, or the terminal is gone, or something can be read beside it; returns whether it is one of the first.
fn is_typed(terminal: &File, timeout: PollTimeout, beside: &[BorrowedFd<'_>]) -> io::Result<bool> {
    let mut polled = vec![PollFd::new(terminal.as_fd(), PollFlags::POLLIN)];
    polled.extend(beside.iter().map(|fd| PollFd::new(*fd, PollFlags::POLLIN)));
    match poll(&mut polled, timeout) {
        Ok(_) => Ok(polled[0].any().unwrap_or(true)),
        Err(Errno::EINTR) => Ok(false),
        Err(errno) => Err(errno.into()),
    }
}
