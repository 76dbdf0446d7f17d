//! Compiles `rules/tools.toml` into constant tables: what each tool of an agent does, and where it gets what it is given.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use super::tables::pascal;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tools {
    tool: Vec<Tool>,
    fields: BTreeMap<String, Vec<String>>,
    mcp: Mcp,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    does: String,
    names: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mcp {
    look: Vec<String>,
    act: Vec<String>,
}

/// Returns the tables as code.
pub fn compile(text: &str) -> String {
    let tools: Tools =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/tools.toml: {error}"));
    let mut rows = BTreeMap::new();
    for tool in &tools.tool {
        for name in &tool.names {
            let before = rows.insert(name.as_str(), tool.does.as_str());
            assert!(before.is_none(), "rules/tools.toml: '{name}' is there twice");
        }
    }
    let mut code = String::from("/// In the order of the names.\n");
    code.push_str("pub(super) const TOOLS: &[(&str, Does)] = &[\n");
    for (name, does) in rows {
        let _ = writeln!(code, "({name:?}, Does::{}),", pascal(does));
    }
    code.push_str("];\n");
    let lists = tools.fields.iter().map(|(name, list)| (name.as_str(), list));
    for (name, list) in lists.chain([("look", &tools.mcp.look), ("act", &tools.mcp.act)]) {
        let _ = writeln!(code, "pub(super) const {}: &[&str] = &{list:?};", name.to_uppercase());
    }
    code
}
