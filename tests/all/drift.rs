//! The catalog against the programs' own `--help`, where they are installed: an option that takes a value there and none here, or
//! the other way round, makes a line read wrongly, and is a fault. What is missing here makes a line ask, and is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use guarded_sh::model::Action;
use regex::Regex;
use serde::Deserialize;
use toml::{Table, Value};

use crate::sheets;
use crate::support::Place;
use crate::verdicts::judged;

/// A program that says nothing for this long is left out.
const PATIENCE: Duration = Duration::from_secs(5);

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Takes {
    Nothing,
    /// A value behind `=`, if any.
    Perhaps,
    Value,
}

/// Where a program's help is not to be believed: `tests/drift.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    programs: Vec<String>,
    options: Vec<String>,
    why: String,
}

/// Long options of a program, by their names.
type Known = BTreeMap<String, Takes>;

fn families() -> Vec<Table> {
    let mut paths = sheets::paths("rules/programs");
    paths.retain(|path| path.extension().is_some_and(|it| it == "toml"));
    paths.iter().map(|path| sheets::read(path)).collect()
}

fn add(known: &mut Known, options: Option<&Value>) {
    for (spellings, spec) in options.and_then(Value::as_table).into_iter().flatten() {
        let takes = match spec {
            Value::String(takes) => takes.as_str(),
            spec => spec.get("takes").and_then(Value::as_str).unwrap_or("flag"),
        };
        let takes = match takes {
            "flag" => Takes::Nothing,
            takes if takes.starts_with("optional:") => Takes::Perhaps,
            _ => Takes::Value,
        };
        for name in spellings.split([' ', '|']).filter(|it| it.starts_with("--") && it.len() > 2) {
            known.insert(name.to_owned(), takes);
        }
    }
}

/// The programs of the catalog without subcommands, and their long options.
fn programs() -> BTreeMap<String, Known> {
    let mut programs = BTreeMap::new();
    for family in families() {
        let sets = family.get("_sets").and_then(Value::as_table);
        for (name, spec) in family.iter().filter(|(name, _)| *name != "_sets") {
            if spec.get("sub").is_some()
                || spec.get("style").and_then(Value::as_str) == Some("none")
            {
                continue;
            }
            let mut known = Known::new();
            for set in spec.get("uses").and_then(Value::as_array).into_iter().flatten() {
                add(&mut known, sets.and_then(|sets| sets.get(set.as_str().unwrap_or_default())));
            }
            add(&mut known, spec.get("options"));
            add(&mut known, spec.get("shared"));
            programs.insert(name.clone(), known);
        }
    }
    programs
}

/// What a program says of its long options; none if it says nothing that reads like that.
fn said(program: &str) -> Option<Known> {
    static LINE: LazyLock<Regex> = LazyLock::new(|| {
        let name = r"--[A-Za-z0-9][A-Za-z0-9-]*";
        // `-o, --output=FILE  text`, `--color[=WHEN]`, `    --long FILE`.
        Regex::new(&format!(
            r"(?m)^\s{{1,12}}(?:-[A-Za-z0-9?](?:[ =]?[<\[]?[A-Z]+[>\]]?)?, +)?({name})(\[=[^\]\s]+\]|\[=?<[^>]+>\]|=[^\s,]+| <[^>]+>| [A-Z][A-Z_-]+\b)?(?:\s{{2,}}|$)"
        ))
        .unwrap()
    });
    let place = Place::new();
    let call = place.call(program).args(["--help"]).env("PATH", "/usr/bin:/bin");
    let text = call.env("LC_ALL", "C").env("COLUMNS", "200").run_within(PATIENCE)?.out();
    let mut known = Known::new();
    let mut unsure = BTreeSet::new();
    for found in LINE.captures_iter(&text) {
        let takes = match found.get(2).map(|it| it.as_str()) {
            None => Takes::Nothing,
            Some(value) if value.starts_with('[') => Takes::Perhaps,
            Some(_) => Takes::Value,
        };
        if known.insert(found[1].to_owned(), takes).is_some_and(|before| before != takes) {
            unsure.insert(found[1].to_owned());
        }
    }
    known.retain(|name, _| !unsure.contains(name));
    (!known.is_empty()).then_some(known)
}

#[test]
fn options_take_what_the_programs_say_they_take() {
    let exceptions: Vec<Exception> = sheets::rows(&sheets::path("tests/drift.toml"));
    let excepted = |program: &String, option: &String| {
        exceptions.iter().any(|row| {
            assert!(!row.why.is_empty());
            row.programs.contains(program) && row.options.contains(option)
        })
    };
    let (mut faults, mut missing) = (Vec::new(), BTreeMap::new());
    let (mut compared, mut options) = (0, 0);
    for (program, ours) in programs() {
        let is_installed =
            ["/usr/bin", "/bin"].iter().any(|it| Path::new(it).join(&program).is_file());
        // What may not run unasked is not run here either.
        if !is_installed || judged(&format!("{program} --help")).action != Action::Allow {
            continue;
        }
        let Some(theirs) = said(&program) else { continue };
        compared += 1;
        for (name, says) in theirs {
            if excepted(&program, &name) {
                continue;
            }
            options += 1;
            // What counts is whether the word behind the option is its value.
            let differs = |takes: Takes| (takes == Takes::Value) != (says == Takes::Value);
            match ours.get(&name) {
                None => missing.entry(program.clone()).or_insert_with(Vec::new).push(name),
                Some(takes) if differs(*takes) => {
                    faults.push(format!("{program} {name}: {takes:?} here, {says:?} there"));
                }
                Some(_) => {}
            }
        }
    }
    println!("{options} options of {compared} programs compared; not known here:");
    for (program, names) in &missing {
        println!("  {program}: {}", names.join(" "));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
