//! One call, seen through several doors: the agent's hook before it, the shell that runs it, the hook after it. The first record holds all of it;
//! one that comes later names that by its number (`ref`), and holds what is new. Decides nothing by it: a record of a call proves no other.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::glance::glance;
use super::record::{Door, Earlier, Record, Stored};

/// Bytes at the end of a file in which an earlier record is looked for: some dozens of records, which is more than agents do at once between a
/// hook and the shell.
const WINDOW: u64 = 64 << 10;

/// How many records are remembered when they are read: more than a window can hold.
const REMEMBERED: usize = 512;

/// What a later record does not say again where it is the same, with what it says where it has nothing.
const SHARED: [(&str, Empty); 14] = [
    ("session", Empty::Null),
    ("caller", Empty::Null),
    ("host", Empty::Null),
    ("user", Empty::Null),
    ("version", Empty::Null),
    ("policy", Empty::Null),
    ("cwd", Empty::Null),
    ("line", Empty::Null),
    ("rest", Empty::Null),
    ("severity", Empty::Null),
    ("score", Empty::Null),
    ("findings", Empty::List),
    ("scripts", Empty::List),
    ("mode", Empty::Null),
];

/// What stands for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Empty {
    Null,
    List,
}

impl Empty {
    const fn value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::List => Value::Array(Vec::new()),
        }
    }
}

/// The first record of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct First {
    pub(super) sequence: u64,
    fields: Map<String, Value>,
}

/// What is looked at of a record to see whether it is of the same call.
#[derive(Deserialize)]
struct Seen {
    sequence: u64,
    #[serde(rename = "ref", default)]
    reference: Option<u64>,
    #[serde(default)]
    door: Door,
    #[serde(default)]
    pid: u32,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    caller: Option<String>,
    #[serde(default)]
    hook: Option<SeenHook>,
    #[serde(default)]
    client: Option<SeenClient>,
}

#[derive(Deserialize)]
struct SeenClient {
    job: String,
}

#[derive(Deserialize)]
struct SeenHook {
    #[serde(default)]
    call: Option<String>,
    #[serde(default)]
    digest: Option<String>,
    #[serde(default)]
    outcome: Option<serde::de::IgnoredAny>,
}

/// What a call is known by.
enum Key<'a> {
    /// The id that the agent gave it.
    Call(&'a str),
    /// The digest of its line.
    Digest(String),
    /// The id that the service gave the call of a client.
    Job(&'a str),
}

impl Key<'_> {
    fn text(&self) -> &str {
        match self {
            Self::Call(id) | Self::Job(id) => id,
            Self::Digest(digest) => digest,
        }
    }

    /// Whether a record is the first of this call.
    fn fits(&self, seen: &Seen) -> bool {
        let hook = seen.hook.as_ref();
        // What came of a call is no beginning of one.
        if hook.is_some_and(|hook| hook.outcome.is_some()) {
            return false;
        }
        let hook = hook.filter(|_| seen.door == Door::Hook);
        match self {
            Self::Call(id) => hook.is_some_and(|hook| hook.call.as_deref() == Some(id)),
            Self::Digest(digest) => hook.is_some_and(|hook| hook.digest.as_ref() == Some(digest)),
            Self::Job(id) => {
                let client = seen.client.as_ref().filter(|_| seen.door == Door::Client);
                client.is_some_and(|client| client.job == *id)
            }
        }
    }
}

fn key(record: &Record) -> Option<Key<'_>> {
    if record.earlier == Earlier::No {
        return None;
    }
    if let (Some(client), Some(_)) = (&record.client, &record.ended) {
        return Some(Key::Job(&client.job));
    }
    let Some(hook) = &record.hook else {
        return Some(Key::Digest(record.line.digest()));
    };
    let call = hook.call.as_deref().map(Key::Call);
    call.or_else(|| hook.digest.clone().map(Key::Digest))
}

/// Returns the first record of the call that a record is of, looked for at the end of the file that it goes to.
pub(super) fn find(file: &File, length: u64, record: &Record) -> io::Result<Option<First>> {
    let Some(key) = key(record) else { return Ok(None) };
    let start = length.saturating_sub(WINDOW);
    let mut bytes = vec![0; usize::try_from(length - start).unwrap_or_default()];
    file.read_exact_at(&mut bytes, start)?;
    // Other records are text as well; what is none is no record. To replace what is none takes ten times as long as to see that nothing is.
    let text =
        str::from_utf8(&bytes).map_or_else(|_| String::from_utf8_lossy(&bytes), Cow::Borrowed);
    let lines: Vec<&str> = text.lines().collect();
    // The first is cut, unless the file begins with it.
    let lines = if start == 0 { &lines[..] } else { lines.get(1..).unwrap_or_default() };
    Ok(among(lines, &key, record))
}

fn among(lines: &[&str], key: &Key<'_>, record: &Record) -> Option<First> {
    let mut taken: Vec<u64> = Vec::new();
    for line in lines.iter().rev().filter(|line| !is_shells_first(line)) {
        // A look at the text spares reading what is of other calls.
        let continues = line.contains("\"ref\":");
        if !continues && !line.contains(key.text()) {
            continue;
        }
        let Ok(seen) = serde_json::from_str::<Seen>(line) else { continue };
        if let Some(reference) = seen.reference {
            // Another process ran it already: this is the same line once more, past the hook.
            if seen.door == Door::Shell && seen.pid != record.pid {
                taken.push(reference);
            }
            continue;
        }
        if key.fits(&seen) && is_of(&seen, record) {
            let is_taken = record.door == Door::Shell && taken.contains(&seen.sequence);
            let first = || Some(First { sequence: seen.sequence, fields: fields(line)? });
            return if is_taken { None } else { first() };
        }
    }
    None
}

/// Whether a record is of a shell and continues no other, as nearly all are: seen by what its line begins with.
fn is_shells_first(line: &str) -> bool {
    let behind_number = line
        .strip_prefix("{\"sequence\":")
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let time = behind_number.and_then(|rest| rest.strip_prefix(",\"time\":\""));
    let behind_time = time.and_then(|rest| rest.split_once('"')).map(|(_, rest)| rest);
    behind_time.is_some_and(|rest| rest.starts_with(',') && !rest.starts_with(",\"door\":"))
}

/// Of the same conversation; where the shell was not told which, of the same agent.
fn is_of(seen: &Seen, record: &Record) -> bool {
    match &record.session {
        Some(_) => seen.session == record.session,
        None => record.caller.is_some() && seen.caller == record.caller,
    }
}

fn fields(line: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(line).ok()? {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// Returns what is written of a record that continues another one.
pub(super) fn continued(
    record: &Record,
    first: &First,
) -> Result<Map<String, Value>, serde_json::Error> {
    let Value::Object(mut fields) = serde_json::to_value(record)? else { return Ok(Map::new()) };
    for (key, empty) in SHARED {
        match (first.fields.get(key), fields.get(key)) {
            (Some(first), Some(now)) if first == now => drop(fields.shift_remove(key)),
            (Some(_), None) => drop(fields.insert(key.to_owned(), empty.value())),
            _ => {}
        }
    }
    Ok(fields)
}

/// The records that others may continue, as they are read.
#[derive(Debug, Default)]
pub(super) struct Firsts {
    all: VecDeque<(u64, Vec<u8>)>,
}

impl Firsts {
    /// Returns the record of a line without its newline, with what it does not say again.
    pub(super) fn stored(&mut self, line: Vec<u8>) -> Result<Stored, serde_json::Error> {
        let Numbers { sequence, reference } = Numbers::of(&line)?;
        let first = self.all.iter().find(|(first, _)| Some(*first) == reference);
        let stored = stored(&line, first.map(|(_, line)| line.as_slice()))?;
        if reference.is_none() {
            self.remember(sequence, line);
        }
        Ok(stored)
    }

    /// Returns the first record of a call.
    pub(super) fn first(&self, sequence: u64) -> Option<Stored> {
        let (_, line) = self.all.iter().find(|(first, _)| *first == sequence)?;
        stored(line, None).ok()
    }

    /// Takes note of a line that is the first of its call, and is not read by itself.
    pub(super) fn remember(&mut self, sequence: u64, line: Vec<u8>) {
        if self.all.len() == REMEMBERED {
            self.all.pop_front();
        }
        self.all.push_back((sequence, line));
    }
}

/// The numbers that a record has of itself and its call.
#[derive(Deserialize)]
struct Numbers {
    sequence: u64,
    #[serde(rename = "ref", default)]
    reference: Option<u64>,
}

impl Numbers {
    fn of(line: &[u8]) -> Result<Self, serde_json::Error> {
        match glance(line) {
            Some(seen) => Ok(Self { sequence: seen.sequence, reference: seen.reference }),
            None => serde_json::from_slice(line),
        }
    }
}

/// Returns the number of the first record of the call that a line is of, if it continues one.
pub(super) fn reference(line: &[u8]) -> Result<Option<u64>, serde_json::Error> {
    Numbers::of(line).map(|numbers| numbers.reference)
}

/// Returns the record of a line, with what it does not say again because the first of its call does.
pub(super) fn stored(line: &[u8], first: Option<&[u8]>) -> Result<Stored, serde_json::Error> {
    let Some(first) = first else { return serde_json::from_slice(line) };
    let mut fields: Map<String, Value> = serde_json::from_slice(line)?;
    let first: Map<String, Value> = serde_json::from_slice(first)?;
    for (key, _) in SHARED {
        if let (false, Some(value)) = (fields.contains_key(key), first.get(key)) {
            fields.insert(key.to_owned(), value.clone());
        }
    }
    serde_json::from_value(fields.into())
}

#[cfg(test)]
mod tests {
    use super::is_shells_first;

    #[test]
    fn what_is_not_seen_to_be_a_shells_first_is_looked_at() {
        for (line, is_first) in [
            (r#"{"sequence":7,"time":"2026-11-22T04:18:26.1Z","session":"a","pid":1}"#, true),
            (r#"{"sequence":7,"time":"2026-11-22T04:18:26.1Z","pid":1,"hook":{}}"#, true),
            (r#"{"sequence":7,"time":"2026-11-22T04:18:26.1Z","door":"hook","pid":1}"#, false),
            (r#"{"sequence":7,"ref":3,"time":"2026-11-22T04:18:26.1Z","pid":1}"#, false),
            (r#"{"time":"2026-11-22T04:18:26.1Z","sequence":7,"pid":1}"#, false),
            (r#"{"sequence":7,"time":"2026-11-22T04:18:26"#, false),
            (r#"{"sequence":7"#, false),
            ("", false),
        ] {
            assert_eq!(is_shells_first(line), is_first, "{line}");
        }
    }
}
