//! What came of the tests of a policy as SARIF 2.1.0: one result for each that is not as it says, at its line of the file. Code hosts show it there.

use std::fmt::Write as _;
use std::path::{Component, Path};

use serde_json::{Value, json};

use super::report::{Place, Report, UNFIRED};

/// What results are about.
const KINDS: [(&str, &str); 3] = [
    ("policy-test", "A line is not judged as a test of the policy expects"),
    ("policy-example", "A rule does not do what its own example says"),
    ("policy-coverage", "A rule fires in no test of the policy"),
];

/// Returns the log; `cwd` is what relative addresses are below.
pub(super) fn written(report: &Report, cwd: &Path) -> Value {
    let failed = [(0, &report.tests), (1, &report.examples)];
    let failed =
        failed.into_iter().flat_map(|(kind, all)| all.iter().map(move |done| (kind, done)));
    let results = failed.filter(|(_, done)| done.is_failed()).map(|(kind, done)| {
        let faults = done.faults.join("\n");
        let text = match &done.rule {
            Some(rule) => format!("rule {rule}: {faults}"),
            None => format!("{}: {}\n{faults}", done.name, done.line),
        };
        result(kind, "error", &text, &done.place, cwd)
    });
    let unfired = report.coverage.iter().flat_map(|coverage| {
        let level = if coverage.required { "error" } else { "note" };
        coverage.unfired.iter().map(move |rule| (level, rule))
    });
    let unfired = unfired.map(|(level, rule)| {
        result(2, level, &format!("rule {} {UNFIRED}", rule.rule), &rule.place, cwd)
    });
    let rules = KINDS.map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "guarded-sh",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": results.chain(unfired).collect::<Vec<_>>(),
        }],
    })
}

fn result(kind: usize, level: &str, text: &str, place: &Place, cwd: &Path) -> Value {
    json!({
        "ruleId": KINDS[kind].0,
        "ruleIndex": kind,
        "level": level,
        "message": { "text": text },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": address(Path::new(&place.file), cwd) },
            "region": { "startLine": place.at },
        } }],
    })
}

/// Returns the address of a file: below `cwd` a relative one, which a code host finds in the repository (RFC 3986).
fn address(path: &Path, cwd: &Path) -> String {
    let below = path.strip_prefix(cwd).unwrap_or(path);
    let plain = below.components().filter(|part| *part != Component::CurDir);
    let plain: std::path::PathBuf = plain.collect();
    let mut address = if plain.is_absolute() { "file://".to_owned() } else { String::new() };
    for byte in plain.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                address.push(char::from(*byte));
            }
            // Writing to a string cannot fail.
            byte => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_below_the_working_directory_where_they_can_be() {
        for (path, is) in [
            ("./policy/tests.toml", "policy/tests.toml"),
            ("/w/policy/tests.toml", "policy/tests.toml"),
            ("/etc/guarded-sh/tests.toml", "file:///etc/guarded-sh/tests.toml"),
            ("a b/é#?.toml", "a%20b/%C3%A9%23%3F.toml"),
        ] {
            assert_eq!(address(Path::new(path), Path::new("/w")), is);
        }
    }
}
