//! The owner's settings, changed by a word: written only where they load afterwards, and told where they do not count.

use super::failure::Failure;
use super::ground::Ground;
use super::output::short;
use crate::approval::visible;
use crate::config::{Origin, SETTINGS, Settings};
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
    let nowhere = || Failure::new("there is no home for settings");
    let file = ground.places.settings().ok_or_else(nowhere)?.join(SETTINGS);
    let before = install::read_text(&file)?;
    let text = before.as_deref().unwrap_or_default();
    let after = settings::with(text, key, put)?;
    let is_new = after != text;
    if is_new {
        install::write(&file, &after)?;
    }
    match ground.settings() {
        Ok(settings) => {
            let named = format!("`{key}` is ignored: ");
            let is_of_file = |origin: &Origin| match origin {
                Origin::File { path, .. } => **path == *file,
                Origin::Default | Origin::Session => false,
            };
            let mut warnings = settings.warnings.iter().filter(|one| is_of_file(&one.origin));
            let ignored = warnings.find_map(|one| one.message.strip_prefix(&named));
            let ignored = ignored.map(str::to_owned);
            let path = visible(&short(&file.to_string_lossy(), ground.home())).into_owned();
            Ok(Put { path, settings, is_new, ignored })
        }
        Err(error) => {
            match before {
                Some(before) if is_new => install::write(&file, &before)?,
                None if is_new => std::fs::remove_file(&file)?,
                _ => {}
            }
            Err(error.into())
        }
    }
}
