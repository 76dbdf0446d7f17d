//! The class of a path where a look at the file tells more than its name: that only its owner may read it, or that a token stands in it.
//! Which paths are looked at says `rules/paths.toml`.

use fast_glob::glob_match;

use crate::audit::mask;
use crate::model::{EffectKind, Facts, PathClass};
use crate::observe::Scripts;
use crate::paths::{self, Sign};

/// Directories below the one that is searched that are looked into.
const NEAR: usize = 64;

/// Returns the class of an absolute path or pattern of paths for an effect of this kind.
pub(super) fn class_for(kind: EffectKind, path: &str, facts: &Facts) -> PathClass {
    let class = paths::class_for(kind, path, facts);
    // What is a stream of its own to a line is one of the client's to its tools.
    let class =
        if class == PathClass::Null && !SINKS.contains(&path) { PathClass::Device } else { class };
    let is_told = |sign: Sign| match sign {
        Sign::Private => Scripts::is_private(path),
        Sign::Token => holds_token(path),
    };
    let is_secret = || {
        paths::signs(path, facts).into_iter().any(is_told)
            || is_of_secrets(path, facts)
            || is_narrowed_to_secrets(path, facts)
    };
    if kind == EffectKind::Read && is_secret() { PathClass::Secret } else { class }
}

/// Whether a directory of a workspace holds nothing but secrets and what is said of them: whoever searches it reads them.
fn is_of_secrets(path: &str, facts: &Facts) -> bool {
    let directory = path.split_once("/**").map_or(path, |(directory, _)| directory);
    let is_in = |root: &String| directory != root && paths::is_below(directory, root);
    if !facts.workspaces.iter().any(is_in) {
        return false;
    }
    let mut names = Scripts::names(directory).unwrap_or_default();
    names.retain(|name| !name.starts_with(".git") && !name.starts_with("README"));
    let is_secret = |name: &String| {
        let path = paths::absolute(directory, name);
        paths::class_for(EffectKind::Read, &path, facts) == PathClass::Secret
    };
    !names.is_empty() && names.iter().all(is_secret)
}

/// Whether a pattern of names below a directory of a workspace fits nothing there but secrets. As many directories are looked into as are near.
fn is_narrowed_to_secrets(path: &str, facts: &Facts) -> bool {
    let Some((above, name)) = path.rsplit_once('/') else { return false };
    let directory = above.trim_end_matches("/**");
    let is_in = |root: &String| paths::is_below(directory, root);
    let is_narrow = name.contains(['*', '?', '[', '{'])
        && !["*", "**"].contains(&name)
        && !directory.contains('*');
    if !is_narrow || !facts.workspaces.iter().any(is_in) {
        return false;
    }
    let mut directories = vec![directory.to_owned()];
    if above.ends_with("/**") {
        let below = Scripts::directories(directory).into_iter().take(NEAR);
        directories.extend(below.map(|name| paths::absolute(directory, &name)));
    }
    let fitting = directories.iter().flat_map(|directory| {
        let names = Scripts::names(directory).unwrap_or_default().into_iter();
        let fitting = names.filter(|found| glob_match(name, found));
        fitting
            .map(|found| paths::absolute(directory, &found))
            .filter(|path| !Scripts::is_directory(path))
    });
    let mut fitting = fitting.peekable();
    fitting.peek().is_some()
        && fitting.all(|path| paths::class_for(EffectKind::Read, &path, facts) == PathClass::Secret)
}

/// Devices that are the same to everybody.
const SINKS: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Whether a token stands in a file; of a pattern, in the one that is nearest to where the search begins.
fn holds_token(path: &str) -> bool {
    let nearest = path.replace("/**", "");
    Scripts::peek(&nearest).is_some_and(|text| mask::holds_secret(&text))
}
