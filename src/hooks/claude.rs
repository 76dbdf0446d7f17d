//! Claude Code, as 2.1.329 was seen to behave.
//!
//! It runs the tool on nearly every fault of a hook, so the installed entry says `"onFailure": "block"` and a fault of ours ends with
//! status 2, which blocks everywhere. `allow` spares its own prompt, and does not beat its own rules that deny.

use serde_json::{Value, json};

use super::agent::{Agent, ShellChoice, ShellSource};
use super::answer::{Answer, CHANGED, Opinion, Reply, said};
use super::event::{Event, Moment, Presence, Stage, Unread};
use super::snake::{WireEvent, permission, specific, told};

pub(super) static AGENT: Agent = Agent {
    name: "claude",
    unattended: &[("CLAUDE_CODE_SESSION_ATTENDED", "0"), ("CLAUDE_CODE_ENTRYPOINT", "sdk-")],
    shares_terminal: false,
    // What it does not take, it leaves for zsh, or for bash where there is none.
    shell: ShellChoice {
        from: ShellSource::Variables(&["CLAUDE_CODE_SHELL", "SHELL"]),
        takes: |path| path.contains("bash") || path.contains("zsh"),
        otherwise: None,
        may_be_another: false,
    },
    read,
    asks,
    changes,
    answer,
};

fn read(value: Value) -> Result<Event, Unread> {
    let wire = WireEvent::read("claude", value)?;
    let moment = wire.moment();
    wire.event("claude", moment)
}

/// Its dialog shows the reason of an `ask`, whatever the permission mode; where nobody is there it refuses with the bare reason.
fn asks(event: &Event) -> bool {
    event.presence != Presence::Nobody
}

/// Only beside an `allow`, which is not said while it plans.
fn changes(event: &Event) -> bool {
    event.moment == Moment::BeforeTool && event.stage == Stage::Works
}

fn answer(event: &Event, answer: &Answer) -> Reply {
    let context = answer.context.as_deref();
    let decision = |word: &str, reason: &str| {
        let mut fields =
            json!({ "permissionDecision": word, "permissionDecisionReason": said(reason) });
        if let Some(input) = &answer.input {
            fields["updatedInput"] = input.clone();
        }
        Reply::json(&specific(event, fields, context))
    };
    match (event.moment, &answer.opinion) {
        (Moment::BeforeTool, Opinion::Allow(why)) if answer.input.is_some() => {
            let is_persons = context.is_some_and(|context| context.starts_with(CHANGED));
            decision("allow", if is_persons { "changed by a person" } else { why })
        }
        (Moment::BeforeTool, Opinion::Allow(why)) if event.stage == Stage::Works => {
            decision("allow", why)
        }
        (Moment::BeforeTool, Opinion::Ask(reason)) => decision("ask", reason),
        (Moment::BeforeTool, Opinion::Deny(reason)) => decision("deny", reason),
        (Moment::Permission, opinion) => permission(event, opinion),
        _ => told(event, context),
    }
}
