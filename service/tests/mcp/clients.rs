//! Clients of other makers against the bridge: the protocol's own Python SDK, in both versions, and the command line of its Inspector.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use super::bridge::{Bridge, person};
use super::tools;
use super::world::{PATIENCE, within};

/// The newest version of the protocol.
const NEWEST: &str = "2026-07-28";
/// How the Python SDK is told which version to speak, and which that is.
const MODES: [(&str, &str); 2] = [("legacy", "2025-11-25"), (NEWEST, NEWEST)];
const TOOLS: [&str; 5] = ["execute_command", "explain_command", "history", "read_output", "cancel"];
const PYTHON: &str = "python/bin/python";
const SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/client.py");
const INSPECTOR: &str =
    "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
/// The statuses by which the Inspector says that a tool's result is an error, and that it is let in nowhere.
const FAILED: i32 = 5;
const UNAUTHORIZED: i32 = 3;

/// The Python SDK, which does what it is told to.
struct Sdk {
    child: Child,
    does: ChildStdin,
    says: Receiver<String>,
}

impl Sdk {
    fn begin(address: &str, token: &str, mode: &str, extensions: &[&str]) -> Self {
        let mut command = Command::new(tools::path(PYTHON));
        command.args([SDK, address, token, mode]).args(extensions);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let does = child.stdin.take().unwrap();
        let (say, says) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = say.send(line);
            }
        });
        Self { child, does, says }
    }

    fn does(&mut self, what: &Value) {
        writeln!(self.does, "{what}").unwrap();
    }

    /// Returns the next that it says.
    fn says(&mut self) -> Value {
        let line = self.says.recv_timeout(PATIENCE).expect("it says nothing more");
        serde_json::from_str(&line).unwrap()
    }

    /// Returns the next that it says under a name.
    fn until(&mut self, name: &str) -> Value {
        loop {
            let said = self.says();
            assert!(said["failed"].is_null(), "{name}: {said}");
            if !said[name].is_null() {
                return said;
            }
        }
    }

    /// Calls a tool, and returns what comes of it.
    fn calls(&mut self, tool: &str, arguments: &Value) -> Value {
        self.does(&json!({ "tool": tool, "arguments": arguments }));
        self.until("structured")
    }

    /// Has it ask for a command, waits until it is told that a person is asked, and returns the question.
    fn asks(&mut self, command: &str) -> String {
        self.does(&json!({ "tool": "execute_command", "arguments": line(command) }));
        loop {
            let said = self.until("progress")["progress"].as_str().unwrap().to_owned();
            if let Some((_, id)) = said.split_once("a person is asked (question ") {
                return id.trim_end_matches(')').to_owned();
            }
        }
    }
}

impl Drop for Sdk {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(command: &str) -> Value {
    json!({ "command": command, "purpose": "a test" })
}

#[test]
fn the_python_sdk_lists_explains_runs_and_reads() {
    if !tools::are_here(&[&tools::path(PYTHON)]) {
        return;
    }
    within("clients::the_python_sdk_lists_explains_runs_and_reads", || {
        let (bridge, address) = Bridge::beside("approval = \"by-risk\"");
        for (mode, version) in MODES {
            let mut sdk = Sdk::begin(&address, &bridge.token, mode, &[]);
            sdk.does(&json!({ "looks": true }));
            assert_eq!(sdk.until("version")["version"], version);
            assert_eq!(sdk.until("tools")["tools"], json!(TOOLS));
            assert_eq!(sdk.until("prompts")["prompts"], json!(["on-the-host"]));
            assert!(sdk.until("policy")["policy"].as_str().unwrap().contains("/workspace"));
            let ran = sdk.calls("execute_command", &line("echo out; echo err >&2"));
            assert_eq!(ran["is_error"], false, "{ran}");
            let told = &ran["structured"];
            for (name, value) in [
                ("state", "ended"),
                ("stdout", "out\n"),
                ("stderr", "err\n"),
                ("approved_by", "policy"),
            ] {
                assert_eq!(told[name], value, "{ran}");
            }
            let part = json!({ "handle": told["handle"], "stream": "stderr", "offset": 1 });
            assert_eq!(sdk.calls("read_output", &part)["structured"]["output"], "rr\n");
            let ended = sdk.calls("cancel", &json!({ "handle": told["handle"] }));
            assert_eq!(ended["structured"]["state"], "ended");
            let refused = sdk.calls("execute_command", &line("cat /etc/passwd"));
            assert_eq!(
                (&refused["is_error"], &refused["structured"]["state"]),
                (&json!(true), &json!("refused"))
            );
            let judged = sdk.calls("explain_command", &json!({ "command": "rm -rf /workspace" }));
            assert_eq!(judged["structured"]["action"], "ask", "{judged}");
            let history = sdk.calls("history", &json!({}));
            assert_eq!(history["structured"]["calls"][0]["command"], "cat /etc/passwd");
            let mut wrong = Sdk::begin(&address, "gsm_wrong", mode, &[]);
            wrong.does(&json!({ "looks": true }));
            let failed =
                std::iter::from_fn(|| Some(wrong.says())).find(|said| said["version"].is_null());
            assert!(failed.unwrap()["failed"].is_array());
        }
    });
}

#[test]
fn the_python_sdk_is_told_that_a_person_is_asked_and_what_they_say() {
    if !tools::are_here(&[&tools::path(PYTHON)]) {
        return;
    }
    within("clients::the_python_sdk_is_told_that_a_person_is_asked_and_what_they_say", || {
        let (bridge, address) = Bridge::beside("");
        for (mode, _) in MODES {
            let mut sdk = Sdk::begin(&address, &bridge.token, mode, &[]);
            person(&["approve", &sdk.asks("echo ran >> ran; echo done")]);
            let ran = sdk.until("structured")["structured"].clone();
            assert_eq!(
                (&ran["stdout"], &ran["approved_by"]),
                (&json!("done\n"), &json!("person")),
                "{ran}"
            );
            person(&["deny", &sdk.asks("echo ran >> ran; echo done")]);
            let refused = sdk.until("structured");
            assert_eq!(
                (&refused["is_error"], &refused["structured"]["state"]),
                (&json!(true), &json!("refused"))
            );
            assert!(refused["text"].to_string().contains("a person said no"), "{refused}");
        }
        assert_eq!(std::fs::read_to_string("/srv/home/app/ran").unwrap(), "ran\nran\n");
    });
}

#[test]
fn the_python_sdk_cancels_and_the_command_ends() {
    if !tools::are_here(&[&tools::path(PYTHON)]) {
        return;
    }
    within("clients::the_python_sdk_cancels_and_the_command_ends", || {
        let (bridge, address) = Bridge::beside("approval = \"by-risk\"");
        for (mode, _) in MODES {
            let mut sdk = Sdk::begin(&address, &bridge.token, mode, &[]);
            let (begun, ended) =
                (format!("/srv/home/app/{mode}"), format!("/srv/home/app/{mode}-ended"));
            let command = format!(
                "trap 'echo ended > {ended}; exit' TERM; echo > {begun}; while :; do :; done"
            );
            sdk.does(&json!({ "begun": begun, "arguments": line(&command) }));
            sdk.until("left");
            while std::fs::read_to_string(&ended).unwrap_or_default() != "ended\n" {
                std::thread::yield_now();
            }
            // The same client goes on.
            assert_eq!(sdk.calls("execute_command", &line("true"))["structured"]["status"], 0);
        }
    });
}

#[test]
fn the_python_sdk_gets_tasks_where_it_declares_them() {
    if !tools::are_here(&[&tools::path(PYTHON)]) {
        return;
    }
    within("clients::the_python_sdk_gets_tasks_where_it_declares_them", || {
        let (bridge, address) = Bridge::beside("");
        let begin = |extensions: &[&str]| {
            let mut sdk = Sdk::begin(&address, &bridge.token, NEWEST, extensions);
            let id = sdk.asks("echo done");
            assert_eq!(sdk.until("task")["status"], "working");
            (sdk, id)
        };
        let (mut sdk, id) = begin(&["tasks"]);
        person(&["approve", &id]);
        assert_eq!(sdk.until("structured")["structured"]["stdout"], "done\n");
        let (mut sdk, id) = begin(&["tasks", "cancel"]);
        assert_eq!(sdk.until("structured")["structured"]["state"], "refused");
        assert!(!person(&["pending"]).contains(&id));
    });
}

/// The Inspector's command line, in an era of the protocol.
struct Inspector<'a> {
    address: &'a str,
    token: &'a str,
    era: &'a str,
}

impl Inspector<'_> {
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(tools::node());
        command.arg(tools::path(INSPECTOR)).args(["--cli", "--server-url", self.address]);
        command.args(["--transport", "http", "--protocol-era", self.era, "--stored-auth-only"]);
        command.args(["--header", &format!("Authorization: Bearer {}", self.token)]);
        command.args(["--format", "json", "--quiet"]).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn call(&self, tool: &str, arguments: &Value) -> Command {
        let arguments = arguments.to_string();
        let call = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", &arguments];
        self.command(&call)
    }
}

/// Returns with which status it ended, and its result.
fn came(output: &Output) -> (Option<i32>, Value) {
    let read: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), read["result"].clone())
}

#[test]
fn the_inspector_lists_explains_and_runs() {
    if !tools::are_here(&[&tools::node(), &tools::path(INSPECTOR)]) {
        return;
    }
    within("clients::the_inspector_lists_explains_and_runs", || {
        let (bridge, address) = Bridge::beside("approval = \"by-risk\"");
        for era in ["legacy", "modern"] {
            let inspector = Inspector { address: &address, token: &bridge.token, era };
            let does = |mut command: Command| came(&command.output().unwrap());
            // `--strict` says what is wrong with the schemas of tools.
            let (status, listed) = does(inspector.command(&["--method", "tools/list", "--strict"]));
            let tools = listed["tools"].as_array().unwrap();
            let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
            assert_eq!((status, json!(names)), (Some(0), json!(TOOLS)));
            assert_eq!(listed["schemaFindings"], Value::Null, "{}", listed["schemaFindings"]);
            let (status, ran) = does(inspector.call("execute_command", &line("echo out")));
            assert_eq!((status, &ran["structuredContent"]["stdout"]), (Some(0), &json!("out\n")));
            let refused = does(inspector.call("execute_command", &line("cat /etc/passwd")));
            assert_eq!(
                (refused.0, &refused.1["structuredContent"]["state"]),
                (Some(FAILED), &json!("refused"))
            );
            let wrong = Inspector { token: "gsm_wrong", ..inspector };
            let (status, _) = does(wrong.command(&["--method", "tools/list"]));
            assert_eq!(status, Some(UNAUTHORIZED));
        }
        let inspector = Inspector { address: &address, token: &bridge.token, era: "modern" };
        let explain = inspector.call("explain_command", &json!({ "command": "ls" })).output();
        assert_eq!(came(&explain.unwrap()).1["structuredContent"]["action"], "allow");
        let history = inspector.call("history", &json!({})).output();
        let calls = came(&history.unwrap()).1["structuredContent"]["calls"].clone();
        assert_eq!(calls.as_array().unwrap().len(), 4, "{calls}");
    });
}

#[test]
fn the_inspector_waits_for_a_person() {
    if !tools::are_here(&[&tools::node(), &tools::path(INSPECTOR)]) {
        return;
    }
    within("clients::the_inspector_waits_for_a_person", || {
        let (bridge, address) = Bridge::beside("");
        for (era, word, status) in [("legacy", "approve", 0), ("modern", "deny", FAILED)] {
            let inspector = Inspector { address: &address, token: &bridge.token, era };
            let child = inspector.call("execute_command", &line("echo out")).spawn().unwrap();
            person(&[word, &bridge.asked()]);
            let (came, told) = came(&child.wait_with_output().unwrap());
            assert_eq!(came, Some(status), "{told}");
        }
    });
}
