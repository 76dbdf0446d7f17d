//! Tools of MCP servers: which server, and whether the tool only looks.

use super::event::Call;
use super::table::{ACT, LOOK};
use crate::config::McpSettings;

/// Returns server and tool, if it is a server's tool. Agents write them as `mcp__SERVER__TOOL`, or as `SERVER-TOOL` and `SERVER_TOOL`, where
/// only a registered name tells where the server's ends.
pub(super) fn split(call: &Call, settings: &McpSettings) -> Option<(String, String)> {
    if let Some(server) = &call.server {
        return Some((server.clone(), call.tool.clone()));
    }
    if let Some((server, tool)) = call.tool.strip_prefix("mcp__").and_then(|n| n.split_once("__")) {
        return Some((server.to_owned(), tool.to_owned()));
    }
    let name = call.tool.strip_prefix("mcp_").unwrap_or(&call.tool);
    settings.servers.value.iter().find_map(|server| {
        let tool = name.strip_prefix(server.as_str())?.strip_prefix(['-', '_', '.', '/'])?;
        (!tool.is_empty()).then(|| (server.clone(), tool.to_owned()))
    })
}

/// Returns why a tool of a server is not known to be harmless, if it is not.
pub(super) fn doubt(server: &str, tool: &str, settings: &McpSettings) -> Option<String> {
    let name = format!("{server}/{tool}");
    if settings.tools.value.iter().any(|pattern| fast_glob::glob_match(pattern, &name)) {
        return None;
    }
    if !settings.servers.value.iter().any(|registered| registered == server) {
        return Some(format!("the MCP server '{server}' is not one of [mcp] servers"));
    }
    (!looks(tool)).then(|| format!("'{tool}' of the MCP server '{server}' may do more than look"))
}

/// Whether the name of a tool says that it only looks.
fn looks(tool: &str) -> bool {
    let words = words(tool);
    let is = |list: &[&str], word: &String| list.contains(&word.as_str());
    let [first, .., last] = words.as_slice() else {
        return words.first().is_some_and(|word| is(LOOK, word));
    };
    (is(LOOK, first) || is(LOOK, last)) && !words.iter().any(|word| is(ACT, word))
}

/// The words of `get_issue`, `list-pages` and `getIssue`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = 'A';
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::looks;

    #[test]
    fn a_tool_looks_if_its_name_says_so_and_says_nothing_else() {
        for name in
            ["get_issue", "list-pages", "searchCode", "issue_read", "browser_snapshot", "read"]
        {
            assert!(looks(name), "{name}");
        }
        for name in [
            "create_issue",
            "get_or_create",
            "readAndDelete",
            "execute_sql",
            "browser_navigate",
            "x",
            "",
        ] {
            assert!(!looks(name), "{name}");
        }
    }
}
