//! `rules import`: what becomes of agents' own lists of permissions. Rows in `tests/import`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::install::person;
use crate::sheets;
use crate::support::Place;

/// Lists, and what is to come of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    agent: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    status: i32,
    /// Parts of what it says.
    #[serde(default)]
    says: Vec<String>,
    /// Lines that run at once afterwards, that ask, and that are refused.
    #[serde(default)]
    allows: Vec<String>,
    #[serde(default)]
    asks: Vec<String>,
    #[serde(default)]
    denies: Vec<String>,
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

#[test]
fn lists_become_rules_and_what_is_dropped_is_told() {
    let mut faults = Vec::new();
    for path in sheets::paths("tests/import") {
        for row in sheets::rows::<Row>(&path) {
            faults.extend(play(&row).into_iter().map(|fault| format!("{}: {fault}", row.name)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn play(row: &Row) -> Vec<String> {
    let place = Place::new();
    for (path, text) in &row.files {
        place.write(path, text);
    }
    let rules = format!("home/.config/guarded-sh/rules/imported-{}.toml", row.agent);
    let shown = person(&place, &words(["rules", "import", &row.agent, "--dry-run"]));
    let mut faults = Vec::new();
    if place.path(&rules).exists() {
        faults.push("a dry run wrote".to_owned());
    }
    let ended = person(&place, &words(["rules", "import", &row.agent]));
    let said = format!("{}{}", ended.out(), ended.err());
    if ended.code() != Some(row.status) || shown.code() != ended.code() {
        return vec![format!("{:?} {said}", ended.code())];
    }
    let missing = row.says.iter().filter(|text| !said.contains(*text));
    faults.extend(missing.map(|text| format!("it does not say {text}:\n{said}")));
    if row.allows.is_empty() {
        if place.path(&rules).exists() {
            faults.push("it wrote".to_owned());
        }
        return faults;
    }
    let again = person(&place, &words(["rules", "import", &row.agent]));
    if again.code() != Some(0) {
        faults.push(format!("the second time: {}", again.err()));
    }
    for (lines, status) in [(&row.allows, 0), (&row.asks, 1), (&row.denies, 3)] {
        for line in lines {
            let ended = person(&place, &words(["check", line]));
            if ended.code() != Some(status) {
                faults.push(format!("{line}: {:?} {}{}", ended.code(), ended.out(), ended.err()));
            }
        }
    }
    faults
}

#[test]
fn what_is_there_is_not_written_over() {
    let place = Place::new();
    place
        .write("home/.claude/settings.json", r#"{"permissions": {"allow": ["Bash(mytool x:*)"]}}"#);
    let rules = "home/.config/guarded-sh/rules/imported-claude.toml";
    place.write(rules, "pack = \"mine\"\nsummary = \"mine\"\n");
    let ended = person(&place, &words(["rules", "import", "claude"]));
    assert_eq!(ended.code(), Some(2));
    assert!(ended.err().contains("is there already"), "{}", ended.err());
    assert!(std::fs::read_to_string(place.path(rules)).unwrap().contains("mine"));
}

#[test]
fn an_agent_imports_nothing() {
    let place = Place::new();
    let ended = place.guard(["rules", "import", "claude"]).env("CLAUDECODE", "1").run();
    assert_eq!(ended.code(), Some(126), "{}", ended.err());
}
