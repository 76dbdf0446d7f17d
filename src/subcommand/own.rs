//! The owner's settings, changed by a word: written only where they load afterwards, and told where they do not count.

use std::path::PathBuf;

use super::failure::Failure;
use super::ground::Ground;
use crate::install::{self, settings};

/// What became of a change.
pub(super) struct Put {
    /// The file.
    pub(super) path: PathBuf,
    /// Whether it says something else than before.
    pub(super) is_new: bool,
    /// Why what it says does not count, where that is so.
    pub(super) ignored: Option<String>,
}

/// Changes a key of the owner's settings.
pub(super) fn put(ground: &Ground, key: &str, put: &settings::Put) -> Result<Put, Failure> {
    let nowhere = || Failure::new("there is no home for settings");
    let path = ground.places.settings().ok_or_else(nowhere)?.join(crate::config::SETTINGS);
    let before = install::read_text(&path)?;
    let text = before.as_deref().unwrap_or_default();
    let after = settings::with(text, key, put)?;
    let is_new = after != text;
    if is_new {
        install::write(&path, &after)?;
    }
    match ground.settings() {
        Ok(settings) => {
            let named = format!("`{key}` is ignored: ");
            let mut warnings = settings.warnings.iter();
            let ignored = warnings.find_map(|one| one.message.strip_prefix(&named));
            Ok(Put { path, is_new, ignored: ignored.map(str::to_owned) })
        }
        Err(error) if is_new => {
            match before {
                Some(before) => install::write(&path, &before)?,
                None => std::fs::remove_file(&path)?,
            }
            Err(error.into())
        }
        Err(error) => Err(error.into()),
    }
}
