//! What owners have done about events: who may say so, and what it comes to.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{before, decision, last_record, records, send};
use crate::support::{Ended, Place};

fn bash(place: &Place, command: &str) -> Ended {
    send(place, "claude", &before("Bash", &json!({ "command": command })))
}

fn handler(rest: &str) -> String {
    format!("[[hooks]]\nevent = \"PreToolUse\"\n{rest}\n")
}

/// The program of an owner that answers with this text and keeps what it was asked.
fn custom(place: &Place, script: &str) -> String {
    let path = place.write(
        "home/own",
        format!("#!/bin/sh\ncat > {}/asked\n{script}\n", place.home().display()),
    );
    format!("mode = \"custom\"\ncommand = [\"{}\"]\n", path.display())
}

#[test]
fn handlers_that_are_wrong_are_refused_by_name() {
    for (text, says) in [
        ("mode = \"validate\"", "it needs `contents_may_leave = true`"),
        ("mode = \"judg\"", "no mode `judg`"),
        ("mode = \"judge\"\nthreshold = 101", "a score from 0 to 100, not 101"),
        ("mode = \"judge\"\nmatcher = \"(\"", "bad matcher '('"),
        ("mode = \"judge\"\nsafe = [\"[\"]", "bad glob"),
        ("mode = \"custom\"", "`custom` needs `command`"),
        ("mode = \"custom\"\ncommand = [\"own\"]", "by its absolute path"),
        (
            "mode = \"judge\"\ncommand = [\"/own\"]",
            "`command` is for the mode `custom`, not for `judge`",
        ),
        ("mode = \"custom\"\ncommand = [\"/own\"]\ntimeout_ms = 0", "1 to 60000 milliseconds"),
        ("mode = \"judge\"\nmatchr = \"x\"", "did you mean `matcher`?"),
    ] {
        let place = Place::with(&handler(text));
        let shown = place.guard(["config"]).run();
        assert_eq!(shown.code(), Some(2), "{text}: {}", shown.out());
        assert!(shown.err().contains(says), "{text}: {}", shown.err());
        assert_eq!(decision(&bash(&place, "echo hi")), "deny", "{text}");
    }
}

#[test]
fn the_owner_says_what_is_judged_and_how() {
    for (text, command, expected) in [
        ("mode = \"log-only\"", "rm -rf /", ""),
        ("mode = \"log-only\"\nmatcher = \"Write|Edit\"", "rm -rf /", "deny"),
        ("mode = \"log-only\"\nmatcher = \"B.*\"", "pip install x", ""),
        ("mode = \"judge\"\nthreshold = 70", "pip install leftpad", "allow"),
        ("mode = \"judge\"\nthreshold = 70\nmatcher = \"Read\"", "pip install leftpad", "ask"),
        ("mode = \"judge\"\nsafe = [\"pip install leftpad\"]", "pip install leftpad", "allow"),
        ("mode = \"judge\"\nsafe = [\"pip install *\"]", "pip install leftpad", "ask"),
        // What a rule denies is no question.
        ("mode = \"judge\"\nsafe = [\"rm -rf /\"]", "rm -rf /", "deny"),
    ] {
        let place = Place::with(&handler(text));
        assert_eq!(decision(&bash(&place, command)), expected, "{text}: {command}");
        assert_eq!(records(&place).len(), 1);
    }
    let place = Place::with(&handler("mode = \"judge\"\nsafe = [\"/etc/**\"]"));
    let write = |path: &str| {
        send(&place, "claude", &before("Write", &json!({ "file_path": path, "content": "" })))
    };
    assert_eq!(decision(&write("/etc/motd")), "allow");
    assert_eq!(last_record(&place)["decided_by"], "grant");
    assert_eq!(decision(&write("/usr/x")), "ask");
    assert!(place.guard(["config"]).run().out().contains("PreToolUse *: judge"));
}

#[test]
fn a_project_may_only_have_more_judged() {
    let place = Place::new();
    let project = |text: &str| {
        place.write("work/.guarded-sh.toml", handler(text));
    };
    for text in [
        "mode = \"log-only\"",
        "mode = \"context\"",
        "mode = \"custom\"\ncommand = [\"/bin/true\"]",
        "mode = \"judge\"\nsafe = [\"pip install leftpad\"]",
        "mode = \"judge\"\nthreshold = 0",
    ] {
        project(text);
        assert_eq!(decision(&bash(&place, "pip install leftpad")), "ask", "{text}");
    }
    assert!(place.guard(["config"]).run().err().is_empty());
    project("mode = \"log-only\"");
    let shown = place.guard(["config"]).run();
    assert!(
        format!("{}{}", shown.out(), shown.err()).contains("may only have calls judged"),
        "{}",
        shown.out()
    );
    project("mode = \"judge\"\nthreshold = 100");
    place.set(&handler("mode = \"judge\"\nthreshold = 50"));
    assert_eq!(decision(&bash(&place, "pip install leftpad")), "ask");
    place.set(&handler("mode = \"log-only\""));
    assert_eq!(decision(&bash(&place, "pip install leftpad")), "ask");
    place.write("work/.guarded-sh.toml", "[mcp]\nservers = [\"github\"]\n");
    place.set("");
    let call = before("mcp__github__get_issue", &json!({}));
    assert_eq!(decision(&send(&place, "claude", &call)), "ask");
}

#[test]
fn a_program_of_the_owner_can_only_be_stricter() {
    for (script, command, expected) in [
        ("echo '{\"action\":\"deny\",\"reason\":\"not today\"}'", "echo hi", "deny"),
        ("echo '{\"action\":\"ask\"}'", "echo hi", "ask"),
        ("echo '{\"action\":\"allow\"}'", "rm -rf /", "deny"),
        ("echo '{\"action\":\"allow\"}'", "pip install leftpad", "ask"),
        ("", "echo hi", "allow"),
        ("exit 3", "echo hi", "deny"),
        ("kill -9 $$", "echo hi", "deny"),
        ("echo nonsense", "echo hi", "deny"),
        ("echo '{\"action\":\"perhaps\"}'", "echo hi", "deny"),
        ("head -c 1000000 /dev/zero", "echo hi", "deny"),
    ] {
        let place = Place::new();
        place.set(&handler(&custom(&place, script)));
        assert_eq!(decision(&bash(&place, command)), expected, "{script}: {command}");
    }
    let place = Place::new();
    place.set(&handler("mode = \"custom\"\ncommand = [\"/absent/own\"]"));
    let ended = bash(&place, "echo hi");
    assert_eq!(decision(&ended), "deny");
    assert!(ended.out().contains("cannot be run"), "{}", ended.out());
}

#[test]
fn a_program_that_hangs_or_leaves_others_behind_is_ended() {
    let place = Place::new();
    place
        .set(&handler(&format!("{}timeout_ms = 300\n", custom(&place, "sleep 1000 & sleep 1000"))));
    let start = Instant::now();
    let ended = bash(&place, "echo hi");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert_eq!(decision(&ended), "deny");
    assert!(ended.out().contains("did not answer within"), "{}", ended.out());
}

#[test]
fn a_program_gets_contents_only_where_they_may_leave() {
    let place = Place::new();
    let own = custom(&place, "");
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let call = before("Bash", &json!({ "command": format!("echo {secret}") }));
    let asked = || {
        send(&place, "claude", &call);
        std::fs::read_to_string(place.path("home/asked")).unwrap()
    };
    place.set(&handler(&own));
    let question: Value = serde_json::from_str(&asked()).unwrap();
    assert_eq!(question["value"], "echo ghp_[masked]");
    assert_eq!((question.get("input"), &question["kind"]), (None, &json!("shell")));
    assert_eq!((&question["agent"], &question["tool"]), (&json!("claude"), &json!("Bash")));
    place.set(&handler(&format!("{own}contents_may_leave = true\n")));
    assert!(asked().contains(secret));
}

#[test]
fn an_agent_is_told_of_its_branch_and_refusals_where_the_owner_wants_it() {
    let place = Place::new();
    place.write("work/.git/HEAD", "ref: refs/heads/topic\n");
    let prompt = |agent: &str, name: &str| {
        let event = match agent {
            "copilot" => {
                json!({ "sessionId": "s1", "timestamp": 1, "cwd": "/home/dev/project", "prompt": "go" })
            }
            _ => {
                json!({ "session_id": "s1", "cwd": "/home/dev/project", "hook_event_name": name, "prompt": "go" })
            }
        };
        send(&place, agent, &event).out()
    };
    bash(&place, "rm -rf /");
    assert_eq!(prompt("claude", "UserPromptSubmit"), "");
    place.set("[[hooks]]\nevent = \"UserPromptSubmit\"\nmode = \"context\"\n");
    let told: Value = serde_json::from_str(&prompt("claude", "UserPromptSubmit")).unwrap();
    let text = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(text.contains("the branch is 'topic'") && text.contains("`rm -rf /`"), "{text}");
    assert_eq!(told["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    for (agent, name) in [("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent"), ("copilot", "")]
    {
        let text = prompt(agent, name);
        assert!(
            text.contains("the branch is 'topic'") && !text.contains("rm -rf"),
            "{agent}: {text}"
        );
    }
}

#[test]
fn an_agent_is_told_when_it_does_in_other_words_what_was_refused() {
    let place = Place::with("profile = \"unattended\"\n");
    let told = |command: &str| {
        let ended = send(&place, "claude", &before("Bash", &json!({ "command": command })));
        let said: Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
        let text = said.pointer("/hookSpecificOutput/additionalContext").and_then(Value::as_str);
        text.unwrap_or_default().contains("what was refused before as `rm -f a`")
    };
    let after = |command: &str| {
        let mut event = before("Bash", &json!({ "command": command }));
        event["hook_event_name"] = json!("PostToolUse");
        send(&place, "claude", &event).out().contains("what was refused before as `rm -f a`")
    };
    place.write("work/a", "");
    assert!(!told("rm -f a"));
    assert!(!told("command rm -f ./a"));
    place.set("profile = \"unattended\"\n[[hooks]]\nevent = \"*\"\nmode = \"context\"\n");
    assert!(told("unlink ./a"));
    assert!(!told("pip install leftpad"));
    assert!(!told("echo hi"));
    assert!(after("sh -c 'rm a'"));
    assert!(!after("echo hi"));
}
