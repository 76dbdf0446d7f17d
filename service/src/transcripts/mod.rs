//! What agents keep of their sessions themselves: what was said, which tools were called, what came of it, and which of our decisions belongs to each call.
//!
//! It is evidence, and never authority: an agent can write its transcript, and whatever stands there. Nothing is decided by it, and nothing of it is run, loaded
//! or followed. Files are read in pages from their end, by where lines begin, so that none is too large; of a line or text that is too long, the rest is counted.

mod changed;
mod claude;
mod codex;
mod copilot;
mod coverage;
mod gemini;
mod item;
mod lines;
mod matched;
mod open;
mod opencode;
mod paged;
mod pairs;
mod places;
mod scan;
mod scans;
mod squeeze;
mod unpacked;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use guarded_sh::observe::Environment;
use jiff::Timestamp;

pub use changed::{Changed, Watch};
pub use coverage::{Coverage, Uncovered, covered};
pub use item::{Called, Came, Item, Text, Usage, What, Who};
pub use lines::size;
pub use matched::{Has, Matched, Wants, earlier, later, matched};
pub use paged::{At, Paged};
pub use pairs::Pairs;
pub use places::Place;
pub use scan::{Scan, place};
pub use scans::Scans;

use item::Head;
use lines::Lines;
use places::Format;
use unpacked::Unpacked;

/// Bytes at the beginning of a transcript in which it says what it is, and lines of them.
const HEAD: u64 = 256 << 10;
const HEAD_LINES: usize = 40;
/// Bytes of the first prompt that are a session's title.
const TITLE: usize = 200;

/// Why a transcript cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not there, or may not be read.
    #[error("cannot read '{}': {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something else stands there.
    #[error("'{}' {problem}, so it is not read", path.display())]
    NotRead {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It is no database, or another one than it should be.
    #[error("cannot read '{}': {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// There is none.
    #[error("'{agent}' keeps no session '{session}' where it is looked for")]
    Absent {
        /// The agent.
        agent: String,
        /// The session.
        session: String,
    },
}

/// A session of which there is a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Whose it is, and how it is read.
    place: &'static Place,
    /// The directory that it stands below.
    root: PathBuf,
    /// The file, below that.
    file: PathBuf,
    /// The agent's id of it, as far as the file's name says it.
    pub id: String,
    /// When something was written there last.
    pub modified: Timestamp,
    /// How large it is; of what stands in a database, that is not known.
    pub bytes: Option<u64>,
    /// Whether the model started it to help it.
    pub is_helper: bool,
    /// What is wrong with it, where it cannot be read.
    pub problem: Option<&'static str>,
    /// The directory and the title, where the list says them.
    told: Head,
}

impl Session {
    /// Returns the name of the agent.
    pub fn agent(&self) -> &'static str {
        &self.place.agent
    }

    /// Returns where it is.
    pub fn path(&self) -> PathBuf {
        self.root.join(&self.file)
    }

    /// Whether the agent calls a session so.
    fn is(&self, id: &str) -> bool {
        let is_short = self.place.short && !self.is_helper;
        self.id == id || is_short && self.id.len() >= SHORT && id.starts_with(&self.id)
    }
}

/// Letters of an id of which the file's name has only the beginning.
const SHORT: usize = 8;

/// What is known of a session at the beginning of its transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The agent's id of it.
    pub id: Option<String>,
    /// The directory.
    pub cwd: Option<String>,
    /// The beginning of the first prompt.
    pub title: Option<String>,
}

/// What agents keep, as pages ask for it.
#[derive(Clone, Debug)]
pub struct Transcripts {
    places: Arc<Vec<(&'static Place, PathBuf)>>,
    unpacked: Arc<Unpacked>,
}

impl Transcripts {
    /// Finds where agents keep what they keep. What is unpacked stands in `state` without a name.
    pub fn of(environment: &Environment, state: &Path) -> Self {
        let variable = |name: &str| environment.get(name).map(str::to_owned);
        Self::at(&variable, state)
    }

    /// The same, with these variables.
    pub fn at(variable: &dyn Fn(&str) -> Option<String>, state: &Path) -> Self {
        let places = places::PLACES.iter();
        let places = places.filter_map(|place| Some((place, place.root(variable)?))).collect();
        Self { places: Arc::new(places), unpacked: Arc::new(Unpacked::in_directory(state)) }
    }

    /// Returns the directories in which is looked, each with its agent.
    pub fn roots(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        self.places.iter().map(|(place, root)| (place.agent.as_str(), root.as_path()))
    }

    /// Returns all sessions of an agent, or of all, the newest first, and what could not be looked at.
    pub fn sessions(&self, agent: Option<&str>) -> (Vec<Session>, Vec<Error>) {
        let (mut found, mut errors) = (Vec::new(), Vec::new());
        for (place, root) in self.places.iter() {
            if agent.is_some_and(|agent| agent != place.agent) {
                continue;
            }
            match place.format {
                Format::Opencode => opencode::sessions(place, root, &mut found, &mut errors),
                Format::Claude | Format::Codex | Format::Copilot | Format::Gemini => {
                    places::walk(place, root, &mut found, &mut errors);
                }
            }
        }
        found.sort_by(|one, other| other.modified.cmp(&one.modified).then(one.id.cmp(&other.id)));
        (found, errors)
    }

    /// Returns the session that an agent calls so.
    pub fn session(&self, agent: &str, id: &str) -> Result<Session, Error> {
        let (sessions, mut errors) = self.sessions(Some(agent));
        let found = sessions.into_iter().filter(|session| session.is(id));
        // A helper's name may be that of another session's.
        let found = found.min_by_key(|session| (session.id != id, session.is_helper));
        found.ok_or_else(|| {
            let absent = Error::Absent { agent: agent.to_owned(), session: id.to_owned() };
            errors.pop().unwrap_or(absent)
        })
    }

    /// Returns what a session's transcript says at its beginning.
    pub fn opening(&self, session: &Session) -> Result<Opening, Error> {
        let mut head = session.told.clone();
        let mut title = head.title.take();
        if session.place.format != Format::Opencode {
            let file = self.file(session)?;
            let mut lines = Lines::of(&file).map_err(|source| read_error(session, source))?;
            let mut at = 0;
            for _ in 0..HEAD_LINES {
                let next = lines.next(at, HEAD).map_err(|source| read_error(session, source))?;
                let Some(span) = next.filter(|span| span.end() <= HEAD) else { break };
                at = span.end();
                let line = lines.line(&span).map_err(|source| read_error(session, source))?;
                let Some(value) = line.value else { continue };
                head.or(session.place.format.head(&value));
                let mut whats = Vec::new();
                session.place.format.read(value, &mut whats);
                title = title.or_else(|| whats.iter().find_map(What::prompt).map(str::to_owned));
                if head.cwd.is_some() && title.is_some() {
                    break;
                }
            }
        }
        if session.place.format == Format::Gemini && head.cwd.is_none() {
            head.cwd = gemini::root(session);
        }
        let title = title.map(|title| guarded_sh::model::head(title.trim(), TITLE).to_owned());
        Ok(Opening { id: head.session, cwd: head.cwd, title })
    }

    /// Returns a page of a transcript.
    pub fn page(&self, session: &Session, at: &At) -> Result<Paged, Error> {
        if session.place.format == Format::Opencode {
            return opencode::page(session, at);
        }
        let file = self.file(session)?;
        let paged = paged::page(&file, session.place.format, at);
        paged.map_err(|source| read_error(session, source))
    }

    /// Reads on what was read of a transcript before, `bytes` of it at most; returns whether there is no more.
    pub fn scan(&self, session: &Session, scan: &mut Scan, bytes: u64) -> Result<bool, Error> {
        if session.place.format == Format::Opencode {
            return opencode::scan(session, scan);
        }
        let file = self.file(session)?;
        let done = scan.read(&file, session.agent(), session.place.format, bytes);
        done.map_err(|source| read_error(session, source))
    }

    /// Opens the file, unpacked where it is packed.
    fn file(&self, session: &Session) -> Result<Arc<std::fs::File>, Error> {
        let file = open::regular(&session.root, &session.file)?;
        let is_packed = session.file.extension().is_some_and(|end| end == "zst");
        if is_packed { self.unpacked.unpack(&session.path(), &file) } else { Ok(Arc::new(file)) }
    }
}

fn read_error(session: &Session, source: std::io::Error) -> Error {
    Error::Read { path: session.path(), source }
}
