//! A user with a service, a bridge and clients, and requests to it, byte for byte.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::world::{AtTerminal, PATIENCE, guard};

/// Where the bridge listens, beside a port that nobody else has.
pub const SOCKET: &str = "/run/user/0/guarded-sh/mcp.sock";
/// The directory that clients may use, as it is called there and here.
pub const MOUNT: &str = "--mount=/workspace=/srv/home/app";

/// The user's service with a bridge.
pub struct Bridge {
    service: Mutex<AtTerminal>,
    /// The bridge, where the service did not start it.
    own: Mutex<Option<AtTerminal>>,
    /// The token of the client `box`.
    pub token: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Bridge {
    /// Starts both, with these lines below `[mcp]`.
    pub fn with(settings: &str) -> Self {
        std::fs::create_dir_all("/srv/home/.config/guarded-sh").unwrap();
        let text = format!("[mcp]\nserve = true\nport = 0\n{settings}\n");
        std::fs::write("/srv/home/.config/guarded-sh/config.toml", text).unwrap();
        let service = started();
        let token = client(&["box", MOUNT, "--set=FOO"]);
        Self { service, own: Mutex::new(None), token }
    }

    /// Starts the bridge beside the service, and returns its address too.
    pub fn beside(settings: &str) -> (Self, String) {
        std::fs::create_dir_all("/srv/home/.config/guarded-sh").unwrap();
        let text = format!("[mcp]\n{settings}\n");
        std::fs::write("/srv/home/.config/guarded-sh/config.toml", text).unwrap();
        let service = started();
        let own = AtTerminal::start(&[guard().to_str().unwrap(), "mcp", "--port", "0"]);
        let address = own.until("http://").trim().to_owned();
        let token = client(&["box", MOUNT, "--set=FOO"]);
        (Self { service, own: Mutex::new(Some(own)), token }, address)
    }

    /// Ends the service as if the machine had stopped.
    pub fn ends(&self) {
        let service = self.service.lock().unwrap();
        let call = format!("kill -9 -- -{}", service.id());
        Command::new("/bin/bash").args(["-c", &call]).status().unwrap();
        service.until_end();
    }

    /// The same, and starts it again.
    pub fn again(self) -> Self {
        self.ends();
        Self { service: started(), own: self.own, token: self.token }
    }

    /// Returns the process of the bridge itself.
    pub fn process(&self) -> u32 {
        let service = self.service.lock().unwrap().id();
        let mut left = vec![service];
        while let Some(process) = left.pop() {
            let words = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            if words.split(|byte| *byte == 0).any(|word| word == b"--served")
                && words.windows(5).any(|part| part == b"\0mcp\0")
            {
                return process;
            }
            let call = format!("/proc/{process}/task/{process}/children");
            let below = std::fs::read_to_string(call).unwrap_or_default();
            left.extend(below.split_whitespace().map(|id| id.parse::<u32>().unwrap()));
        }
        panic!("there is no bridge below {service}");
    }

    /// Sends a request as it is, and returns what comes.
    pub fn raw(request: &str) -> Answer {
        let mut stream = UnixStream::connect(SOCKET).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // Whoever is refused early is hung up on.
        let _ = stream.write_all(request.as_bytes());
        let mut text = Vec::new();
        // Whoever is refused early is hung up on.
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Returns a request with these lines in its head.
    pub fn request(head: &str, body: &str) -> String {
        format!(
            "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{head}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// Sends a message of the protocol with a token, in the older version.
    pub fn sent(token: &str, message: &Value) -> Answer {
        let head = format!(
            "Host: localhost\r\nAuthorization: Bearer {token}\r\nMCP-Protocol-Version: 2025-11-25\r\n"
        );
        Self::raw(&Self::request(&head, &message.to_string()))
    }

    /// Calls a tool, and returns its result.
    pub fn tool(token: &str, name: &str, arguments: &Value) -> Value {
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": name, "arguments": arguments },
        });
        let answer = Self::sent(token, &message);
        assert_eq!(answer.status, 200, "{answer:?}");
        let read: Value = serde_json::from_str(answer.body.trim()).expect(&answer.body);
        read["result"].clone()
    }

    /// Runs a command as the client `box`, and returns how it stands.
    pub fn runs(&self, command: &str) -> Value {
        self.runs_with(command, &json!({}))
    }

    /// The same, with more arguments.
    pub fn runs_with(&self, command: &str, more: &Value) -> Value {
        let mut arguments = json!({ "command": command, "purpose": "a test" });
        for (name, value) in more.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        let result = Self::tool(&self.token, "execute_command", &arguments);
        if result["structuredContent"].is_object() {
            return result["structuredContent"].clone();
        }
        json!({ "state": "wrong", "reason": result["content"][0]["text"] })
    }

    /// Waits for a question, and returns its id.
    pub fn asked(&self) -> String {
        let told = self.service.lock().unwrap().until(" waits ");
        told.split_whitespace().next().unwrap().to_owned()
    }
}

/// A bridge by risk, and a client of it whose directory has the same name there as here.
pub fn by_risk() -> (Bridge, String) {
    let bridge = Bridge::with("approval = \"by-risk\"");
    let token = client(&["app", "--mount=/srv/home/app=/srv/home/app", "--by-risk"]);
    (bridge, token)
}

/// Waits until something is so.
pub fn until(what: &str, is: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a process a signal by its name.
pub fn signal(process: u32, name: &str) {
    let call = format!("kill -{name} {process}");
    assert!(Command::new("/bin/bash").args(["-c", &call]).status().unwrap().success());
}

fn started() -> Mutex<AtTerminal> {
    let service = AtTerminal::without(&[guard().to_str().unwrap(), "serve"]);
    service.until("listens in");
    Mutex::new(service)
}

/// Makes a client with these words, and returns its token.
pub fn client(words: &[&str]) -> String {
    let mut command = Command::new(guard());
    command.args(["mcp", "clients", "add"]).args(words);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Has a person at a terminal say something of a question.
pub fn person(words: &[&str]) -> String {
    let line = format!("{} {}", guard().display(), words.join(" "));
    let mut command = Command::new("script");
    let output = command.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs `guarded-sh host` as a client, in a directory.
pub fn host(token: &str, words: &[&str], input: Stdio) -> Output {
    called(token, words).stdin(input).output().unwrap()
}

/// Returns `guarded-sh host` as a client calls it.
pub fn called(token: &str, words: &[&str]) -> Command {
    let mut command = Command::new(guard());
    command.arg("host").arg("--").args(words).current_dir("/srv/home/app");
    command.env("GUARDED_SH_HOST", format!("unix:{SOCKET}"));
    command.env("GUARDED_SH_MCP_TOKEN", token);
    command
}
