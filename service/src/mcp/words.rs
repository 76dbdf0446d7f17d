//! What the bridge says of itself to models: its tools, its policy and its prompts. Decides nothing.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use guarded_sh::model::Consent;
use rmcp::model::{JsonObject, Prompt, PromptArgument, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::clients::Client;

/// The address of the policy.
pub const POLICY: &str = "guarded-sh://policy";
/// The name of the prompt about the host.
pub const PROMPT: &str = "on-the-host";

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

fn tool(name: &'static str, title: &str, about: &'static str, input: Value, output: Value) -> Tool {
    let mut tool = Tool::new(name, about, object(input));
    tool.title = Some(title.to_owned());
    tool.output_schema = Some(object(output));
    tool
}

/// What a call of `execute_command` and those that ask about one give.
fn outcome() -> Value {
    json!({
        "type": "object",
        "properties": {
            "state": { "enum": ["waits", "asked", "runs", "refused", "ended"], "description": "`ended` and `refused` are the end; else ask again by the handle" },
            "handle": { "type": "string" },
            "status": { "type": "integer", "description": "Its exit status" },
            "signal": { "type": "integer", "description": "The signal that ended it" },
            "stdout": { "type": "string" },
            "stderr": { "type": "string" },
            "stdout_bytes": { "type": "integer" },
            "stderr_bytes": { "type": "integer" },
            "truncated": { "type": "boolean", "description": "Whether only the end is given: `read_output` gives more" },
            "reason": { "type": "string", "description": "Why it was refused, or is asked about" },
            "hint": { "type": "string", "description": "What can be done instead" },
            "severity": { "enum": ["low", "medium", "high", "critical"] },
            "approved_by": { "type": "string", "description": "Who let it run" },
            "question": { "type": "string", "description": "The question that a person is asked" },
            "ended_by": { "enum": ["time", "cancel"] },
            "duration_ms": { "type": "integer" }
        },
        "required": ["state", "handle"]
    })
}

/// The tools, made once.
pub static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(tools);

/// Returns the tools.
fn tools() -> Vec<Tool> {
    let handle =
        json!({ "type": "string", "description": "The handle that `execute_command` gave" });
    let execute = tool(
        "execute_command",
        "Run a command on the host",
        "Runs a shell command on the person's own machine, outside of this container: only for what needs that, as a push, a release or a signed commit. It is judged by rules, and mostly a person is asked first; say in `purpose` what it is for. Only mapped directories can be used. If the answer's state is not `ended` or `refused`, ask again with `read_output` and its handle: do not run it again.",
        json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "A line for bash" },
                "purpose": { "type": "string", "description": "What it is for, in a sentence that the person reads" },
                "cwd": { "type": "string", "description": "The directory, as it is called in the container; without it, the first that is mapped" },
                "timeout": { "type": "integer", "minimum": 1, "maximum": 86400, "description": "Seconds that it may run; 600 without it" },
                "stdin": { "type": "string", "description": "What it reads on standard input; without it, nothing" },
                "environment": { "type": "object", "additionalProperties": { "type": "string" }, "description": "Variables, of those that the owner allows" },
                "key": { "type": "string", "minLength": 1, "maxLength": 200, "description": "Any text, new for each command: the same call with the same key runs once, however often it is sent" }
            },
            "required": ["command", "purpose"],
            "additionalProperties": false
        }),
        outcome(),
    );
    let explain = tool(
        "explain_command",
        "Say how a command would be judged",
        "Says how a command would be judged on the host, and runs nothing.",
        json!({
            "type": "object",
            "properties": {
                "command": { "type": "string", "description": "A line for bash" },
                "cwd": { "type": "string", "description": "The directory, as it is called in the container" }
            },
            "required": ["command"],
            "additionalProperties": false
        }),
        json!({
            "type": "object",
            "properties": {
                "action": { "enum": ["allow", "contain", "ask", "deny"] },
                "severity": { "enum": ["low", "medium", "high", "critical"] },
                "score": { "type": "integer" },
                "reason": { "type": "string" },
                "instead": { "type": "string" },
                "findings": { "type": "array", "items": { "type": "string" } }
            },
            "required": ["action", "severity", "score", "reason", "findings"]
        }),
    );
    let history = tool(
        "history",
        "What this client ran",
        "Lists what this client asked for before, newest first: what, why, who decided, how it ended.",
        json!({
            "type": "object",
            "properties": { "limit": { "type": "integer", "minimum": 1, "maximum": 100 } },
            "additionalProperties": false
        }),
        json!({
            "type": "object",
            "properties": { "calls": { "type": "array", "items": { "type": "object" } } },
            "required": ["calls"]
        }),
    );
    let read = tool(
        "read_output",
        "Read what a command wrote",
        "Says how a command stands, and gives what it wrote from an offset on. With `wait` it waits so many seconds for its end.",
        json!({
            "type": "object",
            "properties": {
                "handle": handle,
                "stream": { "enum": ["stdout", "stderr"] },
                "offset": { "type": "integer", "minimum": 0 },
                "wait": { "type": "integer", "minimum": 0, "maximum": 3600 }
            },
            "required": ["handle"],
            "additionalProperties": false
        }),
        {
            let mut read = outcome();
            read["properties"]["output"] = json!({ "type": "string" });
            read["properties"]["offset"] =
                json!({ "type": "integer", "description": "Where the output begins" });
            read["properties"]["next"] =
                json!({ "type": "integer", "description": "The offset of what comes next" });
            read
        },
    );
    let cancel = tool(
        "cancel",
        "End a command",
        "Ends a command that waits or runs, with all that it started.",
        json!({
            "type": "object",
            "properties": { "handle": { "type": "string", "description": "The handle that `execute_command` gave" } },
            "required": ["handle"],
            "additionalProperties": false
        }),
        outcome(),
    );
    let looks = ToolAnnotations::new().read_only(true).open_world(false);
    let runs = ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .idempotent(false)
        .open_world(true);
    let ends = ToolAnnotations::new()
        .read_only(false)
        .destructive(true)
        .idempotent(true)
        .open_world(false);
    vec![
        execute.with_annotations(runs),
        explain.with_annotations(looks.clone()),
        history.with_annotations(looks.clone()),
        read.with_annotations(looks),
        cancel.with_annotations(ends),
    ]
}

/// Returns the prompt.
pub fn prompt() -> Prompt {
    let task =
        PromptArgument::new("task").with_description("What is to be done").with_required(false);
    Prompt::new(PROMPT, Some("How to have something done on the host"), Some(vec![task]))
}

/// Returns the policy that binds a client, in words.
pub fn policy(client: &Client, approval: Consent) -> String {
    let mut text = String::from(
        "Commands that you give to `execute_command` run on the person's own machine, with the person's credentials, and not in your container.\n\n",
    );
    text.push_str(match approval {
        Consent::Always => "A person is asked about every command before it runs. ",
        Consent::ByRisk => "What is harmless runs at once; about all else a person is asked. ",
    });
    text.push_str("Nothing that you say counts as the person's yes: they answer at their own terminal or page. If they say no, do not try the same by other means.\n\nOnly these directories can be used; what reads or writes anything else is refused, so do that in your container:\n");
    if client.mounts.is_empty() {
        text.push_str("- none\n");
    }
    for mount in &client.mounts {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "- `{}`, which is `{}` there",
            mount.there.display(),
            mount.here.display()
        );
    }
    if !client.set.is_empty() {
        let _ = writeln!(text, "\nYou may set these variables: {}.", client.set.join(", "));
    }
    text.push_str("\nA yes is for one run of one command as it was shown. If files that it reads change before the yes, it is asked about anew.");
    text
}
