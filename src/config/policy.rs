//! The machine's policy (`policy.toml` and `policy.d/*.toml` beside the machine's settings): settings that users and projects may make stricter
//! and not looser. Says of each key who holds it; what strictness is stands with the settings.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Spanned;

use super::settings::{Layer, Origin};
use crate::rules::Authority;
use crate::rules::glob;

/// The policy's file, and the directory of more of them, in the machine's directory of settings.
pub(super) const FILE: &str = "policy.toml";
pub(super) const DIRECTORY: &str = "policy.d";

/// What the policy's files hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The first of its files; none where the machine has no policy.
    file: Option<Origin>,
    /// Keys that it sets.
    set: BTreeMap<String, Origin>,
    /// Globs on keys that nobody else sets at all.
    locked: Vec<(String, Origin)>,
}

/// Which keys nobody may loosen where there is any policy: how strict the answers are, and which rules count. Others are held only where it sets
/// or locks them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// In any policy.
    Always,
    /// Where the policy says something of it.
    IfSet,
}

/// How far a file may change a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// As it likes.
    Full,
    /// Only to make answers stricter; why.
    Stricter(String),
    /// Not at all; why.
    None(String),
}

impl Policy {
    /// Takes what a file of the policy locks.
    pub(super) fn begin(
        &mut self,
        layer: &Layer<'_>,
        locked: Option<&Spanned<Vec<Spanned<String>>>>,
    ) {
        let whole = Origin::File { path: layer.path.clone(), line: 1 };
        self.file.get_or_insert(whole);
        for key in locked.iter().flat_map(|keys| keys.get_ref()) {
            self.locked.push((key.get_ref().clone(), layer.origin(key)));
        }
    }

    /// Notes that a file of the policy sets a key.
    pub(super) fn sets(&mut self, key: &str, origin: Origin) {
        self.set.insert(key.to_owned(), origin);
    }

    /// Returns whether the machine has one.
    #[must_use]
    pub const fn is_there(&self) -> bool {
        self.file.is_some()
    }

    /// Returns whether a file of it set a key already.
    pub(super) fn has_set(&self, key: &str) -> bool {
        self.set.contains_key(key)
    }

    /// Returns where a key is locked, if it is.
    #[must_use]
    pub fn lock(&self, key: &str) -> Option<&Origin> {
        let found = self.locked.iter().find(|(pattern, _)| glob::text(pattern, key));
        found.map(|(_, origin)| origin)
    }

    /// Returns how far a file with this authority may change a key.
    pub(super) fn leave(&self, key: &str, held: Hold, authority: Authority) -> Leave {
        if authority == Authority::Policy {
            return Leave::Full;
        }
        if let Some(origin) = self.lock(key) {
            return Leave::None(format!("the machine's policy locks it ({origin})"));
        }
        if let Some(origin) = self.set.get(key) {
            return Leave::Stricter(format!("the machine's policy holds it ({origin})"));
        }
        if let Some(origin) = self.file.as_ref().filter(|_| held == Hold::Always) {
            return Leave::Stricter(format!(
                "the machine has a policy ({origin}), so it may only be stricter"
            ));
        }
        match authority {
            Authority::TightenOnly => {
                Leave::Stricter("a file that is not trusted may only be stricter".to_owned())
            }
            Authority::Owner | Authority::Policy => Leave::Full,
        }
    }
}

/// Returns whether a key may stand in `locked`: one of a setting, or a glob that fits one.
pub(super) fn is_key(pattern: &str, keys: &[&str]) -> bool {
    glob::check(pattern).is_ok() && keys.iter().any(|key| glob::text(pattern, key))
}

/// Returns the files of the policy below the machine's directory, in the order in which they count; `policy.d` by name.
pub(super) fn files(system: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    let mut files = vec![system.join(FILE)];
    let more = match std::fs::read_dir(system.join(DIRECTORY)) {
        Ok(more) => more,
        Err(error) if super::file::is_absent(&error) => return Ok(files),
        Err(error) => return Err(error),
    };
    for entry in more {
        files.push(entry?.path());
    }
    files[1..].sort();
    let is_toml = |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "toml");
    files.retain(is_toml);
    Ok(files)
}
