//! The bridge: commands on this machine for clients elsewhere, as agents in containers. They ask by MCP ([`server`]) or with `guarded-sh host` ([`host`]).
//!
//! [`gate`] says which requests are heard, [`message`] reads the protocol's messages, [`mod@clients`] who may ask and what each may use, [`mounts`] what of a container is what here. [`calls`] makes a line of
//! what is asked, [`launch`] starts the guard for it, which judges it, asks about it and runs it, [`jobs`] follows it, [`kept`] holds what it writes. Nothing is
//! decided here, and nothing that a client says counts as a person's word.

mod calls;
pub mod clients;
mod command;
mod demand;
mod gate;
mod host;
mod jobs;
mod journal;
mod keeper;
mod kept;
mod lately;
mod launch;
mod listen;
mod message;
mod mounts;
mod quoted;
mod record;
mod runs;
mod server;
mod stdio;
mod turns;
mod words;

#[cfg(test)]
mod conformance;

use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::middleware;
use axum::routing::post;
use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::Store;
use guarded_sh::config::McpSettings;
use guarded_sh::ipc::place;
use guarded_sh::model::Consent;
use guarded_sh::observe::Environment;
use guarded_sh::pipeline;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::issued::{Issued, now};
use crate::page::{end_with_host, let_many, only_a_person, owned, say_ready};
use crate::record::{record, settings, state_of};
use clients::Clients;
use gate::Rates;
use jobs::{Jobs, Started};
use journal::Journal;
use keeper::Keeper;
use lately::Lately;
use launch::Launcher;
use listen::Listeners;
use runs::Runs;
use server::{Calls, Server};

pub use command::{Arguments as ClientsArguments, run as clients};
pub use stdio::run as over_stdio;

/// Bytes of a request at most.
const LARGEST: usize = 4 << 20;
/// By which name the bridge is asked for at its socket.
const AT_SOCKET: &str = "localhost";
/// How often is looked whether clients are revoked whose commands run.
const LOOK: Duration = Duration::from_secs(1);
/// For how long an earlier bridge's commands are waited for, which end with it.
const EARLIER: Duration = Duration::from_secs(6);
/// The name of the socket.
const SOCKET: &str = "mcp.sock";

/// What all requests have in common.
pub struct Bridge {
    clients: Clients,
    lately: Lately,
    /// By which names it may be asked for.
    hosts: HashSet<String>,
    /// The sites whose pages may ask.
    origins: HashSet<String>,
    approval: Consent,
    wait: Duration,
    rates: Rates,
    jobs: Arc<Jobs>,
    calls: Calls,
    store: Store,
}

type Shared = Arc<Bridge>;

impl Bridge {
    /// Waits until the token of a client counts no more.
    async fn life(&self, digest: &str) {
        loop {
            tokio::time::sleep(LOOK).await;
            let clients = self.lately.read(&self.clients, Instant::now());
            let own = clients.iter().find(|client| client.digest == digest);
            if !own.is_some_and(|client| client.counts(now())) {
                return;
            }
        }
    }
}

/// Returns the socket of a user's bridge, in a directory of sockets.
fn socket(directory: &Path) -> PathBuf {
    directory.join(SOCKET)
}

/// Serves the bridge until it is told to end; with the host that started it, where that did.
pub fn run(port: Option<u16>, is_hosts: bool) -> Result<(), String> {
    let environment = Environment::read();
    only_a_person(&environment, "open the bridge")?;
    if is_hosts {
        end_with_host()?;
    }
    let settings = settings(&environment)?.mcp;
    let files = let_many();
    let store = record(&environment)?;
    let clients = Clients::below(&state_of(&store));
    // As long as there is no other thread.
    let launcher = Launcher { keeper: keeper(&clients)?, files };
    crate::runtime()?.block_on(async {
        let opened = open(&environment, &settings, port, Kept { store, clients, launcher })?;
        if is_hosts {
            // The host knows by this line that nobody looks into this process any more.
            say_ready()?;
        } else {
            let address = format!("http://127.0.0.1:{}/mcp", opened.port);
            crate::written(&if std::io::stdout().is_terminal() {
                format!("{address}\nand at the socket {}", opened.socket.display())
            } else {
                address
            })?;
        }
        std::future::pending().await
    })
}

/// An open bridge.
struct Opened {
    port: u16,
    socket: PathBuf,
}

/// Starts what ends commands with the bridge, once none of an earlier one runs any more.
fn keeper(clients: &Clients) -> Result<Keeper, String> {
    let directory = clients.directory().map_err(|error| with_causes(&error))?;
    let path = directory.join("bridge.lock");
    let lock = owned::lock(&path, EARLIER).map_err(|error| match error.kind() {
        std::io::ErrorKind::WouldBlock => "another bridge of yours runs".to_owned(),
        _ => format!("cannot lock '{}': {error}", path.display()),
    })?;
    Keeper::begin(lock).map_err(|error| format!("cannot begin: {error}"))
}

/// What the bridge is opened with, of its owner's.
struct Kept {
    store: Store,
    clients: Clients,
    launcher: Launcher,
}

fn open(
    environment: &Environment,
    settings: &McpSettings,
    port: Option<u16>,
    kept: Kept,
) -> Result<Opened, String> {
    let uid = nix::unistd::geteuid().as_raw();
    let sockets = place::prepare(&pipeline::socket_directories(environment), uid)
        .map_err(|error| with_causes(&error))?;
    let path = socket(&sockets);
    let port = port.unwrap_or(settings.port.value);
    let (bridge, listeners) = listening(kept, settings, port, &path)?;
    let port = listeners.port;
    let server = Server(Arc::clone(&bridge));
    listeners.serve(&router(bridge, move || server.clone()));
    Ok(Opened { port, socket: path })
}

/// Makes a bridge, which listens at a port of this machine, 0 for any, and at a path.
fn listening(
    Kept { store, clients, launcher }: Kept,
    settings: &McpSettings,
    port: u16,
    path: &Path,
) -> Result<(Shared, Listeners), String> {
    let directory = clients.directory().map_err(|error| with_causes(&error))?;
    let journal = Journal::open(directory).map_err(|error| with_causes(&error))?;
    let runs = Runs::open(directory)
        .map_err(|error| format!("cannot use '{}': {error}", directory.display()))?;
    runs.settle(&store, &journal)?;
    let started = Started { journal, runs };
    let listen = &settings.listen.value;
    let listeners = listen::bind(port, listen, path)?;
    let port = listeners.port;
    let loopback = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
    let named = settings.hosts.value.iter().flat_map(|name| {
        let ports = listen.iter().map(std::net::SocketAddr::port).chain([port]);
        let with = ports.map(move |port| format!("{name}:{port}"));
        std::iter::once(name.clone()).chain(with)
    });
    let hosts = loopback
        .into_iter()
        .chain([AT_SOCKET.to_owned()])
        .chain(listen.iter().map(ToString::to_string))
        .chain(named);
    let bridge = Arc::new(Bridge {
        clients,
        lately: Lately::default(),
        hosts: hosts.collect(),
        origins: settings.origins.value.iter().cloned().collect(),
        approval: settings.approval.value,
        wait: Duration::from_secs(settings.wait.value.into()),
        rates: Rates::default(),
        jobs: Jobs::new(started, launcher),
        calls: Calls::default(),
        store,
    });
    Ok((bridge, listeners))
}

/// Returns what is served: the protocol by a server of it, which is made anew for each request, and `guarded-sh host`.
fn router<S: ServerHandler>(
    bridge: Shared,
    server: impl Fn() -> S + Send + Sync + 'static,
) -> Router {
    // Whose request it is, the token says, each time: no session is kept that another could take over. Host and Origin the gate has looked at.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(LARGEST)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server()), sessions, config);
    Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(Arc::clone(&bridge), message::pass))
        .route("/host", post(host::begin))
        .layer(middleware::from_fn_with_state(Arc::clone(&bridge), gate::pass))
        .with_state(bridge)
}
