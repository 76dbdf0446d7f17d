//! Hosts and URLs: what a word names on the network, and what a download is called here.

use std::path::Path;

use super::plan::PlannedCommand;
use super::walk::Walker;
use crate::catalog::{Interpretation, Touch};
use crate::model::{
    Arg, Effect, EffectKind, ProgramTrait, is_this_machine, numeric_address, read_numbers,
};
use crate::paths::absolute;

/// Returns the host of a URL, of `user@host:path`, or of a plain name, in one spelling; none if it is not all known.
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
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    // A small number that stands alone is one of a port, a job or an issue.
    let is_small = !has_scheme && name.parse::<u32>().is_ok_and(|number| number < 1 << 24);
    let address = if is_small { None } else { numeric_address(&name) };
    let name = address.map_or(name, |address| address.to_string());
    (!name.is_empty()).then_some(name)
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

/// Takes what a copy between machines says of this one (`localhost:x`) for the file that it is here: below the home, where its path is not
/// absolute (scp(1)).
pub(super) fn take_as_here(interpretation: &mut Interpretation, home: Option<&str>) {
    let is_remote = |touch: &Touch| touch.kind == EffectKind::Remote;
    if !interpretation.is(ProgramTrait::PutsInto) || !interpretation.touches.iter().any(is_remote) {
        return;
    }
    for target in interpretation.touches.iter_mut().filter_map(|touch| touch.target.as_mut()) {
        let text = target.pattern().unwrap_or(target.prefix());
        let end =
            if text.contains('[') { text.find("]:").map(|at| at + 1) } else { text.find(':') };
        let Some((before, path)) = end.map(|end| (&text[..end], &text[end + 1..])) else {
            continue;
        };
        let named = host(&Arg::Known(before.to_owned()));
        if before.contains('/') || !named.is_some_and(|host| is_this_machine(&host)) {
            continue;
        }
        let below = path.strip_prefix("~/").or(Some(path).filter(|path| !path.starts_with('~')));
        let path = match (path.starts_with('/'), home, below) {
            // A server of rsync's own says itself what its names stand for.
            _ if path.starts_with(':') => None,
            (true, ..) => Some(path.to_owned()),
            (false, Some(home), Some(below)) => Some(format!("{home}/{below}")),
            (false, ..) => None,
        };
        *target = match (&*target, path) {
            (Arg::Known(_), Some(path)) => Arg::Known(path),
            (Arg::Glob(_), Some(path)) => Arg::Glob(path),
            (_, Some(path)) => Arg::Prefix(path),
            (_, None) => Arg::Unknown,
        };
    }
}

/// Schemes of servers that give out the files of a machine, and take some.
const FILES: &[&str] = &["sftp", "scp", "ftp", "ftps", "tftp", "smb", "smbs", "rsync"];

/// Returns whether a server of this machine is asked by a scheme for files, and the path that an URL names there; none if another machine is.
fn on_this_machine(target: &Arg) -> Option<(bool, &str)> {
    let text = target.prefix();
    if !host(target).is_some_and(|host| is_this_machine(&host)) {
        return None;
    }
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    let path = rest.find('/').map_or("", |start| &rest[start..]);
    Some((FILES.iter().any(|files| scheme.eq_ignore_ascii_case(files)), path))
}

impl Walker<'_> {
    /// Adds what is done to the files of this machine that a server on it gives out or takes: those of the whole machine by their paths, and
    /// secrets that are there also of a directory that it may serve.
    pub(super) fn served_here(
        &self,
        kind: EffectKind,
        target: &Arg,
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    ) {
        let Some((gives_files, path)) = on_this_machine(target) else { return };
        let path = read_numbers(path.split(['?', '#']).next().unwrap_or(path));
        if gives_files {
            let own = path.strip_prefix("/~").map(|below| format!("~{below}"));
            let kind = if kind == EffectKind::Send { EffectKind::Write } else { EffectKind::Read };
            let is_whole = target.known().is_some();
            let named = own.unwrap_or_else(|| path.clone());
            let named = if is_whole { Arg::Known(named) } else { Arg::Unknown };
            self.path_effects_in(kind, &named, directories, effects);
            return;
        }
        let named = path.trim_start_matches('/');
        let places = directories.iter().flatten().map(String::as_str).chain(["/"]);
        for place in places.filter(|_| !named.is_empty()) {
            let served = absolute(place, named);
            if self.scripts.exists(&served) && self.is_secret(&served) {
                self.absolute_effect(EffectKind::Read, &Arg::Known(served), effects);
            }
        }
    }

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
        let is_package = |above: &Path| {
            let path = above.join("package.json");
            path.to_str().is_some_and(|path| self.scripts.exists(path))
        };
        let installs = |command: &PlannedCommand| {
            command.effects.iter().any(|effect| effect.kind == EffectKind::Install)
        };
        let mut above = Path::new(directory).ancestors();
        let is_expected = interpretation.is(ProgramTrait::ExpectedThere)
            && (!above.clone().any(is_package) || self.plan.commands.iter().any(installs));
        !interpretation.gives(&["-p", "--package"]) && (is_expected || above.any(is_there))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_spelling() {
        for (text, one) in [
            ("https://Docs.RS./x", Some("docs.rs")),
            ("git@github.com:a/b", Some("github.com")),
            ("http://2852039166/", Some("169.254.169.254")),
            ("http://0xA9.0376.43518", Some("169.254.169.254")),
            ("http://[::ffff:a9fe:a9fe]:80/", Some("169.254.169.254")),
            ("http://[0:0::1]/", Some("::1")),
            ("2852039166", Some("169.254.169.254")),
            ("127.1", Some("127.0.0.1")),
            ("8080", Some("8080")),
            ("http://8080", Some("0.0.31.144")),
            ("http://+1.1.1.1/", Some("+1.1.1.1")),
            ("http://1.2.3.4.5/", Some("1.2.3.4.5")),
            ("http://256.1.1.1/", Some("256.1.1.1")),
            ("http://", None),
            ("http://./", None),
        ] {
            assert_eq!(host(&Arg::Known(text.to_owned())).as_deref(), one, "{text}");
        }
    }
}
