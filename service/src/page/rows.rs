//! One call of the record, as a row of a list and as a page of its own.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::approval::text::short;
use guarded_sh::approval::{visible, words as said};
use guarded_sh::audit::{Entry, Filter, Id, Record, words};
use guarded_sh::language::Language;
use guarded_sh::model::{Action, Severity};
use jiff::Timestamp;
use maud::{Markup, html};

use super::spoken::Spoken;
use super::{Shared, ended, files, html as parts};

/// The columns of a table of calls.
const COLUMNS: [&str; 5] =
    ["rows-when", "rows-agent", "rows-severity", "rows-happened", "rows-line"];
/// Bytes of a line that a row shows.
const SHOWN: usize = 400;

/// What a row shows of a call.
pub struct Shown<'c> {
    pub number: u64,
    pub time: Timestamp,
    pub agent: Option<&'c str>,
    pub session: Option<&'c str>,
    pub project: Option<&'c str>,
    pub action: Action,
    pub severity: Severity,
    /// What became of it, in few words.
    pub happened: &'c str,
    pub line: &'c str,
    /// The home that paths are shortened by.
    pub home: Option<&'c str>,
}

/// Returns a call of the record as a row, in an English page.
pub fn row(entry: &Entry, home: Option<&str>) -> Markup {
    row_in(Spoken::ENGLISH, entry, home)
}

/// Returns a call of the record as a row.
pub fn row_in(language: Spoken, entry: &Entry, home: Option<&str>) -> Markup {
    let record = entry.decisive();
    let shown = Shown {
        number: entry.first.sequence,
        time: record.time,
        agent: record.caller.as_deref(),
        session: record.session.as_deref(),
        project: record.cwd.as_deref(),
        action: record.action,
        severity: record.severity,
        happened: &words::happened(entry),
        line: &record.line.text,
        home,
    };
    drawn_in(language, &shown)
}

/// Returns a call as a row, in an English page.
pub fn drawn(call: &Shown<'_>) -> Markup {
    drawn_in(Spoken::ENGLISH, call)
}

/// Returns a call as a row. What it is filtered by stands in its attributes.
pub fn drawn_in(language: Spoken, call: &Shown<'_>) -> Markup {
    // As it is shown, so that what is seen is what is found.
    let agent = visible(call.agent.unwrap_or_default());
    let session = visible(call.session.unwrap_or_default());
    let project = call.project.unwrap_or_default();
    html! {
        tr data-number=(call.number) data-agent=(agent) data-session=(session) data-project=(visible(project)) data-action=(call.action.name()) data-severity=(call.severity.name()) {
            td { a href={ "/call/" (call.number) } { (parts::time(call.time)) } }
            td { (if agent.is_empty() { "—" } else { &*agent }) }
            td { (parts::severity_in(language, call.severity)) }
            td { (language.0.meaning(call.happened)) }
            td.text { code { (cut(&visible(call.line))) } span.dim { " " (visible(&short(project, call.home))) } }
        }
    }
}

/// Returns rows in a table, in an English page.
pub fn table(rows: &Markup) -> Markup {
    table_in(Spoken::ENGLISH, rows)
}

/// Returns rows in a table.
pub fn table_in(language: Spoken, rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(language.say("rows-calls")) {
            table.calls {
                thead { tr { @for key in COLUMNS { th scope="col" { (language.say(key)) } } } }
                tbody #calls { (rows) }
            }
        }
    }
}

/// The page about one call: all that the record has of it.
pub async fn page(State(page): State<Shared>, Path(number): Path<u64>) -> Response {
    let store = page.store.clone();
    let found = tokio::task::spawn_blocking(move || {
        let filter = Filter { id: Some(Id::Number(number)), ..Filter::default() };
        store.newest(filter)?.next().transpose()
    });
    match found.await {
        Ok(Ok(Some(entry))) => {
            parts::page(&format!("Call {number}"), "", &whole(&entry, page.home.as_deref()))
                .into_response()
        }
        Ok(Ok(None)) => absent(StatusCode::NOT_FOUND, "the record has no call of this number"),
        Ok(Err(error)) => absent(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        Err(_) => absent(StatusCode::INTERNAL_SERVER_ERROR, "the record could not be read"),
    }
}

fn absent(status: StatusCode, why: &str) -> Response {
    (status, parts::page("Call", "", &html! { p.trouble { (visible(why)) } })).into_response()
}

fn whole(entry: &Entry, home: Option<&str>) -> Markup {
    let record = entry.decisive();
    html! {
        p.head { (parts::severity(record.severity)) " " strong { (words::happened(entry)) } " " (parts::time(record.time)) }
        pre.line tabindex="0" aria-label="The line" { code { (visible(&record.line.text)) } }
        @if let Some(rest) = &record.line.rest { p.dim { "and " (rest.bytes) " bytes more" } }
        dl {
            (field("Agent", record.caller.as_deref()))
            @if let Some(session) = &record.session { dt { "Session" } dd { a href=(parts::address("/session", &[("id", session)])) { (visible(session)) } } }
            @if let Some(there) = transcript(entry) { dt { "Transcript" } dd { a href=(there) { "What the agent keeps of it" } } }
            (field("Directory", record.cwd.as_deref().map(|cwd| short(cwd, home)).as_deref()))
            @if let Some(line) = ended::of(entry.records().find_map(|record| record.ran.as_deref())) { dt { "Ended" } dd { (ended::shown(&line)) } }
            @if let Some(id) = entry.records().find_map(|record| record.undo.as_ref()?.id.as_deref()) { dt { "Kept before" } dd { a href=(files::of_line(id)) { "What it changed" } ", as " code { "guarded-sh undo show " (visible(id)) } " says too" } }
            (field("Score", Some(&format!("{} of 100 safe", record.score.get()))))
            (field("Judged in", Some(&format!("{} µs", record.micros))))
        }
        @if !record.findings.is_empty() {
            h2 { "What was found" }
            ul.points { @for noted in &record.findings {
                li { (parts::severity(noted.severity)) " " (visible(&noted.reason)) " " code.dim { (visible(&noted.rule)) } }
            } }
        }
        @if let Some(opinion) = &record.opinion { p.opinion { (visible(&said::heard(opinion, Language::English))) } }
        h2 { "Who saw it, and what was decided" }
        ol.doors { @for record in entry.records() { (door(record)) } }
    }
}

/// Returns where the agent's own transcript has the call, if the agent's session is known.
fn transcript(entry: &Entry) -> Option<String> {
    let record = &entry.first.record;
    let (agent, id) = record.session.as_deref()?.split_once(':')?;
    guarded_sh::hooks::named(agent)?;
    let call = entry.records().find_map(|record| record.hook.as_ref()?.call.as_deref());
    let fields = [("agent", agent), ("session", id), ("call", call.unwrap_or_default())];
    Some(parts::address("/transcript", &fields[..if call.is_some() { 3 } else { 2 }]))
}

fn door(record: &Record) -> Markup {
    html! {
        li {
            (parts::time(record.time)) " " (visible(&words::door(record))) ": " (words::sentence(record))
            @if let Some(question) = &record.question { br; (words::question(question, record.decided_by)) }
        }
    }
}

fn field(name: &str, value: Option<&str>) -> Markup {
    html! { @if let Some(value) = value { dt { (name) } dd { (visible(value)) } } }
}

/// The beginning of a line.
fn cut(line: &str) -> String {
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
