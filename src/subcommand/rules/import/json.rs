//! Lists of permissions in settings: Claude's `permissions`, Copilot's saved approvals, Gemini's tools and policies.
//! What is no command of a shell is named, so that it can be told.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::entry::{Entry, Prefix, Says};
use crate::subcommand::failure::Failure;

/// Why other tools are left out.
const OTHER_TOOL: &str =
    "not a command: rules are about command lines; hosts to read from go into `safe_domains`";

/// The entries of a file of settings.
pub(super) fn lists(agent: &str, value: &Value, project: &str) -> Vec<Entry> {
    match agent {
        "claude" => claude(value),
        "copilot" => copilot(value, project),
        "gemini" => gemini(value),
        _ => Vec::new(),
    }
}

fn texts<'v>(value: &'v Value, key: &[&str]) -> impl Iterator<Item = &'v str> + use<'v> {
    let list = key.iter().try_fold(value, |value, name| value.get(name));
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// `Bash(npm run test:*)`, `Bash(npm run build)`, `Bash(git *)`.
fn claude(value: &Value) -> Vec<Entry> {
    let lists = [("allow", Says::Allow), ("ask", Says::Ask), ("deny", Says::Deny)];
    let all = lists.into_iter().flat_map(|(name, says)| {
        texts(value, &["permissions", name]).map(move |text| (text, says))
    });
    all.map(|(text, says)| Entry::new(text, says, tool(text, &["Bash"]))).collect()
}

/// Takes `TOOL(PREFIX)` apart.
fn tool(text: &str, names: &[&str]) -> Result<Prefix, String> {
    let (name, inner) = match text.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')').unwrap_or(rest)),
        None => (text, ""),
    };
    if !names.contains(&name) {
        return Err(OTHER_TOOL.to_owned());
    }
    let open = inner.strip_suffix(":*").or_else(|| inner.strip_suffix(" *"));
    match open {
        Some(prefix) => Prefix::read(prefix, false),
        None if inner.is_empty() || inner == "*" => Prefix::of(Vec::new(), false),
        None => Prefix::read(inner, true),
    }
}

/// `locations.PATH.tool_approvals[]`: what was said for one place.
fn copilot(value: &Value, project: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let locations = value.get("locations").and_then(Value::as_object);
    for (place, location) in locations.into_iter().flatten() {
        let approvals = location.get("tool_approvals").and_then(Value::as_array);
        for approval in approvals.into_iter().flatten() {
            if approval.get("kind").and_then(Value::as_str) != Some("commands") {
                let kind = approval.get("kind").and_then(Value::as_str).unwrap_or("?");
                entries.push(Entry::new(
                    format!("{kind} in {place}"),
                    Says::Allow,
                    Err(OTHER_TOOL.to_owned()),
                ));
                continue;
            }
            for text in texts(approval, &["commandIdentifiers"]) {
                let about = if Path::new(project).starts_with(place) {
                    Prefix::read(text, false)
                } else {
                    Err(format!(
                        "said for {place} alone: rules hold everywhere; import it from there"
                    ))
                };
                entries.push(Entry::new(text, Says::Allow, about));
            }
        }
    }
    entries
}

/// `run_shell_command(git status)` in the lists of tools, old and new.
fn gemini(value: &Value) -> Vec<Entry> {
    let lists: [(&[&str], Says); 4] = [
        (&["tools", "allowed"], Says::Allow),
        (&["allowedTools"], Says::Allow),
        (&["tools", "exclude"], Says::Deny),
        (&["excludeTools"], Says::Deny),
    ];
    let names = ["run_shell_command", "ShellTool"];
    let all =
        lists.into_iter().flat_map(|(key, says)| texts(value, key).map(move |text| (text, says)));
    let open = |prefix: Prefix| Prefix { whole: false, ..prefix };
    all.map(|(text, says)| Entry::new(text, says, tool(text, &names).map(open))).collect()
}

/// A file of Gemini's policies.
#[derive(Deserialize)]
struct Policies {
    #[serde(default)]
    rule: Vec<Policy>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Policy {
    tool_name: Option<toml::Value>,
    command_prefix: Option<toml::Value>,
    command_regex: Option<String>,
    decision: String,
}

/// The entries of a file of Gemini's policies.
pub(super) fn policies(path: &Path, text: &str) -> Result<Vec<Entry>, Failure> {
    let policies: Policies = toml::from_str(text)
        .map_err(|error| Failure::new(format!("'{}' is broken: {error}", path.display())))?;
    let mut entries = Vec::new();
    for policy in policies.rule {
        let says = match policy.decision.as_str() {
            "allow" => Says::Allow,
            "deny" => Says::Deny,
            _ => Says::Ask,
        };
        let prefixes: Vec<String> = match policy.command_prefix {
            Some(toml::Value::String(prefix)) => vec![prefix],
            Some(toml::Value::Array(list)) => {
                list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        };
        if let Some(regex) = policy.command_regex {
            entries.push(Entry::new(
                regex,
                says,
                Err("a regular expression: write it as a rule by hand".to_owned()),
            ));
        } else if prefixes.is_empty() {
            let tool = policy.tool_name.map(|tool| tool.to_string()).unwrap_or_default();
            entries.push(Entry::new(tool, says, Err(OTHER_TOOL.to_owned())));
        }
        entries.extend(prefixes.into_iter().map(|prefix| {
            let about = Prefix::read(&prefix, false);
            Entry::new(prefix, says, about)
        }));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_taken_apart() {
        let words = |text: &str| tool(text, &["Bash"]).map(|prefix| (prefix.line(), prefix.whole));
        assert_eq!(words("Bash(npm run test:*)"), Ok(("npm run test".to_owned(), false)));
        assert_eq!(words("Bash(git status)"), Ok(("git status".to_owned(), true)));
        assert_eq!(words("Bash(ls *)"), Ok(("ls".to_owned(), false)));
        for text in [
            "Bash",
            "Bash()",
            "Bash(*)",
            "Bash(:*)",
            "Read(./x)",
            "Bash(a; b:*)",
            "Bash(git * x)",
            "Bash('a)",
            "Bash(/x/y:*)",
            "Bash(A=1 x:*)",
        ] {
            assert!(words(text).is_err(), "{text}");
        }
    }
}
