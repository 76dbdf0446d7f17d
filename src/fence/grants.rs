//! What a line may write to: places with rights, from what it needs and what is there.
//! Makes what a tool of the line keeps and has not made yet; changes nothing else.

use std::collections::HashSet;
use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::needs::{FileNeed, Needs};
use super::table;
use super::{Ground, Making};
use crate::model::{Doing, EffectKind, Facts, PathClass};
use crate::paths;

/// What the kernel says of the process itself, and lets it set.
pub(super) const OWN: &str = "/proc/self";

/// Returns what every line may write to wherever it runs.
pub(super) fn every() -> impl Iterator<Item = &'static str> {
    table::devices().map(|path| path.trim_end_matches('/')).chain([OWN])
}

/// A place, and what may be done there and below it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Grant {
    pub(super) path: String,
    pub(super) doing: Doing,
}

impl Grant {
    /// Returns how it is recorded.
    pub(super) fn noted(&self) -> (String, Doing) {
        (self.path.clone(), self.doing)
    }
}

/// Where a line may write, beside [`every`]: what lines of its kind may here, and what its own plan adds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Grants {
    pub(super) base: Vec<String>,
    /// Those of them that tools keep for themselves.
    pub(super) caches: Vec<String>,
    /// Those of them that no link may lead to: they may stand where other lines write, and who starts this one is in them.
    pub(super) real: Vec<String>,
    pub(super) added: Vec<Grant>,
}

impl Grants {
    pub(super) fn of(needs: &Needs<'_>, ground: &Ground<'_>, making: Making) -> Self {
        let facts = ground.facts;
        let mut grants = Self::default();
        let is_around =
            |root: &&String| facts.cwd.as_deref().is_some_and(|cwd| paths::is_below(cwd, root));
        let real = facts.workspaces.iter().filter(is_around).chain(&ground.repositories);
        grants.real = real.cloned().collect();
        let base = &mut grants.base;
        base.extend(facts.workspaces.iter().cloned());
        base.extend(ground.repositories.iter().cloned());
        base.extend(facts.temporary.iter().filter(|path| Path::new(path).exists()).cloned());
        base.extend(named_temporary(facts));
        let there = |path: &String| Path::new(path).exists();
        for tool in needs.tools.iter().chain(&needs.indirect) {
            let own = tool.writes.iter().filter_map(|path| at_home(path, facts));
            grants.caches.extend(own.filter(there));
        }
        let own = needs.tools.iter().map(|tool| (tool, true));
        for (tool, is_own) in own.chain(needs.indirect.iter().map(|tool| (tool, false))) {
            let paths: Vec<_> =
                tool.makes.iter().filter_map(|path| at_home_raw(path, facts)).collect();
            // What a build starts makes what it keeps too, unless it is not here.
            let is_made = is_own || paths.iter().all(there) || is_installed(tool.main, facts);
            for path in paths.into_iter().filter(|_| is_made) {
                if making == Making::Yes {
                    make(&path);
                }
                grants.caches.push(path.trim_end_matches('/').to_owned());
            }
        }
        base.extend(grants.caches.iter().cloned());
        let mut seen = HashSet::new();
        base.retain(|path| seen.insert(path.clone()));
        // What is below another is granted with it, and not for itself: whoever may write there may put a link in its place before it is opened.
        base.retain(|path| !seen.iter().any(|other| other != path && paths::is_below(path, other)));
        for need in &needs.files {
            grants.add(need);
        }
        // The record is written by the guard inside of the line's domain too.
        if let Some(records) = &ground.records {
            grants.grant(records.clone(), Doing::Make);
        }
        grants
    }

    /// Returns whether something may be done at a path that is no link.
    pub(super) fn permit(&self, path: &str, doing: Doing) -> bool {
        let covers = |grant: &Grant| {
            paths::is_below(path, &grant.path)
                && (grant.doing == Doing::All || grant.doing == doing)
        };
        self.is_in_base(path) || self.added.iter().any(covers)
    }

    /// Returns whether all may be done at this very place.
    pub(super) fn has(&self, path: &str) -> bool {
        self.base.iter().any(|place| place == path)
    }

    fn is_in_base(&self, path: &str) -> bool {
        every().any(|place| paths::is_below(path, place))
            || self.base.iter().any(|place| paths::is_below(path, place))
    }

    /// Adds what a permitted effect needs. Landlock knows no smaller place than a directory where files are made, replaced or deleted.
    fn add(&mut self, need: &FileNeed<'_>) {
        let is_stream = matches!(need.class, PathClass::Null | PathClass::NetworkDevice);
        if !need.kind.changes_files() || is_stream {
            return;
        }
        let place = need.path.split(['*', '?', '[']).next().unwrap_or(need.path);
        let is_pattern = place.len() < need.path.len();
        let place = if is_pattern { above(place) } else { place };
        if self.is_in_base(place) {
            return;
        }
        let is_there = Path::new(place).exists();
        let is_directory = Path::new(place).is_dir();
        match need.kind {
            EffectKind::Write | EffectKind::Append | EffectKind::Empty => {
                if is_directory {
                    self.grant(place.to_owned(), Doing::All);
                } else if is_there {
                    self.grant(place.to_owned(), Doing::Write);
                    // What edits in place makes a new file and puts it there.
                    if !need.is_opened {
                        self.grant(above(place).to_owned(), Doing::Make);
                        self.grant(above(place).to_owned(), Doing::Remove);
                    }
                } else {
                    self.grant(nearest(place), Doing::Make);
                }
            }
            EffectKind::Delete | EffectKind::DeleteTree | EffectKind::Move => {
                self.grant(nearest(above(place)), Doing::Remove);
                if is_directory {
                    self.grant(place.to_owned(), Doing::Remove);
                }
            }
            _ => {}
        }
    }

    fn grant(&mut self, path: String, doing: Doing) {
        let grant = Grant { path, doing };
        if !self.added.contains(&grant) {
            self.added.push(grant);
        }
    }
}

/// The directory that a path is in.
fn above(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((above, _)) => above,
    }
}

/// The path itself, or the nearest directory above it that is there.
fn nearest(path: &str) -> String {
    let found = Path::new(path).ancestors().find(|path| path.exists());
    found.and_then(Path::to_str).unwrap_or("/").to_owned()
}

fn at_home_raw(path: &str, facts: &Facts) -> Option<String> {
    let home = facts.home.as_deref().filter(|home| *home != "/")?;
    path.strip_prefix('~').map(|below| format!("{home}{below}"))
}

/// Returns where a path of the table is.
pub(super) fn at_home(path: &str, facts: &Facts) -> Option<String> {
    at_home_raw(path, facts).map(|path| path.trim_end_matches('/').to_owned())
}

/// The directory for temporary files that the environment names, where it is called so and is nothing that must stay guarded. The variable is
/// whoever's: it names no other directory than one that is there for this.
fn named_temporary(facts: &Facts) -> Option<String> {
    let named = facts.environment.get("TMPDIR")?.trim_end_matches('/');
    let named = paths::absolute("/", named);
    let last = named.rsplit('/').next()?.to_ascii_lowercase();
    let is_called_so = last.contains("tmp") || last.contains("temp");
    let class = paths::classify(&named, facts);
    let is_fine = matches!(
        class,
        PathClass::Outside | PathClass::HomeFile | PathClass::Temporary | PathClass::System
    );
    let is_real = || std::fs::canonicalize(&named).is_ok_and(|real| real == Path::new(&named));
    (is_called_so && is_fine && is_real()).then_some(named)
}

/// Returns whether a program stands in a directory of `PATH`.
fn is_installed(program: &str, facts: &Facts) -> bool {
    let path = facts.environment.get("PATH").map_or("", String::as_str);
    path.split(':').any(|directory| Path::new(directory).join(program).exists())
}

/// Makes a file or directory that a tool would make. What fails is the tool's to say.
fn make(path: &str) {
    if Path::new(path).symlink_metadata().is_ok() {
        return;
    }
    let directory = if path.ends_with('/') { path } else { above(path) };
    // Nothing depends on it but the tool, which says so itself.
    let _ = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    if !path.ends_with('/') {
        let _ = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path);
    }
}
