//! Compiles `rules/registries.toml` into constant tables: which hosts a line reaches by names, for `policy`, and how its programs are told of the
//! proxy, for `fence`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    asks: Asks,
    variables: Variables,
    registry: Vec<Registry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asks {
    programs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variables {
    proxy: Vec<String>,
    without: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Registry {
    programs: Vec<String>,
    hosts: Vec<String>,
}

/// Returns the table of `policy` and that of `fence` as code.
pub fn compile(text: &str) -> [String; 2] {
    let written: Written =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/registries.toml: {error}"));
    let mut policy = String::new();
    let _ = writeln!(policy, "const ASKS: &[&str] = &{:?};", written.asks.programs);
    policy.push_str("const REGISTRIES: &[(&str, &[&str])] = &[\n");
    let mut seen = BTreeSet::new();
    for Registry { programs, hosts } in &written.registry {
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c);
        for host in hosts {
            assert!(host.chars().all(is_name), "rules/registries.toml: '{host}' is no name");
        }
        for program in programs {
            assert!(seen.insert(program), "rules/registries.toml: {program} stands twice");
            let _ = writeln!(policy, "({program:?}, &{hosts:?}),");
        }
    }
    policy.push_str("];\n");
    let Variables { proxy, without } = &written.variables;
    let fence =
        format!("const PROXY: &[&str] = &{proxy:?};\nconst WITHOUT: &[&str] = &{without:?};\n");
    [policy, fence]
}
