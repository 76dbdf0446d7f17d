//! Compiles the smaller files of `rules/` (effects, frames of agents, paths, variables, tasks, shells, words of small languages, tools) into
//! constant tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use fast_glob::glob_match;
use serde::Deserialize;

use super::{contain, fence, places, registries, secrets, tools};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variables {
    variable: Vec<Variable>,
    setting: Vec<Setting>,
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
    #[serde(default, rename = "emptied-by")]
    emptied_by: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    key: String,
    value: String,
    option: Vec<String>,
    own: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame {
    opening: String,
    #[serde(default)]
    holes: Vec<(usize, String)>,
    end: usize,
    sha256: String,
}

/// Writes a table for each of them to `OUT_DIR`.
pub fn compile() {
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let out = Path::new(&out);
    let effects = read("rules/effects.toml");
    write(out, "severities.rs", &severities(&effects));
    write(out, "sentences.rs", &sentences(&effects));
    write(out, "frames.rs", &frames(&read("rules/frames.toml")));
    write(out, "places.rs", &places::compile(&read("rules/paths.toml")));
    write(out, "variables.rs", &variables(&read("rules/variables.toml")));
    write(out, "recipes.rs", &recipes(&effects));
    write(out, "tasks.rs", &lists("rules/tasks.toml"));
    write(out, "shells.rs", &lists("rules/shells.toml"));
    write(out, "escapes.rs", &lists("rules/inner/escapes.toml"));
    write(out, "fzf.rs", &lists("rules/inner/fzf.toml"));
    write(out, "calls.rs", &lists("rules/inner/calls.toml"));
    write(out, "growth.rs", &lists("rules/inner/growth.toml"));
    let [names, tokens, takers] = secrets::compile(&read("rules/secrets.toml"));
    write(out, "names.rs", &names);
    write(out, "tokens.rs", &tokens);
    write(out, "takers.rs", &takers);
    let fence = read("rules/fence.toml");
    write(out, "fence.rs", &fence::compile(&fence));
    let [removes, view] = contain::compile(&read("rules/contain.toml"), &fence);
    write(out, "contain.rs", &removes);
    write(out, "view.rs", &view);
    let [hosts, proxy] = registries::compile(&read("rules/registries.toml"));
    write(out, "hosts.rs", &hosts);
    write(out, "proxy.rs", &proxy);
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

/// A constant for each text of an agent.
fn frames(text: &str) -> String {
    let frames: BTreeMap<String, Frame> =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/frames.toml: {error}"));
    let mut code = String::new();
    for (name, Frame { opening, holes, end, sha256 }) in &frames {
        let byte = |at: usize| {
            let digits = sha256.get(2 * at..2 * at + 2);
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            byte.unwrap_or_else(|| panic!("rules/frames.toml: [{name}] has no SHA-256"))
        };
        let sum: Vec<u8> = (0..32).map(byte).collect();
        let name = constant(name);
        let _ = writeln!(
            code,
            "pub(super) const {name}: Measured = Measured {{ opening: {opening:?}, holes: &{holes:?}, end: {end}, sha256: {sum:?} }};"
        );
    }
    code
}

/// A constant for each list of words in a file.
fn lists(path: &str) -> String {
    let lists: BTreeMap<String, Vec<String>> =
        toml::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    lists.iter().fold(String::new(), |mut code, (name, words)| {
        once(path, words);
        let _ = writeln!(code, "pub(crate) const {}: &[&str] = &{words:?};", constant(name));
        code
    })
}

/// A word that stands twice in a list says nothing the second time, and stays there when the first is taken out.
fn once(path: &str, words: &[String]) {
    let mut seen = BTreeSet::new();
    let twice = words.iter().find(|word| !seen.insert(*word));
    assert!(twice.is_none(), "{path}: {twice:?} stands twice in its list");
}

/// The name of a constant.
fn constant(name: &str) -> String {
    name.replace('-', "_").to_ascii_uppercase()
}

fn variables(text: &str) -> String {
    let table: Variables =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/variables.toml: {error}"));
    let mut code = String::from("pub(super) const MEANINGS: &[Row] = &[\n");
    let (mut exact, mut open) = (BTreeMap::new(), Vec::new());
    let mut names = Vec::new();
    let mut count = 0_usize;
    let mut emptied = BTreeMap::<String, Vec<&str>>::new();
    for row in &table.variable {
        for name in &row.names {
            let patterned = name.contains('*') && !row.emptied_by.is_empty();
            assert!(!patterned, "rules/variables.toml: {name}: `emptied-by` needs whole names");
            // What an earlier name fits, it fits whatever stands for the stars of this one.
            let earlier = names.iter().find(|earlier| glob_match(earlier, name.replace('*', "\0")));
            assert!(earlier.is_none(), "rules/variables.toml: {earlier:?} stands before {name:?}");
            names.push(name);
            for command in &row.emptied_by {
                emptied.entry(command.clone()).or_default().push(name);
            }
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
    let emptied: Vec<_> = emptied.into_iter().collect();
    let _ = writeln!(code, "/// Commands, and the variables that name what they empty or delete.");
    let _ = writeln!(code, "pub(super) const EMPTIED: &[(&str, &[&str])] = &{};", slices(&emptied));
    code.push_str("pub(super) const SETTINGS: &[Setting] = &[\n");
    for Setting { key, value, option, own } in &table.setting {
        let _ = writeln!(
            code,
            "Setting {{ key: {key:?}, value: {value:?}, option: &{option:?}, own: &{own:?} }},"
        );
    }
    code.push_str("];\n");
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
        once("rules/variables.toml", &list);
        let _ = writeln!(code, "pub(super) const {name}: &[&str] = &{list:?};");
    }
    code
}

fn slices(rows: &[(String, Vec<&str>)]) -> String {
    let row = |(key, names): &(String, Vec<&str>)| format!("({key:?}, &{names:?})");
    format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(", "))
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
