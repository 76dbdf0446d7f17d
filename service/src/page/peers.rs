//! Which processes are at the other end of a connection on this machine, and whether an agent started one of them.
//!
//! The kernel says which socket is at the other end ([`diag`]); where it does not, its tables of TCP sockets do (proc_pid_net(5)). The descriptors of processes say whose it
//! is. What is not seen is nobody that we know: another user's process, one in another network namespace, one that has ended.

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use guarded_sh::observe::{self, Look, Unreachable};

use super::diag;

/// The tables.
const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/// How often is looked there. The kernel gives a long table out in parts: where connections come and go meanwhile, a row is in none of them, or in two.
const LOOKS: usize = 4;

/// Why nobody is spoken to at the other end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stranger {
    /// It is not seen whose it is.
    #[error("it cannot be seen which program asks")]
    Unknown,
    /// It cannot be said that no agent started it.
    #[error("the program that asks was not started by a person: {0}")]
    Started(Unreachable),
}

/// A process that has the other end.
#[derive(Debug)]
pub struct Holder {
    process: u32,
    /// The descriptor, as a link to the socket.
    descriptor: PathBuf,
}

/// The other end of a connection.
#[derive(Debug)]
pub enum Peer {
    /// Processes that have a TCP socket.
    Holders {
        /// The socket, by the name that its descriptors have.
        socket: String,
        /// All that have it.
        holders: Vec<Holder>,
    },
    /// The process that connected to a socket of the file system, of which the kernel knows it.
    Process(observe::Peer),
    /// Another user's program, of whom no agent of this user is: a proxy that the owner named.
    User,
}

impl Peer {
    /// Looks for the other end of a connection, of which both addresses are given: `peer` is that end. All processes are looked at for it.
    pub fn of(peer: SocketAddr, local: SocketAddr) -> Result<Self, Stranger> {
        let told = diag::inode(peer, local).map(|inode| format!("socket:[{inode}]"));
        let socket = match told.filter(|_| peer.ip() == local.ip()) {
            Some(socket) => socket,
            None => row(peer, local)?.socket,
        };
        let holders = holders(&socket);
        if holders.is_empty() {
            return Err(Stranger::Unknown);
        }
        let found = Self::Holders { socket, holders };
        found.check()?;
        Ok(found)
    }

    /// Holds that the other end of a connection is a program of another user, the one that the owner named.
    pub fn of_user(peer: SocketAddr, local: SocketAddr, user: u32) -> Result<Self, Stranger> {
        if row(peer, local)?.user == user { Ok(Self::User) } else { Err(Stranger::Unknown) }
    }

    /// Returns who connected to a socket of the file system, which no other user can.
    pub fn at(stream: &UnixStream) -> Result<Self, Stranger> {
        let peer = observe::Peer::of(stream).ok().flatten().ok_or(Stranger::Unknown)?;
        let found = Self::Process(peer);
        found.check()?;
        Ok(found)
    }

    /// Holds that a person's own programs are at the other end, and still those that were found.
    pub fn check(&self) -> Result<(), Stranger> {
        let is_it = |is_it: bool| if is_it { Ok(()) } else { Err(Stranger::Unknown) };
        match self {
            Self::Holders { socket, holders } => holders.iter().try_for_each(|holder| {
                is_persons(holder.process)?;
                // Last, so that it was this process all the while.
                is_it(has(&holder.descriptor, socket))
            }),
            Self::Process(peer) => {
                is_persons(peer.id())?;
                is_it(peer.is_there() != Some(false))
            }
            Self::User => Ok(()),
        }
    }
}

/// Returns an address and its port as the kernel's tables have them: each word of four bytes as this machine reads it.
fn place(address: SocketAddr) -> String {
    let words = |bytes: &[u8]| {
        let (words, _) = bytes.as_chunks::<4>();
        words
            .iter()
            .fold(String::new(), |text, word| text + &format!("{:08X}", u32::from_ne_bytes(*word)))
    };
    let host = match address.ip() {
        IpAddr::V4(ip) => words(&ip.octets()),
        IpAddr::V6(ip) => words(&ip.octets()),
    };
    format!("{host}:{:04X}", address.port())
}

/// A socket, as the kernel's tables have it.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    /// By the name that its descriptors have.
    socket: String,
    /// The user who made it.
    user: u32,
}

/// Returns the socket at the other end of a connection, of which both addresses are given.
fn row(peer: SocketAddr, local: SocketAddr) -> Result<Row, Stranger> {
    // Several loopback addresses can have the same port, and one port can be connected to several of them.
    if peer.ip() != local.ip() {
        return Err(Stranger::Unknown);
    }
    let wanted = (place(peer), place(local));
    let look = |_| {
        let tables = TABLES.iter().filter_map(|table| fs::read_to_string(table).ok());
        let mut found: Vec<Row> = tables.flat_map(|table| find(&table, &wanted)).collect();
        found.dedup();
        found.pop().filter(|_| found.is_empty())
    };
    (0..LOOKS).find_map(look).ok_or(Stranger::Unknown)
}

/// Returns the sockets that have these two addresses: their own, and the other end's.
fn find(table: &str, (own, other): &(String, String)) -> Vec<Row> {
    let rows = table.lines().skip(1);
    let found = rows.filter_map(|row| {
        let mut fields = row.split_whitespace();
        let is_it = fields.nth(1)? == own && fields.next()? == other;
        let (user, inode) = (fields.nth(4)?.parse().ok()?, fields.nth(1)?);
        (is_it && inode != "0").then(|| Row { socket: format!("socket:[{inode}]"), user })
    });
    found.collect()
}

/// Returns the processes that have a socket open, as far as we may see.
fn holders(socket: &str) -> Vec<Holder> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(|process: u32| {
        let open = fs::read_dir(format!("/proc/{process}/fd")).ok()?;
        let mut paths = open.flatten().map(|entry| entry.path());
        let descriptor = paths.find(|path| has(path, socket))?;
        Some(Holder { process, descriptor })
    })
    .collect()
}

/// Whether a descriptor is of this socket.
fn has(descriptor: &Path, socket: &str) -> bool {
    fs::read_link(descriptor).is_ok_and(|target| target.as_os_str() == socket)
}

/// Holds that no agent started a process.
fn is_persons(process: u32) -> Result<(), Stranger> {
    let ancestors = observe::ancestors_of(process, Look::All).map_err(|_| Stranger::Unknown)?;
    observe::above(&ancestors).map_err(Stranger::Started)
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    const TABLE: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2CAA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
   1: 0100007F:9C40 0100007F:2CAA 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 20 4 30 10 -1
   2: 0100007F:2CAA 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 20 4 30 10 -1
   3: 0100007F:9C41 0100007F:2CAA 06 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
";

    #[test]
    fn the_other_end_is_found_in_the_table() {
        let wanted = |own: &str, other: &str| (own.to_owned(), other.to_owned());
        let found = |own, other| -> Vec<String> {
            find(TABLE, &wanted(own, other)).into_iter().map(|row| row.socket).collect()
        };
        assert_eq!(found("0100007F:9C40", "0100007F:2CAA"), ["socket:[4712]"]);
        // Who has closed it, nobody is; and another port or address is another program's.
        assert_eq!(found("0100007F:9C41", "0100007F:2CAA"), [""; 0]);
        assert_eq!(found("0100007F:9C40", "0100007F:2CAB"), [""; 0]);
        assert_eq!(found("0100007F:9C40", "0200007F:2CAA"), [""; 0]);
        for table in ["", "header", "header\n0: x", "header\n\u{0}\n"] {
            assert_eq!(find(table, &wanted("a", "b")), [], "{table}");
        }
    }

    #[test]
    fn who_has_a_connection_is_seen() {
        for host in ["127.0.0.1", "::1"] {
            let Ok(listener) = TcpListener::bind((host, 0)) else { continue };
            let local = listener.local_addr().unwrap();
            let stream = TcpStream::connect(local).unwrap();
            let (_, peer) = listener.accept().unwrap();
            let Row { socket, user } = row(peer, local).unwrap();
            let own = std::process::id();
            assert_eq!(user, nix::unistd::geteuid().as_raw(), "{host}");
            assert!(Peer::of_user(peer, local, user).is_ok());
            assert_eq!(Peer::of_user(peer, local, user + 1).unwrap_err(), Stranger::Unknown);
            assert!(holders(&socket).iter().any(|holder| holder.process == own), "{host}");
            drop(stream);
            let elsewhere = "127.0.0.9:1".parse().unwrap();
            assert_eq!(Peer::of(elsewhere, local).unwrap_err(), Stranger::Unknown);
        }
    }
}
