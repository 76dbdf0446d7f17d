//! A word that a person types at the terminal to say yes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

use nix::sys::termios::{FlushArg, tcflush};

use super::failure::Failure;

/// Bytes of an answer that are read.
const ANSWER: u64 = 64;

/// Asks the person at this terminal for a word; what is not that word is a no.
pub(super) fn types(terminal: File, word: &str, prompt: &str) -> Result<bool, Failure> {
    Ok(answer(terminal, prompt)? == word.as_bytes())
}

/// Asks the person at this terminal whether to go on; Enter alone is a yes.
pub(super) fn agrees(terminal: File, prompt: &str) -> Result<bool, Failure> {
    let said = answer(terminal, prompt)?.to_ascii_lowercase();
    Ok(matches!(said.as_slice(), b"" | b"y" | b"yes"))
}

fn answer(mut terminal: File, prompt: &str) -> Result<Vec<u8>, Failure> {
    // What was typed before the question was there is no answer to it.
    tcflush(&terminal, FlushArg::TCIFLUSH).map_err(io::Error::from)?;
    write!(terminal, "\n{prompt}")?;
    terminal.flush()?;
    let mut answer = Vec::new();
    let read = BufReader::new(terminal.take(ANSWER)).read_until(b'\n', &mut answer)?;
    // Where the terminal ends, nobody said anything.
    if read == 0 { Ok(b"no".to_vec()) } else { Ok(answer.trim_ascii().to_vec()) }
}
