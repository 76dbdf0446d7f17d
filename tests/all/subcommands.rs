//! The subcommands, through the built program: what each prints, what it says of every mistake, and its exit status.

mod consent;
mod judging;
mod log;
pub mod person;
mod record;
mod rules;
mod suggest;
mod surface;
mod trust;
mod verbs;

use serde_json::Value;

use crate::support::{Call, Ended, Place};

/// An owner's file of rules without mistakes.
const RULES: &str = r#"
pack = "mine"
summary = "What this team minds"

[[rule]]
id       = "mine.deploy"
command  = ["make"]
operands = { any = ["deploy"] }
severity = "high"
deny     = true
reason   = "deploys to production"
matches  = ["make deploy"]
passes   = ["make test"]
"#;

/// Where an owner's rules are.
const RULES_FILE: &str = "home/.config/guarded-sh/rules/mine.toml";

/// A call that must end with a status and say nothing on stderr.
fn fine(call: &Call) -> String {
    let ended = call.run();
    assert_eq!(ended.err(), "");
    assert_eq!(ended.code(), Some(0), "{}", ended.out());
    ended.out()
}

/// A call that must fail so, with this on stderr.
fn fails(call: &Call, status: i32, with: &str) -> Ended {
    let ended = call.run();
    assert!(ended.err().contains(with), "{with:?} is not in {:?}", ended.err());
    assert_eq!(ended.code(), Some(status), "{}", ended.err());
    ended
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A place with a workspace in it.
fn workspace() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("work/.git")).unwrap();
    place.write("work/.git/HEAD", "ref: refs/heads/feature\n");
    place
}

/// What agents may ask of the guard. What is new is added here, or asks.
const READING: &[&str] = &[
    "check",
    "completions",
    "config",
    "config get",
    "doctor",
    "explain",
    "hook",
    "judge preview",
    "judge prompts",
    "log",
    "man",
    "pending",
    "policy diff",
    "policy test",
    "rules lint",
    "rules list",
    "rules show",
    "rules test",
    "schema",
    "stats",
    "status",
    "verify",
    "log show",
    "log stats",
];

#[test]
fn every_subcommand_that_does_more_than_read_asks() {
    let mut names: Vec<String> = Vec::new();
    leaves(&guarded_sh::subcommand::command(), "", &mut names);
    assert!(names.len() > READING.len(), "{names:?}");
    let place = workspace();
    let is_asked = |name: &String| {
        let line = format!("guarded-sh {name}");
        place.guard(["check", &line]).run().code() != Some(0)
    };
    let wrong: Vec<&String> =
        names.iter().filter(|name| is_asked(name) == READING.contains(&name.as_str())).collect();
    assert!(wrong.is_empty(), "rules/programs/guarded-sh.toml: {wrong:?}");
}

/// Adds the subcommands that do something, each with those before it.
fn leaves(command: &clap::Command, before: &str, names: &mut Vec<String>) {
    for sub in command.get_subcommands() {
        let name = format!("{before} {}", sub.get_name()).trim().to_owned();
        leaves(sub, &name, names);
        if !sub.is_subcommand_required_set() && sub.get_name() != "help" {
            names.push(name);
        }
    }
}
