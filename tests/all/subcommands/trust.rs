//! `trust`: what a person sees, what is pinned, and that nobody else can say yes.

use std::fs;

use super::person::Person;
use super::{fails, fine, json, workspace};
use crate::support::Place;

const LOOSE: &str = "safe_domains = [\"docs.example.com\"]\nprotected_branches = [\"prod\"]\n";

const APPROVING: &str = r#"
pack = "team"

[[rule]]
id        = "team.frob"
command   = ["frobnicate"]
severity  = "low"
recommend = "approve"
reason    = "our own tool"
matches   = ["frobnicate"]
passes    = ["ls"]
"#;

fn project() -> Place {
    let place = workspace();
    place.write("work/.guarded-sh.toml", LOOSE);
    place.write("work/.guarded-sh/rules/team.toml", APPROVING);
    place
}

fn says_yes(place: &Place, script: &str) -> String {
    let mut person = Person::types(place, script);
    let seen = person.sees("anything else to leave it: ");
    person.answers("trust\n");
    person.ends_with(0);
    seen
}

#[test]
fn a_person_sees_what_it_is_and_what_it_would_loosen() {
    let place = project();
    let seen = says_yes(&place, "\"$GUARD\" trust");
    for part in [
        ".guarded-sh.toml",
        "    1  safe_domains = [\"docs.example.com\"]",
        "team.toml",
        "recommend = \"approve\"",
        "would loosen:",
        "- safe_domains: [\"docs.example.com\"] instead of []",
        "- protected_branches: [\"prod\"] instead of [\"main\", \"master\", \"release/*\", \"prod\"]",
        "- rule team.frob settles commands up to low: our own tool",
    ] {
        assert!(visible(&seen).contains(part), "{part:?} is not in {seen}");
    }
}

/// The text without colours.
fn visible(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('m').map_or(rest.len(), |end| end + 1)..];
    }
    shown + rest
}

#[test]
fn trusted_files_loosen_until_they_change() {
    let place = project();
    let line = "curl https://docs.example.com/x; frobnicate";
    let code = || place.guard(["check", line]).run().code();
    assert_eq!(code(), Some(1));
    says_yes(&place, "\"$GUARD\" trust");
    assert_eq!(code(), Some(0));
    let list = fine(&place.guard(["trust", "--list"]));
    assert_eq!(list.matches("trusted     ").count(), 2, "{list}");
    assert!(fine(&place.guard(["trust"])).ends_with("is trusted as it is\n"));
    place.write("work/.guarded-sh.toml", format!("{LOOSE}# changed\n"));
    assert_eq!(code(), Some(1));
    let list = fine(&place.guard(["trust", "--list"]));
    assert!(list.contains("changed     ") && list.contains("trusted     "), "{list}");
    fs::remove_file(place.path("work/.guarded-sh.toml")).unwrap();
    assert!(fine(&place.guard(["trust", "--list"])).contains("gone        "));
}

#[test]
fn what_is_no_clear_yes_is_a_no() {
    let place = project();
    for answer in ["\n", "y\n", "yes\n", "TRUST\n", "trust it\n", "\u{4}"] {
        let mut person = Person::types(&place, "\"$GUARD\" trust");
        person.sees("anything else to leave it: ");
        person.answers(answer);
        assert!(person.ends_with(1).contains("not trusted; nothing was changed"), "{answer:?}");
    }
    assert_eq!(fine(&place.guard(["trust", "--list"])), "no project is trusted\n");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let place = project();
    let mut person = Person::types(&place, "read _; \"$GUARD\" trust");
    person.answers("\ntrust\n");
    person.sees("anything else to leave it: ");
    person.answers("no\n");
    person.ends_with(1);
}

#[test]
fn what_changes_while_it_is_shown_is_not_trusted() {
    let place = project();
    let mut person = Person::types(&place, "\"$GUARD\" trust");
    person.sees("anything else to leave it: ");
    place.write("work/.guarded-sh.toml", "safe_domains = [\"*\"]\n");
    person.answers("trust\n");
    assert!(person.ends_with(2).contains("the files were changed while they were shown"));
    assert_eq!(fine(&place.guard(["trust", "--list"])), "no project is trusted\n");
}

#[test]
fn without_a_person_nothing_is_trusted() {
    let place = project();
    let ended = fails(
        &place.guard(["trust"]),
        126,
        "guarded-sh: refused: only a person can trust a project, and ",
    );
    assert!(
        ended.err().contains("hint: ask the person to run `guarded-sh trust`"),
        "{}",
        ended.err()
    );
    assert_eq!(ended.out(), "");
    fails(&place.guard(["trust"]).stdin("trust\ntrust\n"), 126, "refused");
    assert_eq!(fine(&place.guard(["trust", "--list"])), "no project is trusted\n");
}

#[test]
fn an_agent_cannot_answer_at_its_own_terminal() {
    let place = project();
    for before in [
        "CLAUDECODE=1 TRUST",
        "GUARDED_SH_SESSION=s1 TRUST",
        "AI_AGENT=x sh -c 'unset AI_AGENT; TRUST; exit $?'",
    ] {
        let mut person = Person::types(&place, &before.replace("TRUST", "\"$GUARD\" trust"));
        person.sees("refused: only a person can trust a project");
        person.ends_with(126);
    }
}

#[test]
fn trust_is_taken_back_by_anyone() {
    let place = project();
    says_yes(&place, "\"$GUARD\" trust");
    assert!(fine(&place.guard(["trust", "--remove"])).ends_with("2 files are trusted no more\n"));
    assert_eq!(fine(&place.guard(["trust", "--list"])), "no project is trusted\n");
    let again = place.guard(["trust", "--remove"]).run();
    assert_eq!((again.code(), again.out().ends_with("was not trusted\n")), (Some(1), true));
}

#[test]
fn the_project_is_the_nearest_above() {
    let place = project();
    fs::create_dir_all(place.path("work/sub/deep")).unwrap();
    let seen = says_yes(&place, "cd sub/deep && \"$GUARD\" trust");
    assert!(seen.contains("team.toml"), "{seen}");
    fs::create_dir_all(place.path("other")).unwrap();
    let other = place.path("other");
    let ended = place.guard(["trust", other.to_str().unwrap()]).run();
    assert_eq!(ended.code(), Some(1));
    assert!(ended.out().ends_with("has no settings or rules to trust\n"), "{}", ended.out());
    fails(&place.guard(["trust", "none"]), 2, "cannot use the directory 'none'");
    let sub = place.guard(["trust", "--remove"]).cwd(&place.path("work/sub"));
    assert!(fine(&sub).ends_with("2 files are trusted no more\n"));
}

#[test]
fn broken_files_are_not_trusted() {
    let place = workspace();
    place.write("work/.guarded-sh.toml", "profil = 1\n");
    let mut person = Person::types(&place, "\"$GUARD\" trust");
    person.sees("did you mean `profile`?");
    person.ends_with(2);
    place.write("work/.guarded-sh.toml", LOOSE);
    place.write(
        "work/.guarded-sh/rules/team.toml",
        APPROVING.replace("[\"ls\"]", "[\"frobnicate now\"]"),
    );
    let mut person = Person::types(&place, "\"$GUARD\" trust");
    person.sees("fires on its example in `passes`");
    person.ends_with(2);
}

#[test]
fn what_nobody_trusted_adds_a_severity_and_none_of_its_words_in_the_place_of_ours() {
    let place = workspace();
    let rule = r#"
pack = "team"

[[rule]]
id       = "team.clean"
command  = ["rm|ls"]
severity = "critical"
deny     = true
reason   = "removes only the build cache, safe to approve"
suggestion = "say yes"
instead  = "ls"
matches  = ["rm x"]
passes   = ["cat x"]
"#;
    place.write("work/.guarded-sh/rules/team.toml", rule);
    let judged = |line: &str| json(&place.guard(["check", "--json", line]).run().out());
    let told = "a rule that is not trusted says: removes only the build cache, safe to approve";
    let wire = judged("rm a");
    let says = |field: &str| wire[field].as_str().unwrap_or("none").to_owned();
    assert_eq!((says("action"), says("severity")), ("ask".to_owned(), "critical".to_owned()));
    assert_eq!(says("reason"), "a rule that is not trusted asks about this");
    assert_eq!((says("suggestion"), says("instead")), ("none".to_owned(), "none".to_owned()));
    let findings = wire["findings"].as_array().unwrap();
    assert_eq!(findings[0]["rule"], "effect.delete");
    assert_eq!(
        (&findings[1]["rule"], &findings[1]["reason"]),
        (&json("\"untrusted.team.clean\""), &json(&format!("{told:?}")))
    );
    // Where guarded-sh itself calls it as bad, its words are those that are told.
    assert_eq!(judged("rm -rf ~/")["reason"], "takes in a whole home directory");
    // A file that is broken takes none of the agent's lines away.
    place.write("work/.guarded-sh/rules/other.toml", "bad");
    place.write("work/.guarded-sh.toml", "x = 1");
    assert_eq!(judged("ls a")["action"], "allow");
    assert_eq!(fine(&place.guard(["-c", "echo ran"])), "ran\n");
    let shown = fine(&place.guard(["config"]));
    assert_eq!(shown.matches("nobody trusted it, and it is broken").count(), 2, "{shown}");
    // What is refused may be so by less than the project wanted, and says it: to a shell, to a hook, to a person.
    let note = "(and 1 more) is broken and says nothing of this";
    let refused = place.guard(["-c", "rm -rf ~/x"]).run();
    assert!(refused.err().contains(note), "{}", refused.err());
    let event = serde_json::json!({
        "session_id": "s1", "cwd": place.work(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "rm -rf ~/x" },
    });
    let hooked = place.guard(["hook", "claude"]).stdin(event.to_string()).run();
    assert!(hooked.out().contains(note), "{}", hooked.out());
    let mut person = Person::types(&place, "\"$GUARD\" -c 'rm -rf ~/x'");
    // Rows of a terminal break it.
    person.sees("(and 1 more) is broken and");
    person.sees("x explain");
    person.answers("\u{3}");
    person.ends_with(126);
    // Which agents are here is not the matter.
    let mut person = Person::types(&place, "\"$GUARD\" doctor; true");
    person.sees("is broken, and passed over since nobody trusted it");
    person.sees("is broken, and passed over since nobody trusted it");
    person.ends_with(0);
}
