//! The protocol's own conformance suite: runs it against a server, and holds what it finds against `expected.toml`, which lists what does not apply and why. The
//! list is strict: what is not listed passes, and what is listed does not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

use super::tools;

/// The versions of the protocol that are spoken.
pub const VERSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// The scenarios about tasks, which are an extension of the newer version.
pub const TASKS: &str = "tasks";

/// The suite, below the tools' directory.
const SUITE: &str = "node_modules/@modelcontextprotocol/conformance/dist/index.js";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    row: Vec<Row>,
}

/// Checks that do not pass, as `SCENARIO CHECK`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// The servers: `fixtures`, `bridge`.
    on: Vec<String>,
    /// Versions, or `tasks`.
    versions: Vec<String>,
    because: String,
    checks: Vec<String>,
}

/// A check of the suite, as it writes it down.
#[derive(Deserialize)]
struct Check {
    id: String,
    status: Status,
    #[serde(default, rename = "errorMessage")]
    why: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Status {
    Success,
    Info,
    Skipped,
    Warning,
    Failure,
}

/// What came of the checks of one name in one scenario.
#[derive(Default)]
struct Found {
    passed: usize,
    failed: Vec<String>,
}

/// Runs the suite in a version of the protocol, or what it has about tasks, against a server that says of itself which it is, and returns what is not as the list
/// has it.
pub fn faults(server: &str, version: &str, address: &str) -> Vec<String> {
    let place = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let mut command = suite(&[&["server", "--url", address], words].concat());
        command.arg("--output-dir").arg(place.path()).env("HOME", place.path());
        let said = command.output().unwrap();
        String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned()
    };
    let said = if version == TASKS {
        // They are of no version, and most of what they do is waiting.
        let scenarios = suite(&["list", "--server"]).output().unwrap().stdout;
        let scenarios = String::from_utf8(scenarios).unwrap();
        let words = scenarios.split_whitespace().filter(|word| word.starts_with("tasks-"));
        std::thread::scope(|scope| {
            let all = words.map(|name| scope.spawn(move || run(&["--scenario", name])));
            let all: Vec<_> = all.collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        })
    } else {
        run(&["--suite", "all", "--spec-version", version])
    };
    let found = found(place.path());
    assert!(!found.is_empty(), "the suite did not run: {said}");
    compare(server, version, &found)
}

fn suite(words: &[&str]) -> Command {
    let mut command = Command::new(tools::node());
    command.arg(tools::path(SUITE)).args(words).env_clear().stdin(Stdio::null());
    command
}

fn found(place: &Path) -> BTreeMap<String, Found> {
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    for entry in fs::read_dir(place).unwrap() {
        let path = entry.unwrap().path();
        let Ok(text) = fs::read_to_string(path.join("checks.json")) else { continue };
        let scenario = scenario(&path);
        for check in serde_json::from_str::<Vec<Check>>(&text).unwrap() {
            let of = found.entry(format!("{scenario} {}", check.id)).or_default();
            match check.status {
                Status::Success => of.passed += 1,
                Status::Info => {}
                Status::Skipped => of.failed.push("it is skipped".to_owned()),
                Status::Warning | Status::Failure => of.failed.push(check.why.unwrap_or_default()),
            }
        }
    }
    found
}

/// Returns the scenario of a directory with results: `server-SCENARIO-TIME`.
fn scenario(path: &Path) -> String {
    let name = path.file_name().unwrap().to_str().unwrap();
    let name = name.strip_prefix("server-").unwrap();
    let end = name.len() - "-2026-12-01T00-00-00-000Z".len();
    name[..end].to_owned()
}

fn compare(server: &str, version: &str, found: &BTreeMap<String, Found>) -> Vec<String> {
    let sheet: Sheet = toml::from_str(include_str!("expected.toml")).unwrap();
    let is_of = |row: &&Row| {
        assert!(!row.because.is_empty());
        row.on.iter().any(|on| on == server) && row.versions.iter().any(|of| of == version)
    };
    let listed: BTreeSet<&String> =
        sheet.row.iter().filter(is_of).flat_map(|row| &row.checks).collect();
    let fails = |check: &String| found.get(check).is_some_and(|of| !of.failed.is_empty());
    let unexpected = found
        .iter()
        .filter(|(check, of)| !of.failed.is_empty() && !listed.contains(check))
        .map(|(check, of)| format!("{check}: {}", of.failed.join("; ")));
    let stale = listed.iter().filter(|check| !fails(check));
    let stale = stale.map(|check| format!("{check}: listed, and it does not fail"));
    let faults = unexpected.chain(stale).collect();
    let passed: usize = found.values().map(|of| of.passed).sum();
    let scenarios: BTreeSet<_> = found.keys().filter_map(|check| check.split(' ').next()).collect();
    println!(
        "{server}, {version}: {} scenarios, {passed} checks passed, {} listed",
        scenarios.len(),
        listed.len()
    );
    faults
}

/// Returns whether the suite is here, or says that it is not.
pub fn is_here() -> bool {
    tools::are_here(&[&tools::node(), &tools::path(SUITE)])
}
