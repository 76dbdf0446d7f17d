//! Reading all but secrets: since nothing can be taken out below a directory that is granted, what stands around the secrets of the home is granted
//! one by one. Reads names in directories, and no file.

use std::path::Path;

use crate::model::Facts;
use crate::paths;

/// More entries than these are not granted one by one: then reading is not held, and it is said.
const ENTRIES: usize = 512;
/// Directories of secrets in which what is none is looked for: settings and names of hosts stand beside keys.
const MIXED: [&str; 2] = [".ssh", ".gnupg"];
/// Secrets of the machine that stand in a directory of their own.
const MACHINE: [&str; 2] = ["/run/secrets", "/run/credentials"];

/// What may be read, and what is kept from it.
#[derive(Debug, Default)]
pub(super) struct Around {
    /// Files and directories that may be read.
    pub(super) granted: Vec<String>,
    /// Places of secrets that may not.
    pub(super) kept: Vec<String>,
    /// The directories that were listed to find out.
    pub(super) listed: Vec<String>,
    limit: usize,
}

/// Returns the places of all secrets of the home, however many entries it has.
pub(super) fn all(facts: &Facts) -> Vec<String> {
    let mut around = Around { limit: usize::MAX, ..Around::default() };
    let home = facts.home.as_deref().filter(|home| *home != "/");
    // What cannot be listed cannot be read either.
    let _ = home.and_then(|home| around.look(home, facts, &[], 0));
    let machine = MACHINE.iter().filter(|path| Path::new(path).exists());
    around.kept.extend(machine.map(|path| (*path).to_owned()));
    around.kept
}

/// Returns what stands around the secrets, but for those that are `needed`. None: there are too many entries, or no home is known.
pub(super) fn around(facts: &Facts, needed: &[String]) -> Option<Around> {
    let home = facts.home.as_deref().filter(|home| *home != "/")?;
    let mut around = Around { limit: ENTRIES, ..Around::default() };
    let mut below = "/".to_owned();
    // From the root down to the home, what is no step on the way.
    for step in home.split('/').filter(|step| !step.is_empty()) {
        for entry in around.entries(&below)? {
            let path = join(&below, &entry.name);
            if entry.name == step || path == "/dev" {
                continue;
            }
            let secrets = MACHINE.iter().filter(|secret| paths::is_below(secret, &path));
            if secrets.clone().any(|secret| Path::new(secret).exists()) {
                around.beside(&path, &MACHINE)?;
            } else {
                around.granted.push(path);
            }
        }
        below = join(&below, step);
    }
    around.look(&below, facts, needed, 0)?;
    Some(around)
}

struct Named {
    name: String,
    is_directory: bool,
}

fn join(directory: &str, name: &str) -> String {
    format!("{}/{name}", directory.trim_end_matches('/'))
}

impl Around {
    /// Returns what is known of it where only what is kept is told.
    pub(super) fn kept(kept: Vec<String>) -> Self {
        Self { kept, ..Self::default() }
    }

    /// The entries of a directory, but for links: what they lead to is granted where it stands, or not.
    fn entries(&mut self, directory: &str) -> Option<Vec<Named>> {
        self.listed.push(directory.to_owned());
        let found = std::fs::read_dir(directory).ok()?.take(self.limit.saturating_add(1));
        let named = found.filter_map(|entry| {
            let entry = entry.ok()?;
            let kind = entry.file_type().ok().filter(|kind| !kind.is_symlink())?;
            Some(Named { name: entry.file_name().into_string().ok()?, is_directory: kind.is_dir() })
        });
        let named: Vec<Named> = named.collect();
        (named.len() <= self.limit).then_some(named)
    }

    /// Grants what stands in a directory beside some of its entries.
    fn beside(&mut self, directory: &str, without: &[&str]) -> Option<()> {
        for entry in self.entries(directory)? {
            let path = join(directory, &entry.name);
            if without.contains(&path.as_str()) { &mut self.kept } else { &mut self.granted }
                .push(path);
        }
        Some(())
    }

    /// Looks through a directory that may hold secrets. Returns whether it does.
    fn look(
        &mut self,
        directory: &str,
        facts: &Facts,
        needed: &[String],
        depth: usize,
    ) -> Option<bool> {
        let before = (self.granted.len(), self.kept.len());
        for entry in self.entries(directory)? {
            let path = join(directory, &entry.name);
            let is_needed = needed.iter().any(|needed| paths::is_below(&path, needed));
            let is_secret = !is_needed && paths::is_secret(&path, facts);
            let is_mixed = MIXED.contains(&entry.name.as_str());
            let holds = !is_needed && paths::holds_secrets(&path, facts);
            if is_secret && !(is_mixed && entry.is_directory) {
                self.kept.push(path);
            } else if entry.is_directory && (holds || is_secret) && depth < 4 {
                self.look(&path, facts, needed, depth + 1)?;
            } else {
                self.granted.push(path);
            }
        }
        let has_secrets = self.kept.len() > before.1;
        // A directory without secrets is granted whole: what comes into it later too.
        if !has_secrets && depth > 0 {
            self.granted.truncate(before.0);
            self.granted.push(directory.to_owned());
        }
        (self.granted.len() <= self.limit).then_some(has_secrets)
    }
}
