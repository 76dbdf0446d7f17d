//! Events that nobody would send: reading one never fails but by saying so, whatever stands where.

use guarded_sh::config::McpSettings;
use guarded_sh::hooks::{AGENTS, Answer, Opinion, detect, directory, work};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Names that mean something somewhere.
const NAMES: &[&str] = &[
    "hook_event_name",
    "session_id",
    "sessionId",
    "sessionID",
    "callID",
    "event",
    "cwd",
    "tool_name",
    "toolName",
    "tool",
    "tool_input",
    "toolArgs",
    "toolInput",
    "args",
    "command",
    "file_path",
    "path",
    "url",
    "prompt",
    "pattern",
    "glob",
    "include",
    "edits",
    "content",
    "server",
    "mcp_context",
    "server_name",
    "permission_mode",
    "timestamp",
    "transcript_path",
    "turn_id",
    "error",
    "tool_result",
];

/// Texts that mean something somewhere, and some that mean nothing.
const TEXTS: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "BeforeTool",
    "tool.execute.before",
    "permissionRequest",
    "Bash",
    "Read",
    "Write",
    "apply_patch",
    "Grep",
    "WebFetch",
    "mcp__a__b",
    "mcp__",
    "mcp____",
    "ReadMcpResourceTool",
    "é/*[",
    "~",
    "~~",
    "~é",
    "://",
    "http://",
    "https://[::",
    "*** Update File: ",
    "+++ ",
    "--- a/",
    "plan",
    "",
    "\0",
];

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        6 => prop::sample::select(TEXTS).prop_map(Value::from),
        1 => any::<String>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(4, 48, 8, |inner| {
        let field = (prop::sample::select(NAMES), inner.clone());
        prop_oneof![
            1 => prop::collection::vec(inner, 0..4).prop_map(Value::from),
            3 => prop::collection::vec(field, 0..8).prop_map(|fields| {
                Value::from(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_event_breaks_an_adapter(value in values()) {
        let _ = detect(&value);
        for agent in AGENTS {
            let Ok(event) = agent.event(value.clone()) else { continue };
            if let Some(call) = &event.call {
                let _ = directory(agent, call);
                let work = work(agent, call, &McpSettings::default());
                prop_assert!(!work.title.is_empty() || call.tool.is_empty());
            }
            // What waits for an answer is about a tool.
            prop_assert!(!event.moment.decides() || event.call.is_some());
            for opinion in [Opinion::None, Opinion::Allow("harmless"), Opinion::Ask("a".into()), Opinion::Deny("d".into())] {
                let is_refusal = matches!(opinion, Opinion::Deny(_));
                let reply = (agent.answer)(&event, &Answer { opinion, ..Answer::default() });
                let says = format!("{}{}", reply.stdout, reply.stderr);
                prop_assert!(!(is_refusal && event.moment.decides()) || says.contains('d'));
            }
        }
    }
}
