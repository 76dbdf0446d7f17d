//! The protocol's conformance suite, against the bridge as it is, with its own tools.

#[path = "../conformance/suite.rs"]
mod suite;

use super::bridge::{Bridge, SOCKET};
use super::forward::Forward;
use super::tools;
use super::world::within;

#[test]
fn the_bridge_conforms_to_both_versions() {
    within("conformance::the_bridge_conforms_to_both_versions", || {
        if !suite::is_here() {
            return;
        }
        let forward = Forward::listen();
        // The suite asks as a page does that the owner named.
        let origins = forward.names().map(|name| format!("\"http://{name}\"")).join(", ");
        let bridge = Bridge::with(&format!("approval = \"by-risk\"\norigins = [{origins}]"));
        let address = format!("http://localhost:{}/mcp", forward.port);
        forward.to(SOCKET.into(), bridge.token.clone());
        let faults = suite::VERSIONS.map(|version| suite::faults("bridge", version, &address));
        let faults = faults.concat();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    });
}
