//! One call of the record, as a row of a list and as a page of its own.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::approval::text::short;
use guarded_sh::approval::{self, visible};
use guarded_sh::audit::{Entry, Filter, Id, Record, words};
use guarded_sh::model::{Action, Severity};
use jiff::Timestamp;
use maud::{Markup, html};

use super::spoken::Spoken;
use super::{Shared, ended, files, html as parts, said};

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

/// Returns a call of the record as a row.
pub fn row(language: Spoken, entry: &Entry, home: Option<&str>) -> Markup {
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
    drawn(language, &shown)
}

/// Returns a call as a row. What it is filtered by stands in its attributes.
pub fn drawn(language: Spoken, call: &Shown<'_>) -> Markup {
    // As it is shown, so that what is seen is what is found.
    let agent = visible(call.agent.unwrap_or_default());
    let session = visible(call.session.unwrap_or_default());
    let project = call.project.unwrap_or_default();
    html! {
        tr data-number=(call.number) data-agent=(agent) data-session=(session) data-project=(visible(project)) data-action=(call.action.name()) data-severity=(call.severity.name()) {
            td { a href={ "/call/" (call.number) } { (parts::time(call.time)) } }
            td { (if agent.is_empty() { "—" } else { &*agent }) }
            td { (parts::severity(language, call.severity)) }
            td { (language.0.meaning(call.happened)) }
            td.text { code { (cut(&visible(call.line))) } span.dim { " " (visible(&short(project, call.home))) } }
        }
    }
}

/// Returns rows in a table.
pub fn table(language: Spoken, rows: &Markup) -> Markup {
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
pub async fn page(
    State(page): State<Shared>,
    Path(number): Path<u64>,
    language: Spoken,
) -> Response {
    let store = page.store.clone();
    let found = tokio::task::spawn_blocking(move || {
        let filter = Filter { id: Some(Id::Number(number)), ..Filter::default() };
        store.newest(filter)?.next().transpose()
    });
    match found.await {
        Ok(Ok(Some(entry))) => {
            let title = language.tell("call-title", &[("number", number.to_string().into())]);
            let body = whole(&entry, page.home.as_deref(), language);
            parts::page(language, &title, "", &body).into_response()
        }
        Ok(Ok(None)) => {
            absent(StatusCode::NOT_FOUND, "the record has no call of this number", language)
        }
        Ok(Err(error)) => absent(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string(), language),
        Err(_) => {
            absent(StatusCode::INTERNAL_SERVER_ERROR, "the record could not be read", language)
        }
    }
}

fn absent(status: StatusCode, why: &str, language: Spoken) -> Response {
    let body = parts::trouble(language, why);
    (status, parts::page(language, &language.say("call-one"), "", &body)).into_response()
}

fn whole(entry: &Entry, home: Option<&str>, language: Spoken) -> Markup {
    let record = entry.decisive();
    let say = |key| language.say(key);
    let happened = words::happened(entry);
    let found = |id: &str| {
        let command = format!("guarded-sh undo show {id}");
        parts::words(&language.tell("call-undo", &[("command", command.into())]))
    };
    html! {
        p.head { (parts::severity(language, record.severity)) " " strong { (language.0.meaning(&happened)) } " " (parts::time(record.time)) }
        pre.line tabindex="0" aria-label=(say("page-the-line")) { code { (visible(&record.line.text)) } }
        @if let Some(rest) = &record.line.rest { p.dim { (language.count("call-more-bytes", rest.bytes)) } }
        dl {
            (field(&say("rows-agent"), record.caller.as_deref()))
            @if let Some(session) = &record.session { dt { (say("live-session")) } dd { a href=(parts::address("/session", &[("id", session)])) { (visible(session)) } } }
            @if let Some(there) = transcript(entry) { dt { (say("session-transcript")) } dd { a href=(there) { (say("call-kept")) } } }
            (field(&say("call-directory"), record.cwd.as_deref().map(|cwd| short(cwd, home)).as_deref()))
            @if let Some(purpose) = entry.records().find_map(|record| record.client.as_ref()?.purpose.as_deref()) { dt { (say("call-claims")) } dd { (visible(purpose)) } }
            @if let Some(ended) = entry.records().find_map(|record| record.ended.as_deref()) { dt { (say("call-ended")) } dd { (ended::of_client(ended, language)) } }
            @if let Some(line) = ended::of(entry.records().find_map(|record| record.ran.as_deref())) { dt { (say("call-ended")) } dd { (ended::shown(&line, language)) } }
            @if let Some(id) = entry.records().find_map(|record| record.undo.as_ref()?.id.as_deref()) { dt { (say("call-before")) } dd { a href=(files::of_line(id)) { (say("files-link")) } ". " (found(id)) } }
            (field(&say("call-score"), Some(&language.tell("call-safe", &[("score", record.score.get().into())]))))
            (field(&say("call-judged"), Some(&language.count("call-micros", record.micros))))
        }
        @if !record.findings.is_empty() {
            h2 { (say("call-found")) }
            ul.points { @for noted in &record.findings {
                li { (parts::severity(language, noted.severity)) " " (visible(&language.0.meaning(&noted.reason))) " " code.dim { (visible(&noted.rule)) } }
            } }
        }
        @if let Some(opinion) = &record.opinion { p.opinion { (visible(&approval::words::heard(opinion, language.0))) } }
        @if record.line.rest.is_none() {
            @let fields = [("line", record.line.text.as_str()), ("directory", record.cwd.as_deref().unwrap_or_default())];
            p { a href=(parts::address("/try", &fields)) { (say("call-again")) } }
        }
        h2 { (say("call-course")) }
        ol.doors { @for record in entry.records() { (door(record, language)) } }
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

fn door(record: &Record, language: Spoken) -> Markup {
    let decided = words::sentence(record);
    html! {
        li {
            (parts::time(record.time)) " " (visible(&said::door(record, language))) ": " (language.0.meaning(&decided))
            @if let Some(question) = &record.question { br; (visible(&said::question(question, record.decided_by, language))) }
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
