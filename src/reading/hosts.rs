//! Hosts and URLs: what a word names on the network, and what a download is called here.

use std::path::Path;

use super::walk::Walker;
use crate::catalog::Interpretation;
use crate::model::{Arg, EffectKind, ProgramTrait};

/// Returns the host of a URL, of `user@host:path`, or of a plain name; none if it is not all known.
#[must_use]
pub fn host(target: &Arg) -> Option<String> {
    let text = target.prefix();
    let (rest, has_scheme) = match text.split_once("://") {
        Some((_, rest)) => (rest, true),
        None => (text, false),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    if target.known().is_none() && end == rest.len() {
        return None;
    }
    let authority = &rest[..end];
    let name = authority.rsplit('@').next().unwrap_or(authority);
    let name = if let Some(bracketed) = name.strip_prefix('[') {
        bracketed.split(']').next().unwrap_or(bracketed)
    } else if has_scheme || name.matches(':').count() == 1 {
        name.split(':').next().unwrap_or(name)
    } else {
        name
    };
    (!name.is_empty()).then(|| name.to_ascii_lowercase())
}

/// Returns the path that a `file:` URL names on this machine (RFC 8089).
pub(super) fn local_path(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let Some(rest) = rest.strip_prefix("//") else { return Some(rest) };
    Some(rest.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(rest))
}

/// Whether a copy stays on this machine: no operand may name another (rsync(1), "GENERAL").
pub(super) fn stays_here(interpretation: &Interpretation, argv: &[Arg]) -> bool {
    let is_local = |word: &Arg| {
        let text = word.pattern().unwrap_or(word.prefix());
        let (before, is_whole) = match text.split_once('/') {
            Some((before, _)) => (before, true),
            None => (text, word.pattern().is_some()),
        };
        is_whole && !before.contains(':')
    };
    interpretation.is(ProgramTrait::StaysHere)
        && interpretation.operands.len() > 1
        && interpretation.words(argv).all(is_local)
}

impl Walker<'_> {
    /// Whether the program that `npx` is to run is the workspace's own, so that nothing is fetched (npx(1)).
    pub(super) fn has_program(&self, interpretation: &Interpretation) -> bool {
        let words: Vec<&str> = interpretation.subcommand.iter().map(String::as_str).collect();
        let (("npx", &[name]) | ("npm", &["exec", name])) =
            (interpretation.program.as_str(), words.as_slice())
        else {
            return false;
        };
        let [Some(directory)] = self.state.directories.as_slice() else { return false };
        let is_there = |above: &Path| {
            let path = above.join("node_modules/.bin").join(name);
            path.to_str().is_some_and(|path| self.scripts.exists(path))
        };
        !interpretation.gives(&["-p", "--package"])
            && Path::new(directory).ancestors().any(is_there)
    }
}

/// Returns the files that a download is written to under the name that its URL has.
pub(super) fn downloaded(interpretation: &Interpretation) -> impl Iterator<Item = Arg> {
    let prefix = interpretation.given(&["-P", "--directory-prefix", "--output-dir"]).next();
    let prefix = prefix.and_then(|option| option.value.as_ref()).map_or("", Arg::prefix);
    let slash = if prefix.is_empty() { "" } else { "/" };
    let is_named = interpretation.is(ProgramTrait::NamedByUrl);
    let fetched = interpretation
        .touches
        .iter()
        .filter(move |touch| is_named && touch.kind == EffectKind::Fetch);
    fetched.filter_map(move |touch| {
        let url = touch.target.as_ref()?.known()?;
        let path = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = path.split(['?', '#']).next().unwrap_or(path);
        let (_, name) = path.rsplit_once('/').filter(|(_, name)| !name.is_empty())?;
        Some(Arg::Known(format!("{prefix}{slash}{name}")))
    })
}
