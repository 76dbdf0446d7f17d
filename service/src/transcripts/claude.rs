//! Claude Code: one JSON object a line. An answer of the model comes in as many lines as it has parts, each with the same usage.

use serde_json::Value;

use super::item::{Called, Came, Head, Text, Usage, What, Who, number, parts, status, text};

pub(super) fn head(value: &Value) -> Head {
    Head { session: text(value, "/sessionId"), cwd: text(value, "/cwd"), title: None }
}

/// Takes what a line says.
pub(super) fn read(mut value: Value, out: &mut Vec<What>) {
    let kind = text(&value, "/type").unwrap_or_default();
    let mut who = match kind.as_str() {
        "assistant" => Who::Model,
        "user" => Who::Person,
        "system" => {
            let said = text(&value, "/error/formatted").unwrap_or_else(|| parts(&value["content"]));
            out.extend((!said.is_empty()).then(|| What::Said(Who::Client, Text::of(&said))));
            return;
        }
        // What all answers cost up to here.
        "cost-state" => {
            let cost = value["totalCostUSD"].as_f64().filter(|cost| *cost > 0.0);
            let usage = Usage { key: kind, cost, ..Usage::default() };
            out.extend(cost.map(|_| What::Used(usage)));
            return;
        }
        _ => return,
    };
    if value["isMeta"] == true || value["isCompactSummary"] == true {
        who = Who::Client;
    }
    let took = value.pointer("/toolUseResult/durationMs").and_then(Value::as_u64);
    match value.pointer_mut("/message/content").map(Value::take) {
        Some(Value::Array(blocks)) => {
            for block in blocks {
                out.extend(part(block, who, took));
            }
        }
        Some(Value::String(said)) => out.push(What::Said(who, Text::of(&said))),
        _ => {}
    }
    out.extend(usage(&value).map(What::Used));
}

fn part(mut block: Value, who: Who, took: Option<u64>) -> Option<What> {
    let kind = text(&block, "/type")?;
    Some(match kind.as_str() {
        "text" => What::Said(who, Text::of(block["text"].as_str()?)),
        "thinking" => {
            let thought = block["thinking"].as_str().filter(|thought| !thought.is_empty())?;
            What::Said(Who::Thought, Text::of(thought))
        }
        "tool_use" | "server_tool_use" => What::Called(Called {
            id: text(&block, "/id"),
            tool: text(&block, "/name").unwrap_or_default(),
            server: None,
            input: block["input"].take(),
        }),
        "tool_result" => {
            let told = parts(&block["content"]);
            What::Came(Came {
                id: text(&block, "/tool_use_id"),
                is_error: block["is_error"] == true,
                status: status(&told, "Exit code ").filter(|_| told.starts_with("Exit code ")),
                took,
                text: Text::of(&told),
            })
        }
        other => What::Said(who, Text::of(&format!("[{other}, not shown]"))),
    })
}

fn usage(value: &Value) -> Option<Usage> {
    value.pointer("/message/usage")?.as_object()?;
    let key = text(value, "/message/id").or_else(|| text(value, "/uuid"))?;
    Some(Usage {
        key,
        input: number(value, "/message/usage/input_tokens"),
        output: number(value, "/message/usage/output_tokens"),
        cached: number(value, "/message/usage/cache_read_input_tokens"),
        written: number(value, "/message/usage/cache_creation_input_tokens"),
        cost: value["costUSD"].as_f64(),
    })
}
