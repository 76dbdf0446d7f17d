//! GitHub Copilot CLI: events, one JSON object a line, each with its kind and data.

use serde_json::Value;

use super::item::{Called, Came, Head, Text, Usage, What, Who, number, parts, status, text};

pub(super) fn head(value: &Value) -> Head {
    if value["type"] != "session.start" {
        return Head::default();
    }
    Head {
        session: text(value, "/data/sessionId"),
        cwd: text(value, "/data/context/cwd"),
        title: None,
    }
}

/// Takes what a line says.
pub(super) fn read(mut value: Value, out: &mut Vec<What>) {
    let kind = text(&value, "/type").unwrap_or_default();
    let key = text(&value, "/id").unwrap_or_default();
    let mut data = value["data"].take();
    let said = |data: &Value, path: &str| text(data, path).filter(|text| !text.is_empty());
    match kind.as_str() {
        "user.message" => {
            let who = match data["source"].as_str() {
                Some(source) if source != "user" => Who::Client,
                _ => Who::Person,
            };
            out.extend(said(&data, "/content").map(|text| What::Said(who, Text::of(&text))));
        }
        "assistant.message" => {
            let thought = said(&data, "/reasoningText");
            out.extend(thought.map(|text| What::Said(Who::Thought, Text::of(&text))));
            let content = said(&data, "/content");
            out.extend(content.map(|text| What::Said(Who::Model, Text::of(&text))));
            let output = number(&data, "/outputTokens");
            let key = text(&data, "/messageId").unwrap_or(key);
            out.extend((output > 0).then(|| What::Used(Usage { key, output, ..Usage::default() })));
        }
        "tool.execution_start" => out.push(What::Called(Called {
            id: text(&data, "/toolCallId"),
            server: text(&data, "/mcpServerName"),
            tool: text(&data, "/mcpToolName")
                .or_else(|| text(&data, "/toolName"))
                .unwrap_or_default(),
            input: given(data["arguments"].take()),
        })),
        "tool.execution_complete" => {
            let told = match data.pointer("/result/content") {
                Some(content) => parts(content),
                None => text(&data, "/error/message").unwrap_or_default(),
            };
            out.push(What::Came(Came {
                id: text(&data, "/toolCallId"),
                is_error: data["success"] == false,
                status: data
                    .pointer("/shellExecution/exitCode")
                    .and_then(Value::as_i64)
                    .or_else(|| status(&told, "completed with exit code ")),
                took: None,
                text: Text::of(&told),
            }));
        }
        "session.usage_record" => out.push(What::Used(Usage {
            key,
            input: number(&data, "/usage/inputTokens"),
            output: number(&data, "/usage/outputTokens"),
            cached: number(&data, "/usage/cacheReadTokens"),
            written: number(&data, "/usage/cacheWriteTokens"),
            cost: None,
        })),
        // Of older versions, which say with an answer only what came back. Newer ones say all of it with each.
        "session.shutdown" if data.get("accountingSnapshot").is_none() => {
            let models = data["modelMetrics"].as_object().into_iter().flatten();
            out.extend(models.map(|(model, metrics)| {
                What::Used(Usage {
                    key: format!("{key} {model}"),
                    input: number(metrics, "/usage/inputTokens"),
                    cached: number(metrics, "/usage/cacheReadTokens"),
                    written: number(metrics, "/usage/cacheWriteTokens"),
                    ..Usage::default()
                })
            }));
        }
        "session.error" | "session.warning" | "session.info" | "abort" => {
            let said = text(&data, "/message").or_else(|| text(&data, "/reason"));
            out.extend(said.map(|text| What::Said(Who::Client, Text::of(&text))));
        }
        _ => {}
    }
}

/// What a tool got may be JSON in a text.
fn given(arguments: Value) -> Value {
    match &arguments {
        Value::String(text) => serde_json::from_str(text).unwrap_or(arguments),
        _ => arguments,
    }
}
