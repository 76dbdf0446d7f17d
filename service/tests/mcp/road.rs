//! What a client asks for, from its request to the record: judged, asked about, run, told.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::bridge::{Bridge, MOUNT, called, client, person};
use super::world::{AtTerminal, guard, within};

#[test]
fn a_command_is_judged_run_and_recorded() {
    within("road::a_command_is_judged_run_and_recorded", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        std::fs::write("/srv/home/app/file", "text\n").unwrap();
        let ran = bridge.runs_with(
            "cat /workspace/file; cat; echo $FOO >&2; exit 3",
            &json!({
                "stdin": "given\n", "environment": { "FOO": "set" },
            }),
        );
        for (key, value) in [
            ("state", json!("ended")),
            ("status", json!(3)),
            ("stdout", json!("text\ngiven\n")),
            ("stderr", json!("set\n")),
            ("approved_by", json!("policy")),
        ] {
            assert_eq!(ran[key], value, "{key}: {ran}");
        }
        assert_eq!(bridge.runs("kill -9 $$")["signal"], 9);
        let late = bridge.runs_with("while :; do :; done", &json!({ "timeout": 1 }));
        assert_eq!(late["ended_by"], "time", "{late}");
        let history = Bridge::tool(&bridge.token, "history", &json!({}));
        let calls = history["structuredContent"]["calls"].as_array().unwrap();
        let first = calls.last().unwrap();
        assert_eq!(first["purpose"], "a test");
        assert_eq!(
            (&first["happened"], &first["ended"]["status"]),
            (&json!("ran, failed"), &json!(3))
        );
        assert_eq!(first["ended"]["output"], guarded_sh::audit::sha256(b"text\ngiven\n"));
        assert_eq!(first["command"], "cat /srv/home/app/file; cat; echo $FOO >&2; exit 3");
        // Another client knows nothing of it.
        let other = client(&["other", MOUNT]);
        let history = Bridge::tool(&other, "history", &json!({}));
        assert_eq!(history["structuredContent"]["calls"], json!([]));
        let shown = person(&["log", "show", "0"]);
        for part in ["client", "box", "a test", "with status 3"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        // It did not say what it calls itself, and nothing else is taken for that.
        assert!(!shown.contains("rmcp"), "{shown}");
    });
}

#[test]
fn all_is_asked_about_and_a_yes_runs_it_once() {
    within("road::all_is_asked_about_and_a_yes_runs_it_once", || {
        let bridge = Bridge::with("");
        let said = std::thread::scope(|scope| {
            let runs = scope.spawn(|| bridge.runs("echo ran >> /workspace/ran; echo done"));
            let id = bridge.asked();
            let pending = person(&["pending", "--json"]);
            assert!(pending.contains("it claims to be for this: 'a test'"), "{pending}");
            person(&["approve", &id]);
            runs.join().unwrap()
        });
        assert_eq!((&said["stdout"], &said["approved_by"]), (&json!("done\n"), &json!("person")));
        // The same once more is asked about once more, and a no is a no.
        let said = std::thread::scope(|scope| {
            let runs = scope.spawn(|| bridge.runs("echo ran >> /workspace/ran; echo done"));
            person(&["deny", &bridge.asked()]);
            runs.join().unwrap()
        });
        assert_eq!(said["state"], "refused", "{said}");
        assert!(said["reason"].as_str().unwrap().starts_with("a person said no"), "{said}");
        assert_eq!(std::fs::read_to_string("/srv/home/app/ran").unwrap(), "ran\n");
    });
}

#[test]
fn a_push_is_shown_with_what_it_brings() {
    within("road::a_push_is_shown_with_what_it_brings", || {
        if guarded_sh::sys::git::program().is_none() {
            println!("skipped: there is no git that only root could have put there");
            return;
        }
        let git = |words: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=n", "-c", "user.email=n@example.org"]).args(words);
            let output = git.current_dir("/srv/home/app").output().unwrap();
            assert!(output.status.success(), "git {words:?}: {output:?}");
        };
        std::fs::remove_dir("/srv/home/app/.git").unwrap();
        git(&["init", "-q", "-b", "main"]);
        git(&["commit", "-q", "--allow-empty", "-m", "Begin"]);
        git(&["init", "-q", "--bare", "/srv/home/app/other.git"]);
        git(&["remote", "add", "origin", "/srv/home/app/other.git"]);
        git(&["push", "-q", "origin", "main"]);
        let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
        std::fs::write("/srv/home/app/deploy.yml", format!("token: {token}\n")).unwrap();
        std::fs::write("/srv/home/app/a.txt", "text\n").unwrap();
        git(&["add", "a.txt", "deploy.yml"]);
        git(&["commit", "-q", "-m", "Add a text"]);
        let bridge = Bridge::with("wait = 1");
        let asked = |line: &str| {
            let said = bridge.runs(line);
            assert_eq!(said["state"], "asked", "{said}");
            let id = bridge.asked();
            let told = person(&["pending", "--json"]);
            person(&["deny", &id]);
            told
        };
        let told = asked("git push origin main");
        for part in [
            "it brings commits that are not known to be there (1): ",
            "Add a text",
            "they change files (2, +2 -0): a.txt +1 -0, deploy.yml +1 -0",
            "in them is what looks like a secret: deploy.yml",
        ] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains(token), "{told}");
        git(&["push", "-q", "origin", "main"]);
        git(&["reset", "-q", "--hard", "HEAD~1"]);
        let told = asked("git push --force origin main");
        assert!(told.contains("it takes away commits of 'origin/main' (1): "), "{told}");
        let told = asked("git commit --allow-empty -m more && git push origin main");
        assert!(told.contains("commits before it pushes is not among them"), "{told}");
        // A yes is to what was shown: what would be pushed is another commit by then.
        git(&["checkout", "-q", "-b", "fix"]);
        git(&["commit", "-q", "--allow-empty", "-m", "Fix"]);
        let said = std::thread::scope(|scope| {
            let runs = scope.spawn(|| bridge.runs("git push origin fix"));
            let id = bridge.asked();
            git(&["commit", "-q", "--allow-empty", "-m", "Evil"]);
            person(&["approve", &id]);
            let again = bridge.asked();
            let told = person(&["pending", "--json"]);
            assert!(told.contains("what it pushes has changed; asked anew"), "{told}");
            assert!(told.contains("Evil"), "{told}");
            person(&["deny", &again]);
            runs.join().unwrap()
        });
        assert_ne!(said["state"], "ended", "{said}");
        let output = Command::new("git")
            .args(["-C", "/srv/home/app/other.git", "log", "--format=%s", "main"])
            .output();
        let there = String::from_utf8(output.unwrap().stdout).unwrap();
        assert!(!there.contains("Evil"), "{there}");
    });
}

#[test]
fn what_takes_longer_is_asked_for_by_its_handle() {
    within("road::what_takes_longer_is_asked_for_by_its_handle", || {
        let bridge = Bridge::with("wait = 1");
        let open = bridge.runs("echo a; echo b >&2");
        assert_eq!(open["state"], "asked", "{open}");
        let id = bridge.asked();
        assert_eq!(open["question"], json!(id));
        person(&["approve", &id]);
        let handle = &open["handle"];
        let read = |token: &str, more: Value| {
            let mut arguments = json!({ "handle": handle, "wait": 1 });
            arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            Bridge::tool(token, "read_output", &arguments)["structuredContent"].clone()
        };
        let mut told = read(&bridge.token, json!({}));
        while told["state"] != "ended" {
            told = read(&bridge.token, json!({}));
        }
        assert_eq!((&told["stdout"], &told["stderr"]), (&json!("a\n"), &json!("b\n")));
        let part = read(&bridge.token, json!({ "stream": "stderr", "offset": 1 }));
        assert_eq!(
            (&part["output"], &part["offset"], &part["next"]),
            (&json!("\n"), &json!(1), &json!(2))
        );
        // A handle is its client's own.
        let other = client(&["other", MOUNT]);
        assert_eq!(read(&other, json!({})), Value::Null);
        // What waits is ended by its client, and by no other.
        let open = bridge.runs("echo never");
        let id = bridge.asked();
        let cancel =
            |token: &str| Bridge::tool(token, "cancel", &json!({ "handle": open["handle"] }));
        assert_eq!(cancel(&other)["isError"], true);
        assert!(person(&["pending"]).contains(&id));
        assert_eq!(cancel(&bridge.token)["structuredContent"]["state"], "refused");
        assert!(!person(&["pending"]).contains(&id));
    });
}

#[test]
fn a_key_runs_once() {
    within("road::a_key_runs_once", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        let once = |command: &str, key: &str| bridge.runs_with(command, &json!({ "key": key }));
        let first = once("echo ran >> /workspace/ran", "k");
        let again = once("echo ran >> /workspace/ran", "k");
        assert_eq!(first, again);
        let other = once("echo other >> /workspace/ran", "k");
        assert!(other["reason"].as_str().unwrap().contains("a key stands for one call"), "{other}");
        assert_eq!(once("echo ran >> /workspace/ran", "l")["state"], "ended");
        assert_eq!(std::fs::read_to_string("/srv/home/app/ran").unwrap(), "ran\nran\n");
    });
}

#[test]
fn both_versions_of_the_protocol_are_spoken() {
    within("road::both_versions_of_the_protocol_are_spoken", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        let info = json!({ "name": "a test", "version": "1" });
        let begun = Bridge::sent(
            &bridge.token,
            &json!({
                "jsonrpc": "2.0", "id": 1, "method": "initialize",
                "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info },
            }),
        );
        let read: Value = serde_json::from_str(begun.body.trim()).unwrap();
        assert_eq!(read["result"]["protocolVersion"], "2025-11-25");
        assert!(!begun.head.to_ascii_lowercase().contains("mcp-session-id"), "{}", begun.head);
        let meta = |capabilities: Value| {
            json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": info,
                "io.modelcontextprotocol/clientCapabilities": capabilities,
            })
        };
        let newer = |method: &str, name: Option<&str>, params: &Value| {
            let named = name.map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
            let head = format!(
                "Host: localhost\r\nAuthorization: Bearer {}\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{named}",
                bridge.token
            );
            let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
            let answer = Bridge::raw(&Bridge::request(&head, &body.to_string()));
            serde_json::from_str::<Value>(answer.body.trim())
                .unwrap_or_else(|_| panic!("{answer:?}"))
        };
        let found = newer("server/discover", None, &json!({ "_meta": meta(json!({})) }));
        let versions = found["result"]["supportedVersions"].as_array().unwrap();
        for version in ["2026-07-28", "2025-11-25"] {
            assert!(versions.contains(&json!(version)), "{found}");
        }
        let call = json!({
            "name": "execute_command", "arguments": { "command": "echo newer", "purpose": "a test" },
            "_meta": meta(json!({})),
        });
        let ran = newer("tools/call", Some("execute_command"), &call);
        assert_eq!(ran["result"]["structuredContent"]["stdout"], "newer\n", "{ran}");
        // A client that knows of tasks gets one for what takes longer.
        let tasks = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
        let call = json!({
            "name": "execute_command",
            "arguments": { "command": "while [ ! -e /workspace/go ]; do :; done; echo task", "purpose": "a test" },
            "_meta": meta(tasks.clone()),
        });
        let task = newer("tools/call", Some("execute_command"), &call)["result"].clone();
        assert_eq!(
            (&task["resultType"], &task["status"]),
            (&json!("task"), &json!("working")),
            "{task}"
        );
        std::fs::write("/srv/home/app/go", "").unwrap();
        let id = task["taskId"].as_str().unwrap();
        let params = json!({ "taskId": id, "_meta": meta(tasks) });
        let mut now = newer("tasks/get", Some(id), &params);
        while now["result"]["status"] == "working" {
            now = newer("tasks/get", Some(id), &params);
        }
        assert_eq!(now["result"]["result"]["structuredContent"]["stdout"], "task\n", "{now}");
    });
}

#[test]
fn it_is_heard_on_loopback_too() {
    within("road::it_is_heard_on_loopback_too", || {
        let token = client(&["box", MOUNT]);
        let program = guard();
        let words = [program.to_str().unwrap(), "mcp", "--port", "0"];
        let bridge = AtTerminal::without(&words);
        let told = bridge.until("http://");
        // What one serves is not taken from it by another.
        let second =
            Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&second.stderr);
        assert!(said.contains("another bridge of yours runs"), "{second:?}");
        let address = told.trim().strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        let mut call = called(&token, &["true"]);
        call.env("GUARDED_SH_HOST", address).current_dir("/srv/home");
        let output = call.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("is in no directory that is mapped"), "{said}");
        // Of two that know nothing of each other's keys, the second does not begin.
        let second = Command::new(&program).args(&words[1..]).output().unwrap();
        let said = String::from_utf8_lossy(&second.stderr);
        assert!(!second.status.success() && said.contains("another bridge of yours"), "{said}");
    });
}

#[test]
fn standard_streams_are_passed_on() {
    within("road::standard_streams_are_passed_on", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        let begin = |token: Option<&str>| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_guarded-shd"));
            command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.envs(token.map(|token| ("GUARDED_SH_MCP_TOKEN", token)));
            command.spawn().unwrap()
        };
        let mut child = begin(Some(&bridge.token));
        let info = json!({ "name": "a test", "version": "1" });
        let call = |id: u32, command: &str| {
            json!({
                "jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": { "name": "execute_command", "arguments": { "command": command, "purpose": "a test" } },
            })
        };
        let messages = [
            json!({
                "jsonrpc": "2.0", "id": 1, "method": "initialize",
                "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info },
            }),
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            call(2, "echo over streams"),
            call(3, "cat /etc/passwd"),
        ];
        let mut input = child.stdin.take().unwrap();
        for message in &messages {
            writeln!(input, "{message}").unwrap();
        }
        drop(input);
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let answers: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of =
            |id: u32| answers.iter().find(|answer| answer["id"] == id).unwrap()["result"].clone();
        assert_eq!(answers.len(), 3, "{text}");
        assert_eq!(of(1)["protocolVersion"], "2025-11-25");
        assert_eq!(of(2)["structuredContent"]["stdout"], "over streams\n");
        assert_eq!(of(3)["structuredContent"]["state"], "refused");
        // Without a token, and with a wrong one, nothing is answered.
        assert!(!begin(None).wait_with_output().unwrap().status.success());
        let mut child = begin(Some("gsm_wrong"));
        writeln!(child.stdin.take().unwrap(), "{}", call(1, "touch ran")).unwrap();
        let output = child.wait_with_output().unwrap();
        let read: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(read["error"]["message"].as_str().unwrap().contains("token"), "{read}");
    });
}
