//! A network with scripted hosts, and a proxy that serves it.

use std::io::{IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use guarded_sh::model::WireProxied;
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    sendmsg, socketpair,
};

/// No wait is longer unless something hangs.
pub const PATIENCE: Duration = Duration::from_secs(40);

/// Says to the test program that it stands in its network already.
const INSIDE: &str = "GUARDED_SHD_TEST_NETWORK";

/// Makes the network: addresses of the internet, names, and nothing else.
const NETWORK: &str = r#"
set -e
mount -t tmpfs tmpfs /srv
cat >/srv/hosts <<END
127.0.0.1 localhost
93.184.216.34 listed.example other.example odd.example xn--bcher-kva.example
127.0.0.1 inner.example
10.1.2.3 private.example
169.254.169.254 metadata.example
::ffff:127.0.0.1 mapped.example
fd00::1 unique.example
127.0.0.1 mixed.example
93.184.216.34 mixed.example
93.184.216.99 nobody.example
END
: >/srv/resolv.conf
mount --bind /srv/hosts /etc/hosts
mount --bind /srv/resolv.conf /etc/resolv.conf
python3 - <<END
import fcntl, socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 65))
fcntl.ioctl(s, 0x8916, struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("93.184.216.34")))
END
exec "$@"
"#;

/// Plays a test in a network of its own. `name` is the test's.
pub fn within(name: &str, play: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return play();
    }
    let possible = Command::new("unshare").args(["-rmn", "python3", "-c", ""]).status();
    if !possible.is_ok_and(|status| status.success()) {
        println!("skipped: no namespaces here, or no python3");
        return;
    }
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new("unshare");
    command.args(["-rmn", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command.args(["/bin/bash", "-c", NETWORK, "bash"]).arg(own);
    let status = command.args(["--exact", name, "--nocapture"]).env(INSIDE, "1").status().unwrap();
    assert!(status.success(), "{name}");
}

/// A host that tells what each connection said, all of it, once that is over.
pub struct Host {
    said: Receiver<Vec<u8>>,
}

impl Host {
    /// Listens, and answers with this as soon as it has heard something whole.
    pub fn on(address: SocketAddr, answer: &'static [u8]) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let (give, said) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (give, mut stream) = (give.clone(), stream.unwrap());
                std::thread::spawn(move || {
                    let mut all = Vec::new();
                    let mut bytes = [0; 4096];
                    let mut is_answered = false;
                    // Who is gone says no more.
                    while let Ok(count @ 1..) = stream.read(&mut bytes) {
                        all.extend_from_slice(&bytes[..count]);
                        if !is_answered && is_whole(&all) {
                            is_answered = true;
                            let _ = stream.write_all(answer);
                            let _ = stream.shutdown(Shutdown::Write);
                        }
                    }
                    if !all.is_empty() {
                        give.send(all).unwrap();
                    }
                });
            }
        });
        Self { said }
    }

    /// Returns what the next connection said.
    pub fn said(&self) -> Vec<u8> {
        self.said.recv_timeout(PATIENCE).expect("the host is asked")
    }

    /// Returns what was said by a connection that is over; none if nobody asked.
    pub fn heard(&self) -> Option<Vec<u8>> {
        self.said.try_recv().ok()
    }
}

/// A server of names that says another address each time that it is asked for one, the last of these from then on.
pub fn names(addresses: &'static [[u8; 4]]) {
    const A: [u8; 4] = [0, 1, 0, 1];
    std::fs::write("/srv/resolv.conf", "nameserver 127.0.0.1\n").unwrap();
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 53)).unwrap();
    std::thread::spawn(move || {
        let mut rest = addresses;
        let mut bytes = [0; 512];
        while let Ok((count, from)) = socket.recv_from(&mut bytes) {
            // The question ends with its type and class; what stands behind it is about the connection (RFC 6891).
            let end = 12 + bytes[12..count].iter().position(|byte| *byte == 0).unwrap() + 5;
            let question = &bytes[12..end];
            let mut answer = bytes[..2].to_vec();
            let is_asked = question.ends_with(&A);
            answer.extend([0x81, 0x80, 0, 1, 0, u8::from(is_asked), 0, 0, 0, 0]);
            answer.extend(question);
            if is_asked {
                answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
                answer.extend(rest[0]);
                rest = if rest.len() > 1 { &rest[1..] } else { rest };
            }
            socket.send_to(&answer, from).unwrap();
        }
    });
}

/// Whether a request of HTTP is whole, or something else has begun.
fn is_whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return bytes[0] == 22 };
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}

/// A proxy, with the process that it takes for the line's.
pub struct Proxy {
    port: u16,
    line: Child,
    way: UnixStream,
    pub told: PathBuf,
    _place: tempfile::TempDir,
}

impl Proxy {
    /// Starts one as the guard does.
    pub fn serving(hosts: &[&str]) -> Self {
        let place = tempfile::tempdir().unwrap();
        let told = place.path().join("asked/1.jsonl");
        let line = Command::new("sleep").arg("600").spawn().unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (own, theirs) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
                .unwrap();
        let mut service = Command::new(env!("CARGO_BIN_EXE_guarded-shd"));
        service.arg("proxy").env_clear().stdin(theirs).stdout(Stdio::piped());
        let started = service.spawn().unwrap();
        drop(service);
        // It holds nothing of its caller's: the end of this is the starter's.
        assert!(started.wait_with_output().unwrap().status.success());
        let request = WireProxied {
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            line: line.id(),
            network: "net:[0]".to_owned(),
            told: Some(told.clone()),
        };
        hand(&own, &serde_json::to_vec(&request).unwrap(), &listener);
        let mut way = UnixStream::from(own);
        way.set_read_timeout(Some(PATIENCE)).unwrap();
        assert_eq!(way.read(&mut [0]).unwrap(), 1, "it serves");
        let port = listener.local_addr().unwrap().port();
        Self { port, line, way, told, _place: place }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Ends the line, and waits for the proxy's end.
    pub fn end(&mut self) {
        self.line.kill().unwrap();
        self.line.wait().unwrap();
        assert_eq!(self.way.read(&mut [0]).unwrap(), 0, "it ends with the line");
    }

    /// Returns what it says that it was asked for.
    pub fn asked(&self) -> String {
        std::fs::read_to_string(Path::new(&self.told)).unwrap_or_default()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // A test that failed has not ended it.
        let _ = self.line.kill();
        let _ = self.line.wait();
    }
}

fn hand(way: &OwnedFd, text: &[u8], listener: &TcpListener) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let rights = [listener.as_fd()];
    assert!(control.push(SendAncillaryMessage::ScmRights(&rights)));
    sendmsg(way, &[IoSlice::new(text)], &mut control, SendFlags::NOSIGNAL).unwrap();
}

/// The first message of TLS, for a host, in records of at most so many bytes.
pub fn hello(host: &str, most: usize) -> Vec<u8> {
    let sized = |bytes: &[u8]| {
        let length = u16::try_from(bytes.len()).unwrap().to_be_bytes();
        [&length, bytes].concat()
    };
    let entry = [&[0][..], &sized(host.as_bytes())].concat();
    let name = [&[0, 0][..], &sized(&sized(&entry))].concat();
    let extensions = if host.is_empty() { Vec::new() } else { name };
    // TLS 1.2, random bytes, no session, one cipher, no compression.
    let body =
        [&[3, 3][..], &[7; 32], &[0], &[0, 2, 0x13, 1], &[1, 0], &sized(&extensions)].concat();
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    let message = [&[1][..], &length[1..], &body].concat();
    let records = message.chunks(most).map(|part| [&[22, 3, 1][..], &sized(part)].concat());
    records.collect::<Vec<_>>().concat()
}
