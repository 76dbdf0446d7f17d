//! The plain question at a person's own terminal: two answers, of which the first, no, is what Enter gives.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::time::Instant;

use dialoguer::console::Term;
use dialoguer::theme::SimpleTheme;
use dialoguer::{Error as PromptError, Select};
use nix::sys::termios::{FlushArg, tcflush};

use super::others::Others;
use super::{Ask, Error, words};
use crate::model::{Answer, Question};
use crate::sys::terminal::Kept;

/// How often it is asked again, where another program writes to the terminal meanwhile.
const ROUNDS: usize = 5;

const AGAIN: &str = "another program wrote over this: it is asked again, so read it anew";
const PROMPT: &str = "Run it? Enter denies; the arrow keys choose";
const ANSWERS: [(&str, Answer); 2] = [("deny", NO), ("run it once", Answer::Once)];
const NO: Answer = Answer::Deny { message: None };

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
            let kept = Kept::keep(&self.terminal).map_err(Error::Terminal)?;
            let chosen = choose(&self.terminal, &text);
            drop(kept);
            let answer = match chosen {
                Ok(index) => ANSWERS.get(index).map_or(NO, |(_, answer)| answer.clone()),
                // ^C, and a terminal that is gone.
                Err(error) if is_no_answer(&error) => NO,
                Err(error) => return Err(Error::Terminal(error)),
            };
            // Nobody knows what was seen when a yes was given.
            if answer == NO || !others.wrote_beside_us() {
                return Ok(answer);
            }
            text = format!("{AGAIN}\n{}", words::plain(question, self.home.as_deref()));
        }
        Ok(NO)
    }
}

fn choose(terminal: &File, text: &str) -> io::Result<usize> {
    let term = Term::read_write_pair(terminal.try_clone()?, terminal.try_clone()?);
    for line in text.lines() {
        term.write_line(line)?;
    }
    // What was typed before the question was there is no answer to it.
    tcflush(terminal, FlushArg::TCIFLUSH)?;
    let items = ANSWERS.map(|(text, _)| text);
    let chosen = Select::with_theme(&SimpleTheme)
        .with_prompt(PROMPT)
        .items(items)
        .default(0)
        .report(true)
        .interact_on_opt(&term)
        .map_err(|PromptError::IO(error)| error)?;
    // Escape and `q`: none.
    Ok(chosen.unwrap_or(0))
}

fn is_no_answer(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::UnexpectedEof)
}
