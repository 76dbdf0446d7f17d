//! Compiles `rules/contain.toml` into constant tables: what containment takes away, for `policy`, and what a container has of files, for `fence`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Deserialize;

use super::tables::pascal;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    removes: Vec<Removes>,
    lines: Lines,
    files: Files,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Removes {
    findings: Vec<String>,
    layers: Vec<String>,
    #[serde(default)]
    permit: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    leave: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Files {
    hidden: Vec<String>,
    kept: Vec<String>,
    sockets: Vec<String>,
    guarded: BTreeMap<String, Vec<String>>,
}

/// The part of `rules/fence.toml` that holds for containers too.
#[derive(Deserialize)]
struct Fence {
    cannot: Vec<String>,
}

/// Returns the table of `policy` and that of `fence` as code.
pub fn compile(text: &str, fence: &str) -> [String; 2] {
    let written: Written =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/contain.toml: {error}"));
    let fence: Fence =
        toml::from_str(fence).unwrap_or_else(|error| panic!("rules/fence.toml: {error}"));
    let mut policy =
        String::from("static REMOVES: &[(&str, usize, Layers, Option<Permission>)] = &[\n");
    let mut seen = BTreeSet::new();
    for (index, row) in written.removes.iter().enumerate() {
        let layers: String = row
            .layers
            .iter()
            .fold(String::new(), |layers, layer| layers + ".with(Layer::" + &pascal(layer) + ")");
        let permit = row.permit.as_ref().map_or_else(
            || "None".to_owned(),
            |permit| format!("Some(Permission::{})", pascal(&permit.replace('_', "-"))),
        );
        for finding in &row.findings {
            assert!(seen.insert(finding), "rules/contain.toml: {finding} stands twice");
            let _ = writeln!(policy, "({finding:?}, {index}, Layers::NONE{layers}, {permit}),");
        }
    }
    policy.push_str("];\n");
    let never: BTreeSet<&String> = written.lines.leave.iter().chain(&fence.cannot).collect();
    let _ = writeln!(policy, "const NEVER: &[&str] = &{:?};", never.iter().collect::<Vec<_>>());
    let Files { hidden, kept, sockets, guarded } = &written.files;
    for path in hidden.iter().chain(kept) {
        let is_whole = path.starts_with('/') || path.starts_with("~/");
        assert!(is_whole && !path.ends_with('/'), "rules/contain.toml: '{path}'");
    }
    for name in sockets {
        let name = name.strip_suffix('*').unwrap_or(name);
        assert!(!name.contains(['*', '/']), "rules/contain.toml: '{name}' is no name");
    }
    let mut files = String::new();
    let _ = writeln!(files, "const HIDDEN: &[&str] = &{hidden:?};");
    let _ = writeln!(files, "const KEPT: &[&str] = &{kept:?};");
    let _ = writeln!(files, "const SOCKETS: &[&str] = &{sockets:?};");
    let rows = guarded.iter().map(|(entry, below)| format!("({entry:?}, &{below:?})"));
    let rows: Vec<String> = rows.collect();
    let _ = writeln!(files, "const GUARDED: &[(&str, &[&str])] = &[{}];", rows.join(", "));
    [policy, files]
}
