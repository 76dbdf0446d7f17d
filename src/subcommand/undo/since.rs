//! What lines changed, as it stands now: of each path that undo kept before them, what was there before the first beside what is there. Changes nothing
//! of the workspace.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use similar::TextDiff;

use super::show::{is_object, texts};
use crate::approval::text::with_causes;
use crate::audit::mask::mask;
use crate::subcommand::ground::Ground;
use crate::undo::{self, Entry, Error, Found, Item, Standing, Store, Was};

/// Paths that are shown, and lines of all their differences.
const PATHS: usize = 300;
const LINES: usize = 3000;
/// How long entries are gone through.
const PATIENCE: Duration = Duration::from_secs(3);

/// Of which lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of<'a> {
    /// The one for which this entry was kept; the beginning of its id is enough.
    Entry(&'a str),
    /// All of a session, as the record names it.
    Session(&'a str),
}

/// What became of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Became {
    /// There was nothing.
    Made,
    /// It is another one, or says something else.
    Changed,
    /// There is nothing any more.
    Deleted,
    /// It has other permissions, another owner or another time.
    Dressed,
}

/// A path that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Which.
    pub path: PathBuf,
    /// What became of it.
    pub became: Became,
    /// The lines that went and came, secrets masked, where both are texts.
    pub difference: Option<String>,
    /// Lines of the difference that are left out.
    pub more: usize,
}

/// What is not as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// The paths, in the order in which they were kept.
    pub touched: Vec<Touched>,
    /// Paths that are left out.
    pub more: usize,
    /// Entries that there are, of which nothing was taken back yet.
    pub entries: usize,
    /// What could not be read, and why.
    pub unread: Vec<String>,
}

/// Returns what is not as it was before some lines.
pub fn since(of: Of<'_>) -> Result<Since, Error> {
    let ground = Ground::here();
    let Some(state) = ground.places.state() else { return Ok(Since::default()) };
    let store = Store::new(&state);
    let found = match of {
        Of::Entry(id) => vec![store.one(id)?],
        Of::Session(session) => {
            let mut found = store.found()?;
            found.retain(|found| {
                found.header().is_ok_and(|header| header.session.as_deref() == Some(session))
            });
            found
        }
    };
    Ok(beside(&found))
}

/// Returns what is not as it was before these entries, the oldest of which comes first.
fn beside(found: &[Found]) -> Since {
    let mut since = Since::default();
    let mut gathering = Gathering { seen: HashSet::new(), lines: LINES };
    let end = Instant::now() + PATIENCE;
    for found in found {
        if Instant::now() > end {
            since.unread.push(format!("{}: there was no time left for it", found.id));
            continue;
        }
        if let Err(error) = gathering.add(found, &mut since) {
            since.unread.push(format!("{}: {}", found.id, with_causes(&error)));
        }
    }
    since
}

struct Gathering {
    /// Paths of which it is known what was there first.
    seen: HashSet<PathBuf>,
    /// Lines that may still be shown.
    lines: usize,
}

impl Gathering {
    fn add(&mut self, found: &Found, since: &mut Since) -> Result<(), Error> {
        let header = found.header()?;
        if header.tried || header.undoes.is_some() || found.taken()?.is_some() {
            return Ok(());
        }
        since.entries += 1;
        let entry = found.entry()?;
        let standings = undo::compare(found, &entry)?;
        if let Err(error) = undo::unpack(found, &entry, &standings) {
            since.unread.push(format!("{}: {}", found.id, with_causes(&error)));
        }
        for (path, standing, item) in standings.changed(&entry) {
            if self.seen.contains(path) || is_object(path) {
                continue;
            }
            match became(path, standing, item) {
                Some(_) if since.touched.len() == PATHS => since.more += 1,
                Some(became) => since.touched.push(self.changed(found, path, became, item)),
                None => {}
            }
        }
        self.see(&entry);
        self.seen.extend(standings.added);
        Ok(())
    }

    fn see(&mut self, entry: &Entry) {
        self.seen.extend(entry.items.iter().map(|item| item.path.path().to_owned()));
    }

    fn changed(
        &mut self,
        found: &Found,
        path: &Path,
        became: Became,
        item: Option<&Item>,
    ) -> Touched {
        let mut changed = Touched { path: path.to_owned(), became, difference: None, more: 0 };
        let is_about_text = became != Became::Dressed;
        if let Some((kept, now)) = is_about_text.then(|| texts(found, path, item)).flatten() {
            let whole = TextDiff::from_lines(&*mask(&kept), &*mask(&now))
                .unified_diff()
                .context_radius(2)
                .to_string();
            let count = whole.lines().count();
            let shown: Vec<&str> = whole.lines().take(self.lines).collect();
            changed.more = count - shown.len();
            self.lines -= shown.len();
            changed.difference = Some(shown.join("\n")).filter(|text| !text.is_empty());
        }
        changed
    }
}

/// Returns what became of a path; none where it is gone and never was there.
fn became(path: &Path, standing: Standing, item: Option<&Item>) -> Option<Became> {
    let was_there = item.is_some_and(|item| item.was != Was::Absent);
    let is_there = path.symlink_metadata().is_ok();
    match (standing, was_there, is_there) {
        (Standing::Same, ..) | (_, false, false) => None,
        (Standing::Undressed, ..) => Some(Became::Dressed),
        (_, false, true) => Some(Became::Made),
        (_, true, false) => Some(Became::Deleted),
        (_, true, true) => Some(Became::Changed),
    }
}
