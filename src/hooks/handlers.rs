//! What the owner's settings have done about an event: which of the handlers are for it, and what they come to together.

use regex::Regex;

use super::event::{Event, Moment};
use super::tool::{ToolKind, Work};
use crate::config::{Authority, Handler, HandlerMode, Thresholds};
use crate::model::Severity;

/// What is to be done about an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Handlers<'s> {
    /// Whether it is judged.
    pub judges: bool,
    /// The score from which on it is allowed.
    pub threshold: u8,
    /// Values that the owner calls safe.
    pub safe: Vec<&'s str>,
    /// Whether the agent is told where it is and what was refused.
    pub tells: bool,
    /// Which notes of a language model are wanted.
    pub notes: Vec<HandlerMode>,
    /// The owner's own programs, in order.
    pub customs: Vec<&'s Handler>,
}

/// Names that agents have for one event.
const SAME: &[&[&str]] = &[
    &["PreToolUse", "preToolUse", "BeforeTool", "tool.execute.before"],
    &["PostToolUse", "postToolUse", "AfterTool", "tool.execute.after"],
    &["PostToolUseFailure", "postToolUseFailure"],
    &["PermissionRequest", "permissionRequest"],
    &["UserPromptSubmit", "userPromptSubmitted", "BeforeAgent", "chat.message"],
    &["SessionStart", "sessionStart", "session.created"],
    &["SessionEnd", "sessionEnd", "session.deleted"],
];

/// Returns what these handlers come to for an event.
///
/// What decides is judged unless the owner says that it is only to be recorded; a file that may only tighten can have it judged, and
/// raise its threshold. Where several are for one event, the owner's last counts.
#[must_use]
pub fn handlers<'s>(
    all: &'s [Handler],
    thresholds: &Thresholds,
    event: &Event,
    work: Option<&Work>,
) -> Handlers<'s> {
    let mut found = Handlers {
        judges: event.moment.decides(),
        threshold: work.map_or(100, |work| usual(thresholds, work.kind)),
        ..Handlers::default()
    };
    let mut least = 0;
    for handler in all.iter().filter(|handler| is_for(handler, event, work)) {
        match handler.mode {
            HandlerMode::Judge if handler.authority == Authority::TightenOnly => {
                found.judges = event.moment.decides();
                least = least.max(handler.threshold.unwrap_or(0));
            }
            HandlerMode::Judge => {
                found.judges = event.moment.decides();
                found.threshold = handler.threshold.unwrap_or(found.threshold);
                found.safe.extend(handler.safe.iter().map(String::as_str));
            }
            HandlerMode::LogOnly => found.judges = false,
            HandlerMode::Context => found.tells = true,
            HandlerMode::Custom => found.customs.push(handler),
            mode @ (HandlerMode::Validate | HandlerMode::Failure | HandlerMode::Brief) => {
                found.notes.push(mode);
            }
        }
    }
    found.threshold = found.threshold.max(least);
    found
}

/// The threshold of a kind of tools. The agent's own are nobody's.
fn usual(thresholds: &Thresholds, kind: ToolKind) -> u8 {
    match kind {
        ToolKind::Shell => thresholds.bash.value,
        ToolKind::Read => thresholds.read.value,
        ToolKind::Write => thresholds.write.value,
        ToolKind::Edit => thresholds.edit.value,
        ToolKind::Web => thresholds.web.value,
        ToolKind::Mcp => thresholds.mcp.value,
        ToolKind::Own => Severity::Low.band().0,
    }
}

fn is_for(handler: &Handler, event: &Event, work: Option<&Work>) -> bool {
    let is_event = handler.event == "*"
        || handler.event == event.name
        || SAME.iter().any(|same| {
            same.contains(&handler.event.as_str()) && same.contains(&event.name.as_str())
        });
    if !is_event {
        return false;
    }
    let names =
        [event.call.as_ref().map(|call| call.tool.as_str()), work.map(|w| w.title.as_str())];
    let mut names = names.into_iter().flatten().peekable();
    // What is about no tool has nothing to match.
    names.peek().is_none() || names.any(|name| fits(&handler.matcher, name))
}

/// Matchers as Claude reads them: `*` or nothing is all, a plain word or words with `|` between are names, and all else is a regular
/// expression, of the whole name.
fn fits(matcher: &str, name: &str) -> bool {
    if matches!(matcher, "" | "*") {
        return true;
    }
    if matcher.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'|')) {
        return matcher.split('|').any(|one| one == name);
    }
    // One that does not compile was refused when its file was read.
    Regex::new(&format!("^(?:{matcher})$")).is_ok_and(|regex| regex.is_match(name))
}

impl Event {
    /// Returns whether the agent reads what it is told beside the answer.
    #[must_use]
    pub const fn can_be_told(&self) -> bool {
        matches!(
            self.moment,
            Moment::BeforeTool | Moment::AfterTool(_) | Moment::Prompt | Moment::SessionStart
        )
    }
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_matcher_is_a_name_names_or_a_regular_expression() {
        for (matcher, name, expected) in [
            ("", "Bash", true),
            ("*", "mcp__x__y", true),
            ("Bash", "Bash", true),
            ("Bash", "BashOutput", false),
            ("Bash", "bash", false),
            ("Read|Write", "Write", true),
            ("Read|Write", "WriteX", false),
            ("mcp__.*", "mcp__github__get", true),
            ("mcp__.*", "xmcp__github", false),
            ("^Ba.h$", "Bash", true),
        ] {
            assert_eq!(fits(matcher, name), expected, "{matcher} {name}");
        }
    }
}
