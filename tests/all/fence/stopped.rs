//! Lines that fail inside the fence: what each agent is told after the call, by its hook.

use serde::Deserialize;

use super::{ON, play, run, skipped, wanted};
use crate::sheets;
use crate::support::Place;

/// A line that fails, and what each agent is told of that.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stopped {
    name: String,
    /// Other settings than the fence on.
    settings: Option<String>,
    #[serde(default)]
    before: String,
    line: String,
    /// What stands in what every agent is told; empty: nothing is said.
    says: String,
    #[serde(default)]
    needs: Vec<String>,
}

/// Says to each agent's hook what a line printed, as its client does after a call.
const AFTER: &str = r#"
said=$("$guard" -c "$line" 2>&1 </dev/null)
said=${said//\\/\\\\}; said=${said//\"/\\\"}; said=${said//$'\n'/\\n}
snake='"session_id":"s","cwd":"/srv/work"'
tell() { printf '%s' "$2" | "$guard" hook "$1"; printf '\n'; }
{
  tell claude "{$snake,\"hook_event_name\":\"PostToolUseFailure\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$line\"},\"error\":\"Exit code 1\n$said\"}"
  tell claude "{$snake,\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$line\"},\"tool_response\":{\"stdout\":\"\",\"stderr\":\"$said\"}}"
  tell codex "{$snake,\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$line\"},\"tool_response\":\"$said\"}"
  tell copilot "{\"sessionId\":\"s\",\"cwd\":\"/srv/work\",\"toolName\":\"bash\",\"toolArgs\":{\"command\":\"$line\"},\"toolResult\":{\"resultType\":\"success\",\"textResultForLlm\":\"$said\"}}"
  tell gemini "{$snake,\"hook_event_name\":\"AfterTool\",\"tool_name\":\"run_shell_command\",\"tool_input\":{\"command\":\"$line\"},\"tool_response\":{\"llmContent\":\"$said\"}}"
  tell opencode "{\"event\":\"tool.execute.after\",\"sessionID\":\"s\",\"cwd\":\"/srv/work\",\"tool\":\"bash\",\"args\":{\"command\":\"$line\"},\"output\":\"$said\"}"
} >/srv/work/told 2>&1
"#;

#[test]
fn after_a_call_each_agent_is_told_what_the_fence_stopped() {
    if skipped() {
        return;
    }
    let rows: Vec<Stopped> = sheets::rows(&sheets::path("tests/fence/stopped.toml"));
    let rows = wanted(rows, |row| &row.name, |row| &row.needs);
    play(&rows, |row| {
        let place = Place::new();
        let before = format!("{}\nexport GUARDED_SH_SESSION=s", row.before);
        let ended = run(&place, row.settings.as_deref().unwrap_or(ON), &before, &row.line, AFTER);
        let told = std::fs::read_to_string(place.work().join("told")).unwrap_or_default();
        let count = if row.says.is_empty() { 0 } else { told.matches(&row.says).count() };
        let expected = if row.says.is_empty() { 0 } else { 6 };
        let is_silent = !row.says.is_empty() || !told.contains("fence");
        (count != expected || !is_silent).then(|| {
            format!("{}: {count} of {expected} are told: {told} {}", row.name, ended.err())
        })
    });
}
