//! A word that a person types at the terminal to say yes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

use nix::sys::termios::{FlushArg, tcflush};

use super::failure::Failure;

/// Bytes of an answer that are read.
const ANSWER: u64 = 64;

/// Asks the person at this terminal for a word; what is not that word is a no.
pub(super) fn types(mut terminal: File, word: &str, prompt: &str) -> Result<bool, Failure> {
    // What was typed before the question was there is no answer to it.
    tcflush(&terminal, FlushArg::TCIFLUSH).map_err(io::Error::from)?;
    write!(terminal, "\n{prompt}")?;
    terminal.flush()?;
    let mut answer = Vec::new();
    BufReader::new(terminal.take(ANSWER)).read_until(b'\n', &mut answer)?;
    Ok(answer.trim_ascii() == word.as_bytes())
}
