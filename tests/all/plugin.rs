//! The plugin's files: what their hooks run works where the program is there, and refuses where it is not.

use std::path::Path;

use serde_json::Value;

use crate::sheets;
use crate::support::{Place, guard};

const EVENT: &str = r#"{"session_id":"x","transcript_path":"/dev/null","cwd":"/tmp","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /etc/guarded-sh/x"},"tool_use_id":"x"}"#;

#[test]
fn the_plugin_refuses_where_the_program_is_missing_and_says_so() {
    let place = Place::new();
    let shim = sheets::path("shell-integration/plugin/hooks/guarded-sh");
    let call =
        place.call(&shim).args(["decides", "claude"]).stdin(EVENT).env("PATH", "/usr/bin:/bin");
    let ended = call.run();
    assert_eq!(ended.code(), Some(2));
    assert!(ended.err().contains("the plugin is there, and the program is not"), "{}", ended.err());
    // A hook that is only told something must not stop anything: Claude would not end its turn.
    let told = place.call(&shim).args(["told", "claude"]).env("PATH", "/usr/bin:/bin").run();
    assert_eq!(told.code(), Some(1));
    let ended = call.env("GUARDED_SH_MISSING", "allow").run();
    assert_eq!(ended.code(), Some(0));
    assert!(ended.err().contains("nothing guards this") && ended.stdout.is_empty());
}

#[test]
fn copilots_model_is_told_why() {
    let place = Place::new();
    let shim = sheets::path("shell-integration/plugin/hooks/guarded-sh");
    let ended = place
        .call(&shim)
        .args(["decides", "copilot"])
        .stdin("{}")
        .env("PATH", "/usr/bin:/bin")
        .run();
    // Of status 2 it would only say that there was one.
    assert_eq!(ended.code(), Some(0), "{}", ended.err());
    let answer: Value = serde_json::from_str(&ended.out()).unwrap();
    for (decision, reason) in
        [("permissionDecision", "permissionDecisionReason"), ("behavior", "message")]
    {
        assert_eq!(answer[decision], "deny");
        assert!(answer[reason].as_str().unwrap().contains("the program is not"), "{answer}");
    }
}

#[test]
fn copilots_plugin_is_asked_about_what_its_settings_are() {
    let root = sheets::path("shell-integration/plugin");
    let json = |below: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(root.join(below)).unwrap()).unwrap()
    };
    let plugin = json(".github/plugin/plugin.json");
    let hooks = json(plugin["hooks"].as_str().unwrap());
    let installed = guarded_sh::install::named("copilot").unwrap().unwrap();
    let hooks = hooks["hooks"].as_object().unwrap();
    let mut seen = 0;
    for events in installed.files.iter().flat_map(|file| &file.events) {
        // The same entry, by way of the shim.
        let entry: Value = serde_json::from_str(&events.entry).unwrap();
        for event in &events.names {
            let decides = matches!(event.as_str(), "preToolUse" | "permissionRequest");
            let kind = if decides { "decides" } else { "told" };
            let shim = format!("\"${{COPILOT_PLUGIN_ROOT}}/hooks/guarded-sh\" {kind} copilot");
            let command = entry["bash"].as_str().unwrap();
            let command = command.replace("{refuse}exec ", "").replace("{hook}", &shim);
            assert_eq!(hooks[event][0]["bash"], command.as_str(), "{event}");
            assert_eq!(hooks[event][0]["timeoutSec"], entry["timeoutSec"], "{event}");
            seen += 1;
        }
    }
    assert_eq!(seen, hooks.len());
    // Claude reads this file by itself, and knows none of Copilot's events.
    assert!(!root.join("hooks/hooks.json").exists());
    assert_eq!(plugin["version"], json(".claude-plugin/plugin.json")["version"]);
}

#[test]
fn the_plugin_asks_the_program_where_it_is_there() {
    let place = Place::new();
    place.link("guarded-sh", guard());
    let shim = sheets::path("shell-integration/plugin/hooks/guarded-sh");
    let ended = place.call(shim).args(["decides", "claude"]).stdin(EVENT).run();
    let answer: Value =
        serde_json::from_str(&ended.out()).unwrap_or_else(|_| panic!("{}", ended.err()));
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn the_plugin_blocks_where_a_decision_is_waited_for() {
    let path = sheets::path("shell-integration/plugin/.claude-plugin/plugin.json");
    let plugin: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for (event, groups) in plugin["hooks"].as_object().unwrap() {
        let hook = &groups[0]["hooks"][0];
        let decides = matches!(event.as_str(), "PreToolUse" | "PermissionRequest");
        assert_eq!(hook["onFailure"] == "block", decides, "{event}");
        let command = hook["command"].as_str().unwrap().replace('"', "");
        let shim = command.strip_prefix("exec ${CLAUDE_PLUGIN_ROOT}/").and_then(|rest| {
            rest.strip_suffix(if decides { " decides claude --limit 300" } else { " told claude" })
        });
        let root = sheets::path("shell-integration/plugin");
        assert!(Path::new(&root).join(shim.unwrap()).is_file(), "{command}");
    }
}
