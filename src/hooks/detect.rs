//! Whose event it is, by its shape: for `guarded-sh hook auto`.

use serde_json::Value;

use super::agent::Agent;
use super::event::Unread;
use super::{claude, codex, copilot, gemini, opencode};

/// Returns the agent that sends events of this shape.
///
///   1. `sessionID`, `callID`: our own plugin in opencode
///   2. `sessionId`, `toolName`, `hookName`: Copilot in its own spelling
///   3. an event that only Gemini has, or a transcript below one agent's directory
///   4. a `timestamp`: Copilot in Claude's spelling, or Gemini, which also names a transcript
///   5. a `turn_id` without Claude's `prompt_id`: Codex
///   6. `hook_event_name` and nothing of these: Claude
pub fn detect(value: &Value) -> Result<&'static Agent, Unread> {
    let has = |field: &str| value.get(field).is_some();
    let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or("");
    if has("sessionID") || has("callID") {
        return Ok(&opencode::AGENT);
    }
    if has("sessionId") || has("toolName") || has("hookName") {
        return Ok(&copilot::AGENT);
    }
    if !has("hook_event_name") {
        return Err(Unread::Nobodys);
    }
    let transcript = text("transcript_path");
    if gemini::OWN_EVENTS.contains(&text("hook_event_name")) || transcript.contains("/.gemini/") {
        return Ok(&gemini::AGENT);
    }
    if transcript.contains("/.codex/") {
        return Ok(&codex::AGENT);
    }
    if has("timestamp") {
        let is_copilot = transcript.is_empty() || transcript.contains("/.copilot/");
        return Ok(if is_copilot { &copilot::AGENT } else { &gemini::AGENT });
    }
    if has("turn_id") && !has("prompt_id") {
        return Ok(&codex::AGENT);
    }
    Ok(&claude::AGENT)
}
