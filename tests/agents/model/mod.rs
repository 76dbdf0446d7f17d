//! The scripted model: a server on loopback that says what a row's steps say, and keeps what it was told. What is said on the wire is
//! for the dialects, one file each; here is only HTTP and the order of turns.

mod chat;
mod generate;
mod messages;
mod responses;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::play::{DONE, PART};

/// For how long the model waits for what a step is to wait for.
const PATIENCE: Duration = Duration::from_secs(90);

/// The tool by which Claude has answers in a form.
const ANSWERS: &str = "StructuredOutput";

/// From where on the calls of a subagent are counted.
const SUBAGENTS: usize = 100;

/// A call of a tool.
pub struct Call {
    pub tool: String,
    pub input: Value,
    /// Whether it is made in one turn with the next.
    pub is_with_next: bool,
    /// Whether a subagent makes it, in a conversation of its own.
    pub is_subagents: bool,
}

/// What the model says in one turn.
pub enum Turn<'a> {
    /// Calls tools.
    Calls(&'a [Call]),
    /// Says something, which ends its work.
    Text(&'a str),
}

/// What a client sent.
pub struct Request {
    pub method: String,
    pub path: String,
    pub body: Value,
}

/// What is sent back.
pub struct Response {
    pub status: &'static str,
    pub kind: &'static str,
    pub body: String,
}

impl Response {
    pub fn json(body: &Value) -> Self {
        Self { status: "200 OK", kind: "application/json", body: body.to_string() }
    }

    /// Events of a stream, each with its name.
    pub fn events<'a>(events: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let mut body = String::new();
        for (name, data) in events {
            // Writing to a string cannot fail.
            let _ = write!(body, "event: {name}\ndata: {data}\n\n");
        }
        Self { status: "200 OK", kind: "text/event-stream", body }
    }
}

/// What a client speaks to the model.
pub trait Dialect: Send + Sync {
    /// Returns what the calls so far came to, in their order, if this is a request for the conversation's next turn; else what is
    /// answered to what else the client wants.
    fn told(&self, request: &Request) -> Result<Vec<String>, Response>;

    /// Puts a turn on the wire; `number` counts the calls before it.
    fn reply(&self, request: &Request, number: usize, turn: Turn<'_>) -> Response;
}

/// Returns the dialect of a name.
pub fn dialect(name: &str) -> Box<dyn Dialect> {
    match name {
        "messages" => Box::new(messages::Messages),
        "responses" => Box::new(responses::Responses),
        "chat" => Box::new(chat::Chat),
        "generate" => Box::new(generate::Generate),
        other => panic!("no dialect {other}"),
    }
}

/// The model. It ends with the process that it is in.
pub struct Model {
    pub address: SocketAddr,
    state: Arc<State>,
}

struct State {
    dialect: Box<dyn Dialect>,
    calls: Vec<Call>,
    /// What it says to whatever it is asked, if that is all that it does.
    opinion: Option<Value>,
    said: Mutex<Said>,
    changed: Condvar,
}

#[derive(Default)]
struct Said {
    /// What the calls so far came to: the model's, and its subagent's.
    told: [Vec<String>; 2],
    /// Each request, as it came.
    requests: Vec<String>,
    /// The calls that must wait.
    held: BTreeSet<usize>,
}

impl Model {
    /// Listens, and answers from now on. The calls that are held wait until they are let go.
    pub fn start(dialect: Box<dyn Dialect>, calls: Vec<Call>, held: BTreeSet<usize>) -> Self {
        Self::begin(dialect, calls, held, None)
    }

    /// Listens, and says this to whatever it is asked.
    pub fn with_opinion(dialect: Box<dyn Dialect>, opinion: Value) -> Self {
        Self::begin(dialect, Vec::new(), BTreeSet::new(), Some(opinion))
    }

    fn begin(
        dialect: Box<dyn Dialect>,
        calls: Vec<Call>,
        held: BTreeSet<usize>,
        opinion: Option<Value>,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let said = Mutex::new(Said { held, ..Said::default() });
        let state = Arc::new(State { dialect, calls, opinion, said, changed: Condvar::new() });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // Who hangs up is not answered.
                std::thread::spawn(move || drop(state.serve(stream)));
            }
        });
        Self { address, state }
    }

    /// Lets a call go that was held.
    pub fn let_go(&self, number: usize) {
        self.state.said.lock().unwrap().held.remove(&number);
        self.state.changed.notify_all();
    }

    /// Returns what each call came to; none of those that nothing is known of yet.
    pub fn told(&self) -> Vec<Option<String>> {
        let [models, subagents] = self.state.said.lock().unwrap().told.clone();
        let (mut models, mut subagents) = (models.into_iter(), subagents.into_iter());
        let calls = self.state.calls.iter();
        calls.map(|call| if call.is_subagents { subagents.next() } else { models.next() }).collect()
    }

    /// Returns whether all that was to be said has been.
    pub fn is_done(&self) -> bool {
        self.told().iter().all(Option::is_some)
    }

    /// Returns each request that came: its method, path and body.
    pub fn requests(&self) -> Vec<String> {
        self.state.said.lock().unwrap().requests.clone()
    }
}

impl State {
    fn serve(&self, stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let Some(request) = read(&mut reader)? else { return Ok(()) };
        let response = self.answer(&request);
        let mut stream = stream;
        write!(
            stream,
            "HTTP/1.1 {}\r\ncontent-type: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            response.status,
            response.kind,
            response.body.len()
        )?;
        if request.method != "HEAD" {
            stream.write_all(response.body.as_bytes())?;
        }
        stream.flush()
    }

    fn answer(&self, request: &Request) -> Response {
        let told = self.dialect.told(request);
        let mut said = self.said.lock().unwrap();
        said.requests.push(format!("{} {} {}", request.method, request.path, request.body));
        if let Some(opinion) = &self.opinion
            && ["messages", "input", "contents"].iter().any(|key| request.body[*key].is_array())
        {
            return self.opine(request, opinion);
        }
        let told = match told {
            Ok(told) => told,
            Err(response) => return response,
        };
        let is_subagents = is_asked(&request.body, PART);
        let mut own =
            (0..self.calls.len()).filter(|at| self.calls[*at].is_subagents == is_subagents);
        // A request that is sent again is answered again: what counts is what it tells.
        let number = told.len();
        let before = &mut said.told[usize::from(is_subagents)];
        if number >= before.len() {
            *before = told;
        }
        let next = own.nth(number);
        let deadline = Instant::now() + PATIENCE;
        while next.is_some_and(|next| said.held.contains(&next)) && Instant::now() < deadline {
            said = self.changed.wait_timeout(said, Duration::from_millis(500)).unwrap().0;
        }
        drop(said);
        let left = next.map(|next| &self.calls[next..]).unwrap_or_default();
        let last = left.iter().position(|call| !call.is_with_next);
        let turn = match last {
            Some(last) => Turn::Calls(&left[..=last]),
            None => Turn::Text(DONE),
        };
        let number = if is_subagents { number + SUBAGENTS } else { number };
        self.dialect.reply(request, number, turn)
    }
}

impl State {
    /// Says the opinion: by the tool that is there for answers, once, else as text.
    fn opine(&self, request: &Request, opinion: &Value) -> Response {
        let tools = request.body["tools"].as_array().into_iter().flatten();
        let is_by_tool = tools.clone().any(|tool| tool["name"] == ANSWERS);
        if is_by_tool && !request.body.to_string().contains("tool_result") {
            let (tool, input) = (ANSWERS.to_owned(), opinion.clone());
            let call = Call { tool, input, is_with_next: false, is_subagents: false };
            return self.dialect.reply(request, 0, Turn::Calls(&[call]));
        }
        self.dialect.reply(request, 0, Turn::Text(&opinion.to_string()))
    }
}

/// Returns whether the one who is talked to was asked for this.
fn is_asked(body: &Value, what: &str) -> bool {
    let lists = ["messages", "input", "contents"].map(|key| body[key].as_array());
    let messages = lists.into_iter().flatten().flatten().filter(|one| one["role"] == "user");
    let says = |value: &Value| value.as_str().is_some_and(|text| text.contains(what));
    let mut parts = messages.flat_map(|one| [&one["content"], &one["parts"]]);
    parts.any(|part| {
        says(part) || part.as_array().into_iter().flatten().any(|part| says(&part["text"]))
    })
}

/// Reads a request with its body, whole or in chunks.
fn read(reader: &mut impl BufRead) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let (mut length, mut chunked) = (0, false);
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.contains("chunked"),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    while chunked {
        line.clear();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        let start = body.len();
        body.resize(start + size + 2, 0);
        reader.read_exact(&mut body[start..])?;
        body.truncate(start + size);
        chunked = size > 0;
    }
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(Request { method, path, body }))
}
