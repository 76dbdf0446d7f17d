//! `suggest`: what would have spared a person questions, tried on what they answered.

use std::fs;

use guarded_sh::audit::{Durability, Record, Store};
use serde_json::{Value, json};

use super::person::Person;
use super::workspace;
use crate::support::Place;

/// A place whose record says that a person fetched from one host three times, would not from another, and was not there once.
fn place() -> Place {
    let place = workspace();
    // So that there is a record, in its place.
    place.guard(["-c", "true"]).run();
    let store = Store::new(&place.home().join(".local/state/guarded-sh"), Durability::System);
    for (line, by) in [
        ("curl -s http://docs.invalid/a", "person-once"),
        ("curl -s http://docs.invalid/b", "person-once"),
        ("curl -s http://docs.invalid/c", "person-session"),
        ("curl -s http://other.invalid/", "person-deny"),
        ("curl -s http://docs.invalid/d", "nobody"),
    ] {
        let record: Record = serde_json::from_value(json!({
            "time": guarded_sh::audit::now().to_string(), "pid": 7, "cwd": place.work(), "line": line,
            "action": if by.starts_with("person-deny") || by == "nobody" { "deny" } else { "allow" },
            "severity": "medium", "score": 89, "decided_by": by, "mode": "enforce", "micros": 1,
        }))
        .unwrap();
        store.append(&record).unwrap();
    }
    place
}

#[test]
fn what_was_always_a_yes_is_suggested_with_what_else_it_would_let_through() {
    let place = place();
    let said = place.guard(["suggest", "--json"]).run();
    let suggestions: Value = serde_json::from_str(&said.out()).unwrap();
    // What would let through what the person refused is none: not all of curl, no lower threshold.
    let settings: Vec<&Value> =
        suggestions.as_array().unwrap().iter().map(|one| &one["setting"]).collect();
    assert_eq!(settings, ["safe_domains = [\"docs.invalid\"]"], "{suggestions:#}");
    assert_eq!(suggestions[0]["yes"], 3);
    assert_eq!(suggestions[0]["lines"].as_array().unwrap().len(), 3);
    assert_eq!(suggestions[0]["others"], json!(["curl -s http://docs.invalid/d"]));
    // Only of what was answered often enough, and lately.
    for words in [["suggest", "--least", "4"], ["suggest", "--since", "2100-01-01"]] {
        let said = place.guard(words).run();
        assert!(said.out().starts_with("nothing to suggest"), "{}", said.out());
    }
}

#[test]
fn a_person_takes_a_suggestion_by_its_number_and_nobody_else_does() {
    let place = place();
    let settings = place.home().join(".config/guarded-sh/config.toml");
    let before = fs::read_to_string(&settings).unwrap_or_default();
    // Without a terminal it only says so.
    let said = place.guard(["suggest"]).run();
    assert!(said.out().starts_with("1  safe_domains = [\"docs.invalid\"]\n"), "{}", said.out());
    let mut person = Person::types(&place, "\"$GUARD\" suggest");
    person.sees("to leave all as it is: ");
    person.answers("7\n");
    assert!(person.ends_with(0).contains("nothing was changed"));
    assert_eq!(fs::read_to_string(&settings).unwrap_or_default(), before);
    let mut person = Person::types(&place, "\"$GUARD\" suggest");
    person.sees("to leave all as it is: ");
    person.answers("1\n");
    let seen = person.ends_with(0);
    assert!(seen.contains("has safe_domains = [\"docs.invalid\"] now"), "{seen}");
    let check = place.guard(["check", "curl -s http://docs.invalid/a"]).run();
    assert_eq!(check.code(), Some(0), "{}", check.out());
    // What runs at once needs no suggestion.
    let said = place.guard(["suggest"]).run();
    assert!(said.out().starts_with("nothing to suggest"), "{}", said.out());
}
