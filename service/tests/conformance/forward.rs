//! Passes requests on to a bridge with a client's token in each, for programs that send none. Changes nothing else of them but by which name the bridge is asked
//! for, and the tools that others stand for.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

/// Where it listens, on this machine alone.
pub struct Forward {
    listener: TcpListener,
    pub port: u16,
}

struct Way {
    names: [String; 2],
    socket: PathBuf,
    token: String,
    stands_for: StandsFor,
}

/// What a call of a tool stands for: another tool, and what that is given.
pub type StandsFor = fn(&str, &Value) -> Option<(&'static str, Value)>;

impl Forward {
    /// Listens at a port that is free.
    pub fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        Self { listener, port }
    }

    /// Returns the names by which it may be asked for.
    pub fn names(&self) -> [String; 2] {
        ["localhost", "127.0.0.1"].map(|name| format!("{name}:{}", self.port))
    }

    /// Passes on what comes, as long as this process runs, to the bridge at a socket.
    pub fn to(self, socket: PathBuf, token: String, stands_for: StandsFor) {
        let way = Arc::new(Way { names: self.names(), socket, token, stands_for });
        std::thread::spawn(move || {
            for stream in self.listener.incoming() {
                let (stream, way) = (stream.unwrap(), Arc::clone(&way));
                // Whoever hangs up is answered no more.
                std::thread::spawn(move || way.pass(stream));
            }
        });
    }
}

impl Way {
    /// Passes a connection on, with one request.
    fn pass(&self, mut client: TcpStream) -> io::Result<()> {
        let (mut text, mut piece) = (Vec::new(), [0; 4096]);
        let end = loop {
            if let Some(at) = text.windows(4).position(|four| four == b"\r\n\r\n") {
                break at;
            }
            match client.read(&mut piece)? {
                0 => return Ok(()),
                count => text.extend_from_slice(&piece[..count]),
            }
        };
        let head = String::from_utf8_lossy(&text[..end]).into_owned();
        let mut body = text.split_off(end + 4);
        let length = header(&head, "content-length").map_or(0, |value| value.parse().unwrap());
        let begun = body.len();
        body.resize(length, 0);
        client.read_exact(&mut body[begun..])?;
        let body = self.body(body);
        let mut bridge = UnixStream::connect(&self.socket)?;
        // What is refused by its head is answered, and hung up on, before the rest of it is read.
        let _ = bridge.write_all(&[self.head(&head, body.len()).as_bytes(), &body].concat());
        let (mut from, mut to) = (client.try_clone()?, bridge.try_clone()?);
        std::thread::spawn(move || {
            // A client that is gone is gone for the bridge too.
            if io::copy(&mut from, &mut to).is_ok() {
                let _ = to.shutdown(Shutdown::Both);
            }
        });
        io::copy(&mut bridge, &mut client)?;
        client.shutdown(Shutdown::Both)
    }

    fn head(&self, text: &str, length: usize) -> String {
        let mut lines = text.split("\r\n");
        let mut head = format!("{}\r\n", lines.next().unwrap_or_default());
        for line in lines {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let is_own = self.names.iter().any(|own| own == value.trim());
            let other = (self.stands_for)(value.trim(), &Value::Null);
            match (name.to_ascii_lowercase().as_str(), other) {
                ("connection" | "content-length", _) => {}
                ("host", _) if is_own => head.push_str("Host: localhost\r\n"),
                ("mcp-name", Some((tool, _))) => head.extend([name, ": ", tool, "\r\n"]),
                _ => head.extend([line, "\r\n"]),
            }
        }
        let token = &self.token;
        head + &format!(
            "Connection: close\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n"
        )
    }

    fn body(&self, text: Vec<u8>) -> Vec<u8> {
        let Ok(mut message) = serde_json::from_slice::<Value>(&text) else { return text };
        let params = &message["params"];
        let tool = params["name"].as_str().filter(|_| message["method"] == "tools/call");
        let other = tool.and_then(|tool| (self.stands_for)(tool, &params["arguments"]));
        let Some((tool, arguments)) = other else { return text };
        message["params"]["name"] = json!(tool);
        message["params"]["arguments"] = arguments;
        message.to_string().into_bytes()
    }
}

/// Returns a value of a head.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}
