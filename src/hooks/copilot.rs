//! GitHub Copilot CLI, as 1.0.102 was seen to behave: events in its own spelling (`toolName`), and in Claude's where its settings are
//! written so.
//!
//! In its own spelling an event does not say what it is: it is known by its fields. `permissionRequest` comes in that spelling always,
//! and is answered in it: Claude's answer to it is ignored, and so is `decision: block`. It is asked even where everything is
//! allowed, and there no answer runs the tool, so what would ask is refused; before that, `preToolUse` has asked.

use serde::Deserialize;
use serde_json::{Value, json};

use super::agent::{Agent, ShellChoice};
use super::answer::{Answer, Opinion, Reply, said};
use super::event::{Call, Dialog, Event, Moment, Outcome, Presence, Stage, Unread, lenient};
use super::snake::{self, specific};

pub(super) static AGENT: Agent = Agent {
    name: "copilot",
    unattended: &[],
    shares_terminal: true,
    shell: ShellChoice::bash_unless(&["COPILOT_BASH_PATH"]),
    read,
    asks,
    changes,
    answer,
};

/// An event in its own spelling.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireEvent {
    hook_name: Option<String>,
    #[serde(rename = "hook_event_name")]
    hook_event_name: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    session_id: Option<String>,
    cwd: Option<String>,
    tool_name: Option<String>,
    tool_args: Option<Value>,
    tool_input: Option<Value>,
    tool_result: Option<WireResult>,
    #[serde(default, deserialize_with = "lenient")]
    tool_call_id: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    prompt: Option<String>,
    transformed_prompt: Option<Value>,
    #[serde(default, deserialize_with = "lenient")]
    source: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    reason: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    message: Option<String>,
    error: Option<Value>,
    #[serde(default, deserialize_with = "lenient")]
    stop_reason: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    agent_name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireResult {
    result_type: Option<String>,
}

impl WireEvent {
    /// The name that its settings have for an event, by what is there.
    fn name(&self) -> &'static str {
        let is_called = self.hook_name.as_deref() == Some("permissionRequest");
        if is_called || (self.tool_name.is_some() && self.tool_input.is_some()) {
            return "permissionRequest";
        }
        match self {
            Self { tool_name: Some(_), error: Some(_), .. } => "postToolUseFailure",
            Self { tool_name: Some(_), tool_result: Some(_), .. } => "postToolUse",
            Self { tool_name: Some(_), .. } | Self { tool_args: Some(_), .. } => "preToolUse",
            Self { transformed_prompt: Some(_), .. } => "userPromptTransformed",
            Self { source: Some(_), .. } => "sessionStart",
            Self { prompt: Some(_), .. } => "userPromptSubmitted",
            Self { stop_reason: Some(_), agent_name: Some(_), .. } => "subagentStop",
            Self { stop_reason: Some(_), .. } => "agentStop",
            Self { agent_name: Some(_), .. } => "subagentStart",
            Self { reason: Some(_), .. } => "sessionEnd",
            Self { message: Some(_), .. } => "notification",
            Self { error: Some(_), .. } => "errorOccurred",
            _ => "unknown",
        }
    }
}

fn read(value: Value) -> Result<Event, Unread> {
    let wrong = |what: String| Unread::Field { agent: "copilot", what };
    if value.get("session_id").is_some() {
        let failed =
            value.pointer("/tool_result/result_type").is_some_and(|kind| kind != "success");
        let wire = snake::WireEvent::read("copilot", value)?;
        let moment = match wire.moment() {
            Moment::AfterTool(Outcome::Done) if failed => Moment::AfterTool(Outcome::Failed),
            moment => moment,
        };
        return wire.event("copilot", moment);
    }
    let wire: WireEvent =
        serde_json::from_value(value).map_err(|error| wrong(error.to_string()))?;
    let name = wire.name();
    let failed = wire.tool_result.as_ref().and_then(|result| result.result_type.as_deref());
    let moment = match name {
        "preToolUse" => Moment::BeforeTool,
        "permissionRequest" => Moment::Permission,
        "postToolUse" if failed.is_some_and(|kind| kind != "success") => {
            Moment::AfterTool(Outcome::Failed)
        }
        "postToolUse" => Moment::AfterTool(Outcome::Done),
        "postToolUseFailure" => Moment::AfterTool(Outcome::Failed),
        "userPromptSubmitted" => Moment::Prompt,
        "sessionStart" => Moment::SessionStart,
        "sessionEnd" => Moment::SessionEnd,
        _ => Moment::Other,
    };
    let name = wire.hook_event_name.unwrap_or_else(|| name.to_owned());
    let call = match (wire.tool_name, wire.tool_args.or(wire.tool_input)) {
        (Some(tool), Some(input)) => {
            Some(Call { tool, server: None, id: wire.tool_call_id, input: parsed(input) })
        }
        _ if moment.decides() => {
            return Err(wrong("missing field `toolName`, `toolArgs` or `toolInput`".to_owned()));
        }
        (Some(tool), None) => {
            Some(Call { tool, server: None, id: wire.tool_call_id, input: Value::Null })
        }
        (None, _) => None,
    };
    Ok(Event {
        name,
        moment,
        session: wire.session_id,
        cwd: wire.cwd,
        shell: None,
        call,
        text: wire.prompt.or(wire.source).or(wire.reason).or(wire.message),
        printed: None,
        presence: Presence::Unsaid,
        stage: Stage::Works,
        dialog: Dialog::Person,
    })
}

/// Its documentation has the arguments as text that is JSON; it sends them as they are. Both are read.
fn parsed(input: Value) -> Value {
    match &input {
        Value::String(text) => serde_json::from_str(text).unwrap_or(input),
        _ => input,
    }
}

fn asks(event: &Event) -> bool {
    event.moment == Moment::BeforeTool && event.presence != Presence::Nobody
}

/// Only beside an `allow`, which is not said while it plans.
fn changes(event: &Event) -> bool {
    event.moment == Moment::BeforeTool && event.stage == Stage::Works
}

/// Whether the event came in Claude's spelling, and is answered in it.
fn is_pascal(event: &Event) -> bool {
    event.name.starts_with(|first: char| first.is_ascii_uppercase())
}

fn answer(event: &Event, answer: &Answer) -> Reply {
    let context = answer.context.as_deref();
    let decision = |word: &str, reason: Option<&str>| {
        let mut fields = json!({ "permissionDecision": word });
        if let Some(reason) = reason {
            fields["permissionDecisionReason"] = json!(said(reason));
        }
        let name = if is_pascal(event) { "updatedInput" } else { "modifiedArgs" };
        if let Some(input) = &answer.input {
            fields[name] = input.clone();
        }
        if is_pascal(event) {
            return Reply::json(&specific(event, fields, context));
        }
        if let Some(context) = context {
            fields["additionalContext"] = json!(context);
        }
        Reply::json(&fields)
    };
    match (event.moment, &answer.opinion) {
        (Moment::BeforeTool, Opinion::Allow(_)) if event.stage == Stage::Works => {
            decision("allow", None)
        }
        (Moment::BeforeTool, Opinion::Ask(reason)) => decision("ask", Some(reason)),
        (Moment::BeforeTool, Opinion::Deny(reason)) => decision("deny", Some(reason)),
        (Moment::Permission, Opinion::Allow(_)) => Reply::json(&json!({ "behavior": "allow" })),
        (Moment::Permission, Opinion::Ask(reason) | Opinion::Deny(reason)) => {
            Reply::json(&json!({ "behavior": "deny", "message": said(reason) }))
        }
        (_, _) => match context {
            Some(context) if is_pascal(event) => {
                Reply::json(&specific(event, json!({}), Some(context)))
            }
            Some(context) => Reply::json(&json!({ "additionalContext": context })),
            None => Reply::silent(),
        },
    }
}
