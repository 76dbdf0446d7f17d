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
