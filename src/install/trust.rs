//! The hashes by which Codex trusts hooks, in its `config.toml`: `[hooks.state."FILE:event:GROUP:HOOK"] trusted_hash`.
//! Measured with 0.169.0: a hook whose hash does not stand there does not run, and nobody is told.

use std::path::Path;

use serde_json::{Value, json};
use toml_edit::{DocumentMut, Item, Table, value};

use super::json::is_hook;
use super::memory::digest;

/// Seconds that Codex gives a hook that names none.
const TIMEOUT: u64 = 600;

/// Key and hash of each of our hooks in a file of hooks.
pub(super) fn hashes(hooks: &Value, file: &Path, agent: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let events = hooks.get("hooks").and_then(Value::as_object);
    for (event, groups) in events.into_iter().flatten() {
        for (group, entry) in groups.as_array().into_iter().flatten().enumerate() {
            let inner = entry.get("hooks").and_then(Value::as_array);
            for (index, hook) in inner.into_iter().flatten().enumerate() {
                if !is_hook(hook, agent) {
                    continue;
                }
                let name = snake(event);
                let key = format!("{}:{name}:{group}:{index}", file.display());
                all.push((key, hash(&name, entry.get("matcher"), hook)));
            }
        }
    }
    all
}

/// The hash of one hook: of compact JSON with sorted keys.
fn hash(event: &str, matcher: Option<&Value>, hook: &Value) -> String {
    let command = hook.get("command").unwrap_or(&Value::Null);
    let message = hook.get("statusMessage").map(|message| format!(",\"statusMessage\":{message}"));
    let message = message.unwrap_or_default();
    let timeout = hook.get("timeout").cloned().unwrap_or(json!(TIMEOUT));
    let matcher = matcher.map(|matcher| format!(",\"matcher\":{matcher}")).unwrap_or_default();
    let hook = format!(
        "{{\"async\":false,\"command\":{command}{message},\"timeout\":{timeout},\"type\":\"command\"}}"
    );
    let text = format!("{{\"event_name\":{},\"hooks\":[{hook}]{matcher}}}", json!(event));
    format!("sha256:{}", digest(&text))
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut name = String::new();
    for character in event.chars() {
        if character.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(character.to_ascii_lowercase());
    }
    name
}

/// Returns the settings with these hashes in them.
pub(super) fn put(text: &str, hashes: &[(String, String)]) -> Result<String, Fault> {
    let mut document = read(text)?;
    for (key, hash) in hashes {
        let hooks = document.entry("hooks").or_insert_with(implicit);
        let hooks = hooks.as_table_like_mut().ok_or(Fault::NoTable("hooks"))?;
        let state = hooks.entry("state").or_insert_with(implicit);
        let state = state.as_table_like_mut().ok_or(Fault::NoTable("hooks.state"))?;
        let entry = state.entry(key).or_insert_with(|| Item::Table(Table::new()));
        let entry = entry.as_table_like_mut().ok_or(Fault::NoTable("hooks.state"))?;
        entry.insert("trusted_hash", value(hash));
    }
    Ok(document.to_string())
}

/// Returns the settings without what we trusted: entries of these keys, or that hold one of these hashes.
pub(super) fn take(text: &str, hashes: &[(String, String)]) -> Result<String, Fault> {
    let mut document = read(text)?;
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    let Some(state) = hooks.get_mut("state").and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    let is_ours = |key: &str, item: &Item| {
        let hash = item.get("trusted_hash").and_then(Item::as_str);
        hashes.iter().any(|(ours, trusted)| ours == key || hash == Some(trusted))
    };
    let ours: Vec<String> = state
        .iter()
        .filter(|(key, item)| is_ours(key, item))
        .map(|(key, _)| key.to_owned())
        .collect();
    for key in &ours {
        state.remove(key);
    }
    if ours.is_empty() {
        return Ok(text.to_owned());
    }
    if state.is_empty() {
        hooks.remove("state");
    }
    if hooks.is_empty() {
        document.remove("hooks");
    }
    Ok(document.to_string())
}

/// Returns the keys of our hooks in a file of hooks that these settings do not trust.
#[must_use]
pub fn untrusted(settings: &str, hooks: &Value, file: &Path, agent: &str) -> Vec<String> {
    let document = read(settings).unwrap_or_default();
    let state = document.get("hooks").and_then(|hooks| hooks.get("state"));
    let trusts = |key: &str, hash: &str| {
        state.and_then(|state| state.get(key)?.get("trusted_hash")?.as_str()) == Some(hash)
    };
    let hashes = hashes(hooks, file, agent).into_iter();
    hashes.filter(|(key, hash)| !trusts(key, hash)).map(|(key, _)| key).collect()
}

fn implicit() -> Item {
    let mut table = Table::new();
    table.set_implicit(true);
    Item::Table(table)
}

/// What is wrong with Codex's settings.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// They are no TOML.
    Broken { at: usize, what: String },
    /// A key is no table.
    NoTable(&'static str),
}

fn read(text: &str) -> Result<DocumentMut, Fault> {
    text.parse().map_err(|error: toml_edit::TomlError| Fault::Broken {
        at: error.span().map_or(0, |span| span.start),
        what: error.message().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_the_sorted_json() {
        let hooks = json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
            {"type": "command", "command": "/x/guarded-sh hook codex", "timeout": 10}]}]}});
        let text = "{\"event_name\":\"pre_tool_use\",\"hooks\":[{\"async\":false,\"command\":\"/x/guarded-sh hook codex\",\"timeout\":10,\"type\":\"command\"}],\"matcher\":\"*\"}";
        let key = "/h/.codex/hooks.json:pre_tool_use:0:0".to_owned();
        let all = hashes(&hooks, Path::new("/h/.codex/hooks.json"), "codex");
        assert_eq!(all, [(key, format!("sha256:{}", digest(text)))]);
    }

    #[test]
    fn what_is_trusted_leaves_as_it_came() {
        let hashes = [("/h/hooks.json:stop:0:0".to_owned(), "sha256:00".to_owned())];
        for before in [
            "",
            "# mine\nmodel = \"x\" # the best\n\n[hooks.state.\"a:b\"]\ntrusted_hash = \"sha256:11\"\n",
        ] {
            let with = put(before, &hashes).unwrap();
            assert!(with.contains("trusted_hash = \"sha256:00\""), "{with}");
            assert_eq!(take(&with, &hashes).unwrap(), before);
        }
        assert!(matches!(put("a = [", &hashes), Err(Fault::Broken { .. })));
        assert_eq!(put("hooks = 1", &hashes), Err(Fault::NoTable("hooks")));
    }
}
