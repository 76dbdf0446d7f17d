//! Gemini CLI, as 0.61.0 was seen to behave.
//!
//! It takes `decision` and nothing of Claude's. An `ask` ends its run in silence where it shows no dialog, so it asks only while it draws
//! on its terminal; the dialog shows `systemMessage` and not the reason, and of a refusal its screen shows nothing but that.
//!
//! Of another input it tells the model that there was one, and not which. So what the model is told of that stands in the call's
//! description, which its screen shows, and comes back with the event after the tool, whose answer the model is told.

use serde_json::{Value, json};

use super::agent::{Agent, ShellChoice};
use super::answer::{Answer, CHANGED, Opinion, Reply, said};
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

/// The field of a call that its screen shows beside the line.
const DESCRIPTION: &str = "description";

pub(super) static AGENT: Agent = Agent {
    name: "gemini",
    unattended: &[],
    shares_terminal: true,
    shell: ShellChoice::bash_unless(&[]),
    read,
    asks,
    changes,
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

fn changes(event: &Event) -> bool {
    event.moment == Moment::BeforeTool
}

/// Returns what stands in the description of a call whose line a person changed.
fn changed(event: &Event) -> Option<&str> {
    let text = event.call.as_ref()?.input.get(DESCRIPTION)?.as_str()?;
    text.starts_with(CHANGED).then_some(text)
}

fn answer(event: &Event, answer: &Answer) -> Reply {
    match (event.moment, &answer.opinion) {
        (Moment::BeforeTool, Opinion::Allow(_)) => match (&answer.input, &answer.context) {
            // It is the whole input from then on.
            (Some(input), Some(context)) => {
                let mut input = input.clone();
                input[DESCRIPTION] = json!(context);
                Reply::json(&json!({ "hookSpecificOutput": { "tool_input": input } }))
            }
            _ => Reply::silent(),
        },
        (Moment::BeforeTool, Opinion::Ask(reason)) => {
            Reply::json(&json!({ "decision": "ask", "systemMessage": said(reason) }))
        }
        (Moment::BeforeTool, Opinion::Deny(reason)) => Reply::json(&json!({
            "decision": "deny",
            "reason": said(reason),
            "systemMessage": said(&format!("refused: {reason}")),
        })),
        (Moment::AfterTool(_), _) => {
            let parts = changed(event).into_iter().chain(answer.context.as_deref());
            let text = parts.collect::<Vec<_>>().join("\n");
            told(event, Some(text.as_str()).filter(|text| !text.is_empty()))
        }
        (Moment::Prompt | Moment::SessionStart, _) => told(event, answer.context.as_deref()),
        _ => Reply::silent(),
    }
}
