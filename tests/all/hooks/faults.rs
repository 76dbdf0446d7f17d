//! What is wrong with an event, the settings or the record: the answer is a refusal, in words that the agent understands, and in time.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{AGENTS, before, decision, here, hook, records, send};
use crate::support::{Place, guard};

/// No answer takes longer, whatever it is about: that of a call that waits 10 seconds, with room for a machine that has much to do.
const LIMIT: Duration = Duration::from_secs(8);

#[test]
fn what_is_no_event_is_refused_by_all() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let huge = format!("{{\"hook_event_name\":\"{}\"}}", "x".repeat(50 << 20));
    let place = Place::new();
    for agent in AGENTS.into_iter().chain(["auto"]) {
        for (bytes, says) in [
            (&b""[..], "no event"),
            (b" \n ", "no event"),
            (b"{", "no JSON"),
            (b"\xff\xfe{}", "no JSON"),
            (b"{\"hook_event_name\":\"PreToolUse\"}{}", "no JSON"),
            (b"{\"tool_name\":\"\\ud800\"}", "no JSON"),
            (b"[]", "no JSON object"),
            (b"null", "no JSON object"),
            (b"\"PreToolUse\"", "no JSON object"),
            (deep.as_bytes(), "recursion"),
        ] {
            let ended = hook(&place, agent).stdin(bytes).run();
            let text = ended.err();
            assert_eq!(ended.code(), Some(2), "{agent}: {text}");
            assert!(ended.out().is_empty() && text.contains(says), "{agent}: {says}: {text}");
            assert!(
                text.starts_with("guarded-sh: refused: ") && text.lines().count() == 1,
                "{text}"
            );
        }
    }
    // One that names no tool is none that decides: it is only told.
    let start = Instant::now();
    let ended = hook(&place, "claude").stdin(huge.as_bytes()).run();
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    assert_eq!(ended.out(), "");
}

#[test]
fn an_event_of_another_version_is_refused_only_where_it_decides() {
    let place = Place::new();
    let claude = |fields: Value| {
        let mut event = json!({ "session_id": "s", "cwd": "/home/dev/project" });
        event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        event
    };
    for (event, status, out) in [
        (claude(json!({ "hook_event_name": "PreToolUse" })), 2, ""),
        (claude(json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash" })), 2, ""),
        (
            claude(json!({ "hook_event_name": "PreToolUse", "tool_name": 1, "tool_input": {} })),
            2,
            "",
        ),
        (claude(json!({ "hook_event_name": ["PreToolUse"] })), 2, ""),
        (json!({ "hook_event_name": "Stop", "cwd": 7 }), 2, ""),
        (
            claude(json!({ "hook_event_name": "UserPromptSubmit", "prompt": { "parts": [] } })),
            0,
            "",
        ),
        (claude(json!({ "hook_event_name": "PostToolUse" })), 0, ""),
        (claude(json!({ "hook_event_name": "Brand-New", "more": [1, 2] })), 0, ""),
        (json!({ "hook_event_name": "Stop" }), 0, ""),
        (json!({ "hook_event_name": "Stop", "cwd": "/absent", "session_id": 5 }), 0, ""),
    ] {
        let ended = send(&place, "claude", &event);
        assert_eq!(
            (ended.code(), ended.out().as_str()),
            (Some(status), out),
            "{event}: {}",
            ended.err()
        );
    }
    // Without a directory, what is relative is not known.
    let lost = json!({ "hook_event_name": "PreToolUse", "cwd": "/absent", "tool_name": "Write", "tool_input": { "file_path": "a", "content": "" } });
    assert_eq!(decision(&send(&place, "claude", &lost)), "ask");
}

#[test]
fn a_large_file_is_written_if_it_is_harmless() {
    let place = Place::new();
    let content = "all work and no play\n".repeat(2_500_000);
    // Time enough for a build that is not optimised.
    let call = hook(&place, "claude").args(["--limit", "3600"]);
    let event = before("Write", &json!({ "file_path": "a.txt", "content": content }));
    let call = call.stdin(here(&place, &event.to_string()));
    let ended = call.run_within(Duration::from_secs(900)).expect("it ends");
    assert_eq!(decision(&ended), "allow", "{}", ended.err());
    assert!(place.records().len() < 4000);
}

#[test]
fn settings_and_records_that_are_broken_refuse_in_the_agents_words() {
    let broken = Place::with("profil = \"strict\"\n");
    let unrecorded = Place::new();
    // A file where the directory of records must be; also for root, who may write anywhere.
    unrecorded.write("home/.local/state/guarded-sh", "no directory");
    let open = Place::new();
    open.write("home/.local/state/guarded-sh/records/x", "");
    std::fs::set_permissions(
        open.path("home/.local/state/guarded-sh/records"),
        Permissions::from_mode(0o777),
    )
    .unwrap();
    for (place, says) in
        [(&broken, "profil"), (&unrecorded, "nothing runs unrecorded"), (&open, "proves nothing")]
    {
        for agent in AGENTS {
            for row in super::rows(agent) {
                let event = row["event"].as_str().unwrap();
                let ended = send(place, agent, &row["in"]);
                let text = format!("{}{}", ended.out(), ended.err());
                let decides = ["PreToolUse", "preToolUse", "BeforeTool", "tool.execute.before"]
                    .contains(&event)
                    || event.eq_ignore_ascii_case("permissionRequest");
                assert!(text.contains(says), "{agent} {event}: {text}");
                let expected = match (decides, agent) {
                    (false, _) => 1,
                    (true, "opencode") => 2,
                    (true, _) => 0,
                };
                assert_eq!(ended.code(), Some(expected), "{agent} {event}: {text}");
                assert!(
                    !decides || agent == "opencode" || ended.out().contains("\"deny\""),
                    "{agent} {event}: {text}"
                );
            }
        }
    }
}

#[test]
fn an_input_that_does_not_end_is_answered_in_time() {
    let place = Place::new();
    let whole = here(&place, &before("Bash", &json!({ "command": "echo hi" })).to_string());
    for (bytes, expected) in
        [(String::new(), Some(2)), (whole[..40].to_owned(), Some(2)), (whole, Some(0))]
    {
        let start = Instant::now();
        let mut child = place
            .guard(["hook", "claude", "--limit", "4"])
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It is held open until the answer is there.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(bytes.as_bytes()).unwrap();
        let status = child.wait().unwrap();
        drop(stdin);
        assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
        assert_eq!(status.code(), expected, "{bytes}");
    }
}

#[test]
fn a_record_that_stays_locked_is_no_reason_to_wait() {
    let place = Place::new();
    let event = before("Bash", &json!({ "command": "echo hi" }));
    assert_eq!(decision(&send(&place, "claude", &event)), "allow");
    let head = place.path("home/.local/state/guarded-sh/records/head");
    let file = std::fs::File::options().write(true).open(head).unwrap();
    let held = nix::fcntl::Flock::lock(file, nix::fcntl::FlockArg::LockExclusive).unwrap();
    let start = Instant::now();
    let call = hook(&place, "claude").args(["--limit", "4"]);
    let ended = call.stdin(here(&place, &event.to_string())).run();
    drop(held);
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    assert_eq!((ended.code(), ended.out().as_str()), (Some(2), ""), "{}", ended.err());
    assert!(ended.err().contains("no answer in time"), "{}", ended.err());
    assert_eq!(records(&place).len(), 1);
}

#[test]
fn a_reader_that_is_gone_gets_no_allow() {
    let place = Place::new();
    let event = here(&place, &before("Bash", &json!({ "command": "echo hi" })).to_string());
    let script = format!("'{}' hook claude 1>&- ; test $? -eq 0 && echo quiet", guard().display());
    let ended = place.call("/bin/bash").args(["-c", &script]).stdin(event).run();
    // Nothing was printed, so the client asks its person itself.
    assert_eq!(ended.out(), "quiet\n", "{}", ended.err());
}

/// A shell that fails is no answer to Codex: the tool would run. So what an agent runs in the shell that we are answers for itself.
#[test]
fn in_our_own_shell_too_the_hook_answers_for_itself() {
    let place = Place::with("profile = [\n");
    let event = before("Bash", &json!({ "command": "ls" })).to_string();
    let shell =
        |line: &str| place.call(guard()).arg0("bash").args(["-c", line]).stdin(&event).run();
    let own = guard().display();
    let installed = guarded_sh::model::refusing_without(&own.to_string());
    for line in [
        format!("{own} hook codex --limit 240"),
        format!("exec '{own}' hook codex"),
        format!("{installed}exec {own} hook codex --limit 300"),
    ] {
        let ended = shell(&line);
        assert_eq!((decision(&ended).as_str(), ended.code()), ("deny", Some(0)), "{line}");
        assert!(ended.out().contains("config.toml:1:12"), "{}", ended.out());
    }
    for line in [
        format!("{own} hook codex; ls"),
        format!("ls; {installed}exec {own} hook codex"),
        format!("{own} check ls"),
        format!("{own} hook codex > /dev/null"),
        "guarded-sh hook codex".to_owned(),
        "/bin/true hook codex".to_owned(),
    ] {
        let ended = shell(&line);
        assert_eq!((ended.code(), ended.out().is_empty()), (Some(126), true), "{line}");
    }
}

/// Clients run the tool on most failures of a hook, and old ones know no key that says otherwise: the command itself refuses.
#[test]
fn where_the_guard_is_gone_or_empty_the_installed_command_refuses() {
    use guarded_sh::model::refusing_without;
    let place = Place::new();
    let empty = place.write("bin/empty dir/guarded-sh", "").display().to_string();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&empty, mode).unwrap();
    for program in [place.path("nowhere/guarded-sh").display().to_string(), empty] {
        let program = shell_words::quote(&program).into_owned();
        let line = format!("{}exec {program} hook claude", refusing_without(&program));
        for shell in ["/bin/sh", "/bin/bash"] {
            let ended = place.call(shell).args(["-c", &line]).stdin("{}").run();
            assert_eq!((ended.code(), ended.out().as_str()), (Some(2), ""), "{shell} {line}");
            assert!(
                ended.err().starts_with("guarded-sh: refused: the guard is gone"),
                "{}",
                ended.err()
            );
        }
    }
    // Where it is there, it is the client's own child.
    let there =
        place.write("bin/guarded-sh", "#!/bin/sh\necho \"$PPID $*\"\n").display().to_string();
    std::fs::set_permissions(&there, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let line = format!("{}exec {there} hook claude", refusing_without(&there));
    let client = format!("/bin/sh -c {} & wait; echo $$", shell_words::quote(&line));
    let out = place.call("/bin/bash").args(["-c", &client]).run().out();
    let (hook, client) = out.split_once('\n').unwrap();
    assert_eq!(hook, format!("{} hook claude", client.trim()));
}

/// Where a program cannot be started it ends by a signal, on which most clients run the tool: so the command refuses before.
#[test]
fn where_there_is_no_memory_for_the_guard_the_installed_command_refuses() {
    let place = Place::new();
    let event = here(&place, &before("Bash", &json!({ "command": "ls" })).to_string());
    let program = shell_words::quote(guard().to_str().unwrap());
    let line = format!(
        "{}exec {program} hook claude --limit 300",
        guarded_sh::model::refusing_without(&program)
    );
    for shell in ["/bin/sh", "/bin/bash"] {
        let under = |limit: &str| {
            let script = format!("ulimit -v {limit} && exec \"$@\"");
            let words = ["-c", &script, "bash", shell, "-c", &line];
            place.call("/bin/bash").args(words).stdin(&event).run()
        };
        for limit in ["20000", "50000", "99999"] {
            let ended = under(limit);
            assert_eq!((ended.code(), ended.out().as_str()), (Some(2), ""), "{shell} {limit}");
            assert!(ended.err().contains("too little memory"), "{shell} {limit}: {}", ended.err());
        }
        for limit in ["300000", "unlimited"] {
            assert_eq!(decision(&under(limit)), "allow", "{shell} {limit}");
        }
    }
    // Each entry that decides begins with it, or its client takes every end but a whole answer for a no.
    for agent in guarded_sh::install::agents().unwrap() {
        let entries = agent.files.iter().flat_map(|file| &file.events).map(|event| &event.entry);
        let mut deciding = entries.filter(|entry| entry.contains("--limit 300"));
        let refuses = deciding.all(|entry| entry.contains("\"{refuse}exec {hook}"));
        assert!(refuses, "{}", agent.name);
    }
}

#[test]
fn a_person_has_a_minute_in_every_client() {
    for agent in guarded_sh::install::agents().unwrap() {
        let entries = agent.files.iter().flat_map(|file| &file.events);
        let decides = entries.filter(|events| events.entry.contains("{refuse}"));
        let limits: Vec<u32> = decides
            .map(|events| &events.entry)
            .chain(&agent.hook.start)
            .map(|text| text.split_once("--limit ").unwrap().1)
            .map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap())
            .collect();
        // A quarter of what the client waits is what a person has, and what we need ourselves is little.
        assert!(!limits.is_empty() && limits.iter().all(|limit| limit / 4 > 65), "{}", agent.name);
    }
}

#[test]
fn under_small_limits_nothing_is_let_run() {
    let place = Place::new();
    let event = here(&place, &before("Bash", &json!({ "command": "ls" })).to_string());
    let under = |limit: &str| {
        let script = format!("ulimit {limit} && exec \"$@\"");
        let words = ["-c", &script, "bash", guard().to_str().unwrap(), "hook", "claude"];
        place.call("/bin/bash").args(words).stdin(&event).run()
    };
    assert_eq!(decision(&under("-f 1024")), "allow");
    // No file may grow, so nothing can be recorded: no signal ends the hook, and the client is told no.
    let ended = under("-f 0");
    assert_eq!((decision(&ended).as_str(), ended.code()), ("deny", Some(0)), "{}", ended.err());
    assert!(ended.out().contains("cannot write the record"), "{}", ended.out());
    // The less memory, the sooner something of ours fails. Below that it is not started at all.
    let mut is_started = false;
    for memory in (8..=128).map(|size| size * 2048) {
        let ended = under(&format!("-v {memory}"));
        let is_answered = ended.code() == Some(0) && decision(&ended) == "allow";
        let is_refused = ended.code() == Some(2) || decision(&ended) == "deny";
        is_started |= is_answered || is_refused;
        assert!(is_answered || is_refused || !is_started, "{memory}: {:?}", ended.code());
        assert_ne!(ended.code(), Some(128 + 6), "{memory}: {}", ended.err());
        assert!(ended.code() != Some(0) || is_answered || is_refused, "{memory}");
    }
    assert!(is_started);
}
