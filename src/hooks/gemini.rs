//! Gemini CLI, as 0.61.0 was seen to behave.
//!
//! It takes `decision` and nothing of Claude's. An `ask` without a terminal ends its run in silence, and its dialog does not show the
//! reason, so what would ask is refused with it.

use serde_json::{Value, json};

use super::agent::Agent;
use super::answer::{Answer, Opinion, Reply, said};
use super::event::{Event, Moment, Outcome, Unread};
use super::snake::{WireEvent, told};

/// Events that no other agent of this shape sends.
pub(super) const OWN_EVENTS: &[&str] = &[
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "PreCompress",
];

pub(super) static AGENT: Agent = Agent {
    name: "gemini",
    unattended: &[],
    shares_terminal: true,
    shell: &[],
    read,
    asks,
    answer,
};

fn read(value: Value) -> Result<Event, Unread> {
    let failed = value.pointer("/tool_response/error").is_some_and(|error| !error.is_null());
    let wire = WireEvent::read("gemini", value)?;
    let moment = match wire.hook_event_name.as_str() {
        "BeforeTool" => Moment::BeforeTool,
        "AfterTool" if failed => Moment::AfterTool(Outcome::Failed),
        "AfterTool" => Moment::AfterTool(Outcome::Done),
        "BeforeAgent" => Moment::Prompt,
        "SessionStart" => Moment::SessionStart,
        "SessionEnd" => Moment::SessionEnd,
        _ => Moment::Other,
    };
    wire.event("gemini", moment)
}

const fn asks(_: &Event) -> bool {
    false
}

fn answer(event: &Event, answer: &Answer) -> Reply {
    match (event.moment, &answer.opinion) {
        (Moment::BeforeTool, Opinion::Deny(reason) | Opinion::Ask(reason)) => {
            Reply::json(&json!({ "decision": "deny", "reason": said(reason) }))
        }
        (Moment::Prompt | Moment::SessionStart | Moment::AfterTool(_), _) => {
            told(event, answer.context.as_deref())
        }
        _ => Reply::silent(),
    }
}
