//! Gemini CLI: messages, one JSON object a line. A message is written anew whenever it grows; the same id means the same message, and the last of it counts.
//! `$rewindTo` takes the conversation back to before a message, `$set` says something of the session.

use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use super::item::{Called, Came, Head, Text, Usage, What, Who, number, parts, status, text};
use super::{Session, open};

/// Bytes of a directory's name (Linux, `PATH_MAX`).
const LONGEST: u64 = 4_096;

/// What a line does to those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rewrites {
    /// Nothing.
    No,
    /// It is this message, whatever was written of it before.
    Message(String),
    /// This message and all behind it are taken back.
    To(String),
}

pub(super) fn rewrites(value: &Value) -> Rewrites {
    if let Some(id) = text(value, "/$rewindTo") {
        return Rewrites::To(id);
    }
    text(value, "/id").map_or(Rewrites::No, Rewrites::Message)
}

pub(super) fn head(value: &Value) -> Head {
    let one = |name: &str| {
        text(value, &format!("/{name}")).or_else(|| text(value, &format!("/$set/{name}")))
    };
    let directories = value.get("directories").or_else(|| value.pointer("/$set/directories"));
    let cwd = directories.and_then(|list| text(list, "/0"));
    Head { session: one("sessionId"), cwd, title: None }
}

/// Returns the directory of a session, which stands in a file beside all those of the project.
pub(super) fn root(session: &Session) -> Option<String> {
    let project = session.file.components().next()?;
    let file = open::regular(&session.root, &Path::new(&project).join(".project_root")).ok()?;
    let mut directory = String::new();
    file.take(LONGEST).read_to_string(&mut directory).ok()?;
    Some(directory.trim_end().to_owned())
}

/// Takes what a line says.
pub(super) fn read(mut value: Value, out: &mut Vec<What>) {
    let who = match value["type"].as_str() {
        Some("user") => Who::Person,
        Some("gemini") => Who::Model,
        Some(_) => Who::Client,
        None => return,
    };
    let thoughts = value["thoughts"].as_array().into_iter().flatten();
    let thoughts = thoughts.map(|thought| {
        let said = [text(thought, "/subject"), text(thought, "/description")];
        said.into_iter().flatten().collect::<Vec<_>>().join(": ")
    });
    let thoughts = thoughts.collect::<Vec<_>>().join("\n");
    out.extend((!thoughts.is_empty()).then(|| What::Said(Who::Thought, Text::of(&thoughts))));
    // What came of calls is sent to the model as if the person had said it; it stands with the calls.
    let content = value["content"].as_array();
    let is_sent = content.is_some_and(|parts| {
        !parts.is_empty() && parts.iter().all(|part| part.get("functionResponse").is_some())
    });
    let said = if is_sent { String::new() } else { parts(&value["content"]) };
    out.extend((!said.is_empty()).then(|| What::Said(who, Text::of(&said))));
    if let Value::Array(calls) = value["toolCalls"].take() {
        for mut call in calls {
            let id = text(&call, "/id");
            let came = came(&call, id.clone());
            let input = call["args"].take();
            let tool = text(&call, "/name").unwrap_or_default();
            out.push(What::Called(Called { id, tool, server: None, input }));
            out.extend(came.map(What::Came));
        }
    }
    if let (Some(key), true) = (text(&value, "/id"), value["tokens"].is_object()) {
        let cached = number(&value, "/tokens/cached");
        out.push(What::Used(Usage {
            key,
            input: number(&value, "/tokens/input").saturating_sub(cached),
            output: number(&value, "/tokens/output") + number(&value, "/tokens/thoughts"),
            cached,
            written: 0,
            cost: None,
        }));
    }
}

/// What came of a call; none while it runs.
fn came(call: &Value, id: Option<String>) -> Option<Came> {
    let state = call["status"].as_str().unwrap_or_default();
    if call["result"].is_null() && !matches!(state, "success" | "error" | "cancelled") {
        return None;
    }
    let told = match call["result"].as_array() {
        Some(results) => results.iter().map(answer).collect::<Vec<_>>().join("\n"),
        None => parts(&call["resultDisplay"]),
    };
    let status = status(&told, "Exit Code: ");
    let is_error = matches!(state, "error" | "cancelled");
    Some(Came { id, is_error, status, took: None, text: Text::of(&told) })
}

fn answer(result: &Value) -> String {
    let response = result.pointer("/functionResponse/response");
    match response.and_then(|response| response.get("output").or_else(|| response.get("error"))) {
        Some(output) => parts(output),
        None => parts(result),
    }
}
