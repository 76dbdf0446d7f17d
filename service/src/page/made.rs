//! Changes that were made from the page and by programs: what, when, and what each came by. A line each, in `page/changes.jsonl` of the owner's state directory, where
//! no line of an agent writes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use guarded_sh::audit::sha256;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::deeds::Change;
use super::owned;

/// Bytes of the file, after which another is begun; the one before is kept.
const LONGEST: u64 = 1 << 19;

/// By what a change came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// A browser signed it.
    Key,
    /// A browser signed it, and a passkey was touched.
    Passkey,
    /// A person said it at a terminal.
    Terminal,
    /// A program came with the token of this name.
    Token(String),
}

impl By {
    fn words(&self) -> String {
        match self {
            Self::Key => "key".to_owned(),
            Self::Passkey => "passkey".to_owned(),
            Self::Terminal => "terminal".to_owned(),
            Self::Token(name) => format!("token {name}"),
        }
    }
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = MadeChange)]
pub struct Made {
    /// When.
    #[schema(format = DateTime)]
    pub time: String,
    /// What was changed: `settings`, `rules NAME`, `prompt NAME`, `install AGENT`, `uninstall AGENT`, `passkey NAME`.
    pub what: String,
    /// By what it came: `key` or `passkey` of a browser, `terminal`, `token NAME`.
    pub proof: String,
    /// The SHA-256 of what was there before; `none` where there was nothing.
    pub before: String,
    /// The SHA-256 of what it became.
    pub after: String,
}

impl Made {
    /// Says what a change was.
    pub fn of(change: &Change, by: &By) -> Self {
        let (before, after) = (change.digest.clone(), sha256(change.body.as_bytes()));
        Self { before, after, ..Self::named(change.what.name(), by) }
    }

    /// Says that something of this name was changed, of which no text is kept.
    pub fn named(what: String, by: &By) -> Self {
        let none = || "none".to_owned();
        let time = format!("{:.6}", Timestamp::now());
        Self { time, what, proof: by.words(), before: none(), after: none() }
    }
}

fn place(state: &Path) -> PathBuf {
    state.join("page").join("changes.jsonl")
}

/// Opens the file in which changes are noted.
pub fn open(state: &Path) -> io::Result<File> {
    let path = place(state);
    if let Some(directory) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    if path.symlink_metadata().is_ok_and(|found| found.len() > LONGEST) {
        fs::rename(&path, path.with_extension("old.jsonl"))?;
    }
    owned::open(&path, OpenOptions::new().append(true))
}

/// Notes a change.
pub fn note(mut file: &File, made: &Made) -> io::Result<()> {
    let mut line = serde_json::to_vec(made)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_data()
}

/// Returns the changes of the file, the newest first.
pub fn newest(state: &Path, limit: usize) -> io::Result<Vec<Made>> {
    let path = place(state);
    let text = owned::read_own(&path).map_err(|fault| fault.of(&path))?.unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n').rev();
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).take(limit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_read_the_newest_first_and_the_file_stays_small() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(newest(state.path(), 9).unwrap(), []);
        let made = |name: &str| Made::named(name.to_owned(), &By::Token("mine".to_owned()));
        for name in ["rules a", "rules \n{}"] {
            note(&open(state.path()).unwrap(), &made(name)).unwrap();
        }
        let names = |limit| {
            let all = newest(state.path(), limit).unwrap().into_iter();
            all.map(|made| (made.what, made.proof)).collect::<Vec<_>>()
        };
        let by = |name: &str| (name.to_owned(), "token mine".to_owned());
        assert_eq!(names(9), [by("rules \n{}"), by("rules a")]);
        assert_eq!(names(1), [by("rules \n{}")]);
        let filler = vec![b'x'; usize::try_from(LONGEST + 1).unwrap()];
        fs::write(place(state.path()), filler).unwrap();
        note(&open(state.path()).unwrap(), &made("rules b")).unwrap();
        note(&open(state.path()).unwrap(), &made("rules c")).unwrap();
        assert_eq!(names(9), [by("rules c"), by("rules b")]);
    }
}
