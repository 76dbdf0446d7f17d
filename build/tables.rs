//! Compiles `rules/effects.toml`, `rules/paths.toml` and `rules/variables.toml` into constant tables.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Places {
    place: Vec<Place>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    class: String,
    paths: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variables {
    variable: Vec<Variable>,
    #[serde(default)]
    secret: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    names: Vec<String>,
    meaning: String,
    #[serde(default)]
    values: Vec<String>,
}

/// Writes `severities.rs`, `places.rs` and `variables.rs` to `OUT_DIR`.
pub fn compile() {
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let out = Path::new(&out);
    let effects = read("rules/effects.toml");
    write(out, "severities.rs", &severities(&effects));
    write(out, "sentences.rs", &sentences(&effects));
    write(out, "places.rs", &places(&read("rules/paths.toml")));
    write(out, "variables.rs", &variables(&read("rules/variables.toml")));
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
        let rows = classes.iter().filter(|(key, _)| !matches!(key.as_str(), "default" | "says"));
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

/// One text with all patterns, and rows of numbers that point into it: a table of references would have to be relocated
/// when the program starts.
fn places(text: &str) -> String {
    let table: Places =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/paths.toml: {error}"));
    let mut all = String::new();
    let mut add = |text: &str| {
        let start = all.find(text).unwrap_or_else(|| {
            all.push_str(text);
            all.len() - text.len()
        });
        format!("({start}, {})", text.len())
    };
    let (mut rows, mut exceptions) = (String::new(), Vec::new());
    for place in table.place {
        let first = exceptions.len();
        exceptions.extend(place.except.iter().map(|except| add(except)));
        for path in &place.paths {
            let (pattern, needle) = (add(path), add(needle(path)));
            let _ = writeln!(
                rows,
                "Row {{ class: PathClass::{}, pattern: {pattern}, needle: {needle}, except: ({first}, {}) }},",
                pascal(&place.class),
                place.except.len()
            );
        }
    }
    format!(
        "const TEXT: &str = {all:?};\nconst ROWS: &[Row] = &[\n{rows}];\nconst EXCEPTIONS: &[Slice] = &[{}];\n",
        exceptions.join(", ")
    )
}

/// Returns the longest piece of a pattern that every match holds literally: a quick test before the glob.
fn needle(pattern: &str) -> &str {
    let pattern = pattern.strip_prefix('~').unwrap_or(pattern);
    if pattern.contains(['{', '\\']) {
        let end = pattern.find(['{', '\\']).unwrap_or(0);
        return longest(&pattern[..end]);
    }
    longest(pattern)
}

fn longest(pattern: &str) -> &str {
    let piece =
        pattern.split(['*', '?', '[', ']']).max_by_key(|piece| piece.len()).unwrap_or_default();
    // `dir/**` also means `dir` itself, so the slash before the stars is not part of the needle.
    piece.trim_end_matches('/').trim_start_matches('/')
}

fn variables(text: &str) -> String {
    let table: Variables =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/variables.toml: {error}"));
    let mut code = String::from("pub(super) const MEANINGS: &[Row] = &[\n");
    for row in table.variable {
        for name in &row.names {
            let _ = writeln!(
                code,
                "Row {{ name: {name:?}, meaning: Meaning::{}, harmless: &{:?} }},",
                pascal(&row.meaning),
                row.values
            );
        }
    }
    let _ = writeln!(code, "];\npub(super) const SECRETS: &[&str] = &{:?};", table.secret);
    code
}

fn pascal(kebab: &str) -> String {
    kebab
        .split('-')
        .map(|part| {
            let (head, tail) = part.split_at(part.len().min(1));
            head.to_uppercase() + tail
        })
        .collect()
}
