//! What stands in a directory or fits a pattern, where a client is given one, or looks for a file by the end of its path: which of it are secrets, or
//! more than files. Looks at names alone, and reads nothing.

use fast_glob::glob_match;

use super::place;
use super::plan::on_path;
use crate::model::{Effect, EffectKind, EntryKind, Facts, PathClass, Target};
use crate::observe::Scripts;
use crate::paths;
use crate::reading::PlannedCommand;

/// Directories in which no client looks for files.
const PASSED_OVER: [&str; 2] = ["node_modules", "objects"];

/// Directories that are looked at: more than these are not known.
const MOST_DIRECTORIES: usize = 4096;

/// Secrets that are told of.
const TOLD: usize = 8;

/// Adds what is read of secrets in a directory, or by a pattern, to a command.
pub(super) fn all(given: &str, facts: &Facts, command: &mut PlannedCommand) {
    let Some(whole) = place::absolute(given, facts) else { return };
    let is_wild = |part: &&str| part.contains(['*', '?', '[', '{', '(']);
    let plain = whole.split('/').take_while(|part| !is_wild(part)).collect::<Vec<_>>().join("/");
    let pattern = whole.to_lowercase();
    let is_directory = Scripts::is_directory(&whole);
    let fits = |path: &str| is_directory || glob_match(&pattern, path.to_lowercase());
    let begin = if is_directory { whole.clone() } else { format!("{plain}/") };
    let mut found: Vec<Effect> = Vec::new();
    let looked = walk(begin, |path, kind| {
        let may_be = kind == EntryKind::Link || paths::is_secret(path, facts);
        if may_be && found.len() < TOLD && fits(path) {
            one(path, facts, &mut found);
        }
    });
    if looked.is_none() {
        command.unknown.push(format!("reads more in '{given}' than is looked at"));
    }
    found.retain(|effect| !command.effects.contains(effect));
    command.effects.extend(found);
}

/// Adds that a path is read, where it is one of a secret.
pub(super) fn one(path: &str, facts: &Facts, effects: &mut Vec<Effect>) {
    let mut found = Vec::new();
    on_path(EffectKind::Read, Some(path), facts, &mut found);
    let is_secret = |effect: &Effect| {
        matches!(effect.target, Target::Path { class: PathClass::Secret | PathClass::Guard, .. })
    };
    effects.extend(found.into_iter().filter(is_secret));
}

/// Returns whether every file of the workspaces whose path ends so is no more than a file; false where that is not known.
pub(super) fn ends_harmlessly(end: &str, facts: &Facts) -> bool {
    let end = end.trim_start_matches("./");
    if end.contains("..") || facts.workspaces.is_empty() {
        return false;
    }
    facts.workspaces.iter().all(|root| {
        let mut are_files = true;
        let looked = walk(root.clone(), |path, kind| {
            let is_file = || {
                kind == EntryKind::Other
                    && matches!(
                        paths::classify(path, facts),
                        PathClass::Inside | PathClass::BuildOutput
                    )
            };
            are_files &= !path.ends_with(end) || is_file();
        });
        looked.is_some() && are_files
    })
}

/// Shows each file and link in a directory and below it; none if there is more than is looked at.
fn walk(begin: String, mut show: impl FnMut(&str, EntryKind)) -> Option<()> {
    let scripts = Scripts::default();
    let mut open = vec![begin];
    let mut looked = 0;
    while let Some(directory) = open.pop() {
        looked += 1;
        let entries = scripts.fitting(&directory, &|name| !PASSED_OVER.contains(&name));
        let entries = entries.filter(|_| looked <= MOST_DIRECTORIES)?;
        for entry in entries {
            let path = format!("{}/{}", directory.trim_end_matches('/'), entry.name);
            match entry.kind {
                // What a build makes again is large, and holds what stands elsewhere too.
                EntryKind::Directory if paths::is_build_output(&path) => {}
                EntryKind::Directory => open.push(path),
                kind @ (EntryKind::Other | EntryKind::Link) => show(&path, kind),
            }
        }
    }
    Some(())
}
