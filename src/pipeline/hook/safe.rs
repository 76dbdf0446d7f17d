//! Whether the owner calls safe what a call does: each path and each address of it on its own, as what it is and not as it is written.

use super::place;
use crate::audit::mask;
use crate::hooks::{Deed, Handlers, ToolKind, Work};
use crate::model::{Facts, read_numbers};
use crate::observe::Scripts;
use crate::paths;

/// Returns whether the owner calls what a call does safe. A command line, or what a tool of a server is given, must be the very one; paths and
/// addresses may fit a glob, all of them, also behind links.
pub(super) fn is_called_safe(handlers: &Handlers<'_>, work: &Work, facts: &Facts) -> bool {
    match work.kind {
        ToolKind::Shell => work.deeds.is_empty() && handlers.safe.contains(&work.subject.as_str()),
        ToolKind::Mcp => handlers.safe.contains(&work.subject.as_str()),
        ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Web | ToolKind::Own => {
            let fits = |deed| {
                values(deed, facts).is_some_and(|all| {
                    all.iter()
                        .all(|value| handlers.safe.iter().any(|safe| fits(safe, value, facts)))
                })
            };
            !work.deeds.is_empty() && work.deeds.iter().all(fits)
        }
    }
}

/// What a deed is done to, in every spelling that counts; none if that is not all known.
fn values(deed: &Deed, facts: &Facts) -> Option<Vec<String>> {
    match deed {
        Deed::Path { path, .. } => {
            let given = path.as_deref().filter(|path| !path.contains('{'))?;
            let path = place::absolute(given, facts)?;
            let mut all =
                place::real(given, &path, facts).into_iter().collect::<Option<Vec<_>>>()?;
            all.push(path);
            Some(all)
        }
        // That a place may be read does not say that it may be told secrets.
        Deed::Fetch(url) => Some(vec![plain(url).filter(|url| !mask::holds_secret(url))?]),
        // What it is done to, another deed says.
        Deed::Sought(path) => place::is_named(path, facts).then(Vec::new),
        Deed::All(_) => Some(Vec::new()),
        Deed::Around(path) => Scripts::is_directory(&place::absolute(path, facts)?).then(Vec::new),
        Deed::Perhaps(_) | Deed::Within(_) | Deed::Secret | Deed::Unclear(_) => None,
    }
}

/// An address with its scheme and host in small letters, and without `.` and `..`; none if a browser could take it for another.
fn plain(url: &str) -> Option<String> {
    if url.contains(|c: char| c == '\\' || c.is_control() || c.is_whitespace()) {
        return None;
    }
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(end);
    if host.contains('@') {
        return None;
    }
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (path, query) = rest.split_at(end);
    let dots = |part: &str| read_numbers(part).bytes().all(|byte| byte == b'.');
    let parts =
        path.split('/').map(|part| if dots(part) { read_numbers(part) } else { part.to_owned() });
    let mut cleared = String::new();
    if !path.is_empty() {
        cleared = paths::absolute("/", &parts.collect::<Vec<_>>().join("/"));
        if path.len() > 1 && path.ends_with('/') {
            cleared.push('/');
        }
    }
    Some(format!("{}://{}{cleared}{query}", scheme.to_ascii_lowercase(), host.to_ascii_lowercase()))
}

fn fits(safe: &str, value: &str, facts: &Facts) -> bool {
    if safe.contains("://") || value.contains("://") {
        return fast_glob::glob_match(safe, value);
    }
    let below_home = safe.strip_prefix("~/").zip(facts.home.as_deref());
    let safe = match (below_home, facts.cwd.as_deref()) {
        (Some((rest, home)), _) => paths::absolute(home, rest),
        (None, Some(cwd)) => paths::absolute(cwd, safe),
        (None, None) => safe.to_owned(),
    };
    fast_glob::glob_match(&safe, value)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn an_address_is_compared_as_what_it_is() {
        for (url, expected) in [
            ("HTTPS://Docs.RS/a/../b", Some("https://docs.rs/b")),
            ("https://docs.rs/a/%2e%2E/b/?q=../x", Some("https://docs.rs/b/?q=../x")),
            ("https://docs.rs", Some("https://docs.rs")),
            ("https://evil.example\\@docs.rs/", None),
            ("https://docs.rs@evil.example/", None),
            ("docs.rs/x", None),
        ] {
            assert_eq!(plain(url).as_deref(), expected, "{url}");
        }
    }
}
