//! What a text mentions by `@`: files that a client attaches, and what MCP servers offer, read without a call of a tool.
//! Says nothing of which clients do so: `rules/tools.toml` does.

use super::given::MOST_STRINGS;
use super::table::Attaches;
use super::tool::{Deed, served, spellings};
use crate::config::McpSettings;
use crate::model::bare;

/// Returns what a client reads for the mentions of a text. Clients end a mention each in its own way: every reading counts.
#[must_use]
pub fn mentioned(
    text: &str,
    attaches: Attaches,
    below: &[&str],
    settings: &McpSettings,
) -> Vec<Deed> {
    let mut deeds = Vec::new();
    for name in names(text, attaches) {
        if deeds.len() > MOST_STRINGS {
            deeds.push(Deed::Unclear("mentions more than is looked at".to_owned()));
            return deeds;
        }
        // A server's name has no slash; a path has one, or no colon.
        if let Some((server, uri)) = name.split_once(':')
            && !server.is_empty()
            && !uri.is_empty()
            && !server.contains('/')
        {
            let input = serde_json::Value::String(uri.to_owned());
            deeds.extend(served(server, "read_resource", &input, settings).deeds);
        }
        for path in readings(name).flat_map(spellings) {
            // Of what stands in the root itself nothing is a secret.
            let is_deep = !path.starts_with(['/', '~']) && path.trim_end_matches('/').contains('/');
            let from = below.iter().filter(|_| is_deep);
            let elsewhere = from.map(|from| Deed::Perhaps(format!("{from}{path}")));
            deeds.extend(elsewhere.collect::<Vec<_>>());
            deeds.push(Deed::Perhaps(path));
        }
    }
    deeds
}

/// What stands behind each `@` that begins a mention: up to the next blank, or between quotes.
fn names(text: &str, attaches: Attaches) -> impl Iterator<Item = &str> {
    let begins = move |before: char| match attaches {
        Attaches::Nothing => false,
        Attaches::Words => before.is_whitespace() || "。、？！\u{feff}".contains(before),
        Attaches::Anywhere => !(before.is_ascii_alphanumeric() || "_`".contains(before)),
    };
    text.match_indices('@').filter_map(move |(at, _)| {
        if !text[..at].chars().next_back().is_none_or(begins) || attaches == Attaches::Nothing {
            return None;
        }
        let rest = &text[at + 1..];
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.split(char::is_whitespace).next(),
        };
        name.map(bare).filter(|name| !name.is_empty())
    })
}

/// The name as it stands, up to a comma or a backtick, up to `#`, and each without the signs behind it.
fn readings(name: &str) -> impl Iterator<Item = &str> {
    let cut = |ends: &'static [char]| name.split(ends).next().unwrap_or(name);
    let cuts = [name, cut(&[',', '`']), cut(&['#']), cut(&[',', '`', '#'])];
    let is_sign = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let mut found = Vec::new();
    for one in cuts.into_iter().flat_map(|cut| [cut, cut.trim_end_matches(is_sign)]) {
        if !one.is_empty() && !found.contains(&one) {
            found.push(one);
        }
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::{Attaches, names, readings};

    #[test]
    fn mentions_are_found_as_clients_find_them() {
        let text =
            "see @a/b.rs, (@~/.ssh/id_rsa) or @\"my file\"; not me@host, nor `@x`.\n@.env @ @";
        let all = ["a/b.rs,", "~/.ssh/id_rsa)", "my file", ".env"];
        assert_eq!(names(text, Attaches::Anywhere).collect::<Vec<_>>(), all);
        let words = ["a/b.rs,", "my file", ".env"];
        assert_eq!(names(text, Attaches::Words).collect::<Vec<_>>(), words);
        assert_eq!(names(text, Attaches::Nothing).next(), None);
        for (name, expected) in [
            ("~/.ssh/id_rsa).", "~/.ssh/id_rsa"),
            ("/a/b#L1-20", "/a/b"),
            ("../.netrc,x", "../.netrc"),
            (".env`", ".env"),
        ] {
            assert!(readings(name).any(|reading| reading == expected), "{name}");
        }
    }
}
