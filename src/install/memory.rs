//! What was there before: each file that was changed, as it was, below the owner's state directory. It is what `uninstall` gives back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};

use super::plan::{Parts, Scope};
use super::{Error, file};
use crate::sys::hex::hex;

/// What is remembered of one agent, for the user or for a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// What was installed.
    pub parts: Parts,
    /// The files that were changed.
    pub files: Vec<Kept>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The file, behind symbolic links.
    pub file: PathBuf,
    /// Its text before; none if it was not there.
    pub before: Option<String>,
    /// What was written.
    pub written: String,
    /// Directories that were made for it, outermost first.
    pub made: Vec<PathBuf>,
}

impl Kept {
    /// Returns whether the file is as it was written.
    pub(super) fn is_as_written(&self, text: Option<&str>) -> bool {
        text == Some(&self.written)
    }
}

/// Where the memory of all agents is.
fn directory(state: &Path) -> PathBuf {
    state.join("installed")
}

fn path(state: &Path, agent: &str, scope: &Scope) -> PathBuf {
    let name = match scope {
        Scope::User => agent.to_owned(),
        Scope::Project(root) => format!("{agent}-{}", &digest(&root.to_string_lossy())[..16]),
    };
    directory(state).join(format!("{name}.json"))
}

impl Memory {
    /// Reads what is remembered; none if nothing is.
    pub fn read(state: &Path, agent: &str, scope: &Scope) -> Result<Option<Self>, Error> {
        let path = path(state, agent, scope);
        let Some(text) = file::read(&path)? else { return Ok(None) };
        let broken = |error: serde_json::Error| Error::Broken {
            path: path.clone(),
            line: error.line(),
            column: error.column(),
            what: error.to_string(),
        };
        serde_json::from_str(&text).map(Some).map_err(broken)
    }

    /// Holds that it could be read back once it is written: else what it holds could not be given back.
    pub(super) fn check(&self, state: &Path, agent: &str, scope: &Scope) -> Result<(), Error> {
        self.text(&path(state, agent, scope)).map(drop)
    }

    fn text(&self, path: &Path) -> Result<String, Error> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Error::Write { path: path.to_owned(), source: error.into() })?;
        let text = text + "\n";
        if text.len() as u64 > file::LARGEST {
            return Err(Error::Unkept { path: path.to_owned() });
        }
        Ok(text)
    }

    /// Writes it, for us alone: it holds settings.
    pub(super) fn write(&self, state: &Path, agent: &str, scope: &Scope) -> Result<PathBuf, Error> {
        let path = path(state, agent, scope);
        let failed = |source: io::Error| Error::Write { path: path.clone(), source };
        let text = self.text(&path)?;
        let mut builder = fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700);
        builder.create(directory(state)).map_err(failed)?;
        let found = file::find(&path)?;
        file::replace(&found, Some(&text))?;
        Ok(path)
    }

    /// Forgets it. Returns whether nothing is remembered of any agent then.
    pub(super) fn forget(state: &Path, agent: &str, scope: &Scope) -> Result<bool, Error> {
        let path = path(state, agent, scope);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::Write { path, source: error });
            }
            _ => {}
        }
        let directory = directory(state);
        // It goes only if it is empty.
        let gone = fs::remove_dir(&directory).is_ok() || !directory.exists();
        Ok(gone)
    }

    /// Returns what is kept of a file.
    pub(super) fn of(&self, file: &Path) -> Option<&Kept> {
        self.files.iter().find(|kept| kept.file == file)
    }
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(super) fn digest(text: &str) -> String {
    hex(&Hash::hash(text.as_bytes()))
}
