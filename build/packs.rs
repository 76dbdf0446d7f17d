//! Compiles the rule packs into what the program embeds.
#![allow(dead_code, unused_imports, reason = "the program's own modules are used in part")]

use std::path::Path;

#[path = "../src/rules/check.rs"]
mod check;
#[path = "../src/rules/encode.rs"]
mod encode;
#[path = "../src/rules/glob.rs"]
mod glob;
#[path = "../src/rules/layout.rs"]
mod layout;
#[path = "../src/rules/mask.rs"]
mod mask;
#[path = "../src/model/mod.rs"]
mod model;
#[path = "../src/rules/query.rs"]
mod query;
#[path = "../src/rules/rule.rs"]
mod rule;
#[path = "../src/rules/schema.rs"]
mod schema;
#[path = "../src/rules/source.rs"]
mod source;

// What `src/rules/mod.rs` gives these modules in the program.
use check::{Author, Pack, PackRule};
use mask::{EffectMask, Needs, Traits};
use rule::{
    BranchPattern, Choice, Conditions, Examples, Flow, FlowSink, OptionPattern, Receiver,
    Recommendation, Rule, TargetPattern, When, Workspace,
};

/// Files that say how rules are encoded: rules compiled by other versions of them are compiled anew.
const FORMAT: [&str; 5] = [
    "src/rules/rule.rs",
    "src/rules/layout.rs",
    "src/rules/encode.rs",
    "src/rules/mask.rs",
    "src/model",
];

/// Writes `packs.bin` to `OUT_DIR`, and how rules are encoded to the environment of the compiler.
pub fn compile() {
    let format = format();
    println!("cargo::rustc-env=GUARDED_SH_RULE_FORMAT={format}");
    let mut packs: Vec<(Pack, Option<String>)> = Vec::new();
    let mut wrong = Vec::new();
    for path in files(Path::new("rules/packs"), "toml") {
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("cannot read '{path}': {error}"));
        match check::read(&text, Author::BuiltIn) {
            Ok(pack) => packs.push((pack, None)),
            Err(problems) => wrong.extend(problems.iter().map(|p| report(&path, &text, p))),
        }
    }
    let mut ids: Vec<&str> =
        packs.iter().flat_map(|(pack, _)| &pack.rules).map(|rule| rule.rule.id.as_str()).collect();
    ids.sort_unstable();
    wrong.extend(
        ids.windows(2)
            .filter(|two| two[0] == two[1])
            .map(|two| format!("rules/packs: id '{}' is taken twice", two[0])),
    );
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    let bytes = encode::encode(&packs, format)
        .unwrap_or_else(|_| panic!("the packs are too large to be compiled"));
    let out = std::env::var("OUT_DIR").unwrap_or_else(|error| panic!("OUT_DIR: {error}"));
    let out = Path::new(&out).join("packs.bin");
    std::fs::write(&out, bytes)
        .unwrap_or_else(|error| panic!("cannot write '{}': {error}", out.display()));
}

fn report(path: &str, text: &str, problem: &source::Problem) -> String {
    let (line, column) = source::position(text, problem.span.start);
    let rule = problem.rule.as_ref().map_or_else(String::new, |id| format!("{id}: "));
    let hint = problem.hint.as_ref().map_or_else(String::new, |hint| format!(" ({hint})"));
    format!("{path}:{line}:{column}: {rule}{}{hint}", problem.message)
}

fn format() -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for path in FORMAT {
        println!("cargo::rerun-if-changed={path}");
        let parts = if Path::new(path).is_dir() {
            files(Path::new(path), "rs")
        } else {
            vec![path.to_owned()]
        };
        for part in parts {
            let text = std::fs::read(&part)
                .unwrap_or_else(|error| panic!("cannot read '{part}': {error}"));
            hasher.update(&text);
        }
    }
    hasher.finalize()
}

fn files(directory: &Path, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("cannot list '{}': {error}", directory.display()));
    let mut files: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path().to_str()?.to_owned()))
        .filter(|path| Path::new(path).extension().is_some_and(|found| found == ending))
        .collect();
    files.sort();
    files
}
