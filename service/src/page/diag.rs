//! The kernel's own answer to which socket stands at one end of a connection (sock_diag(7)). It costs the same however many connections there are, and cannot miss one that
//! comes or goes meanwhile, as a reader of its tables does.

use std::net::{IpAddr, SocketAddr};

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

/// `SOCK_DIAG_BY_FAMILY`: the kind of what is asked and answered.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST`.
const REQUEST: u16 = 1;
const TCP: u8 = 6;
/// `TCP_ESTABLISHED`, and the states in which one end has said that it sends no more, while its process has it still.
const OPEN: [u8; 4] = [1, 4, 5, 8];
/// Bytes of a message's head, of what is asked, and of what is answered at least: up to the inode.
const HEAD: usize = 16;
const ASKED: usize = HEAD + 56;
const ANSWERED: usize = HEAD + 72;
/// Where in an answer the state stands, the addresses, and the inode.
const STATE: usize = HEAD + 1;
const ADDRESSES: usize = HEAD + 4;
const INODE: usize = HEAD + 68;

/// Returns the inode of the socket whose own address is the first, and whose other end's is the second; none where there is none, or the kernel does not say.
pub fn inode(own: SocketAddr, other: SocketAddr) -> Option<u32> {
    let wanted = addresses(own, other)?;
    let flags = SocketFlags::CLOEXEC;
    let family = AddressFamily::NETLINK;
    let kernel = socket_with(family, SocketType::DGRAM, flags, Some(netlink::SOCK_DIAG)).ok()?;
    send(&kernel, &request(own, &wanted), SendFlags::empty()).ok()?;
    let mut answer = [0_u8; 512];
    // It has answered by now.
    let (_, count) = recv(&kernel, &mut answer[..], RecvFlags::DONTWAIT).ok()?;
    found(answer.get(..count)?, &wanted)
}

/// Both addresses as messages have them: ports and hosts, in the order of the network.
fn addresses(own: SocketAddr, other: SocketAddr) -> Option<[u8; 36]> {
    let mut bytes = [0; 36];
    bytes[..2].copy_from_slice(&own.port().to_be_bytes());
    bytes[2..4].copy_from_slice(&other.port().to_be_bytes());
    match (own.ip(), other.ip()) {
        (IpAddr::V4(own), IpAddr::V4(other)) => {
            bytes[4..8].copy_from_slice(&own.octets());
            bytes[20..24].copy_from_slice(&other.octets());
        }
        (IpAddr::V6(own), IpAddr::V6(other)) => {
            bytes[4..20].copy_from_slice(&own.octets());
            bytes[20..].copy_from_slice(&other.octets());
        }
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => return None,
    }
    Some(bytes)
}

fn request(own: SocketAddr, wanted: &[u8; 36]) -> Vec<u8> {
    let family = match own {
        SocketAddr::V4(_) => AddressFamily::INET,
        SocketAddr::V6(_) => AddressFamily::INET6,
    };
    let mut message = Vec::with_capacity(ASKED);
    message.extend(u32::try_from(ASKED).unwrap_or_default().to_ne_bytes());
    message.extend(BY_FAMILY.to_ne_bytes());
    message.extend(REQUEST.to_ne_bytes());
    // No number, and from nobody in particular: there is one answer.
    message.extend([0; 8]);
    message.extend([u8::try_from(family.as_raw()).unwrap_or_default(), TCP, 0, 0]);
    // In whatever state.
    message.extend(u32::MAX.to_ne_bytes());
    message.extend(wanted);
    // On whatever interface, and by no cookie.
    message.extend([0; 4]);
    message.extend([0xff; 8]);
    message
}

/// Returns the inode that an answer has, if it is of a connection with these addresses that a process has open.
fn found(answer: &[u8], wanted: &[u8; 36]) -> Option<u32> {
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let is_it = kind == BY_FAMILY
        && answer.len() >= ANSWERED
        && OPEN.contains(answer.get(STATE)?)
        && is_same(answer.get(ADDRESSES..ADDRESSES + 36)?, wanted);
    let inode = u32::from_ne_bytes(answer.get(INODE..INODE + 4)?.try_into().ok()?);
    Some(inode).filter(|inode| is_it && *inode != 0)
}

/// Whether an answer has these addresses. What stands behind those of IPv4 says nothing; a socket of IPv6 may have them as well, as `::ffff:` has.
fn is_same(answer: &[u8], wanted: &[u8; 36]) -> bool {
    let plain = |host: &[u8]| -> [u8; 16] {
        let mut mapped = [0; 16];
        if host[4..].iter().all(|byte| *byte == 0) {
            mapped[10..12].fill(0xff);
            mapped[12..].copy_from_slice(&host[..4]);
        } else {
            mapped.copy_from_slice(host);
        }
        mapped
    };
    answer[..4] == wanted[..4]
        && plain(&answer[4..20]) == plain(&wanted[4..20])
        && plain(&answer[20..36]) == plain(&wanted[20..36])
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_kernel_says_which_socket_it_is() {
        for host in ["127.0.0.1", "::1"] {
            let Ok(listener) = TcpListener::bind((host, 0)) else { continue };
            let local = listener.local_addr().unwrap();
            let stream = TcpStream::connect(local).unwrap();
            let peer = stream.local_addr().unwrap();
            let (accepted, _) = listener.accept().unwrap();
            let of = |fd: &dyn std::os::fd::AsRawFd| {
                let link = std::fs::read_link(format!("/proc/self/fd/{}", fd.as_raw_fd())).unwrap();
                link.to_str()
                    .unwrap()
                    .trim_matches(|letter: char| !letter.is_ascii_digit())
                    .parse()
                    .unwrap()
            };
            assert_eq!(inode(peer, local), Some(of(&stream)), "{host}");
            assert_eq!(inode(local, peer), Some(of(&accepted)), "{host}");
            // One that listens is at no end of a connection.
            let nobody = SocketAddr::new(local.ip(), 1);
            assert_eq!(inode(local, nobody), None, "{host}");
            assert_eq!(inode(nobody, local), None, "{host}");
            drop(stream);
            assert_eq!(inode(peer, local), None, "{host}");
        }
    }

    #[test]
    fn an_answer_of_another_connection_is_none() {
        let [own, other] = ["127.0.0.1:7", "127.0.0.1:8"].map(|one| one.parse().unwrap());
        let wanted = addresses(own, other).unwrap();
        let mut answer = vec![0; ANSWERED];
        answer[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
        answer[STATE] = OPEN[0];
        answer[ADDRESSES..ADDRESSES + 36].copy_from_slice(&wanted);
        answer[INODE] = 9;
        assert_eq!(found(&answer, &wanted), Some(u32::from_ne_bytes([9, 0, 0, 0])));
        for at in [4, STATE, ADDRESSES, ADDRESSES + 3, ADDRESSES + 7, ADDRESSES + 23] {
            let mut altered = answer.clone();
            altered[at] ^= 0x40;
            assert_eq!(found(&altered, &wanted), None, "{at}");
        }
        for count in 0..ANSWERED {
            assert_eq!(found(&answer[..count], &wanted), None, "{count}");
        }
        assert_eq!(addresses(own, "[::1]:1".parse().unwrap()), None);
    }
}
