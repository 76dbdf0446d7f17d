//! What a tool printed, wherever an agent's event holds it.
//! Says nothing of what it means.

use serde_json::Value;

use super::given;

/// Fields that hold it: Claude, Codex and Gemini; Copilot in either spelling; a failure of any; our plugin in opencode.
const FIELDS: &[&str] = &["tool_response", "tool_result", "toolResult", "error", "output"];
/// Bytes that are looked at: programs say last why they end, so of more than these the last ones.
const MOST: usize = 64 << 10;

/// Returns the texts in these fields, one after the other, as far as they are looked at.
pub(super) fn printed(event: &Value) -> Option<String> {
    let found = FIELDS.iter().filter_map(|name| event.get(*name));
    let texts: Vec<String> = found.flat_map(given::texts).collect();
    let text = texts.join("\n");
    let mut begin = text.len().saturating_sub(MOST);
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    text.get(begin..).filter(|text| !text.is_empty()).map(str::to_owned)
}
