//! Which process is at the other end of a connection on this machine, and whether an agent started it.
//!
//! The kernel's tables of TCP sockets say which socket is at the other end (proc_pid_net(5)), and the descriptors of processes whose it is. What is not
//! seen is nobody that we know: another user's process, one in another network namespace, one that has ended.

use std::collections::HashMap;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use guarded_sh::observe::{self, Look, Unreachable};

/// Connections of which is remembered who has them; where there are more, all are looked up anew.
const REMEMBERED: usize = 4_096;
/// The tables.
const TABLES: [&str; 2] = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];

/// Why nobody is spoken to at the other end.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stranger {
    /// It is not seen whose it is.
    #[error("it cannot be seen which program asks")]
    Unknown,
    /// It cannot be said that no agent started it.
    #[error("the program that asks was not started by a person: {0}")]
    Started(Unreachable),
}

/// A process that has one end of a connection.
#[derive(Clone)]
struct Holder {
    process: u32,
    /// The descriptor, as a link to the socket.
    descriptor: PathBuf,
}

/// Who is at the other ends of connections to one socket.
pub struct Peers {
    port: u16,
    known: Mutex<HashMap<SocketAddr, (String, Holder)>>,
}

impl Peers {
    /// Makes it for the connections to a port of this machine.
    pub fn new(port: u16) -> Self {
        Self { port, known: Mutex::default() }
    }

    /// Holds that a person's own program is at the other end. It is looked at anew each time: a connection can be handed on.
    pub fn check(&self, peer: SocketAddr) -> Result<(), Stranger> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((socket, holder)) = known.get(&peer) {
            if has(&holder.descriptor, socket) {
                return is_persons(holder.process);
            }
            known.remove(&peer);
        }
        let socket = self.socket(peer).ok_or(Stranger::Unknown)?;
        let holders = holders(&socket);
        let first = holders.first().cloned().ok_or(Stranger::Unknown)?;
        for holder in &holders {
            is_persons(holder.process)?;
        }
        // What several have is looked up each time.
        if holders.len() == 1 {
            if known.len() == REMEMBERED {
                known.clear();
            }
            known.insert(peer, (socket, first));
        }
        Ok(())
    }

    /// Returns the socket at the other end, by the name that its descriptors have.
    fn socket(&self, peer: SocketAddr) -> Option<String> {
        let wanted = (place(peer), format!("{:04X}", self.port));
        TABLES.iter().find_map(|table| find(&fs::read_to_string(table).ok()?, &wanted))
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

/// Returns the socket with this local address that is connected to this port.
fn find(table: &str, (local, port): &(String, String)) -> Option<String> {
    table.lines().skip(1).find_map(|row| {
        let mut fields = row.split_whitespace();
        let is_it = fields.nth(1)? == local && fields.next()?.rsplit(':').next()? == port;
        let inode = fields.nth(6)?;
        (is_it && inode != "0").then(|| format!("socket:[{inode}]"))
    })
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
        let wanted = |local: &str, port: &str| (local.to_owned(), port.to_owned());
        let found = |local, port| find(TABLE, &wanted(local, port));
        assert_eq!(found("0100007F:9C40", "2CAA").as_deref(), Some("socket:[4712]"));
        // Who has closed it, nobody is; and another port is another program's.
        assert_eq!(found("0100007F:9C41", "2CAA"), None);
        assert_eq!(found("0100007F:9C40", "2CAB"), None);
        for table in ["", "header", "header\n0: x", "header\n\u{0}\n"] {
            assert_eq!(find(table, &wanted("0100007F:9C40", "2CAA")), None, "{table}");
        }
    }

    #[test]
    fn who_has_a_connection_is_seen() {
        for host in ["127.0.0.1", "::1"] {
            let Ok(listener) = TcpListener::bind((host, 0)) else { continue };
            let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let peers = Peers::new(listener.local_addr().unwrap().port());
            let (_, peer) = listener.accept().unwrap();
            let socket = peers.socket(peer).unwrap();
            let own = std::process::id();
            assert!(holders(&socket).iter().any(|holder| holder.process == own), "{host}");
            drop(stream);
            assert_eq!(peers.check("192.0.2.1:1".parse().unwrap()), Err(Stranger::Unknown));
        }
    }
}
