//! The sockets that the page listens on: the same port of both loopback addresses, since browsers try one and then the other, and whoever listened on
//! the other would get what is meant for the page.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::net::{TcpListener, TcpStream};

/// How often is tried to find a port that is free on both.
const TRIES: usize = 16;

/// Both sockets; none for IPv6 where this machine has no such loopback.
pub struct Listeners {
    four: TcpListener,
    six: Option<TcpListener>,
    port: u16,
}

/// Listens on a port; 0 is any that is free.
pub fn bind(port: u16) -> Result<Listeners, String> {
    let mut failed = String::new();
    for _ in 0..TRIES {
        match both(port) {
            Ok(listeners) => return Ok(listeners),
            Err(error) => failed = error.to_string(),
        }
        if port != 0 {
            break;
        }
    }
    Err(format!("cannot listen on port {port} of this machine: {failed}"))
}

fn both(port: u16) -> io::Result<Listeners> {
    let listen = |address: SocketAddr| {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    };
    let four = listen((Ipv4Addr::LOCALHOST, port).into())?;
    let port = four.local_addr()?.port();
    let six = match listen((Ipv6Addr::LOCALHOST, port).into()) {
        Ok(six) => Some(six),
        // Then no browser gets there either.
        Err(error) if error.kind() == ErrorKind::AddrNotAvailable => None,
        Err(error) if error.raw_os_error() == Some(nix::libc::EAFNOSUPPORT) => None,
        Err(error) => return Err(error),
    };
    Ok(Listeners { four, six, port })
}

/// Who is at the other end of a connection.
#[derive(Clone, Copy)]
pub struct Peer(pub SocketAddr);

impl Connected<IncomingStream<'_, Listeners>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Listeners>) -> Self {
        Self(*stream.remote_addr())
    }
}

impl Listeners {
    /// Returns the port.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

impl Listener for Listeners {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let Some(six) = &mut self.six else { return Listener::accept(&mut self.four).await };
        tokio::select! {
            accepted = Listener::accept(&mut self.four) => accepted,
            accepted = Listener::accept(six) => accepted,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.four.local_addr()
    }
}
