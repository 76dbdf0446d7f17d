//! Compiles `rules/effects.toml`, `rules/paths.toml`, `rules/variables.toml`, `rules/tasks.toml` and `rules/tools.toml` into constant
//! tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

use super::{places, tools};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variables {
    variable: Vec<Variable>,
    #[serde(default)]
    secret: Vec<String>,
    inherited: Vec<String>,
    owners: Vec<String>,
    keepers: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    names: Vec<String>,
    meaning: String,
    #[serde(default)]
    values: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tasks {
    routine: Vec<String>,
    outward: Vec<String>,
}

/// Writes `severities.rs`, `places.rs`, `variables.rs`, `recipes.rs`, `tasks.rs` and `tools.rs` to `OUT_DIR`.
pub fn compile() {
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let out = Path::new(&out);
    let effects = read("rules/effects.toml");
    write(out, "severities.rs", &severities(&effects));
    write(out, "sentences.rs", &sentences(&effects));
    write(out, "places.rs", &places::compile(&read("rules/paths.toml")));
    write(out, "variables.rs", &variables(&read("rules/variables.toml")));
    write(out, "recipes.rs", &recipes(&effects));
    write(out, "tasks.rs", &tasks(&read("rules/tasks.toml")));
    write(out, "tools.rs", &tools::compile(&read("rules/tools.toml")));
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
}

fn write(out: &Path, name: &str, text: &str) {
    fs::write(out.join(name), text).unwrap_or_else(|error| panic!("cannot write {name}: {error}"));
}

/// One `match` over kind and class, so that a new variant without a row does not compile.
fn severities(text: &str) -> String {
    let kinds: BTreeMap<String, BTreeMap<String, String>> =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/effects.toml: {error}"));
    let mut code = String::from("match kind {\n");
    for (kind, classes) in &kinds {
        let default = classes
            .get("default")
            .unwrap_or_else(|| panic!("rules/effects.toml: [{kind}] has no default"));
        let _ = writeln!(code, "EffectKind::{} => match class {{", pascal(kind));
        let rows = classes
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "default" | "says" | "recipe"));
        for (class, severity) in rows {
            let _ = writeln!(
                code,
                "Some(PathClass::{}) => Severity::{},",
                pascal(class),
                pascal(severity)
            );
        }
        let _ = writeln!(code, "_ => Severity::{},\n}},", pascal(default));
    }
    code.push_str("}\n");
    code
}

/// What each kind does, in words.
fn sentences(text: &str) -> String {
    let kinds: BTreeMap<String, BTreeMap<String, String>> =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/effects.toml: {error}"));
    let mut code = String::from("match kind {\n");
    for (kind, row) in &kinds {
        let says =
            row.get("says").unwrap_or_else(|| panic!("rules/effects.toml: [{kind}] has no words"));
        let _ = writeln!(code, "EffectKind::{} => {says:?},", pascal(kind));
    }
    code.push_str("}\n");
    code
}

/// Which kinds count no more than low where the recipe of a task does them, as far as they are no worse than medium.
fn recipes(text: &str) -> String {
    let kinds: BTreeMap<String, BTreeMap<String, String>> =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/effects.toml: {error}"));
    let mut code = String::from("match kind {\n");
    for (kind, row) in &kinds {
        let is_expected = match row.get("recipe").map(String::as_str) {
            None => false,
            Some("low") => true,
            Some(other) => panic!("rules/effects.toml: [{kind}] has the recipe {other:?}"),
        };
        let _ = writeln!(code, "EffectKind::{} => {is_expected},", pascal(kind));
    }
    code.push_str("}\n");
    code
}

fn tasks(text: &str) -> String {
    let table: Tasks =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/tasks.toml: {error}"));
    format!(
        "pub(super) const ROUTINE: &[&str] = &{:?};\npub(super) const OUTWARD: &[&str] = &{:?};\n",
        table.routine, table.outward
    )
}

fn variables(text: &str) -> String {
    let table: Variables =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/variables.toml: {error}"));
    let mut code = String::from("pub(super) const MEANINGS: &[Row] = &[\n");
    let (mut exact, mut open) = (BTreeMap::new(), Vec::new());
    let mut count = 0_usize;
    for row in table.variable {
        for name in &row.names {
            if name.contains('*') {
                open.push(count);
            } else {
                exact.entry(name.clone()).or_insert(count);
            }
            count += 1;
            let _ = writeln!(
                code,
                "Row {{ name: {name:?}, meaning: Meaning::{}, harmless: &{:?} }},",
                pascal(&row.meaning),
                row.values
            );
        }
    }
    code.push_str("];\n");
    let exact: Vec<usize> = exact.into_values().collect();
    let _ = writeln!(code, "/// Rows of one name each, in the order of the names.");
    let _ = writeln!(code, "pub(super) const EXACT: &[u16] = &{exact:?};");
    let _ = writeln!(code, "/// Rows of many names, in order.");
    let _ = writeln!(code, "pub(super) const OPEN: &[u16] = &{open:?};");
    for (name, list) in [
        ("SECRETS", table.secret),
        ("KEEPERS", table.keepers),
        ("INHERITED", table.inherited),
        ("OWNERS", table.owners),
    ] {
        let _ = writeln!(code, "pub(super) const {name}: &[&str] = &{list:?};");
    }
    code
}

/// Returns the name of a variant that data spell in kebab case.
pub fn pascal(kebab: &str) -> String {
    kebab
        .split('-')
        .map(|part| {
            let (head, tail) = part.split_at(part.len().min(1));
            head.to_uppercase() + tail
        })
        .collect()
}
