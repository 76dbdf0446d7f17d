//! Anthropic's Messages API, as Claude Code speaks it.

use serde_json::{Value, json};

use super::{Dialect, Request, Response, Turn};

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
            return Err(self.reply(request, 0, &Turn::Text("A title".to_owned())));
        }
        let messages = request.body["messages"].as_array().into_iter().flatten();
        let blocks =
            messages.flat_map(|message| message["content"].as_array().into_iter().flatten());
        let results = blocks.filter(|block| block["type"] == "tool_result");
        Ok(results.map(|block| text(&block["content"])).collect())
    }

    fn reply(&self, request: &Request, number: usize, turn: &Turn) -> Response {
        let (block, delta, reason) = match turn {
            Turn::Call { tool, input } => (
                json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": tool, "input": {}}),
                json!({"type": "input_json_delta", "partial_json": input.to_string()}),
                "tool_use",
            ),
            Turn::Text(text) => (
                json!({"type": "text", "text": ""}),
                json!({"type": "text_delta", "text": text}),
                "end_turn",
            ),
        };
        let usage = json!({"input_tokens": 10, "output_tokens": 10});
        let mut message = json!({
            "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": request.body["model"],
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
        });
        if request.body["stream"] != true {
            let mut block = block;
            match turn {
                Turn::Call { input, .. } => block["input"] = input.clone(),
                Turn::Text(text) => block["text"] = json!(text),
            }
            message["content"] = json!([block]);
            message["stop_reason"] = json!(reason);
            return Response::json(&message);
        }
        Response::events([
            ("message_start", json!({"type": "message_start", "message": message})),
            (
                "content_block_start",
                json!({"type": "content_block_start", "index": 0, "content_block": block}),
            ),
            (
                "content_block_delta",
                json!({"type": "content_block_delta", "index": 0, "delta": delta}),
            ),
            ("content_block_stop", json!({"type": "content_block_stop", "index": 0})),
            (
                "message_delta",
                json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null}, "usage": usage}),
            ),
            ("message_stop", json!({"type": "message_stop"})),
        ])
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
