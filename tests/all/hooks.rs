//! The hooks of agents: what each is answered, what is recorded, and what happens when something is wrong.
//!
//! The rows of `tests/hooks` are events as the real clients sent them, and what we answer. `/home/dev/project` there is the directory to
//! work in, `/home/dev` the home.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Call, Ended, Place, guard};

mod faults;
mod generated;
mod handlers;
mod hostile;
mod judging;
mod tools;

/// The agents with rows.
const AGENTS: [&str; 5] = ["claude", "copilot", "codex", "gemini", "opencode"];

/// A call of a hook that no terminal can be opened from, as under most agents.
fn hook(place: &Place, agent: &str) -> Call {
    let words = ["--wait", guard().to_str().unwrap(), "hook", agent];
    // Which shells a machine has is no matter of these tests.
    place.call("/usr/bin/setsid").args(words).env("SHELL", "/bin/bash")
}

/// Sends an event; the places in it are those of the test.
fn send(place: &Place, agent: &str, event: &Value) -> Ended {
    hook(place, agent).stdin(here(place, &event.to_string())).run()
}

fn here(place: &Place, text: &str) -> String {
    let (work, home) = (place.work(), place.home());
    text.replace("/home/dev/project", work.to_str().unwrap())
        .replace("/home/dev", home.to_str().unwrap())
}

fn there(place: &Place, text: &str) -> String {
    let (work, home) = (place.work(), place.home());
    text.replace(work.to_str().unwrap(), "/home/dev/project")
        .replace(home.to_str().unwrap(), "/home/dev")
}

/// An event of Claude's before a tool.
fn before(tool: &str, input: &Value) -> Value {
    json!({
        "session_id": "s1",
        "transcript_path": "/home/dev/.claude/projects/p/s1.jsonl",
        "cwd": "/home/dev/project",
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": input,
        "tool_use_id": "t1",
    })
}

/// What Claude is told to do: `allow`, `ask`, `deny`, or nothing.
fn decision(ended: &Ended) -> String {
    let said: Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
    let said = said.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str);
    said.unwrap_or_default().to_owned()
}

/// Every record of a place.
fn records(place: &Place) -> Vec<Value> {
    place.records().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn last_record(place: &Place) -> Value {
    serde_json::from_str(place.records().lines().next_back().unwrap()).unwrap()
}

fn rows(agent: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/hooks/{agent}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What is wrong with how a row was answered.
fn difference(row: &Value, place: &Place, ended: &Ended) -> Option<String> {
    let out = there(place, &ended.out());
    let said: Value = if out.is_empty() { Value::Null } else { serde_json::from_str(&out).ok()? };
    let error = there(place, ended.err().trim_end());
    let expected = (
        row.get("out").cloned().unwrap_or_default(),
        row.get("err").and_then(Value::as_str).unwrap_or("").to_owned(),
        row.get("status").and_then(Value::as_i64).unwrap_or(0),
    );
    let got = (said, error, i64::from(ended.code().unwrap_or(-1)));
    (got != expected).then(|| format!("{row}\n  got {got:?}"))
}

#[test]
fn every_event_of_every_agent_is_answered_in_its_words() {
    for agent in AGENTS {
        let place = Place::new();
        let rows = rows(agent);
        let mut wrong = Vec::new();
        for row in &rows {
            for name in [agent, "auto"] {
                let ended = send(&place, name, &row["in"]);
                wrong.extend(
                    difference(row, &place, &ended).map(|wrong| format!("{name}: {wrong}")),
                );
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        // Each is recorded, also what nobody asked about.
        assert_eq!(records(&place).len(), rows.len() * 2, "{agent}");
    }
}

#[test]
fn no_agent_gets_an_answer_that_it_would_run_the_command_on() {
    for agent in AGENTS {
        for row in rows(agent) {
            let out = row.get("out").cloned().unwrap_or_default();
            let decision = out.pointer("/hookSpecificOutput/permissionDecision");
            let reason = out.pointer("/hookSpecificOutput/permissionDecisionReason");
            match agent {
                // It runs the command on `ask`, a bare `allow`, and a refusal without a reason.
                "codex" => {
                    assert!(decision.is_none_or(|decision| decision == "deny"), "{row}");
                    let said = reason.and_then(Value::as_str).is_some_and(|text| !text.is_empty());
                    assert!(decision.is_none() || said, "{row}");
                }
                // It does not know Claude's words.
                "gemini" => assert!(decision.is_none(), "{row}"),
                // It ignores Claude's answer to this one.
                "copilot"
                    if row["event"].as_str().unwrap().eq_ignore_ascii_case("permissionRequest") =>
                {
                    assert!(out.get("behavior").is_some(), "{row}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn the_plugin_of_opencode_sends_what_is_read() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("shell-integration/opencode/guarded-sh.js");
    let plugin = std::fs::read_to_string(path).unwrap();
    for event in ["tool.execute.before", "tool.execute.after", "chat.message", "session.created"] {
        assert!(plugin.contains(event), "{event}");
        assert!(rows("opencode").iter().any(|row| row["event"] == event), "{event}");
    }
    assert!(plugin.contains("\"hook\", \"opencode\""));
}
