//! Which file a path in a call means: as agents' tools take it, and behind links. Says nothing of what is done to it.

use std::fs;
use std::path::Path;

use crate::model::{Facts, Real, path_of_url};
use crate::observe::Scripts;
use crate::paths;

/// Returns the absolute path that an agent's tool takes this for. It knows `~`, as shells do, and no variables.
pub(super) fn absolute(path: &str, facts: &Facts) -> Option<String> {
    let (below, path) = based(path, facts)?;
    Some(paths::absolute(&below, &path))
}

/// Returns what a path is behind links, where that is another one; none of those that cannot be known. Clients clear `..` away before links are
/// followed, as a rule; the kernel follows them first.
pub(super) fn real(given: &str, path: &str, facts: &Facts) -> Vec<Option<String>> {
    let mut found = Vec::new();
    match Scripts::default().behind_links(path, facts, true) {
        Real::Same => {}
        Real::Other(real) if real == path => {}
        Real::Other(real) => found.push(Some(real)),
        Real::Unknown => found.push(None),
    }
    if given.contains("..")
        && let Some((below, given)) = based(given, facts)
        && let Some(real) = kernels(&Path::new(&below).join(given))
        && real != path
        && !found.iter().any(|known| known.as_deref() == Some(&real))
    {
        found.push(Some(real));
    }
    found
}

/// Returns whether a path can mean no other file: it is absolute, or something is there, be it a link that leads nowhere.
pub(super) fn is_named(path: &str, facts: &Facts) -> bool {
    let is_there = |path: String| fs::symlink_metadata(path).is_ok();
    path.starts_with(['/', '~']) || absolute(path, facts).is_some_and(is_there)
}

/// The path as the kernel takes it; of one that is not there, by its directory.
fn kernels(path: &Path) -> Option<String> {
    let real = fs::canonicalize(path).or_else(|error| {
        let name = path.file_name().ok_or(error)?;
        Ok::<_, std::io::Error>(fs::canonicalize(path.parent().unwrap_or(path))?.join(name))
    });
    real.ok()?.into_os_string().into_string().ok()
}

/// The directory that a path is below, and the path from there.
fn based(path: &str, facts: &Facts) -> Option<(String, String)> {
    let path = path_of_url(path).unwrap_or_else(|| path.to_owned());
    if path.contains('\0') {
        return None;
    }
    let below_home = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (below_home, facts.home.as_deref(), facts.cwd.as_deref()) {
        (Some(rest), Some(home), _) => Some((home.to_owned(), format!("./{rest}"))),
        (None, _, Some(cwd)) => Some((cwd.to_owned(), path)),
        (None, _, None) if path.starts_with('/') => Some(("/".to_owned(), path)),
        (Some(_), None, _) | (None, _, None) => None,
    }
}
