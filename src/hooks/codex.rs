//! OpenAI Codex, as 0.169.0 was seen to behave.
//!
//! It runs the command on `ask`, on a bare `allow` and on a `deny` without a reason: none of these is ever printed. What it is not told
//! to refuse is left to its own policy; `allow` is for another input alone.

use serde_json::{Value, json};

use super::agent::{Agent, ShellChoice, ShellSource};
use super::answer::{Answer, Opinion, Reply, said};
use super::event::{Event, Moment, Unread};
use super::snake::{WireEvent, permission, specific, told};
use crate::model::Shell;

pub(super) static AGENT: Agent = Agent {
    name: "codex",
    unattended: &[],
    shares_terminal: false,
    // Its model may name a shell for one call; what hooks are sent does not say so.
    shell: ShellChoice {
        from: ShellSource::Login,
        takes: |path| ["/bash", "/zsh", "/sh"].iter().any(|name| path.ends_with(name)),
        otherwise: Some(Shell::Bash),
        may_be_another: true,
    },
    read,
    asks,
    changes,
    answer,
};

fn read(value: Value) -> Result<Event, Unread> {
    let wire = WireEvent::read("codex", value)?;
    let moment = wire.moment();
    wire.event("codex", moment)
}

/// Only where it asks in any case.
fn asks(event: &Event) -> bool {
    event.moment == Moment::Permission
}

fn changes(event: &Event) -> bool {
    event.moment == Moment::BeforeTool
}

fn answer(event: &Event, answer: &Answer) -> Reply {
    let context = answer.context.as_deref();
    match (event.moment, &answer.opinion, &answer.input) {
        (Moment::BeforeTool, Opinion::Allow(_), Some(input)) => {
            let fields = json!({ "permissionDecision": "allow", "updatedInput": input });
            Reply::json(&specific(event, fields, context))
        }
        (Moment::BeforeTool, Opinion::Deny(reason) | Opinion::Ask(reason), _) => {
            let fields = json!({
                "permissionDecision": "deny",
                "permissionDecisionReason": said(reason),
            });
            Reply::json(&specific(event, fields, context))
        }
        (Moment::Permission, opinion, _) => permission(event, opinion),
        _ => told(event, context),
    }
}
