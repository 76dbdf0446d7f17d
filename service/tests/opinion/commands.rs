//! Command lines as models: what they are given, and what comes of one that fails.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::road::in_a_session;
use crate::support::{Place, obeying, text};

const LINE: &str = "curl https://unknown.example/x";

/// A home whose model is a script with this body, of a kind that prints its answer as text.
fn place(script: &str, limit: u32) -> Place {
    let place = Place::with("");
    place.write("judge", &format!("#!/bin/sh\n{script}\n"));
    let program = place.path("judge");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = format!(
        "[model]\nmode = \"advise\"\nlimit_ms = {limit}\n\n[[model.providers]]\nkind = \"copilot\"\nmodel = \"scripted\"\nprogram = \"{}\"\narguments = [\"--own\", \"word\"]\nenvironment = {{ OWN = \"value\" }}\n",
        program.display()
    );
    place.write("home/.config/guarded-sh/config.toml", &settings);
    place
}

/// What the record says of the line that the script was asked about.
fn opinion(place: &Place) -> Value {
    let output = place.guard(&["-c", LINE]).output().unwrap();
    assert_eq!(output.status.code(), Some(126), "{}", text(&output));
    place.records().pop().unwrap()["opinion"].clone()
}

#[test]
fn what_a_program_prints_is_its_opinion() {
    let said = obeying("").to_string();
    for printed in [said.clone(), format!("```json\n{said}\n```")] {
        let place = place(&format!("cat >/dev/null; cat <<'E'\n{printed}\nE"), 60_000);
        let opinion = opinion(&place);
        assert_eq!(opinion["result"], "judged", "{opinion}");
        assert_eq!(opinion["by"], "copilot/scripted", "{opinion}");
    }
}

#[test]
fn a_program_is_given_the_question_and_nothing_of_the_callers() {
    let script = "here=$(dirname \"$0\"); cat >\"$here/asked\"; printf '%s\\n' \"$@\" >\"$here/words\"; env >\"$here/variables\"; ls -A >\"$here/files\"; pwd >\"$here/place\"";
    let place = place(script, 60_000);
    let mut guard = place.guard(&["-c", LINE]);
    guard.env("ANTHROPIC_BASE_URL", "https://evil.example").env("NODE_OPTIONS", "--require /tmp/x");
    guard.env("GH_TOKEN", "gho_of_the_person").output().unwrap();
    let read = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    assert!(read("asked").contains(LINE) && read("asked").contains("one JSON object"));
    assert!(read("words").contains("\n--own\nword\n") && !read("words").contains(LINE));
    let variables = read("variables");
    let names = variables.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name);
    let mut names: Vec<&str> = names.filter(|name| !["_", "PWD", "SHLVL"].contains(name)).collect();
    names.sort_unstable();
    assert_eq!(names, ["COPILOT_HOME", "GH_TOKEN", "HOME", "OWN", "PATH"], "{variables}");
    assert_eq!(read("files"), "copilot\nschema.json\n");
    // It is gone afterwards.
    assert!(!std::path::Path::new(read("place").trim_end()).exists());
}

#[test]
fn whatever_a_program_does_the_person_is_told_why_there_is_no_opinion() {
    for (script, why) in [
        ("exit 3", "it ended with 3"),
        ("kill -9 $$", "it ended by a signal"),
        ("true", "it is not what was asked for"),
        ("echo no idea", "it is not what was asked for"),
        ("printf '\\377'", "not in the form of its API"),
        ("exec cat /dev/zero", "is too long"),
        ("exec yes", "is too long"),
    ] {
        let opinion = opinion(&place(script, 60_000));
        let said = opinion["why"].as_str().unwrap_or_default();
        assert!(said.contains(why), "{script}: {opinion}");
    }
    let gone = place("", 60_000);
    std::fs::remove_file(gone.path("judge")).unwrap();
    let said = opinion(&gone).to_string();
    assert!(said.contains("cannot be run"), "{said}");
}

/// What a program has started ends with it, also what does not end by itself. It holds a lock as long as it runs.
const HANGS: &str = "cd \"$(dirname \"$0\")\"; (flock 9; exec sleep 1000) 9>lock & wait";

/// Waits until the program that hangs, and all that it has started, has gone; for less long than it would take by itself.
fn assert_gone(place: &Place) {
    let mut taken = std::process::Command::new("flock");
    let taken = taken.args(["-w", "300"]).arg(place.path("lock")).arg("true").status();
    assert!(taken.unwrap().success());
}

#[test]
fn a_program_that_hangs_ends_with_all_that_it_has_started() {
    let place = place(HANGS, 3_000);
    let opinion = opinion(&place);
    assert!(opinion.to_string().contains("within 3000 ms"), "{opinion}");
    assert_gone(&place);
}

#[test]
fn so_it_does_where_the_service_of_a_session_has_started_it() {
    let place = place(HANGS, 3_000);
    let path = "home/.config/guarded-sh/config.toml";
    let settings = std::fs::read_to_string(place.path(path)).unwrap();
    place.write(path, &format!("{settings}[approval]\nwait = 5\n"));
    in_a_session(&place, LINE);
    assert_gone(&place);
}
