//! `rules undo`: takes back a rule that a person said.

use crate::approval::visible;
use crate::config::{Error, approved};
use crate::subcommand::desk;
use crate::subcommand::failure::Failure;
use crate::subcommand::ground::Ground;
use crate::subcommand::output::{say, short};

/// Status where there is nothing to take back.
const NOTHING: u8 = 1;

pub(super) fn run(id: Option<&str>) -> Result<u8, Failure> {
    let ground = Ground::here();
    // It only makes answers stricter, but the file is a person's, and so is what was said.
    desk::at_terminal(&ground.environment, "take back what a person said")
        .map_err(|no| no.hint("ask the person to run `guarded-sh rules undo`"))?;
    let undone = match approved::undo(&ground.request(), id) {
        Ok(undone) => undone,
        Err(error @ Error::NotSaid { .. }) => {
            say(&visible(&format!("{error}; nothing was changed\n")))?;
            return Ok(NOTHING);
        }
        Err(error) => return Err(error.into()),
    };
    let path = short(&undone.path.to_string_lossy(), ground.home());
    say(&visible(&format!("{}\n{} was taken out of {path}\n", undone.text, undone.id)))?;
    Ok(0)
}
