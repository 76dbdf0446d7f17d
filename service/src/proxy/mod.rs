//! The way out of a contained line: a forward proxy (HTTP and CONNECT) to the hosts that the line's plan names, and to no others.
//!
//! The guard makes the socket in the line's own network and hands it over; this process stays in the machine's network, so what it accepts comes from
//! the line, and what it opens goes out. It reads no settings, asks no person, and ends with the line and all that the line left running.

mod head;
mod hello;
mod names;
mod told;
mod watch;

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::net::TcpListener as Socket;
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use guarded_sh::model::WireProxied;
use guarded_sh::sys::descriptor;
use guarded_sh::sys::process::{self, Forked};
use head::{Head, Request, Wants};
use hello::Hello;
use names::{Names, Refused};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendFlags, recvmsg, send,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::task::LocalSet;
use tokio::time::timeout;
use told::Told;

/// Bytes of what the guard says at most.
const LONGEST: usize = 64 << 10;
/// How long a client may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a name may take to be looked up, and an address to answer.
const REACHING: Duration = Duration::from_secs(15);
/// How long is waited for a client that was refused to hear of it.
const PARTING: Duration = Duration::from_secs(2);
/// Connections at once at most; more wait.
const MOST: usize = 256;
/// Addresses of a name that are tried.
const ADDRESSES: usize = 4;

/// The alert of TLS for a name that is not known here (RFC 6066, section 3).
const UNRECOGNISED_NAME: [u8; 7] = [21, 3, 3, 0, 2, 2, 112];

/// Serves a line, apart from whoever started it.
pub fn run() -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot serve a line: {error}");
    let way = std::io::stdin().as_fd().try_clone_to_owned().map_err(|error| failed(&error))?;
    // What the line's caller has open, and waits for the end of, is not ours to hold.
    let way = descriptor::keep_only(way).map_err(|error| failed(&error))?;
    if let Forked::Parent(_) = process::fork().map_err(|error| failed(&error))? {
        return Ok(());
    }
    // What the terminal's keys tell the line is not for it.
    nix::unistd::setsid().map_err(|error| failed(&error))?;
    let (request, socket) = receive(&way).ok_or_else(|| failed(&"nothing was handed over"))?;
    let runtime = crate::runtime()?;
    let done = LocalSet::new().block_on(&runtime, serve(&way, request, socket));
    // A name that is still being looked up is not waited for.
    runtime.shutdown_background();
    done.map_err(|error| failed(&error))
}

/// Returns what the guard says, and the socket that it hands over with it.
fn receive(way: &OwnedFd) -> Option<(WireProxied, Socket)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut bytes = vec![0; LONGEST];
    let mut parts = [IoSliceMut::new(&mut bytes)];
    let message = recvmsg(way, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC).ok()?;
    let socket = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut rights) => rights.next(),
        _ => None,
    })?;
    if message.flags.contains(ReturnFlags::TRUNC) {
        return None;
    }
    let request = serde_json::from_slice(bytes.get(..message.bytes)?).ok()?;
    Some((request, Socket::from(socket)))
}

/// What a connection of the line is held to.
struct Proxy {
    names: Names,
    told: Told,
}

/// Serves until nothing is left of the line.
async fn serve(way: &OwnedFd, request: WireProxied, socket: Socket) -> std::io::Result<()> {
    let line = watch::Line::of(&request)?;
    socket.set_nonblocking(true)?;
    let listener = TcpListener::from_std(socket)?;
    let told = Told::new(request.told);
    let proxy = Rc::new(Proxy { names: Names::new(request.hosts), told });
    // The guard goes on now.
    send(way, b"\n", SendFlags::NOSIGNAL)?;
    tokio::select! {
        done = accept(&listener, &proxy) => done,
        () = line.ended() => Ok(()),
    }
}

async fn accept(listener: &TcpListener, proxy: &Rc<Proxy>) -> std::io::Result<()> {
    let places = Arc::new(Semaphore::new(MOST));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let Ok((client, _)) = listener.accept().await else {
            // No descriptors are left, or the client has gone: others end meanwhile.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let proxy = Rc::clone(proxy);
        tokio::task::spawn_local(async move {
            served(client, &proxy).await;
            drop(place);
        });
    }
}

/// Why a client does not get what it wants.
enum Not {
    /// What it says is no request.
    Request(head::Fault),
    /// It takes too long.
    Late,
    /// It may not have it.
    Refused(Refused),
    /// It cannot be had.
    Unreached(String),
}

/// Serves one connection: one request, or one tunnel.
async fn served(mut client: TcpStream, proxy: &Proxy) {
    let (head, rest) = match timeout(PATIENCE, said(&mut client)).await {
        Ok(Ok(Some(said))) => said,
        Ok(Ok(None)) => return,
        Ok(Err(fault)) => return refuse(client, "", &Not::Request(fault)).await,
        Err(_) => return refuse(client, "", &Not::Late).await,
    };
    let asked = format!("{}:{}", head.host, head.port);
    let reached = match proxy.names.reached(&head.host, head.port) {
        Ok(name) => dial(&name, head.port).await.map(|host| (name, host)),
        Err(refused) => Err(Not::Refused(refused)),
    };
    let (name, host) = match reached {
        Ok(reached) => reached,
        Err(not) => {
            if let Not::Refused(refused) = &not {
                proxy.told.refused(&asked, refused);
            }
            return refuse(client, &head.host, &not).await;
        }
    };
    match &head.wants {
        Wants::Tunnel => match greeted(&mut client, &name, rest).await {
            Ok(Some(first)) => {
                proxy.told.reached(&asked);
                tunnel(client, host, &first).await;
            }
            Ok(None) => {}
            Err(refused) => {
                proxy.told.refused(&asked, &refused);
                // The client may have gone.
                let _ = client.write_all(&UNRECOGNISED_NAME).await;
                part(client).await;
            }
        },
        Wants::Request(request) => {
            proxy.told.reached(&asked);
            pass(client, host, &request.wire(&name, head.port), request, rest).await;
        }
    }
}

/// Reads a head, and what came behind it. None: the client has gone.
async fn said(client: &mut TcpStream) -> Result<Option<(Head, Vec<u8>)>, head::Fault> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = head::end(&bytes) {
            let head = head::read(&bytes[..end])?;
            return Ok(Some((head, bytes.split_off(end))));
        }
        if bytes.len() >= head::LONGEST {
            return Err(head::Fault::TooLong);
        }
        match client.read_buf(&mut bytes).await {
            Ok(0) | Err(_) => return Ok(None),
            Ok(_) => {}
        }
    }
}

/// Connects to a host. Its name is looked up here, once, and the very addresses that were looked at are connected to.
async fn dial(name: &str, port: u16) -> Result<TcpStream, Not> {
    let unreached = |why: &dyn std::fmt::Display| Not::Unreached(format!("{name}:{port}: {why}"));
    let found = timeout(REACHING, lookup_host((name, port))).await;
    let found = found.map_err(|_| unreached(&"its name is not looked up in time"))?;
    let all: Vec<_> = found.map_err(|error| unreached(&error))?.collect();
    let public: Vec<_> = all.iter().filter(|one| names::is_public(one.ip())).collect();
    let Some(first) = all.first() else { return Err(unreached(&"its name has no address")) };
    if public.is_empty() {
        return Err(Not::Refused(Refused::Address(first.ip())));
    }
    let mut why = unreached(&"it does not answer in time");
    for address in public.into_iter().take(ADDRESSES) {
        match timeout(REACHING, TcpStream::connect(address)).await {
            Ok(Ok(host)) => return Ok(host),
            Ok(Err(error)) => why = unreached(&error),
            Err(_) => {}
        }
    }
    Err(why)
}

/// Tells a client that its tunnel is open, and returns what it says first, if that is TLS for the host that was asked for. None: it says nothing.
async fn greeted(
    client: &mut TcpStream,
    name: &str,
    mut first: Vec<u8>,
) -> Result<Option<Vec<u8>>, Refused> {
    let opened = client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await;
    if opened.is_err() {
        return Ok(None);
    }
    match timeout(PATIENCE, hello(client, &mut first)).await {
        Ok(Some(Hello::For(other))) if names::name(&other).as_deref() == Some(name) => {
            Ok(Some(first))
        }
        Ok(Some(Hello::For(_))) => Err(Refused::Other(name.to_owned())),
        Ok(None) | Err(_) if first.is_empty() => Ok(None),
        Ok(Some(Hello::Other | Hello::Part) | None) | Err(_) => Err(Refused::NoTls),
    }
}

/// Hands on what the two say, until both have hung up.
async fn tunnel(mut client: TcpStream, mut host: TcpStream, first: &[u8]) {
    if host.write_all(first).await.is_ok() {
        // How the two part is theirs to understand.
        let _ = copy_bidirectional(&mut client, &mut host).await;
    }
}

/// Reads the first bytes of a tunnel. None: the client has gone before they were whole.
async fn hello(client: &mut TcpStream, first: &mut Vec<u8>) -> Option<Hello> {
    loop {
        match hello::read(first) {
            Hello::Part => {}
            said => return Some(said),
        }
        match client.read_buf(first).await {
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

/// Passes one request on, and hands back what is answered. What the client says behind it goes nowhere.
async fn pass(
    mut client: TcpStream,
    mut host: TcpStream,
    wire: &str,
    request: &Request,
    rest: Vec<u8>,
) {
    let (mut from_host, mut to_host) = host.split();
    let (from_client, mut to_client) = client.split();
    let body = async {
        let mut body = (&rest[..]).chain(from_client).take(request.length);
        if to_host.write_all(wire.as_bytes()).await.is_ok() {
            // A host may answer before it has the whole body.
            let _ = copy(&mut body, &mut to_host).await;
        }
        std::future::pending::<()>().await;
    };
    // By closing, the host says that its answer is whole.
    tokio::select! {
        _ = copy(&mut from_host, &mut to_client) => {}
        () = body => {}
    }
    part(client).await;
}

/// Says no.
async fn refuse(mut client: TcpStream, host: &str, not: &Not) {
    let host = host.escape_default();
    let (status, why) = match not {
        Not::Request(fault) => {
            ("400 Bad Request", format!("this is no request to a proxy: {fault}"))
        }
        Not::Late => ("408 Request Timeout", "no request came in time".to_owned()),
        Not::Refused(refused @ (Refused::Unlisted | Refused::Port)) => (
            "403 Forbidden",
            format!(
                "this line may not reach '{host}': {refused}. A person permits a host by `guarded-sh allow --host {host}`"
            ),
        ),
        Not::Refused(refused) => {
            ("403 Forbidden", format!("this line may not reach '{host}': {refused}"))
        }
        Not::Unreached(why) => ("502 Bad Gateway", format!("cannot reach {why}")),
    };
    let body = format!("guarded-sh: {why}\n");
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    // Nobody is left to be told.
    if client.write_all(answer.as_bytes()).await.is_ok() {
        part(client).await;
    }
}

/// Closes a connection so that what was said last is heard: who closes what still has something to be read takes back what it said.
async fn part(mut client: TcpStream) {
    let mut bytes = [0; 4096];
    let drained = async {
        client.shutdown().await?;
        let mut left: usize = 64 << 10;
        while left > 0 {
            match client.read(&mut bytes).await? {
                0 => break,
                count => left = left.saturating_sub(count),
            }
        }
        std::io::Result::Ok(())
    };
    // It is closed in any case.
    let _ = timeout(PARTING, drained).await;
}
