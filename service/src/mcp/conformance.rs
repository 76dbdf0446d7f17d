//! The protocol's conformance suite, against a server of its own tools behind the very listeners, gate and reader that the bridge has.

#[path = "../../tests/conformance/fixtures.rs"]
mod fixtures;
#[path = "../../tests/conformance/forward.rs"]
mod forward;
#[path = "../../tests/conformance/suite.rs"]
mod suite;
#[path = "../../tests/conformance/tools.rs"]
mod tools;

use std::fs::File;

use guarded_sh::audit::{Durability, Store};
use guarded_sh::config::McpSettings;
use nix::fcntl::{Flock, FlockArg};

use super::clients::{Clients, Policy};
use super::keeper::Keeper;
use super::launch::Launcher;
use super::{Kept, listening, router};
use crate::record::state_of;
use fixtures::Fixtures;
use forward::Forward;

#[test]
fn the_transport_conforms_to_both_versions() {
    if !suite::is_here() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let store = Store::new(place.path(), Durability::System);
    let socket = place.path().join("mcp.sock");
    let forward = Forward::listen();
    // The suite asks as a page does that the owner named.
    let origins = forward.names().map(|name| format!("http://{name}"));
    let mut settings = McpSettings::default();
    settings.origins.value = origins.to_vec();
    let faults = crate::runtime().unwrap().block_on(async {
        let clients = Clients::below(&state_of(&store));
        let token = clients.add("suite", Policy::default()).unwrap();
        let lock = File::create(place.path().join("lock")).unwrap();
        let lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock).unwrap();
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        let launcher = Launcher { keeper: Keeper::of_nothing(lock).unwrap(), files };
        let kept = Kept { store: store.clone(), clients, launcher };
        let (bridge, listeners) = listening(kept, &settings, 0, &socket).unwrap();
        listeners.serve(&router(bridge, || Fixtures));
        let address = format!("http://localhost:{}/mcp", forward.port);
        forward.to(socket, token, |_, _| None);
        let run = move || suite::VERSIONS.map(|v| suite::faults("fixtures", v, &address)).concat();
        tokio::task::spawn_blocking(run).await.unwrap()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
