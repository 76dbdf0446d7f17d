//! The sockets that the page listens on: the same port of both loopback addresses, since browsers try one and then the other, and whoever listened on
//! the other would get what is meant for the page.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use guarded_sh::ipc::place;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::peers::{Peer, Stranger};

/// For how long the head of a request may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections at once at most.
const CONNECTIONS: usize = 1_200;
/// Those of which is looked whose they are, and those that wait for that, in the order in which they came. It takes some milliseconds each.
const UNKNOWN: usize = 8;
const WAITING: usize = 256;
/// Those of strangers, who are told that they are refused.
const STRANGERS: usize = 8;

/// How often is tried to find a port that is free on both.
const TRIES: usize = 16;

/// Both sockets; none for IPv6 where this machine has no such loopback.
pub struct Listeners {
    four: TcpListener,
    six: Option<TcpListener>,
    port: u16,
    /// The user who connects, where that is another one.
    user: Option<u32>,
}

/// Listens at one address of this machine for a proxy, which is a program of this user or of the one that is named.
pub fn for_proxy(address: SocketAddr, user: Option<u32>) -> Result<Listeners, String> {
    let failed = |error| format!("cannot listen at {address} for the proxy: {error}");
    let listener = listen(address).map_err(failed)?;
    Ok(Listeners { four: listener, six: None, port: address.port(), user })
}

/// Listens at a socket of the file system that the user alone can open. None: another process does.
pub fn listen_at(path: &Path) -> io::Result<Option<UnixListener>> {
    if place::is_heard(path) {
        return Ok(None);
    }
    // One of a process that is gone.
    let _ = std::fs::remove_file(path);
    UnixListener::bind(path).map(Some)
}

/// Listens at an address.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// Listens on a port; 0 is any that is free.
pub fn bind(port: u16) -> Result<Listeners, String> {
    let Loopback { four, six, port } = loopback(port)?;
    Ok(Listeners { four, six, port, user: None })
}

/// Both loopback addresses of this machine, at one port; none for IPv6 where there is no such loopback.
pub struct Loopback {
    pub four: TcpListener,
    pub six: Option<TcpListener>,
    pub port: u16,
}

/// Listens at both on a port; 0 is any that is free.
pub fn loopback(port: u16) -> Result<Loopback, String> {
    let mut failed = String::new();
    for _ in 0..TRIES {
        match both(port) {
            Ok(both) => return Ok(both),
            Err(error) => failed = error.to_string(),
        }
        if port != 0 {
            break;
        }
    }
    Err(format!("cannot listen on port {port} of this machine: {failed}"))
}

fn both(port: u16) -> io::Result<Loopback> {
    let four = listen((Ipv4Addr::LOCALHOST, port).into())?;
    let port = four.local_addr()?.port();
    let six = match listen((Ipv6Addr::LOCALHOST, port).into()) {
        Ok(six) => Some(six),
        // Then no browser gets there either.
        Err(error) if error.kind() == ErrorKind::AddrNotAvailable => None,
        Err(error) if error.raw_os_error() == Some(nix::libc::EAFNOSUPPORT) => None,
        Err(error) => return Err(error),
    };
    Ok(Loopback { four, six, port })
}

/// Who is at the other end of a connection.
pub type Known = Arc<Result<Peer, Stranger>>;

/// How many connections there may be.
#[derive(Clone)]
struct Places {
    all: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    unknown: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
}

impl Places {
    fn new() -> Self {
        let of = |count| Arc::new(Semaphore::new(count));
        Self {
            all: of(CONNECTIONS),
            waiting: of(WAITING),
            unknown: of(UNKNOWN),
            strangers: of(STRANGERS),
        }
    }
}

impl Listeners {
    /// Returns the port.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl Listeners {
    /// Serves each connection until this is dropped. Where there is no place for one it is hung up on.
    pub async fn serve(self: Arc<Self>, router: Router) {
        let places = Places::new();
        let user = self.user;
        loop {
            let accepted = match &self.six {
                None => self.four.accept().await,
                Some(six) => tokio::select! {
                    accepted = self.four.accept() => accepted,
                    accepted = six.accept() => accepted,
                },
            };
            let Ok((stream, peer)) = accepted else {
                // There is no descriptor left, for instance: others may end meanwhile.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let Ok(local) = stream.local_addr() else { continue };
            let look = move || match user {
                None => Peer::of(peer, local),
                Some(user) => Peer::of_user(peer, local, user),
            };
            if let Ok(waiting) = places.waiting.clone().try_acquire_owned() {
                tokio::spawn(served(stream, look, router.clone(), places.clone(), waiting));
            }
        }
    }
}

/// Serves each connection to a socket of the file system: what a tunnel of ssh ends at.
pub async fn serve_at(listener: UnixListener, router: Router) {
    let places = Places::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let own = stream.as_fd().try_clone_to_owned().map(std::os::unix::net::UnixStream::from);
        let look = move || own.map_err(|_| Stranger::Unknown).and_then(|own| Peer::at(&own));
        if let Ok(waiting) = places.waiting.clone().try_acquire_owned() {
            tokio::spawn(served(stream, look, router.clone(), places.clone(), waiting));
        }
    }
}

/// Looks who is at the other end of a connection, and serves it.
async fn served(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    look: impl FnOnce() -> Result<Peer, Stranger> + Send + 'static,
    router: Router,
    places: Places,
    waiting: OwnedSemaphorePermit,
) {
    let Ok(unknown) = places.unknown.acquire_owned().await else { return };
    drop(waiting);
    // All processes are looked at.
    let known = tokio::task::spawn_blocking(look).await;
    let known: Known = Arc::new(known.unwrap_or(Err(Stranger::Unknown)));
    let places = if known.is_ok() { places.all } else { places.strangers };
    let Ok(_place) = places.try_acquire_owned() else { return };
    drop(unknown);
    let served = TowerToHyperService::new(router);
    // Each request is told whose it is. A router of its own for each connection would be most of what a connection costs.
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(Arc::clone(&known)));
        served.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    // Whoever hangs up, or says what is no HTTP, has nobody left to be told.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}
