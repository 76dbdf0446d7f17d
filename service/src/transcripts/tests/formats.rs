//! Each agent's transcripts say who said what, which tools were called, what came of it, and what it took.

use std::io::Cursor;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::support::{Home, lines, told};
use crate::transcripts::{At, Item, Opening, What};

const TIME: &str = "2026-11-30T10:00:00.000Z";

fn answer(id: &str, part: &Value) -> Value {
    json!({ "type": "assistant", "timestamp": TIME, "sessionId": "one", "cwd": "/work", "message": {
        "id": id, "role": "assistant", "content": [part],
        "usage": { "input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 7 },
    } })
}

fn user(content: &Value) -> Value {
    json!({ "type": "user", "timestamp": TIME, "sessionId": "one", "cwd": "/work", "message": { "role": "user", "content": content } })
}

#[test]
fn claude_says_an_answer_in_several_lines_and_its_usage_counts_once() {
    let home = Home::new();
    let session = home.claude(&lines(&[
        json!({ "type": "file-history-snapshot" }),
        user(&json!("list <b>it</b>")),
        answer("m1", &json!({ "type": "thinking", "thinking": "hm" })),
        answer("m1", &json!({ "type": "text", "text": "I look." })),
        answer("m1", &json!({ "type": "tool_use", "id": "t1", "name": "Bash", "input": { "command": "ls" } })),
        user(&json!([{ "type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "Exit code 2\nno" }])),
        answer("m2", &json!({ "type": "text", "text": "Done." })),
        user(&json!([{ "type": "image", "source": { "data": "AAAA" } }])),
        json!({ "type": "system", "subtype": "api_error", "error": { "formatted": "Connection dropped" } }),
        json!({ "type": "cost-state", "sessionId": "one", "totalCostUSD": 0.25 }),
        json!({ "type": "cost-state", "sessionId": "one", "totalCostUSD": 0.5 }),
    ]));
    let expected = [
        "person: list <b>it</b>",
        "thought: hm",
        "model: I look.",
        r#"t1 Bash {"command":"ls"}"#,
        "10 5 100 7",
        "t1 -> Exit code 2\nno Some(2) true",
        "model: Done.",
        "10 5 100 7",
        "person: [image, not shown]",
        "client: Connection dropped",
        "0 0 0 0",
    ];
    assert_eq!(told(&home.page(&session, &At::End).items), expected);
    let scan = home.scan(&session);
    let used = scan.used();
    assert_eq!((used.input, used.output, used.cached, used.written), (20, 10, 200, 14));
    assert_eq!(used.cost, Some(0.5));
    assert_eq!((scan.prompts, scan.calls.len(), scan.damaged), (2, 1, 0));
    assert_eq!((scan.calls[0].title.as_str(), scan.calls[0].line.as_str()), ("Bash", "ls"));
    let opening = home.transcripts.opening(&session).unwrap();
    let (id, cwd) = (Some("one".to_owned()), Some("/work".to_owned()));
    assert_eq!(opening, Opening { id, cwd, title: Some("list <b>it</b>".to_owned()) });
}

fn codex() -> Vec<u8> {
    let item =
        |payload: Value| json!({ "timestamp": TIME, "type": "response_item", "payload": payload });
    let tokens = |sum: u64| {
        json!({ "timestamp": TIME, "type": "event_msg", "payload": { "type": "token_count", "info": { "total_token_usage": {
            "input_tokens": sum, "cached_input_tokens": 10, "output_tokens": 5 } } } })
    };
    lines(&[
        json!({ "timestamp": TIME, "type": "session_meta", "payload": { "id": "0123-abc", "cwd": "/work" } }),
        item(
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "<environment_context>x" }] }),
        ),
        item(
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "go" }] }),
        ),
        item(
            json!({ "type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"ls -l\"}", "call_id": "c1" }),
        ),
        tokens(30),
        item(
            json!({ "type": "function_call_output", "call_id": "c1", "output": "Wall time: 1.2500 seconds\nProcess exited with code 1\nOutput:\nno" }),
        ),
        item(
            json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"bash\",\"-lc\",\"pwd\"]}", "call_id": "c2" }),
        ),
        item(
            json!({ "type": "function_call_output", "call_id": "c2", "output": "{\"output\":\"/work\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.5}}" }),
        ),
        item(
            json!({ "type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch", "call_id": "c3" }),
        ),
        tokens(60),
    ])
}

#[test]
fn codex_says_arguments_as_json_in_a_text_and_tokens_as_sums() {
    let home = Home::new();
    home.write(".codex/sessions/2026/11/30/rollout-2026-11-30T10-00-00-0123-abc.jsonl", &codex());
    let session = home.transcripts.session("codex", "0123-abc").unwrap();
    let expected = [
        "client: <environment_context>x",
        "person: go",
        r#"c1 exec_command {"cmd":"ls -l"}"#,
        "c1 -> Wall time: 1.2500 seconds\nProcess exited with code 1\nOutput:\nno Some(1) true",
        r#"c2 shell {"command":"pwd"}"#,
        "c2 -> /work Some(0) false",
        r#"c3 apply_patch {"input":"*** Begin Patch"}"#,
        "50 5 10 0",
    ];
    assert_eq!(told(&home.page(&session, &At::End).items), expected);
    let took = |item: &Item| match &item.what {
        What::Came(came) => came.took,
        _ => None,
    };
    let took: Vec<u64> = home.page(&session, &At::End).items.iter().filter_map(took).collect();
    assert_eq!(took, [1_250, 500]);
    let scan = home.scan(&session);
    assert_eq!((scan.used().input, scan.used().output), (50, 5));
    assert_eq!((scan.calls[0].title.as_str(), scan.calls[0].line.as_str()), ("Bash", "ls -l"));
    assert_eq!(scan.calls[1].line, "pwd");
}

#[test]
fn what_codex_has_packed_is_read_as_if_it_were_not() {
    let home = Home::new();
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let packed = ruzstd::encoding::compress_to_vec(Cursor::new(codex()), level);
    let name = "rollout-2026-11-30T10-00-00-0123-abc.jsonl";
    home.write(&format!(".codex/sessions/2026/11/30/{name}"), &codex());
    home.write(".codex/archived_sessions/rollout-2026-11-20T10-00-00-packed.jsonl.zst", &packed);
    // Of several frames, the second cut in the middle.
    let twice = [&packed[..], &packed[..packed.len() / 2]].concat();
    home.write(".codex/archived_sessions/rollout-2026-11-20T10-00-00-twice.jsonl.zst", &twice);
    home.write(".codex/archived_sessions/rollout-2026-11-20T10-00-00-no.jsonl.zst", b"{}\n");
    let session = |id: &str| home.transcripts.session("codex", id).unwrap();
    let items = |id: &str| told(&home.page(&session(id), &At::End).items);
    assert_eq!(items("packed"), items("0123-abc"));
    assert!(items("twice").starts_with(&items("packed")[..3]));
    let error = home.transcripts.page(&session("no"), &At::End).unwrap_err();
    assert!(error.to_string().contains("no zstd"), "{error}");
}

#[test]
fn copilot_says_events() {
    let home = Home::new();
    let event = |kind: &str, data: Value| json!({ "type": kind, "id": kind, "timestamp": TIME, "parentId": null, "data": data });
    home.write(
        ".copilot/session-state/abc-1/events.jsonl",
        &lines(&[
            event("session.start", json!({ "sessionId": "abc-1", "context": { "cwd": "/work" } })),
            event("user.message", json!({ "content": "go" })),
            event("assistant.message", json!({ "messageId": "m", "content": "I do.", "outputTokens": 9, "toolRequests": [] })),
            event("tool.execution_start", json!({ "toolCallId": "c1", "toolName": "bash", "arguments": { "command": "ls" } })),
            event("tool.execution_complete", json!({ "toolCallId": "c1", "success": true, "result": { "content": "a\n<shellId: 0 completed with exit code 0>" } })),
            event("session.shutdown", json!({ "modelMetrics": { "m": { "usage": { "inputTokens": 40, "outputTokens": 9 } } } })),
        ]),
    );
    let session = home.transcripts.session("copilot", "abc-1").unwrap();
    let expected = [
        "person: go",
        "model: I do.",
        "0 9 0 0",
        r#"c1 bash {"command":"ls"}"#,
        "c1 -> a\n<shellId: 0 completed with exit code 0> Some(0) false",
        "40 0 0 0",
    ];
    assert_eq!(told(&home.page(&session, &At::End).items), expected);
    let used = home.scan(&session).used();
    assert_eq!((used.input, used.output), (40, 9));
    assert_eq!(home.transcripts.opening(&session).unwrap().cwd.as_deref(), Some("/work"));
}

#[test]
fn copilots_newer_versions_say_with_each_answer_what_it_took() {
    let home = Home::new();
    let event = |number: u32, kind: &str, data: Value| json!({ "type": kind, "id": format!("e{number}"), "timestamp": TIME, "data": data });
    let usage = json!({ "usage": { "inputTokens": 10, "outputTokens": 3, "cacheReadTokens": 2 } });
    let sums = json!({ "m": { "usage": { "inputTokens": 20, "outputTokens": 6 } } });
    home.write(
        ".copilot/session-state/abc-2/events.jsonl",
        &lines(&[
            event(1, "session.usage_record", usage.clone()),
            event(2, "tool.execution_complete", json!({ "toolCallId": "c1", "success": true, "shellExecution": { "exitCode": 2 }, "result": { "content": "no" } })),
            event(3, "session.usage_record", usage),
            event(4, "session.shutdown", json!({ "accountingSnapshot": {}, "modelMetrics": sums })),
        ]),
    );
    let session = home.transcripts.session("copilot", "abc-2").unwrap();
    let items = told(&home.page(&session, &At::End).items);
    assert_eq!(items, ["10 3 2 0", "c1 -> no Some(2) false", "10 3 2 0"]);
    let used = home.scan(&session).used();
    assert_eq!((used.input, used.output, used.cached), (20, 6, 4));
}

fn gemini(id: &str, fields: &Value) -> Value {
    let mut value = json!({ "id": id, "timestamp": TIME });
    value.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    value
}

#[test]
fn gemini_writes_messages_anew_and_takes_others_back() {
    let home = Home::new();
    let call = |result: Value| {
        json!({ "type": "gemini", "content": "I do.", "tokens": { "input": 20, "cached": 5, "output": 3, "thoughts": 1 },
        "toolCalls": [{ "id": "c1", "name": "run_shell_command", "args": { "command": "ls" }, "status": if result.is_null() { "executing" } else { "success" }, "result": result }] })
    };
    let result =
        json!([{ "functionResponse": { "response": { "output": "Output: no\nExit Code: 3" } } }]);
    home.write(
        ".gemini/tmp/work/chats/session-2026-11-30T10-00-01234567.jsonl",
        &lines(&[
            json!({ "sessionId": "01234567-89ab", "projectHash": "x", "startTime": TIME, "directories": ["/work"] }),
            gemini("a", &json!({ "type": "user", "content": [{ "text": "go" }] })),
            gemini("b", &call(Value::Null)),
            json!({ "$set": { "lastUpdated": TIME } }),
            gemini("b", &call(result)),
            gemini("b2", &json!({ "type": "user", "content": [{ "functionResponse": { "id": "c1", "response": { "output": "no" } } }] })),
            gemini("c", &json!({ "type": "user", "content": "wrong" })),
            gemini("d", &json!({ "type": "gemini", "content": "Yes." })),
            json!({ "$rewindTo": "c" }),
            gemini("e", &json!({ "type": "user", "content": "right" })),
        ]),
    );
    // The name has only the beginning of the id.
    let session = home.transcripts.session("gemini", "01234567-89ab").unwrap();
    let expected = [
        "person: go",
        "model: I do.",
        r#"c1 run_shell_command {"command":"ls"}"#,
        "c1 -> Output: no\nExit Code: 3 Some(3) false",
        "15 4 5 0",
        "taken back: person: wrong",
        "taken back: model: Yes.",
        "person: right",
    ];
    assert_eq!(told(&home.page(&session, &At::End).items), expected);
    let scan = home.scan(&session);
    assert_eq!((scan.used().input, scan.calls.len()), (15, 1));
    assert!(scan.has_come(&scan.calls[0]));
    assert!(home.transcripts.session("gemini", "0123").is_err());
    // Without directories in it, that of the project stands beside it.
    home.write(".gemini/tmp/work/.project_root", b"/work/it");
    let file = ".gemini/tmp/work/chats/session-2026-11-30T11-00-76543210.jsonl";
    home.write(file, &lines(&[json!({ "sessionId": "76543210-89ab", "projectHash": "x" })]));
    let session = home.transcripts.session("gemini", "76543210-89ab").unwrap();
    assert_eq!(home.transcripts.opening(&session).unwrap().cwd.as_deref(), Some("/work/it"));
}

fn opencode(home: &Home) -> Connection {
    let path = home.write(".local/share/opencode/opencode.db", b"");
    let db = Connection::open(path).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL;
         CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, time_created INTEGER, time_updated INTEGER);
         CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
         CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
         INSERT INTO session VALUES ('ses_1', NULL, '/work', 'A title', 1796000000000, 1796000000000);",
    )
    .unwrap();
    let message = |id: &str, data: Value| {
        db.execute("INSERT INTO message VALUES (?1, 'ses_1', 1, 1, ?2)", (id, data.to_string()))
            .unwrap();
    };
    let part = |id: &str, of: &str, data: Value| {
        db.execute(
            "INSERT INTO part VALUES (?1, ?2, 'ses_1', 1796000000000, 1796000000001, ?3)",
            (id, of, data.to_string()),
        )
        .unwrap();
    };
    message("msg_1", json!({ "role": "user" }));
    message(
        "msg_2",
        json!({ "role": "assistant", "cost": 0.25, "tokens": { "input": 8, "output": 2, "reasoning": 1, "cache": { "read": 4, "write": 0 } } }),
    );
    part("prt_1", "msg_1", json!({ "type": "text", "text": "go" }));
    part(
        "prt_2",
        "msg_2",
        json!({ "type": "tool", "callID": "c1", "tool": "bash", "state": {
        "status": "completed", "input": { "command": "ls" }, "output": "a", "metadata": { "exit": 4 }, "time": { "start": 5, "end": 25 } } }),
    );
    part("prt_3", "msg_2", json!({ "type": "text", "text": "Done." }));
    db.execute("INSERT INTO part VALUES ('prt_4', 'msg_2', 'ses_1', 1796000000000, 1796000000001, 'no json')", []).unwrap();
    db
}

#[test]
fn opencode_says_rows_of_a_database_that_it_has_open() {
    let home = Home::new();
    let db = opencode(&home);
    let session = home.transcripts.session("opencode", "ses_1").unwrap();
    let expected = [
        "person: go",
        r#"c1 bash {"command":"ls"}"#,
        "c1 -> a Some(4) false",
        "model: Done.",
        "A part is no JSON.",
        "8 3 4 0",
    ];
    let paged = home.page(&session, &At::End);
    assert_eq!(told(&paged.items), expected);
    let scan = home.scan(&session);
    assert_eq!((scan.used().cost, scan.calls.len(), scan.damaged), (Some(0.25), 1, 1));
    let opening = home.transcripts.opening(&session).unwrap();
    assert_eq!(
        (opening.cwd.as_deref(), opening.title.as_deref()),
        (Some("/work"), Some("A title"))
    );
    // It goes on writing meanwhile, and what it changes is told.
    let change = "UPDATE part SET time_updated = 1796000000009, data = '{\"type\":\"text\",\"text\":\"More.\"}' WHERE id = 'prt_4'";
    db.execute(change, []).unwrap();
    let items = told(&home.page(&session, &At::From(paged.end)).items);
    assert!(items.contains(&"model: More.".to_owned()), "{items:?}");
}

#[test]
fn what_is_no_database_of_opencodes_is_said_to_be_none() {
    let home = Home::new();
    home.write(
        ".local/share/opencode/opencode.db",
        b"this is no database at all, but it is long enough",
    );
    let path = home.write(".local/share/opencode/opencode-other.db", b"");
    // Views can run for ever.
    let db = Connection::open(path).unwrap();
    db.execute_batch("CREATE VIEW session AS SELECT 1 AS id; CREATE VIEW part AS SELECT 1; CREATE VIEW message AS SELECT 1;").unwrap();
    let (sessions, errors) = home.transcripts.sessions(Some("opencode"));
    assert!(sessions.is_empty());
    let errors = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(errors.contains("is no database of opencode's sessions"), "{errors}");
    assert!(errors.contains("not a database"), "{errors}");
}

#[test]
fn every_place_is_found_and_an_agents_own_variable_wins() {
    let of = |set: &[(&str, &str)]| {
        let set: Vec<(String, String)> =
            set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let variable = move |name: &str| {
            set.iter().find(|(one, _)| one == name).map(|(_, value)| value.clone())
        };
        let transcripts = crate::transcripts::Transcripts::at(&variable, std::path::Path::new("/"));
        transcripts
            .roots()
            .map(|(agent, root)| format!("{agent} {}", root.display()))
            .collect::<Vec<_>>()
    };
    let plain = of(&[("HOME", "/h")]);
    assert_eq!(plain.len(), 5, "{plain:?}");
    assert!(plain.contains(&"claude /h/.claude/projects".to_owned()), "{plain:?}");
    let set = of(&[
        ("HOME", "/h"),
        ("CLAUDE_CONFIG_DIR", "/c"),
        ("CODEX_HOME", "/x"),
        ("XDG_DATA_HOME", "relative"),
    ]);
    assert!(
        set.contains(&"claude /c/projects".to_owned()) && set.contains(&"codex /x".to_owned()),
        "{set:?}"
    );
    assert!(set.contains(&"opencode /h/.local/share/opencode".to_owned()), "{set:?}");
}

#[test]
fn helpers_are_found_beside_those_who_started_them() {
    let home = Home::new();
    home.claude(b"");
    home.write(
        ".claude/projects/-work/one/subagents/agent-x.jsonl",
        &lines(&[user(&json!("help"))]),
    );
    let (sessions, _) = home.transcripts.sessions(None);
    let named: Vec<(&str, bool)> =
        sessions.iter().map(|one| (one.id.as_str(), one.is_helper)).collect();
    assert!(named.contains(&("one", false)) && named.contains(&("agent-x", true)), "{named:?}");
}
