//! Codex: one JSON object a line, with its kind and a payload. What a tool gets is JSON in a text; tokens are told as sums.

use serde_json::{Value, json};

use super::item::{Called, Came, Head, Text, Usage, What, Who, number, parts, status, text};

/// What the client puts in the place of the person.
const INSERTED: [&str; 4] =
    ["<environment_context>", "<user_instructions>", "# AGENTS.md", "<permissions"];

pub(super) fn head(value: &Value) -> Head {
    let session = text(value, "/payload/id").filter(|_| value["type"] == "session_meta");
    Head { session, cwd: text(value, "/payload/cwd"), title: None }
}

/// Takes what a line says.
pub(super) fn read(mut value: Value, out: &mut Vec<What>) {
    let outer = text(&value, "/type").unwrap_or_default();
    let payload = value["payload"].take();
    let kind = text(&payload, "/type").unwrap_or_default();
    match (outer.as_str(), kind.as_str()) {
        ("response_item", "message") => {
            let said = parts(&payload["content"]);
            let is_inserted = INSERTED.iter().any(|start| said.starts_with(start));
            let who = match payload["role"].as_str() {
                Some("assistant") => Who::Model,
                Some("user") if !is_inserted => Who::Person,
                _ => Who::Client,
            };
            out.push(What::Said(who, Text::of(&said)));
        }
        ("response_item", "reasoning") => {
            let said = parts(&payload["summary"]);
            out.extend((!said.is_empty()).then(|| What::Said(Who::Thought, Text::of(&said))));
        }
        ("response_item", "function_call" | "custom_tool_call" | "local_shell_call") => {
            out.push(What::Called(called(payload, &kind)));
        }
        ("response_item", "function_call_output" | "custom_tool_call_output") => {
            out.push(What::Came(came(&payload)));
        }
        ("event_msg", "token_count") => {
            let sums = "/info/total_token_usage";
            if payload.pointer(sums).is_some_and(Value::is_object) {
                let sum = |name: &str| number(&payload, &format!("{sums}/{name}"));
                let cached = sum("cached_input_tokens");
                out.push(What::Used(Usage {
                    key: "all".to_owned(),
                    input: sum("input_tokens").saturating_sub(cached),
                    output: sum("output_tokens"),
                    cached,
                    written: 0,
                    cost: None,
                }));
            }
        }
        ("event_msg", "error" | "turn_aborted" | "stream_error") => {
            let said = text(&payload, "/message").unwrap_or_else(|| kind.clone());
            out.push(What::Said(Who::Client, Text::of(&said)));
        }
        ("compacted", _) => {
            out.push(What::Said(Who::Client, Text::of(&parts(&payload["message"]))));
        }
        _ => {}
    }
}

fn called(mut payload: Value, kind: &str) -> Called {
    let id = text(&payload, "/call_id");
    let tool = text(&payload, "/name").unwrap_or_else(|| "local_shell".to_owned());
    let server = text(&payload, "/namespace").and_then(|name| {
        let server = name.strip_prefix("mcp__")?;
        Some(server.trim_end_matches('_').to_owned())
    });
    let mut input = match kind {
        "custom_tool_call" => json!({ "input": payload["input"].take() }),
        "local_shell_call" => json!({ "command": payload["action"]["command"].take() }),
        _ => match payload["arguments"].take() {
            Value::String(arguments) => {
                serde_json::from_str(&arguments).unwrap_or(json!({ "arguments": arguments }))
            }
            other => other,
        },
    };
    // A shell and its option around a line: what its hooks are told is the line.
    let line = input["command"].as_array().and_then(|words| match words.as_slice() {
        [_, Value::String(option), Value::String(line)] if option.starts_with('-') => Some(line),
        _ => None,
    });
    if let Some(line) = line.cloned() {
        input["command"] = Value::String(line);
    }
    Called { id, tool, server, input }
}

fn came(payload: &Value) -> Came {
    // Older versions have JSON in the text: what was printed, and how it ended.
    let output = &payload["output"];
    let inner: Option<Value> = output.as_str().and_then(|text| serde_json::from_str(text).ok());
    let inner = inner.filter(|inner| inner.get("output").is_some());
    let told = parts(inner.as_ref().map_or(output, |inner| &inner["output"]));
    let said = inner.as_ref().and_then(|inner| inner.pointer("/metadata/exit_code")?.as_i64());
    let status = said.or_else(|| status(&told, "Process exited with code "));
    let seconds =
        inner.as_ref().and_then(|inner| inner.pointer("/metadata/duration_seconds")?.as_f64());
    let seconds = seconds.or_else(|| {
        let behind = told.split_once("Wall time: ")?.1;
        behind[..behind.find(' ')?].parse().ok()
    });
    Came {
        id: text(payload, "/call_id"),
        is_error: payload["success"] == false || status.is_some_and(|status| status != 0),
        status,
        took: seconds.map(milliseconds),
        text: Text::of(&told),
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is held to the range"
)]
fn milliseconds(seconds: f64) -> u64 {
    (seconds.clamp(0.0, 1e9) * 1e3) as u64
}
