//! OpenAI's chat completions, as Copilot speaks them to a provider that its user brings.

use serde_json::{Value, json};

use super::{Call, Dialect, Request, Response, Turn};

/// What the ids of the model's calls begin with.
const CALL: &str = "call_";

pub struct Chat;

impl Dialect for Chat {
    fn told(&self, request: &Request) -> Result<Vec<String>, Response> {
        if request.method != "POST" || !request.path.ends_with("/chat/completions") {
            return Err(Response::json(&json!({})));
        }
        // A request without tools is for a title or the like.
        if request.body["tools"].as_array().is_none_or(Vec::is_empty) {
            return Err(self.reply(request, 0, Turn::Text("A title")));
        }
        let messages = request.body["messages"].as_array().into_iter().flatten();
        // Calls that it makes for itself, as to read what a job in the background printed, have ids of another form.
        let is_ours = |result: &&Value| {
            result["tool_call_id"].as_str().is_some_and(|id| id.starts_with(CALL))
        };
        let results = messages.filter(|message| message["role"] == "tool").filter(is_ours);
        Ok(results
            .map(|result| result["content"].as_str().unwrap_or_default().to_owned())
            .collect())
    }

    fn reply(&self, request: &Request, number: usize, turn: Turn<'_>) -> Response {
        let (delta, reason) = match turn {
            Turn::Calls(calls) => {
                let call = |(index, Call { tool, input, .. }): (usize, &Call)| {
                    json!({
                        "index": index, "id": format!("{CALL}{}", number + index), "type": "function",
                        "function": {"name": tool, "arguments": input.to_string()},
                    })
                };
                let calls: Vec<Value> = calls.iter().enumerate().map(call).collect();
                (json!({"role": "assistant", "content": null, "tool_calls": calls}), "tool_calls")
            }
            Turn::Text(text) => (json!({"role": "assistant", "content": text}), "stop"),
        };
        let chunk = |choice: Value| {
            json!({
                "id": format!("chatcmpl-{number}"), "object": "chat.completion.chunk", "created": 1,
                "model": request.body["model"], "choices": [choice],
                "usage": {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
            })
        };
        let chunks = [
            chunk(json!({"index": 0, "delta": delta, "finish_reason": null})),
            chunk(json!({"index": 0, "delta": {}, "finish_reason": reason})),
        ];
        let chunks: Vec<String> = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
        let mut body = chunks.concat();
        body.push_str("data: [DONE]\n\n");
        Response { status: "200 OK", kind: "text/event-stream", body }
    }
}
