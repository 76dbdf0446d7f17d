//! opencode, through the plugin in `shell-integration/opencode`: the JSON is the plugin's own.
//!
//! The plugin throws what stands on stderr where the status is not 0, and nothing else stops a tool there. Nobody can be asked. What
//! stands on stdout is another input for the tool, and what the plugin adds to the output, for the model.

use serde::Deserialize;
use serde_json::{Value, json};

use super::agent::{Agent, ShellChoice, ShellSource};
use super::answer::{Answer, Opinion, Reply};
use super::event::{Call, Dialog, Event, Moment, Outcome, Presence, Stage, Unread, lenient};
use crate::model::Shell;

pub(super) static AGENT: Agent = Agent {
    name: "opencode",
    unattended: &[],
    shares_terminal: false,
    // A key of its settings wins over the variable: the plugin tells it, but one of before does not.
    shell: ShellChoice {
        from: ShellSource::Variables(&["SHELL"]),
        takes: |path| !["/fish", "/nu"].iter().any(|name| path.ends_with(name)),
        otherwise: Some(Shell::Bash),
        may_be_another: true,
    },
    read,
    asks,
    changes,
    answer,
};

/// An event, as the plugin sends it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireEvent {
    event: String,
    #[serde(rename = "sessionID")]
    session_id: Option<String>,
    /// The process of the agent, by which the shell names the session.
    pid: Option<u32>,
    cwd: Option<String>,
    tool: Option<String>,
    #[serde(rename = "callID")]
    call_id: Option<String>,
    args: Option<Value>,
    #[serde(default, deserialize_with = "lenient")]
    text: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    shell: Option<String>,
}

fn read(value: Value) -> Result<Event, Unread> {
    let wrong = |what: String| Unread::Field { agent: "opencode", what };
    let wire: WireEvent =
        serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    let moment = match wire.event.as_str() {
        "tool.execute.before" => Moment::BeforeTool,
        "tool.execute.after" => Moment::AfterTool(Outcome::Done),
        "chat.message" => Moment::Prompt,
        "session.created" => Moment::SessionStart,
        "session.deleted" => Moment::SessionEnd,
        _ => Moment::Other,
    };
    let call = match (wire.tool, wire.args) {
        (Some(tool), Some(input)) => Some(Call { tool, server: None, id: wire.call_id, input }),
        (Some(tool), None) if !moment.decides() => {
            Some(Call { tool, server: None, id: wire.call_id, input: Value::Null })
        }
        (Some(_), None) => return Err(wrong("missing field `args`".to_owned())),
        (None, _) if moment.decides() => return Err(wrong("missing field `tool`".to_owned())),
        (None, _) => None,
    };
    Ok(Event {
        name: wire.event,
        moment,
        session: wire.pid.map(|pid| pid.to_string()).or(wire.session_id),
        cwd: wire.cwd,
        shell: wire.shell,
        call,
        text: wire.text,
        printed: None,
        presence: Presence::Nobody,
        stage: Stage::Works,
        dialog: Dialog::Unseen,
    })
}

const fn asks(_: &Event) -> bool {
    false
}

fn changes(event: &Event) -> bool {
    event.moment == Moment::BeforeTool
}

fn answer(event: &Event, answer: &Answer) -> Reply {
    match &answer.opinion {
        Opinion::Allow(_) if answer.input.is_some() => {
            Reply::json(&json!({ "args": answer.input, "note": answer.context }))
        }
        _ if matches!(event.moment, Moment::AfterTool(_)) && answer.context.is_some() => {
            Reply::json(&json!({ "note": answer.context }))
        }
        Opinion::Deny(reason) | Opinion::Ask(reason) if event.moment.decides() => {
            Reply::refusal(reason)
        }
        _ => Reply::silent(),
    }
}
