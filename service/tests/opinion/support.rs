//! The vocabulary: a throw-away home with settings, calls of the guard in it, and providers that say what a test wants.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// Where the home of the user database is the throw-away one: settings are those of no other.
const IN_OWN_HOME: &str = "mount --bind \"$1\" /root && shift";

/// Returns the guard, which stands beside the service.
pub fn guard() -> PathBuf {
    let service = Path::new(env!("CARGO_BIN_EXE_guarded-shd"));
    let guard = service.with_file_name("guarded-sh");
    assert!(guard.is_file(), "`cargo build` first: there is no {}", guard.display());
    guard
}

/// A throw-away home, and a directory to work in.
pub struct Place {
    root: PathBuf,
    /// None where it is another process's.
    _owned: Option<tempfile::TempDir>,
}

impl Place {
    /// Whose settings these are.
    pub fn with(settings: &str) -> Self {
        let owned = tempfile::tempdir().unwrap();
        let place = Self { root: owned.path().to_owned(), _owned: Some(owned) };
        std::fs::create_dir_all(place.path("work")).unwrap();
        place.write("home/.config/guarded-sh/config.toml", settings);
        place
    }

    /// The one that another process made.
    pub fn at(root: &str) -> Self {
        Self { root: PathBuf::from(root), _owned: None }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The guard with these words, as a person's own program.
    pub fn guard(&self, words: &[&str]) -> Command {
        self.script("exec \"$@\"", words)
    }

    /// A script of bash where the home is the owner's, of which the guard is the first word, and these are the others.
    pub fn script(&self, script: &str, words: &[&str]) -> Command {
        let script = format!("{IN_OWN_HOME} && {script}");
        let mut command = Command::new("unshare");
        command.args(["-rm", "/bin/bash", "-c", &script, "bash"]);
        command.arg(self.path("home")).arg(guard()).args(words);
        self.within(command)
    }

    /// The guard with these words, below an agent.
    pub fn agents(&self, words: &[&str]) -> Command {
        let mut command = self.guard(words);
        command.env("CLAUDECODE", "1");
        command
    }

    fn within(&self, mut command: Command) -> Command {
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin");
        command.env("HOME", self.path("home")).current_dir(self.path("work"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Everything that is recorded.
    pub fn records(&self) -> Vec<Value> {
        let output = self.guard(&["log", "--json", "-n", "1000"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Tells a hook of Claude's an event on a socket of ours, as the client does, or on a file, as anybody can.
pub fn hook(place: &Place, event: &Value, door: Door) -> Value {
    let mut command = place.agents(&["hook", "claude", "--limit", "240"]);
    let text = event.to_string();
    let output = match door {
        Door::Socket => {
            let (mut ours, theirs) = UnixStream::pair().unwrap();
            command.stdin(std::os::fd::OwnedFd::from(theirs));
            let child = command.spawn().unwrap();
            drop(command);
            ours.write_all(text.as_bytes()).unwrap();
            ours.shutdown(std::net::Shutdown::Write).unwrap();
            child.wait_with_output().unwrap()
        }
        Door::File => {
            place.write("event.json", &text);
            command.stdin(std::fs::File::open(place.path("event.json")).unwrap());
            command.output().unwrap()
        }
    };
    serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
}

/// What the person of most tests typed.
pub const PROMPT: &str = "please fetch the docs from unknown.example (or unknown.invalid), keep them as docs.html, and install left-pad, flask and ripgrep";

/// The event by which Claude tells that a person typed this.
pub fn prompt(words: &str) -> Value {
    json!({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": words, "cwd": "/tmp", "permission_mode": "default", "transcript_path": "/root/t.jsonl"})
}

/// The event by which Claude asks whether its shell may run a line.
pub fn tool(line: &str) -> Value {
    json!({"session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": "t1", "cwd": "/tmp", "permission_mode": "default", "transcript_path": "/root/t.jsonl"})
}

/// How an event comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Socket,
    File,
}

pub fn text(output: &Output) -> String {
    let parts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    parts.concat()
}

/// What a provider was asked.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// A provider on loopback. It ends with the test's process.
pub struct Provider {
    pub port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// What it does with a connection, after what was asked is read.
pub type Reply = dyn Fn(&Asked, &mut TcpStream) + Send + Sync;

impl Provider {
    pub fn with(reply: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind(("127.0.0.1", 0)).unwrap(), reply)
    }

    /// One that listens there.
    pub fn on(
        listener: TcpListener,
        reply: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (heard, reply): (_, Arc<Reply>) = (Arc::clone(&asked), Arc::new(reply));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (heard, reply) = (Arc::clone(&heard), Arc::clone(&reply));
                std::thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    if let Some(asked) = read(&stream) {
                        heard.lock().unwrap().push(asked.clone());
                        reply(&asked, &mut stream);
                    }
                });
            }
        });
        Self { port, asked }
    }

    /// One that speaks as Anthropic's does, and always says this.
    pub fn saying(opinion: Value) -> Self {
        Self::with(move |_, stream| {
            let used = json!({"type": "tool_use", "id": "t1", "name": "opinion", "input": opinion});
            answer(stream, &json!({"type": "message", "role": "assistant", "content": [used]}));
        })
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Settings under which it is asked, and waited for however busy the machine is.
    pub fn settings(&self, mode: &str) -> String {
        format!(
            "[model]\nmode = \"{mode}\"\nlimit_ms = 60000\nstrong_limit_ms = 60000\n\n[[model.providers]]\nkind = \"anthropic\"\nurl = \"{}\"\nmodel = \"scripted\"\n",
            self.url()
        )
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    // What only looks has none.
    let Some((_, length)) = length else { return Some(Asked { path, headers, body: Value::Null }) };
    let mut body = vec![0; length.parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { path, headers, body: serde_json::from_slice(&body).ok()? })
}

/// Answers with this. Whoever asked may have gone.
pub fn answer(stream: &mut TcpStream, body: &Value) {
    respond(stream, "200 OK", &[], body.to_string().as_bytes());
}

pub fn respond(stream: &mut TcpStream, status: &str, headers: &[&str], body: &[u8]) {
    let more = [headers, &[""]].concat().join("\r\n");
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{more}connection: close\r\n\r\n");
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// An opinion that lets everything run, with this quotation.
pub fn obeying(quotation: &str) -> Value {
    json!({
        "verdict": "within",
        "safetyScore": 100,
        "category": "network",
        "confidence": 100,
        "uncertain": false,
        "quotation": quotation,
        "reasoning": "as it says",
    })
}
