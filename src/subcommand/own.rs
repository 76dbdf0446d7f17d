//! The owner's settings, changed by a word: written only where they load afterwards, and told where they do not count.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::ground::Ground;
use super::output::short;
use crate::approval::visible;
use crate::config::{Error, Origin, SETTINGS, Settings};
use crate::install::{self, settings};

/// Status where what is written does not count.
const IGNORED: u8 = 1;

/// What became of a change.
pub(super) struct Put {
    /// The file, as people see it.
    pub(super) path: String,
    /// The settings that are in force now.
    pub(super) settings: Settings,
    /// Whether the file says something else than before.
    pub(super) is_new: bool,
    /// Why what it says does not count, where that is so.
    pub(super) ignored: Option<String>,
}

impl Put {
    /// Returns what is said where nothing is different afterwards, and the exit status.
    pub(super) fn nothing(&self) -> Option<(String, u8)> {
        let path = &self.path;
        match &self.ignored {
            Some(why) => Some((
                format!("{path} says so, and it does not count: {}\n", visible(why)),
                IGNORED,
            )),
            None if !self.is_new => {
                Some((format!("{path} says so already; nothing was changed\n"), 0))
            }
            None => None,
        }
    }
}

/// Changes a key of the owner's settings.
pub(super) fn put(ground: &Ground, key: &str, put: &settings::Put) -> Result<Put, Failure> {
    let file = file(ground)?;
    let before = install::read_text(&file)?;
    let after = settings::with(before.as_deref().unwrap_or_default(), key, put)?;
    let (settings, is_new) = write(ground, &file, before, &after)?;
    let named = format!("`{key}` is ignored: ");
    let mut said = ignored(&settings, &file);
    let ignored = said.find_map(|message| message.strip_prefix(&named)).map(str::to_owned);
    drop(said);
    Ok(Put { path: shown(ground, &file), settings, is_new, ignored })
}

/// Returns the owner's file of settings.
pub fn file(ground: &Ground) -> Result<PathBuf, Failure> {
    let nowhere = || Failure::new("there is no home for settings");
    Ok(ground.places.settings().ok_or_else(nowhere)?.join(SETTINGS))
}

/// Returns a file as people see it.
pub(super) fn shown(ground: &Ground, file: &Path) -> String {
    visible(&short(&file.to_string_lossy(), ground.home())).into_owned()
}

/// Writes the owner's settings, and returns what is in force then, and whether the file says something else than before; where they do not load, it says
/// again what it said. Where it says something else than `before` already, nothing is written.
pub fn write(
    ground: &Ground,
    file: &Path,
    before: Option<String>,
    after: &str,
) -> Result<(Settings, bool), Failure> {
    let is_new = before.as_deref().unwrap_or_default() != after;
    // What others could have written is not made the owner's by writing it anew.
    if let Err(error @ (Error::OtherOwner { .. } | Error::OthersMayWrite { .. })) =
        ground.settings()
    {
        return Err(error.into());
    }
    if is_new {
        let directory = file.parent().unwrap_or(file);
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(|error| {
            Failure::new(format!("cannot make the directory '{}': {error}", directory.display()))
        })?;
        install::write_over(file, before.as_deref(), after)?;
    }
    match ground.settings() {
        Ok(settings) => Ok((settings, is_new)),
        Err(error) => {
            match before {
                Some(before) if is_new => install::write(file, &before)?,
                None if is_new => std::fs::remove_file(file)?,
                _ => {}
            }
            Err(error.into())
        }
    }
}

/// Returns what a file says and does not count, each with the reason.
pub fn ignored<'s>(settings: &'s Settings, file: &Path) -> impl Iterator<Item = &'s str> {
    let is_of_file = move |origin: &Origin| match origin {
        Origin::File { path, .. } => **path == *file,
        Origin::Default | Origin::Session => false,
    };
    let warnings = settings.warnings.iter().filter(move |one| is_of_file(&one.origin));
    warnings.map(|one| one.message.as_str())
}
