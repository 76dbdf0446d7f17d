//! OpenAI's Responses API, as Codex speaks it.

use serde_json::{Value, json};

use super::{Call, Dialect, Request, Response, Turn};

pub struct Responses;

impl Dialect for Responses {
    fn told(&self, request: &Request) -> Result<Vec<String>, Response> {
        if request.method != "POST" || !request.path.ends_with("/responses") {
            return Err(Response::json(&json!({})));
        }
        // A request without tools is for a title, as JSON.
        if request.body["tools"].as_array().is_none_or(Vec::is_empty) {
            let title = json!({"title": "Steps"}).to_string();
            return Err(self.reply(request, 0, Turn::Text(&title)));
        }
        let items = request.body["input"].as_array().into_iter().flatten();
        let results = items.filter(|item| item["type"] == "function_call_output");
        Ok(results.map(|item| text(&item["output"])).collect())
    }

    fn reply(&self, _: &Request, number: usize, turn: Turn<'_>) -> Response {
        let items = match turn {
            Turn::Calls(calls) => {
                let call = |(number, Call { tool, input, .. }): (usize, &Call)| {
                    // Tools of servers and for subagents are in namespaces.
                    let (namespace, name) = tool.rsplit_once('/').unzip();
                    json!({
                        "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
                        "namespace": namespace, "name": name.unwrap_or(tool), "arguments": input.to_string(),
                    })
                };
                (number..).zip(calls).map(call).collect()
            }
            Turn::Text(text) => vec![json!({
                "type": "message", "id": format!("msg_{number}"), "role": "assistant",
                "content": [{"type": "output_text", "text": text}],
            })],
        };
        let id = format!("resp_{number}");
        let usage = json!({
            "input_tokens": 10, "input_tokens_details": null, "output_tokens": 10,
            "output_tokens_details": null, "total_tokens": 20,
        });
        let created = json!({"type": "response.created", "response": {"id": id}});
        let completed =
            json!({"type": "response.completed", "response": {"id": id, "usage": usage}});
        let item = |(index, item): (usize, Value)| {
            let done = "response.output_item.done";
            (done, json!({"type": done, "output_index": index, "item": item}))
        };
        Response::events(
            std::iter::once(("response.created", created))
                .chain(items.into_iter().enumerate().map(item))
                .chain(std::iter::once(("response.completed", completed))),
        )
    }
}

/// The text of an output, which is a text or a list of parts.
fn text(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
