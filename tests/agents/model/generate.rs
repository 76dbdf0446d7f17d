//! Google's generateContent, as Gemini CLI speaks it.

use serde_json::{Value, json};

use super::{Call, Dialect, Request, Response, Turn};

pub struct Generate;

impl Dialect for Generate {
    fn told(&self, request: &Request) -> Result<Vec<String>, Response> {
        if request.path.contains(":countTokens") {
            return Err(Response::json(&json!({"totalTokens": 10})));
        }
        if request.method != "POST" || !request.path.contains("enerateContent") {
            return Err(Response::json(&json!({})));
        }
        // A request without tools is for which model to take, who speaks next or the like, as JSON.
        if request.body["tools"].as_array().is_none_or(Vec::is_empty) {
            return Err(self.reply(request, 0, Turn::Text("{}")));
        }
        let contents = request.body["contents"].as_array().into_iter().flatten();
        let parts = contents.flat_map(|content| content["parts"].as_array().into_iter().flatten());
        let results = parts.filter_map(|part| part.get("functionResponse"));
        Ok(results.map(|result| text(&result["response"])).collect())
    }

    fn reply(&self, request: &Request, number: usize, turn: Turn<'_>) -> Response {
        let parts = match turn {
            Turn::Calls(calls) => {
                let call = |(number, Call { tool, input, .. }): (usize, &Call)| json!({"functionCall": {"id": format!("call_{number}"), "name": tool, "args": input}});
                (number..).zip(calls).map(call).collect()
            }
            Turn::Text(text) => vec![json!({"text": text})],
        };
        let body = json!({
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20},
            "modelVersion": "scripted",
        });
        if !request.path.contains(":streamGenerateContent") {
            return Response::json(&body);
        }
        let body = format!("data: {body}\n\n");
        Response { status: "200 OK", kind: "text/event-stream", body }
    }
}

/// The text of a result: what it gave, or why it gave nothing.
fn text(response: &Value) -> String {
    let texts = ["output", "error"].iter().filter_map(|key| response[*key].as_str());
    texts.collect::<Vec<_>>().join("\n")
}
