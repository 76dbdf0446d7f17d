//! Gemini CLI, as 0.61.0 was seen to behave.
//!
//! It takes `decision` and nothing of Claude's. An `ask` ends its run in silence where it shows no dialog, so it asks only while it draws
//! on its terminal; the dialog shows `systemMessage` and not the reason, and of a refusal its screen shows nothing but that.

use serde_json::{Value, json};

use super::agent::Agent;
use super::answer::{Answer, Opinion, Reply, said};
use super::event::{Event, Moment, Outcome, Presence, Unread};
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

fn asks(event: &Event) -> bool {
    event.moment == Moment::BeforeTool && event.presence == Presence::Sees
}

fn answer(event: &Event, answer: &Answer) -> Reply {
    match (event.moment, &answer.opinion) {
        (Moment::BeforeTool, Opinion::Ask(reason)) => {
            Reply::json(&json!({ "decision": "ask", "systemMessage": said(reason) }))
        }
        (Moment::BeforeTool, Opinion::Deny(reason)) => Reply::json(&json!({
            "decision": "deny",
            "reason": said(reason),
            "systemMessage": said(&format!("refused: {reason}")),
        })),
        (Moment::Prompt | Moment::SessionStart | Moment::AfterTool(_), _) => {
            told(event, answer.context.as_deref())
        }
        _ => Reply::silent(),
    }
}
