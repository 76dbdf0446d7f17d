//! Compiles `rules/tools.toml` into constant tables: what each tool of an agent does, what it takes, and how tools of MCP servers are named.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use super::tables::pascal;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    tool: Vec<Tool>,
    head: Head,
    sql: Sql,
    mcp: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    agents: Vec<String>,
    does: String,
    names: Vec<String>,
    takes: Option<BTreeMap<String, Vec<String>>>,
    #[serde(default)]
    files: Vec<String>,
    #[serde(default)]
    bundled: Vec<String>,
    #[serde(default)]
    helpers: Vec<String>,
    #[serde(default)]
    attaches: Option<String>,
    #[serde(default)]
    below: Vec<String>,
    #[serde(default)]
    folds: bool,
    #[serde(default)]
    seeks: bool,
    #[serde(default)]
    around: bool,
    #[serde(default)]
    intercepts: Vec<String>,
    #[serde(default)]
    before: String,
    #[serde(default)]
    after: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    brings: Vec<String>,
    plain: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sql {
    reaches: Vec<String>,
}

/// Returns the tables as code.
pub fn compile(text: &str) -> String {
    let tools: Tools =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/tools.toml: {error}"));
    let mut rows = BTreeMap::new();
    for tool in &tools.tool {
        let may_be_bare = matches!(tool.does.as_str(), "own" | "input");
        assert!(may_be_bare || tool.takes.is_some(), "rules/tools.toml: {:?}: takes", tool.names);
        assert!(
            !matches!(tool.does.as_str(), "prompt" | "later") || !tool.files.is_empty(),
            "{:?}: files",
            tool.names
        );
        assert!(tool.does != "helper" || !tool.helpers.is_empty(), "{:?}: helpers", tool.names);
        for agent in &tool.agents {
            for name in &tool.names {
                let before = rows.insert((agent.as_str(), name.as_str()), tool);
                assert!(before.is_none(), "rules/tools.toml: {agent}: '{name}' is there twice");
            }
        }
    }
    let mut code = String::from("/// In the order of the agents' names, then of the tools'.\n");
    code.push_str("pub(super) static TOOLS: &[Row] = &[\n");
    for ((agent, name), tool) in rows {
        let _ = writeln!(
            code,
            "(({agent:?}, {name:?}), Tool {{ does: Does::{}, takes: {}, files: &{:?}, bundled: &{:?}, helpers: &{:?}, attaches: Attaches::{}, below: &{:?}, folds: {}, seeks: {}, around: {}, intercepts: &{:?}, before: {:?}, after: {:?} }}),",
            pascal(&tool.does),
            fields(tool),
            tool.files,
            tool.bundled,
            tool.helpers,
            pascal(tool.attaches.as_deref().unwrap_or("nothing")),
            tool.below,
            tool.folds,
            tool.seeks,
            tool.around,
            tool.intercepts,
            tool.before,
            tool.after
        );
    }
    code.push_str("];\n");
    let own = [
        ("BRINGS", &tools.head.brings),
        ("PLAIN", &tools.head.plain),
        ("REACHES", &tools.sql.reaches),
    ];
    let own = own.map(|(name, list)| (name.to_owned(), list));
    let mcp = tools.mcp.iter().map(|(name, list)| (name.to_uppercase(), list));
    for (name, list) in own.into_iter().chain(mcp) {
        let _ = writeln!(code, "pub(super) const {name}: &[&str] = &{list:?};");
    }
    code
}

/// The fields of a tool with what stands in them.
fn fields(tool: &Tool) -> String {
    let Some(takes) = &tool.takes else { return "None".to_owned() };
    let mut code = String::from("Some(&[");
    for (holds, names) in takes {
        for name in names {
            let _ = write!(code, "({name:?}, Holds::{}), ", pascal(holds));
        }
    }
    code.push_str("])");
    code
}
