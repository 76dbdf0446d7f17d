//! Where agents keep their sessions: the rows of `places.toml`, and what stands there. Opens no transcript.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::item::{Head, What};
use super::{Error, Session, claude, codex, copilot, gemini, open};

/// Names that are looked at below one directory: who has more sees the rest of them missing, and is told so.
const MOST: usize = 50_000;

/// A row.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub(super) agent: String,
    pub(super) format: Format,
    roots: Vec<String>,
    pub(super) files: Vec<String>,
    #[serde(default)]
    helpers: Vec<String>,
    /// The id in the name is only the beginning of it.
    #[serde(default)]
    pub(super) short: bool,
}

/// How a transcript is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// GitHub Copilot CLI.
    Copilot,
    /// Gemini CLI.
    Gemini,
    /// opencode: a database.
    Opencode,
}

impl Format {
    /// Takes what a line says.
    pub(super) fn read(self, value: Value, out: &mut Vec<What>) {
        match self {
            Self::Claude => claude::read(value, out),
            Self::Codex => codex::read(value, out),
            Self::Copilot => copilot::read(value, out),
            Self::Gemini => gemini::read(value, out),
            // Its lines are rows.
            Self::Opencode => {}
        }
    }

    /// Returns what a line says of the session.
    pub(super) fn head(self, value: &Value) -> Head {
        match self {
            Self::Claude => claude::head(value),
            Self::Codex => codex::head(value),
            Self::Copilot => copilot::head(value),
            Self::Gemini => gemini::head(value),
            Self::Opencode => Head::default(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    place: Vec<Place>,
}

/// All rows.
pub(super) static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| {
    // It is part of the program, and its test reads it.
    let rows: Result<Rows, _> = toml::from_str(include_str!("places.toml"));
    rows.map(|rows| rows.place).unwrap_or_default()
});

impl Place {
    /// Returns the directory, by these variables; none where no row of it can be made whole.
    pub(super) fn root(&self, variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
        self.roots.iter().find_map(|root| {
            let (name, rest) = root.strip_prefix('{')?.split_once('}')?;
            let value = variable(name).filter(|value| value.starts_with('/'))?;
            Some(PathBuf::from(format!("{value}{rest}")))
        })
    }
}

/// Finds the transcripts of a place.
pub(super) fn walk(
    place: &'static Place,
    root: &Path,
    found: &mut Vec<Session>,
    errors: &mut Vec<Error>,
) {
    let mut walk = Walk { place, root, found, errors, seen: 0 };
    for (patterns, is_helper) in [(&place.files, false), (&place.helpers, true)] {
        for pattern in patterns {
            let steps: Vec<&str> = pattern.split('/').collect();
            walk.down(Path::new(""), &steps, is_helper);
        }
    }
    if walk.seen >= MOST {
        let problem = "holds more names than are looked at";
        walk.errors.push(Error::NotRead { path: root.to_owned(), problem });
    }
}

struct Walk<'w> {
    place: &'static Place,
    root: &'w Path,
    found: &'w mut Vec<Session>,
    errors: &'w mut Vec<Error>,
    seen: usize,
}

impl Walk<'_> {
    fn down(&mut self, below: &Path, steps: &[&str], is_helper: bool) {
        let Some((step, rest)) = steps.split_first() else { return };
        let directory = self.root.join(below);
        let entries = match std::fs::read_dir(&directory) {
            Ok(entries) => entries,
            // An agent that was never used keeps nothing.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(source) => return self.errors.push(Error::Read { path: directory, source }),
        };
        for entry in entries.flatten() {
            self.seen += 1;
            if self.seen >= MOST {
                return;
            }
            let name = entry.file_name();
            let fits = name.to_str().and_then(|name| fits(step, name));
            let (Some(id), Ok(kind)) = (fits, entry.file_type()) else { continue };
            let path = below.join(&name);
            if !rest.is_empty() {
                // A link is not gone through: what is behind it stands elsewhere.
                if kind.is_dir() {
                    let named = rest.iter().map(|step| step.replace("{session}", "*"));
                    let named: Vec<String> = named.collect();
                    let has_id = step.contains("{session}");
                    let plain: Vec<&str> = named.iter().map(String::as_str).collect();
                    self.down_named(
                        &path,
                        if has_id { &plain } else { rest },
                        is_helper,
                        has_id.then_some(id),
                    );
                }
                continue;
            }
            self.note(&entry, path, id, is_helper);
        }
    }

    /// The same, where the directory's name is the session's id.
    fn down_named(&mut self, below: &Path, steps: &[&str], is_helper: bool, id: Option<String>) {
        let before = self.found.len();
        self.down(below, steps, is_helper);
        if let Some(id) = id {
            for session in &mut self.found[before..] {
                session.id.clone_from(&id);
            }
        }
    }

    fn note(&mut self, entry: &std::fs::DirEntry, file: PathBuf, id: String, is_helper: bool) {
        // It may be gone by now.
        let Ok(metadata) = entry.metadata() else { return };
        let modified = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
        self.found.push(Session {
            place: self.place,
            root: self.root.to_owned(),
            file,
            id,
            modified: modified.unwrap_or(Timestamp::UNIX_EPOCH),
            bytes: Some(metadata.len()),
            is_helper,
            problem: open::problem(metadata.file_type()),
            told: Head::default(),
        });
    }
}

/// Returns what a name has in the place of `{session}`, if it fits a step of a pattern; where the step has none, the name.
pub(super) fn fits(step: &str, name: &str) -> Option<String> {
    let (before, after, is_id) = match step.split_once("{session}") {
        Some((before, after)) => (before, after, true),
        None => match step.split_once('*') {
            Some((before, after)) => (before, after, false),
            None => return (step == name).then(|| name.to_owned()),
        },
    };
    let inner = name.get(before.len()..name.len().checked_sub(after.len())?)?;
    let is_start = before.chars().zip(name.chars()).all(|(one, other)| one == '?' || one == other);
    let fits = is_start && name.ends_with(after) && !(is_id && inner.is_empty());
    fits.then(|| if is_id { inner.to_owned() } else { name.to_owned() })
}
