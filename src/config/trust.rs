//! Which project files their owner trusts: by path and by content, so that a changed file is trusted no more.
//! Decides nothing about what trusted files may do.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use super::{Error, Places, file};
use crate::sys::Replacement;
use crate::sys::hex::hex;

/// The largest record of trust.
const LARGEST: u64 = 4 << 20;

/// What is trusted: paths without symbolic links, each with the SHA-256 of its content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    #[serde(default)]
    pins: BTreeMap<String, String>,
}

/// What trust says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Its content is what the owner trusted.
    Pinned,
    /// The owner trusted another content.
    Changed,
    /// The owner never trusted it.
    Unknown,
}

impl Pins {
    /// Reads what is trusted; nothing is if there is no record.
    pub fn read(places: &Places, uid: u32) -> Result<Self, Error> {
        let Some(path) = store(places) else {
            return Ok(Self::default());
        };
        let Some(text) = file::read(&path, LARGEST)? else {
            return Ok(Self::default());
        };
        file::require_ours(&path, &text.metadata, uid)?;
        serde_json::from_str(&text.content).map_err(|source| Error::TrustStore { path, source })
    }

    /// Returns what trust says of the file at `path` with this content.
    #[must_use]
    pub fn of(&self, path: &Path, content: &str) -> Trust {
        if self.pins.is_empty() { Trust::Unknown } else { self.of_digest(path, &digest(content)) }
    }

    /// Returns what trust says of the file at `path` whose content has this SHA-256.
    pub(super) fn of_digest(&self, path: &Path, digest: &str) -> Trust {
        match canonical(path).ok().and_then(|path| self.pins.get(&path)) {
            Some(pin) if pin == digest => Trust::Pinned,
            Some(_) => Trust::Changed,
            None => Trust::Unknown,
        }
    }

    /// Returns whether the owner ever trusted this file, or one in this directory, and still does with some content.
    pub(super) fn has_below(&self, path: &Path) -> bool {
        let path = canonical(path).map_or_else(|_| path.to_owned(), PathBuf::from);
        self.paths().any(|pinned| Path::new(pinned).starts_with(&path))
    }

    /// Returns the paths that are trusted with some content.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.pins.keys().map(String::as_str)
    }
}

/// A file as it was shown to the one who is asked to trust it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The file.
    pub path: PathBuf,
    /// Its content.
    pub content: String,
}

/// Reads files that are to be trusted.
pub fn read(files: &[PathBuf]) -> Result<Vec<Shown>, Error> {
    let read = |path: &PathBuf| {
        let absent = || Error::Read { path: path.clone(), source: io::ErrorKind::NotFound.into() };
        let text = file::read(path, file::LARGEST_RULES)?.ok_or_else(absent)?;
        Ok(Shown { path: path.clone(), content: text.content })
    };
    files.iter().map(read).collect()
}

/// Trusts files as they are now. Returns how many there are.
pub fn pin(places: &Places, uid: u32, files: &[PathBuf]) -> Result<usize, Error> {
    pin_shown(places, uid, &read(files)?)
}

/// Trusts files with the content that was shown, whatever they hold by now. Returns how many there are.
pub fn pin_shown(places: &Places, uid: u32, files: &[Shown]) -> Result<usize, Error> {
    change(places, uid, |pins| {
        for Shown { path, content } in files {
            let key =
                canonical(path).map_err(|source| Error::Read { path: path.clone(), source })?;
            pins.insert(key, digest(content));
        }
        Ok(files.len())
    })
}

/// Trusts files no more, also those that are gone. Returns how many were trusted.
pub fn unpin(places: &Places, uid: u32, files: &[PathBuf]) -> Result<usize, Error> {
    change(places, uid, |pins| {
        let keys = files
            .iter()
            .map(|path| canonical(path).unwrap_or_else(|_| path.to_string_lossy().into_owned()));
        Ok(keys.filter(|key| pins.remove(key).is_some()).count())
    })
}

/// Returns what trust says of each file that is there.
pub fn status(
    places: &Places,
    uid: u32,
    files: &[PathBuf],
) -> Result<Vec<(PathBuf, Trust)>, Error> {
    let pins = Pins::read(places, uid)?;
    let mut statuses = Vec::new();
    for path in files {
        if let Some(text) = file::read(path, file::LARGEST_RULES)? {
            statuses.push((path.clone(), pins.of(path, &text.content)));
        }
    }
    Ok(statuses)
}

fn store(places: &Places) -> Option<PathBuf> {
    Some(places.state()?.join("trust.json"))
}

/// Changes the record under a lock and replaces it as a whole.
fn change(
    places: &Places,
    uid: u32,
    work: impl FnOnce(&mut BTreeMap<String, String>) -> Result<usize, Error>,
) -> Result<usize, Error> {
    let path = store(places).ok_or(Error::NoHome { uid })?;
    let failed = |source: io::Error| Error::Write { path: path.clone(), source };
    let directory = path.parent().unwrap_or(&path);
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let lock = options.open(directory.join("trust.lock")).map_err(failed)?;
    let _lock =
        Flock::lock(lock, FlockArg::LockExclusive).map_err(|(_, errno)| failed(errno.into()))?;
    let mut pins = Pins::read(places, uid)?;
    let count = work(&mut pins.pins)?;
    let text = serde_json::to_string_pretty(&pins)
        .map_err(|source| Error::TrustStore { path: path.clone(), source })?;
    let new = Replacement::write(&path, text.as_bytes()).and_then(Replacement::synced);
    new.and_then(Replacement::put).map_err(failed)?;
    Ok(count)
}

fn canonical(path: &Path) -> io::Result<String> {
    // A path that is not text cannot be told from another one here, so it cannot be trusted.
    path.canonicalize()?
        .into_os_string()
        .into_string()
        .map_err(|_| io::ErrorKind::InvalidData.into())
}

pub(super) fn digest(content: &str) -> String {
    hex(&Hash::hash(content.as_bytes()))
}
