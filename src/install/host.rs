//! The files by which the user's own host starts by itself: remembered and given back as an agent's settings are. Starts nothing.

use std::path::PathBuf;

use super::Error;
use super::file;
use super::memory::{Kept, Memory};
use super::plan::{Ground, Scope};

/// The name by which they are remembered, which is no agent's.
const NAME: &str = "host";

/// Puts files into their places. What was there is remembered before anything is changed.
pub fn put(ground: &Ground, files: &[(PathBuf, String)]) -> Result<(), Error> {
    let before = Memory::read(&ground.state, NAME, &Scope::User)?.unwrap_or_default();
    let mut memory = Memory::default();
    let mut found = Vec::new();
    for (path, text) in files {
        let there = file::find(path)?;
        let old = before.of(&there.file).filter(|kept| kept.is_as_written(there.text.as_deref()));
        let missing = || file::missing(there.file.parent().unwrap_or(&there.file));
        memory.files.push(Kept {
            file: there.file.clone(),
            before: old.map_or_else(|| there.text.clone(), |kept| kept.before.clone()),
            written: text.clone(),
            made: old.map_or_else(missing, |kept| kept.made.clone()),
        });
        found.push(there);
    }
    memory.write(&ground.state, NAME, &Scope::User)?;
    for (there, (_, text)) in found.iter().zip(files) {
        file::replace(there, Some(text))?;
    }
    Ok(())
}

/// Takes them away again, but for those that somebody else changed. Returns whether there were any.
pub fn take(ground: &Ground) -> Result<bool, Error> {
    let Some(memory) = Memory::read(&ground.state, NAME, &Scope::User)? else { return Ok(false) };
    for kept in &memory.files {
        let there = file::find(&kept.file)?;
        if kept.is_as_written(there.text.as_deref()) {
            file::replace(&there, kept.before.as_deref())?;
        }
        for directory in kept.made.iter().rev() {
            // It goes only if it is empty.
            let _ = std::fs::remove_dir(directory);
        }
    }
    if Memory::forget(&ground.state, NAME, &Scope::User)? {
        ground.names.take();
    }
    Ok(true)
}
