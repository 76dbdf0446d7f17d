//! The sockets that the bridge listens on: this machine's loopback, what the owner named besides, and a socket in the file system that is its owner's alone.

use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::Semaphore;

use crate::page::listeners::{Loopback, listen, listen_at, loopback};

/// For how long the head of a request may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections at once at most.
const CONNECTIONS: usize = 2_000;
/// Bytes of a head at most.
const HEAD: usize = 32 << 10;

/// All sockets.
pub struct Listeners {
    addresses: Vec<TcpListener>,
    socket: UnixListener,
    /// The port on this machine.
    pub port: u16,
}

/// Listens on a port of this machine, 0 for any, at the addresses that are named besides, and at a path.
pub fn bind(port: u16, besides: &[SocketAddr], path: &Path) -> Result<Listeners, String> {
    let failed = |at: String| move |error: io::Error| format!("cannot listen at {at}: {error}");
    // Whoever else listened at the other one would get tokens.
    let Loopback { four, six, port } = loopback(port)?;
    let mut addresses: Vec<TcpListener> = std::iter::once(four).chain(six).collect();
    for address in besides {
        addresses.push(listen(*address).map_err(failed(address.to_string()))?);
    }
    let at = || failed(path.display().to_string());
    // Who ends the other one's road ends its clients' commands.
    let other = || format!("another bridge listens at {}", path.display());
    let socket = listen_at(path).map_err(at())?.ok_or_else(other)?;
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600)).map_err(at())?;
    Ok(Listeners { addresses, socket, port })
}

impl Listeners {
    /// Serves each connection, as long as this process runs.
    pub fn serve(self, router: &Router) {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        for listener in self.addresses {
            let (router, places) = (router.clone(), Arc::clone(&places));
            tokio::spawn(async move {
                loop {
                    match listener.accept().await {
                        Ok((stream, _)) => {
                            // Answers are small, and each is waited for.
                            let _ = stream.set_nodelay(true);
                            served(stream, &router, &places);
                        }
                        // There is no descriptor left, for instance: others may end meanwhile.
                        Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                    }
                }
            });
        }
        let (router, socket) = (router.clone(), self.socket);
        tokio::spawn(async move {
            loop {
                match socket.accept().await {
                    Ok((stream, _)) => served(stream, &router, &places),
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            }
        });
    }
}

/// Serves a connection. Where there is no place for one it is hung up on.
fn served(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: &Router,
    places: &Arc<Semaphore>,
) {
    let Ok(place) = Arc::clone(places).try_acquire_owned() else { return };
    let service = TowerToHyperService::new(router.clone());
    tokio::spawn(async move {
        let _place = place;
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(HEAD);
        // Whoever hangs up, or says what is no HTTP, has nobody left to be told.
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let _ = connection.with_upgrades().await;
    });
}
