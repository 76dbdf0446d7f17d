//! Anthropic's Messages API, as Claude Code speaks it.

use serde_json::{Value, json};

use super::{Call, Dialect, Request, Response, Turn};

pub struct Messages;

impl Dialect for Messages {
    fn told(&self, request: &Request) -> Result<Vec<String>, Response> {
        if request.path.contains("count_tokens") {
            return Err(Response::json(&json!({"input_tokens": 100})));
        }
        if request.method != "POST" || !request.path.starts_with("/v1/messages") {
            return Err(Response::json(&json!({})));
        }
        // A request without tools is for a title or the like.
        let tools = request.body["tools"].as_array().map_or(0, Vec::len);
        if tools == 0 {
            return Err(self.reply(request, 0, Turn::Text("A title")));
        }
        let messages = request.body["messages"].as_array().into_iter().flatten();
        let blocks =
            messages.flat_map(|message| message["content"].as_array().into_iter().flatten());
        let results = blocks.filter(|block| block["type"] == "tool_result");
        Ok(results.map(|block| text(&block["content"])).collect())
    }

    fn reply(&self, request: &Request, number: usize, turn: Turn<'_>) -> Response {
        // Each block: as it is whole, as it begins, and what is then added to it.
        let (blocks, reason): (Vec<[Value; 3]>, _) = match turn {
            Turn::Calls(calls) => {
                let block = |(number, Call { tool, input, .. }): (usize, &Call)| {
                    let block = |input: &Value| json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": tool, "input": input});
                    let delta =
                        json!({"type": "input_json_delta", "partial_json": input.to_string()});
                    [block(input), block(&json!({})), delta]
                };
                ((number..).zip(calls).map(block).collect(), "tool_use")
            }
            Turn::Text(text) => {
                let block = |text: &str| json!({"type": "text", "text": text});
                let delta = json!({"type": "text_delta", "text": text});
                (vec![[block(text), block(""), delta]], "end_turn")
            }
        };
        let usage = json!({"input_tokens": 10, "output_tokens": 10});
        let mut message = json!({
            "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": request.body["model"],
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
        });
        if request.body["stream"] != true {
            message["content"] = blocks.iter().map(|[whole, ..]| whole.clone()).collect();
            message["stop_reason"] = json!(reason);
            return Response::json(&message);
        }
        let event = |kind: &'static str, mut data: Value| {
            data["type"] = json!(kind);
            (kind, data)
        };
        let mut events = vec![event("message_start", json!({"message": message}))];
        for (index, [_, block, delta]) in blocks.iter().enumerate() {
            events.extend([
                event("content_block_start", json!({"index": index, "content_block": block})),
                event("content_block_delta", json!({"index": index, "delta": delta})),
                event("content_block_stop", json!({"index": index})),
            ]);
        }
        let end = json!({"stop_reason": reason, "stop_sequence": null});
        events.push(event("message_delta", json!({"delta": end, "usage": usage})));
        events.push(event("message_stop", json!({})));
        Response::events(events)
    }
}

/// The text of a result, which is a text or a list of blocks.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
