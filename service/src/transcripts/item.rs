//! What stands in a transcript, in words that all agents' have in common.

use guarded_sh::model::head;
use jiff::Timestamp;
use serde_json::Value;

/// Bytes of a text that are kept to be shown.
const SHOWN: usize = 16 << 10;

/// One thing that a transcript says.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Where it begins: a byte of the file, or the id of a row.
    pub at: String,
    /// What is the same when it is written anew.
    pub key: String,
    /// When.
    pub time: Option<Timestamp>,
    /// Whether a helper of the model's did it.
    pub is_helper: bool,
    /// Whether the person took the conversation back to before it. What it did was done.
    pub is_withdrawn: bool,
    /// What.
    pub what: What,
}

/// What an item says.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// Somebody said something.
    Said(Who, Text),
    /// The model called a tool.
    Called(Called),
    /// Something came of that.
    Came(Came),
    /// What an answer of the model took.
    Used(Usage),
    /// A line of which not all can be read.
    Damaged(String),
}

impl What {
    /// Returns what the person said, if it is that.
    pub fn prompt(&self) -> Option<&str> {
        match self {
            Self::Said(Who::Person, text) => Some(&text.text),
            _ => None,
        }
    }
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The person, or what the client says in the same place.
    Person,
    /// The model.
    Model,
    /// The model, to itself.
    Thought,
    /// The client.
    Client,
}

impl Who {
    /// Returns the word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Model => "model",
            Self::Thought => "thought",
            Self::Client => "client",
        }
    }
}

/// A text, as far as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Its beginning.
    pub text: String,
    /// How many bytes more it has.
    pub more: usize,
}

impl Text {
    /// Returns what is kept of a text.
    pub fn of(text: &str) -> Self {
        let kept = head(text, SHOWN);
        Self { text: kept.to_owned(), more: text.len() - kept.len() }
    }
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// The id that the agent gave it.
    pub id: Option<String>,
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The server that it is one of, where that is said.
    pub server: Option<String>,
    /// What the tool got.
    pub input: Value,
}

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Came {
    /// The id of the call.
    pub id: Option<String>,
    /// What the model was told.
    pub text: Text,
    /// Whether the agent calls it an error.
    pub is_error: bool,
    /// The exit status, where it is said.
    pub status: Option<i64>,
    /// How long it took, in milliseconds, where it is said.
    pub took: Option<u64>,
}

/// What an answer of a model took. One answer may say it in several lines: what has the same key counts once, as it stands last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// The answer.
    pub key: String,
    /// Tokens that were sent, without those of a cache.
    pub input: u64,
    /// Tokens that came back.
    pub output: u64,
    /// Tokens that were read from a cache.
    pub cached: u64,
    /// Tokens that were written to one.
    pub written: u64,
    /// What it cost, in dollars, where that is said.
    pub cost: Option<f64>,
}

/// What a transcript says of the session itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) session: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) title: Option<String>,
}

impl Head {
    /// Takes what was not said before.
    pub(super) fn or(&mut self, other: Self) {
        self.session = self.session.take().or(other.session);
        self.cwd = self.cwd.take().or(other.cwd);
        self.title = self.title.take().or(other.title);
    }
}

/// Returns a text in a field.
pub(super) fn text(value: &Value, path: &str) -> Option<String> {
    Some(value.pointer(path)?.as_str()?.to_owned())
}

/// Returns a number in a field; none is 0.
pub(super) fn number(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_default()
}

/// Returns a time in a field: a text, or milliseconds since 1970.
pub(super) fn time(value: &Value, path: &str) -> Option<Timestamp> {
    match value.pointer(path)? {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => Timestamp::from_millisecond(number.as_i64()?).ok(),
        _ => None,
    }
}

/// Returns the texts of what may be a text, or a list of parts. Of what is no text it is said what it is.
pub(super) fn parts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let parts = parts.iter().map(part).filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        Value::Object(_) => part(value),
        other => other.to_string(),
    }
}

fn part(part: &Value) -> String {
    let inner = ["/text", "/content", "/output", "/functionResponse/response/output"];
    if let Value::String(text) = part {
        return text.clone();
    }
    if let Some(found) = inner.iter().find_map(|path| part.pointer(path)) {
        return parts(found);
    }
    match part.get("type").and_then(Value::as_str) {
        Some(kind) => format!("[{kind}, not shown]"),
        None if part.get("inlineData").is_some() => "[data, not shown]".to_owned(),
        None => part.to_string(),
    }
}

/// Returns the exit status that stands behind some words of what a client tells its model.
pub(super) fn status(text: &str, words: &str) -> Option<i64> {
    let behind = &text[text.find(words)? + words.len()..];
    let behind = behind.trim_start();
    let end = behind.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(behind.len());
    behind[..end].parse().ok()
}
