//! Lines that fail inside the fence or a container: what each agent is told after the call, by its hook, and what the record then says.

use serde::Deserialize;

use super::{ON, Scene, play, skipped, wanted};
use crate::sheets;
use crate::support::{ALLOWS_ALL, Place};

/// A line that fails, and what each agent is told of that.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stopped {
    name: String,
    /// Other settings than the fence on and a threshold that lets all lines run.
    settings: Option<String>,
    #[serde(default)]
    before: String,
    line: String,
    /// What stands in what every agent is told; empty: nothing is said.
    says: String,
    /// What `log --fenced` then says of it.
    #[serde(default)]
    logs: String,
    #[serde(default)]
    needs: Vec<String>,
}

/// Says to each agent's hook what a line printed, as its client does after a call; to the first, that it is going to call it, too.
const AFTER: &str = r#"
printf '%s' "{\"session_id\":\"s\",\"cwd\":\"/srv/work\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"$line\"}}" | "$guard" hook claude >/dev/null 2>&1
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
"$guard" log --fenced >/srv/work/logged
"#;

#[test]
fn after_a_call_each_agent_is_told_what_stopped_its_line_and_the_record_says_it() {
    if skipped() {
        return;
    }
    let rows: Vec<Stopped> = sheets::rows(&sheets::path("tests/fence/stopped.toml"));
    let rows = wanted(rows, |row| &row.name, |row| &row.needs);
    play(&rows, |row| {
        let place = Place::new();
        let before = format!("{}\nexport GUARDED_SH_SESSION=s", row.before);
        let usual = format!("{ON}{ALLOWS_ALL}");
        let settings = row.settings.as_deref().unwrap_or(&usual);
        let ended = Scene::of(&before, &row.line, AFTER).run_with(&place, settings);
        let read = |name| std::fs::read_to_string(place.work().join(name)).unwrap_or_default();
        let (told, logged) = (read("told"), read("logged"));
        let count = if row.says.is_empty() { 0 } else { told.matches(&row.says).count() };
        let expected = if row.says.is_empty() { 0 } else { 6 };
        let is_silent = ["fence", "container"].iter().all(|word| !told.contains(word));
        let is_so = count == expected && (row.says.is_empty() == is_silent);
        if !is_so {
            return Some(format!(
                "{}: {count} of {expected} are told: {told} {}",
                row.name,
                ended.err()
            ));
        }
        let is_logged = logged.contains("stopped  ") && logged.contains(&row.logs);
        (is_logged == row.says.is_empty()).then(|| format!("{}: the record: {logged}", row.name))
    });
}
