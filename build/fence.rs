//! Compiles `rules/fence.toml` into constant tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    devices: Vec<String>,
    cannot: Vec<String>,
    denied: Denied,
    everywhere: BTreeMap<String, Vec<String>>,
    tool: Vec<Tool>,
    daemon: Vec<Daemon>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Denied {
    says: Vec<String>,
    network: Vec<String>,
    socket: Vec<String>,
    signal: Vec<String>,
    read_only: Vec<String>,
    missing: Vec<String>,
    unreachable: Vec<String>,
    proxy: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a key of a row, and all go together in every way"
)]
struct Tool {
    programs: Vec<String>,
    writes: Vec<String>,
    makes: Vec<String>,
    secrets: Vec<String>,
    builds: bool,
    code: bool,
    signs: bool,
    alone: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Daemon {
    programs: Vec<String>,
    leaves: String,
    off: Option<String>,
    why: Option<String>,
}

impl Daemon {
    /// Returns the row as code.
    fn row(&self) -> String {
        let Self { programs, leaves, off, why } = self;
        assert!(!programs.is_empty(), "rules/fence.toml: a daemon of no program");
        let done = match (off, why) {
            (Some(off), None) => match off.split_once('=') {
                Some((name, value)) => format!("Done::Off({name:?}, {value:?})"),
                None => panic!("rules/fence.toml: {leaves}: '{off}' is no variable with a value"),
            },
            (None, Some(why)) => format!("Done::Nothing({why:?})"),
            _ => panic!("rules/fence.toml: {leaves}: either `off` or `why`"),
        };
        format!("Daemon {{ leaves: {leaves:?}, done: {done} }},\n")
    }
}

/// Returns what is said of each program, sorted by its name, as code.
fn names(written: &Written) -> String {
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (index, tool) in written.tool.iter().enumerate() {
        let said = format!("Said::Tool(&TOOLS[{index}])");
        rows.extend(tool.programs.iter().map(|name| (name.as_str(), said.clone())));
    }
    for (index, daemon) in written.daemon.iter().enumerate() {
        let said = format!("Said::Daemon(&DAEMONS[{index}])");
        rows.extend(daemon.programs.iter().map(|name| (name.as_str(), said.clone())));
    }
    rows.extend(written.cannot.iter().map(|name| (name.as_str(), "Said::Cannot".to_owned())));
    for (name, options) in &written.everywhere {
        rows.push((name, format!("Said::Everywhere(&{options:?})")));
    }
    let mut rows: Vec<_> = rows
        .into_iter()
        .map(|(name, said)| (name.split_once(' ').unwrap_or((name, "")), said))
        .collect();
    // What is said of one program stands in the order of the file.
    rows.sort_by_key(|((program, _), _)| *program);
    let rows = rows.iter().map(|((program, subcommand), said)| {
        format!("Name {{ program: {program:?}, subcommand: {subcommand:?}, said: {said} }},\n")
    });
    format!("static NAMES: &[Name] = &[\n{}];\n", rows.collect::<String>())
}

/// Returns the tables as code.
pub fn compile(text: &str) -> String {
    let written: Written =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/fence.toml: {error}"));
    let mut code = String::new();
    let _ = writeln!(code, "const DEVICES: &[&str] = &{:?};", written.devices);
    let denied = &written.denied;
    for (name, words) in [
        ("SAYS", &denied.says),
        ("NETWORK", &denied.network),
        ("SOCKET", &denied.socket),
        ("SIGNAL", &denied.signal),
        ("READ_ONLY", &denied.read_only),
        ("MISSING", &denied.missing),
        ("UNREACHABLE", &denied.unreachable),
        ("PROXY", &denied.proxy),
    ] {
        let is_lower = |word: &String| !word.is_empty() && *word == word.to_lowercase();
        assert!(words.iter().all(is_lower), "rules/fence.toml: denied: words are lower case");
        let _ = writeln!(code, "pub(super) const {name}: &[&str] = &{words:?};");
    }
    code.push_str(&names(&written));
    code.push_str("static TOOLS: &[Tool] = &[\n");
    for tool in &written.tool {
        let Tool { programs, writes, makes, secrets, builds, code: runs, signs, alone } = tool;
        assert!(!programs.is_empty(), "rules/fence.toml: a tool without programs");
        let mut seen = BTreeSet::new();
        for name in programs {
            assert!(seen.insert(name), "rules/fence.toml: {name} stands twice in a list");
        }
        let paths = || writes.iter().chain(makes).chain(secrets);
        for path in paths() {
            assert!(path.starts_with("~/"), "rules/fence.toml: '{path}' is not below the home");
        }
        let main = &programs[0];
        let _ = writeln!(
            code,
            "Tool {{ main: {main:?}, writes: &{writes:?}, makes: &{makes:?}, secrets: &{secrets:?}, builds: {builds}, code: {runs}, signs: {signs}, alone: {alone} }},"
        );
    }
    code.push_str("];\n");
    code.push_str("static DAEMONS: &[Daemon] = &[\n");
    code.extend(written.daemon.iter().map(Daemon::row));
    code.push_str("];\n");
    // Who may write in a directory may put a link in the place of what stands in it.
    let places: BTreeSet<&String> =
        written.tool.iter().flat_map(|tool| tool.writes.iter().chain(&tool.makes)).collect();
    for place in &places {
        let above = places.iter().find(|above| {
            above.ends_with('/') && *above != place && place.starts_with(above.as_str())
        });
        assert!(above.is_none(), "rules/fence.toml: {place} is below {above:?}");
    }
    code
}
