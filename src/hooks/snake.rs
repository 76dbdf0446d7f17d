//! The shape of events that Claude Code began and others took over: `hook_event_name`, `tool_name`, `tool_input`.
//! What differs between those who use it is in their own files.

use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Opinion, Reply, said};
use super::event::{Call, Dialog, Event, Moment, Outcome, Presence, Stage, Unread, lenient};

/// An event in that shape. Fields that are not here are of no use, and may be anything.
#[derive(Debug, Deserialize)]
pub(super) struct WireEvent {
    pub(super) hook_event_name: String,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) session_id: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) permission_mode: Option<String>,
    pub(super) tool_name: Option<String>,
    pub(super) tool_input: Option<Value>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) tool_use_id: Option<String>,
    #[serde(default)]
    pub(super) is_interrupt: bool,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) prompt: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) source: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) reason: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) message: Option<String>,
    pub(super) mcp_context: Option<WireServer>,
}

/// The server that a tool is one of.
#[derive(Debug, Deserialize)]
pub(super) struct WireServer {
    server_name: Option<String>,
    tool_name: Option<String>,
}

impl WireEvent {
    /// Reads the fields.
    pub(super) fn read(agent: &'static str, value: Value) -> Result<Self, Unread> {
        serde_json::from_value(value)
            .map_err(|error| Unread::Field { agent, what: error.to_string() })
    }

    /// Returns the moment that the event's name says, among the names that all of this shape share.
    pub(super) fn moment(&self) -> Moment {
        match self.hook_event_name.as_str() {
            "PreToolUse" => Moment::BeforeTool,
            "PermissionRequest" => Moment::Permission,
            "PostToolUse" => Moment::AfterTool(Outcome::Done),
            "PostToolUseFailure" if self.is_interrupt => Moment::AfterTool(Outcome::Interrupted),
            "PostToolUseFailure" => Moment::AfterTool(Outcome::Failed),
            "UserPromptSubmit" => Moment::Prompt,
            "SessionStart" => Moment::SessionStart,
            "SessionEnd" => Moment::SessionEnd,
            _ => Moment::Other,
        }
    }

    /// Returns the event. One that waits for an answer about a tool must name it.
    pub(super) fn event(self, agent: &'static str, moment: Moment) -> Result<Event, Unread> {
        let missing = |what: &str| Unread::Field { agent, what: format!("missing field `{what}`") };
        let call = match (self.tool_name, self.tool_input) {
            (Some(tool), input) => {
                if moment.decides() && input.is_none() {
                    return Err(missing("tool_input"));
                }
                let (server, own_name) = match self.mcp_context {
                    Some(WireServer { server_name, tool_name }) => (server_name, tool_name),
                    None => (None, None),
                };
                let tool = own_name.filter(|_| server.is_some()).unwrap_or(tool);
                Some(Call { tool, server, id: self.tool_use_id, input: input.unwrap_or_default() })
            }
            (None, _) if moment.decides() => return Err(missing("tool_name")),
            (None, _) => None,
        };
        let mode = self.permission_mode.as_deref();
        Ok(Event {
            name: self.hook_event_name,
            moment,
            session: self.session_id,
            cwd: self.cwd,
            shell: None,
            call,
            text: self.prompt.or(self.source).or(self.reason).or(self.message),
            printed: None,
            presence: if mode == Some("dontAsk") { Presence::Nobody } else { Presence::Unsaid },
            stage: if mode == Some("plan") { Stage::Plans } else { Stage::Works },
            dialog: match mode {
                None | Some("default" | "acceptEdits" | "bypassPermissions") => Dialog::Person,
                Some(_) => Dialog::Unseen,
            },
        })
    }
}

/// Returns `hookSpecificOutput` with these fields, for an event.
pub(super) fn specific(event: &Event, mut fields: Value, context: Option<&str>) -> Value {
    fields["hookEventName"] = json!(event.name);
    if let Some(context) = context {
        fields["additionalContext"] = json!(context);
    }
    json!({ "hookSpecificOutput": fields })
}

/// Returns the answer to whoever asks whether the client's dialog is needed; without one it is shown.
pub(super) fn permission(event: &Event, opinion: &Opinion) -> Reply {
    let decision = match opinion {
        Opinion::Allow(_) => json!({ "behavior": "allow" }),
        Opinion::Deny(reason) => json!({ "behavior": "deny", "message": said(reason) }),
        Opinion::Ask(_) | Opinion::None => return Reply::silent(),
    };
    Reply::json(&specific(event, json!({ "decision": decision }), None))
}

/// Returns the answer that decides nothing.
pub(super) fn told(event: &Event, context: Option<&str>) -> Reply {
    match context {
        Some(context) => Reply::json(&specific(event, json!({}), Some(context))),
        None => Reply::silent(),
    }
}
