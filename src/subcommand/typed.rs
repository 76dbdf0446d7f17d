//! A word that a person types at the terminal to say yes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

use nix::sys::termios::{FlushArg, tcflush};

use super::failure::Failure;
use super::output::say;
use crate::observe::{self, Environment};

/// Bytes of an answer that are read.
const ANSWER: u64 = 64;

/// Whether a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Consent {
    /// Once, at a terminal.
    Asked,
    /// The call is the yes.
    Given,
}

impl From<bool> for Consent {
    /// `--yes`, given or not.
    fn from(yes: bool) -> Self {
        if yes { Self::Given } else { Self::Asked }
    }
}

impl Consent {
    /// Shows what will change, and returns whether the person says yes to it, by a word at the terminal; else says that nothing was
    /// changed. `call` is what asks.
    pub(super) fn is_given(
        self,
        environment: &Environment,
        text: &str,
        word: &str,
        call: &str,
    ) -> Result<bool, Failure> {
        // Before anything is shown: who cannot answer need not read it.
        let terminal = self.terminal(environment, "this is changed", call)?;
        say(text)?;
        let Some(terminal) = terminal else { return Ok(true) };
        let prompt = format!("Type `{word}` to change this, anything else to leave it: ");
        let yes = types(terminal, word, &prompt)?;
        if !yes {
            say("nothing was changed\n")?;
        }
        Ok(yes)
    }

    /// Returns the terminal at which a person is asked; none where nobody is. `done` is what is done after their yes, `call` what does it.
    pub(super) fn terminal(
        self,
        environment: &Environment,
        done: &str,
        call: &str,
    ) -> Result<Option<File>, Failure> {
        match self {
            Self::Given => Ok(None),
            Self::Asked => observe::person(environment).map(Some).map_err(|why| {
                Failure::refused(format!("{done} after a yes at a terminal, and {why}"))
                    .hint(format!("`{call} --yes` asks nothing"))
            }),
        }
    }
}

/// Asks the person at this terminal for a word; what is not that word is a no.
pub(super) fn types(terminal: File, word: &str, prompt: &str) -> Result<bool, Failure> {
    Ok(answer(terminal, prompt)? == word.as_bytes())
}

/// Asks the person at this terminal whether to go on; Enter alone is a yes.
pub(super) fn agrees(terminal: File, prompt: &str) -> Result<bool, Failure> {
    let said = answer(terminal, prompt)?.to_ascii_lowercase();
    Ok(matches!(said.as_slice(), b"" | b"y" | b"yes"))
}

/// Asks the person at this terminal, and returns what they typed.
pub(super) fn answer(mut terminal: File, prompt: &str) -> Result<Vec<u8>, Failure> {
    // What was typed before the question was there is no answer to it.
    tcflush(&terminal, FlushArg::TCIFLUSH).map_err(io::Error::from)?;
    write!(terminal, "\n{prompt}")?;
    terminal.flush()?;
    let mut answer = Vec::new();
    let read = BufReader::new(terminal.take(ANSWER)).read_until(b'\n', &mut answer)?;
    // Where the terminal ends, nobody said anything.
    if read == 0 { Ok(b"no".to_vec()) } else { Ok(answer.trim_ascii().to_vec()) }
}
