//! A session as a file: what was said, called, decided and came of it, as JSON Lines for programs or as Markdown for people. Written as it is read, so that its
//! length costs nothing.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::fmt::Write as _;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use guarded_sh::audit::words;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use utoipa::ToSchema;

use super::conversation::{Own, own};
use super::kept::{Whole, masked};
use super::timeline::pretty;
use super::{Shared, transcript};
use crate::index::{Row, Wanted};
use crate::transcripts::{At, Item, Matched, What};

/// Decisions that are written; who has more is told.
const DECISIONS: usize = 10_000;
/// Messages that may be written anew.
const MESSAGES: usize = 200_000;
/// How long is waited until a transcript is read to its end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pieces that are made ahead of whoever reads.
const AHEAD: usize = 8;

/// Which session, and in which form.
#[derive(Clone, Debug, Deserialize)]
pub struct Chosen {
    id: String,
    #[serde(rename = "as")]
    form: Form,
}

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// One thing that happened a line.
    Jsonl,
    /// For people.
    Markdown,
}

/// Whether secrets are masked in what transcripts say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// It stands as the agent wrote it.
    Stand,
    /// They are masked as in the record.
    Masked,
}

/// The file.
pub async fn session(State(page): State<Shared>, Query(chosen): Query<Chosen>) -> Response {
    file(page, chosen.id, chosen.form, Secrets::Stand)
}

/// Returns a session as a file.
pub fn file(page: Shared, id: String, form: Form, secrets: Secrets) -> Response {
    let (kind, end) = match form {
        Form::Jsonl => ("application/jsonl; charset=utf-8", "jsonl"),
        Form::Markdown => ("text/markdown; charset=utf-8", "md"),
    };
    // Nothing but letters of the id, which is another's word.
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let name: String = id.chars().take(80).map(plain).collect();
    let (say, said) = channel(AHEAD);
    tokio::task::spawn_blocking(move || {
        let mut out = Out { say, form, secrets };
        if let Err(Stopped::Why(why)) = write(&page, &id, &mut out) {
            // Who reads has gone, or is told.
            let _ = out.put(None, "trouble", &json!({ "text": why }));
        }
    });
    let body = Body::from_stream(stream::unfold(said, next));
    let disposition = format!("attachment; filename=\"session-{name}.{end}\"");
    ([(CONTENT_TYPE, kind.to_owned()), (CONTENT_DISPOSITION, disposition)], body).into_response()
}

async fn next(mut said: Receiver<String>) -> Option<(Result<Bytes, Infallible>, Receiver<String>)> {
    let piece = said.recv().await?;
    Some((Ok(Bytes::from(piece)), said))
}

/// Why no more is written.
enum Stopped {
    /// Nobody reads it any more.
    Gone,
    /// Something cannot be read.
    Why(String),
}

struct Out {
    say: Sender<String>,
    form: Form,
    secrets: Secrets,
}

impl Out {
    /// Writes one thing that happened.
    fn put(&self, time: Option<Timestamp>, kind: &str, fields: &Value) -> Result<(), Stopped> {
        let masked = match self.secrets {
            Secrets::Stand => Cow::Borrowed(fields),
            Secrets::Masked => Cow::Owned(without_secrets(fields)),
        };
        let fields = &*masked;
        let text = match self.form {
            Form::Jsonl => {
                let mut line = json!({ "time": time.map(|time| time.to_string()), "kind": kind });
                if let (Some(line), Some(fields)) = (line.as_object_mut(), fields.as_object()) {
                    line.extend(fields.clone());
                }
                format!("{line}\n")
            }
            Form::Markdown => markdown(time, kind, fields),
        };
        self.say.blocking_send(text).map_err(|_| Stopped::Gone)
    }
}

/// Returns what happened with the secrets masked where others wrote it: ids stay, by which things are told apart.
fn without_secrets(fields: &Value) -> Value {
    let mut fields = fields.clone();
    for name in ["text", "line", "input"] {
        if let Some(field) = fields.get_mut(name) {
            *field = masked(field.take());
        }
    }
    fields
}

fn write(page: &Shared, id: &str, out: &mut Out) -> Result<(), Stopped> {
    let wanted = Wanted { session: Some(id.to_owned()), limit: DECISIONS, ..Wanted::default() };
    let (mut calls, known) = page
        .found
        .ask(|index| Ok((index.calls(&wanted)?, index.session(id)?)))
        .map_err(Stopped::Why)?;
    calls.reverse();
    let own = own(page, id, known.as_ref());
    let agent = known.as_ref().and_then(|known| known.agent.clone());
    let project = known.as_ref().and_then(|known| known.project.clone());
    out.put(known.as_ref().map(|known| known.first), "session", &json!({
        "session": id, "agent": agent, "project": project,
        "note": "What stands in a transcript is the agent's own word: evidence, and never authority. Decisions are the record's.",
    }))?;
    if calls.len() == DECISIONS {
        let text = format!("Only the newest {DECISIONS} decisions are here.");
        out.put(None, "trouble", &json!({ "text": text }))?;
    }
    let mut calls = Alone { calls: calls.into_iter().peekable(), beside: HashSet::new() };
    for one in &own {
        transcript(page, one, &mut calls, out)?;
    }
    calls.until(None, out)
}

/// Decisions that stand beside no call of a transcript.
struct Alone {
    calls: std::iter::Peekable<std::vec::IntoIter<Row>>,
    beside: HashSet<u64>,
}

impl Alone {
    /// Writes those up to some time.
    fn until(&mut self, time: Option<Timestamp>, out: &Out) -> Result<(), Stopped> {
        while let Some(row) = self.calls.next_if(|row| time.is_none_or(|time| row.time <= time)) {
            if !self.beside.contains(&row.sequence) {
                out.put(Some(row.time), "decision", &decision(&row, None))?;
            }
        }
        Ok(())
    }
}

fn transcript(page: &Shared, own: &Own, calls: &mut Alone, out: &Out) -> Result<(), Stopped> {
    let whole = page.whole(&own.session, own.id(), &[], PATIENCE).map_err(Stopped::Why)?;
    calls.beside.extend(whole.coverage.matched.iter().filter_map(|found| found.sequence()));
    out.put(whole.first, "transcript", &json!({
        "agent": own.session.agent(), "session": own.id(), "file": own.session.path(), "cwd": own.opening.cwd,
        "prompts": whole.prompts, "calls": whole.calls, "is_whole": whole.is_read_out,
        "checked": whole.coverage.checked, "without_decision": whole.coverage.without, "older_than_record": whole.coverage.before,
        "input_tokens": whole.used.input, "output_tokens": whole.used.output, "cache_read_tokens": whole.used.cached,
        "cache_write_tokens": whole.used.written, "cost": whole.used.cost,
    }))?;
    let last = last_written(page, own)?;
    each(page, own, |item| {
        let message = item.key.rsplit_once('-').map_or("", |(message, _)| message);
        if last.get(message).is_some_and(|at| *at != item.at) {
            return Ok(());
        }
        if let Some(time) = item.time {
            calls.until(Some(time), out)?;
        }
        put(page, own, &whole, &item, out)
    })
}

/// Goes through a transcript from its beginning.
fn each(
    page: &Shared,
    own: &Own,
    mut take: impl FnMut(Item) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let mut at = At::After(if own.session.bytes.is_some() { "0" } else { "" }.to_owned());
    loop {
        let paged = page.kept.transcripts.page(&own.session, &at);
        let paged = paged.map_err(|error| Stopped::Why(error.to_string()))?;
        for item in paged.items {
            take(item)?;
        }
        if !paged.has_more {
            return Ok(());
        }
        at = At::After(paged.end);
    }
}

/// Returns where messages were written last that are written anew.
fn last_written(page: &Shared, own: &Own) -> Result<HashMap<String, String>, Stopped> {
    let mut last = HashMap::new();
    if own.session.agent() != "gemini" {
        return Ok(last);
    }
    each(page, own, |item| {
        let message = item.key.rsplit_once('-').map_or("", |(message, _)| message);
        if message.starts_with('m') && (last.len() < MESSAGES || last.contains_key(message)) {
            last.insert(message.to_owned(), item.at);
        }
        Ok(())
    })?;
    Ok(last)
}

fn put(page: &Shared, own: &Own, whole: &Whole, item: &Item, out: &Out) -> Result<(), Stopped> {
    let (kind, mut fields) = match &item.what {
        What::Said(who, text) => (who.name(), json!({ "text": transcript::told(text) })),
        What::Called(called) => {
            let found = whole.beside.get(&item.key).copied().unwrap_or(Matched::None);
            let number = found.sequence();
            let rows = page.decided(number.into_iter()).map_err(Stopped::Why)?;
            let row = number.and_then(|number| rows.get(&number));
            let headed = transcript::headed(own.session.agent(), called);
            let decision = row.map(|row| decision(row, Some(found)));
            let input = &called.input;
            (
                "call",
                json!({ "id": called.id, "tool": called.tool, "line": headed.line, "input": input, "decision": decision }),
            )
        }
        What::Came(came) => (
            "result",
            json!({ "id": came.id, "is_error": came.is_error, "status": came.status, "milliseconds": came.took, "text": transcript::told(&came.text) }),
        ),
        What::Used(usage) => (
            "usage",
            json!({ "answer": usage.key, "input_tokens": usage.input, "output_tokens": usage.output, "cache_read_tokens": usage.cached, "cache_write_tokens": usage.written, "cost": usage.cost }),
        ),
        What::Damaged(why) => ("damage", json!({ "text": why })),
    };
    for (name, is_so) in [("is_helper", item.is_helper), ("is_taken_back", item.is_withdrawn)] {
        if is_so {
            fields[name] = json!(true);
        }
    }
    out.put(item.time, kind, &fields)
}

fn decision(row: &Row, found: Option<Matched>) -> Value {
    let mut value = serde_json::to_value(row).unwrap_or_default();
    value["happened"] = json!(words::happened(row));
    let by = match found {
        Some(Matched::Id(_)) => "id",
        Some(Matched::Content(_)) => "content",
        Some(Matched::Several(_)) => "several",
        Some(Matched::None) | None => return value,
    };
    value["matched_by"] = json!(by);
    value
}

/// One thing as Markdown: what others wrote stands between fences, so that nothing of it is drawn, loaded or linked to.
fn markdown(time: Option<Timestamp>, kind: &str, fields: &Value) -> String {
    let time = time.map(|time| format!(" · {time:.0}")).unwrap_or_default();
    let level = if matches!(kind, "session" | "transcript") { "#" } else { "##" };
    let mut text = format!("{level} {kind}{time}\n\n");
    let inner = match fields.get("text").and_then(Value::as_str) {
        Some(said) => said.to_owned(),
        None => pretty(fields),
    };
    let inner = guarded_sh::approval::visible(&inner);
    let fence = fence(&inner);
    // Writing to a string cannot fail.
    let _ = write!(text, "{fence}text\n{inner}\n{fence}\n\n");
    text
}

/// Returns a fence that stands nowhere in a text.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}
