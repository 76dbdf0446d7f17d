//! The protocol's conformance suite, against the bridge as it is, with its own tools.

#[path = "../conformance/suite.rs"]
mod suite;

use serde_json::{Value, json};

use super::bridge::{Bridge, SOCKET};
use super::forward::Forward;
use super::tools;
use super::world::within;

/// Returns what is not as it should be in these versions of the protocol, or about tasks.
fn faults(parts: &[&str]) -> Vec<String> {
    let forward = Forward::listen();
    // The suite asks as a page does that the owner named.
    let origins = forward.names().map(|name| format!("\"http://{name}\"")).join(", ");
    let bridge = Bridge::with(&format!("approval = \"by-risk\"\norigins = [{origins}]"));
    let address = format!("http://localhost:{}/mcp", forward.port);
    forward.to(SOCKET.into(), bridge.token.clone(), stands_for);
    parts.iter().flat_map(|part| suite::faults("bridge", part, &address)).collect()
}

#[test]
fn the_bridge_conforms_to_both_versions() {
    if !suite::is_here() {
        return;
    }
    within("conformance::the_bridge_conforms_to_both_versions", || {
        let faults = faults(&suite::VERSIONS);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    });
}

#[test]
fn the_bridge_s_tasks_conform() {
    if !suite::is_here() {
        return;
    }
    within("conformance::the_bridge_s_tasks_conform", || {
        let faults = faults(&[suite::TASKS]);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    });
}

/// The tools that the suite has tasks made of, as commands.
fn stands_for(tool: &str, given: &Value) -> Option<(&'static str, Value)> {
    let command = match tool {
        "greet" => format!("echo 'Hello, {}!'", given["name"].as_str().unwrap_or_default()),
        "slow_compute" => format!("sleep {}", given["seconds"]),
        "failing_job" => "sleep 1; false".to_owned(),
        _ => return None,
    };
    Some(("execute_command", json!({ "command": command, "purpose": "a test" })))
}
