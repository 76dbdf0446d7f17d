//! *Sessions*: the conversations of agents, and one of them as a time line: what was said, called, decided and came of it, from the record and from what the agent
//! keeps itself.

use axum::extract::{Query, State};
use guarded_sh::approval::text::short;
use guarded_sh::approval::visible;
use guarded_sh::audit::words;
use maud::{Markup, html};
use serde::Deserialize;

use super::conversation::{Conversation, Own, Part, in_order};
use super::html::address;
use super::kept::Whole;
use super::spoken::Spoken;
use super::timeline::{self, Beside};
use super::{Page, Shared, ended, files, html as parts, rows, transcript, work};
use crate::index::{Row, SessionRow};
use crate::transcripts::Called;

/// The columns of the list.
const COLUMNS: [&str; 6] = [
    "sessions-last",
    "rows-agent",
    "rows-calls",
    "sessions-asked",
    "sessions-refused",
    "live-project",
];
/// Sessions that are listed.
const LISTED: usize = 200;
/// Calls of a session that are shown at once.
pub const SHOWN: usize = 500;
/// Files that are named.
const FILES: usize = 100;

/// Which session.
#[derive(Clone, Debug, Deserialize)]
pub struct Chosen {
    id: String,
    /// Only calls with a lower number than this.
    before: Option<u64>,
}

/// All sessions, the newest first.
pub async fn list(State(page): State<Shared>, language: Spoken) -> Markup {
    let listed = page.ask(|index| index.sessions(LISTED)).await;
    let home = page.home.as_deref();
    let body = html! {
        (work::of_index(&page, language))
        @match listed {
            Err(why) => (parts::trouble(language, &why)),
            Ok(sessions) if sessions.is_empty() => p.empty { (language.say("sessions-empty")) },
            Ok(sessions) => (table(&sessions, home, language)),
        }
    };
    parts::page(language, &language.say("page-sessions"), "/sessions", &body)
}

fn table(sessions: &[SessionRow], home: Option<&str>, language: Spoken) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(language.say("page-sessions")) {
            table.calls {
                thead { tr { @for key in COLUMNS { th scope="col" { (language.say(key)) } } } }
                tbody { @for one in sessions { tr {
                    td { a href=(address("/session", &[("id", &one.session)])) { (parts::time(one.last)) } }
                    td { (visible(one.agent.as_deref().unwrap_or("—"))) }
                    // On a small screen there is no head that says what they are.
                    @for (key, count) in [("rows-calls", one.calls), ("sessions-asked", one.asked), ("sessions-refused", one.refused)] {
                        td data-name=(language.say(key)) { (language.0.number(count)) }
                    }
                    td.text { (visible(&short(one.project.as_deref().unwrap_or_default(), home))) span.dim { " " (visible(&one.session)) } }
                } } }
            }
        }
    }
}

/// One session: what the person typed, what was called, decided and came of it, oldest first.
pub async fn page(
    State(page): State<Shared>,
    Query(chosen): Query<Chosen>,
    language: Spoken,
) -> Markup {
    let drawn = tokio::task::spawn_blocking(move || {
        drawn(&page, &chosen, language).unwrap_or_else(|why| parts::trouble(language, &why))
    });
    let drawn = drawn.await.unwrap_or_default();
    parts::page(language, &language.say("live-session"), "/sessions", &drawn)
}

fn drawn(page: &Page, chosen: &Chosen, language: Spoken) -> Result<Markup, String> {
    let Conversation { known, earlier, parts: own, alone } =
        Conversation::read(page, &chosen.id, chosen.before, SHOWN)?;
    let mut told = Vec::new();
    for Part { own, items, whole, rows } in &own {
        if let Ok(whole) = whole {
            let beside = Beside { matched: &whole.beside, rows, came: &[] };
            let agent = own.session.agent();
            let head = |called: &Called| transcript::headed(agent, called);
            told.extend(timeline::items(items, &beside, head, language));
        }
    }
    let home = page.home.as_deref();
    told.extend(alone.iter().map(|call| (Some(call.time), decided(call, language))));
    let names = own.iter().map(|one| {
        let session = &one.own.session;
        let name = address("", &[("agent", session.agent()), ("session", &session.id)]);
        name.trim_start_matches('?').to_owned()
    });
    let names = names.collect::<Vec<_>>().join("\n");
    let name = address("", &[("id", &chosen.id)]);
    let name = name.trim_start_matches('?');
    Ok(html! {
        div #session data-session=(name) data-transcripts=(names) {
            (work::of_index(page, language))
            (summary(chosen, known.as_ref(), home, language))
            @for Part { own, whole, .. } in &own { (kept(own, whole, language)) }
            p #more.trouble role="status" hidden { (language.say("session-more")) " " a href=(address("/session", &[("id", &chosen.id)])) { (language.say("session-load")) } }
            @if let Some(first) = earlier {
                p { a href=(address("/session", &[("id", &chosen.id), ("before", &first.to_string())])) { (language.say("record-earlier")) } }
            }
            @if told.is_empty() { p.empty { (language.say("session-empty")) } }
            ol.timeline { @for item in in_order(told) { (item) } }
        }
    })
}

fn summary(
    chosen: &Chosen,
    known: Option<&SessionRow>,
    home: Option<&str>,
    language: Spoken,
) -> Markup {
    let counts = |known: &SessionRow| {
        let SessionRow { calls, asked, refused, .. } = *known;
        let values =
            [("calls", calls.into()), ("asked", asked.into()), ("refused", refused.into())];
        language.tell("session-counts", &values)
    };
    let export = |form: &str| address("/session/export", &[("id", &chosen.id), ("as", form)]);
    html! {
        p.head {
            @if let Some(known) = known {
                strong { (visible(known.agent.as_deref().unwrap_or(&language.say("session-no-agent")))) }
                @if let Some(project) = &known.project { " " (language.say("now-in")) " " code { (visible(&short(project, home))) } }
            }
        }
        p.dim { code { (visible(&chosen.id)) } }
        @if let Some(known) = known {
            dl.sums {
                dt { (language.say("session-time")) } dd { (parts::time(known.first)) " – " (parts::time(known.last)) }
                dt { (language.say("session-decided")) } dd { (counts(known)) }
            }
        }
        p { a href=(files::of_session(&chosen.id)) { (language.say("files-link")) } }
        p { (language.say("session-export")) " " a href=(export("jsonl")) download { "JSON Lines" } " · " a href=(export("markdown")) download { "Markdown" } }
    }
}

/// What the agent keeps of the session.
fn kept(own: &Own, whole: &Result<Whole, String>, language: Spoken) -> Markup {
    let (agent, id) = (own.session.agent(), own.id());
    let title = language.say("session-transcript");
    html! {
        section.kept aria-label=(title) {
            p { a href=(transcript::of(agent, id)) { (title) } " " span.dim { (language.tell("session-kept-by", &[("agent", agent.into())])) } }
            (transcript::about(whole, agent, id, language))
            @if let Ok(whole) = whole && !whole.files.is_empty() {
                details { summary { (language.count("session-files", whole.files.len() as u64)) }
                    ul.points { @for (file, times) in whole.files.iter().take(FILES) { li { code { (visible(file)) } @if *times > 1 { " " span.dim { (language.count("record-times", *times)) } } } } }
                }
            }
        }
    }
}

/// A decision of a call that no transcript has.
fn decided(call: &Row, language: Spoken) -> Markup {
    let happened = words::happened(call);
    let line = guarded_sh::model::head(&call.line, timeline::HEAD);
    html! {
        li.decided {
            span.when { (parts::time(call.time)) }
            div.what {
                p.head { @if call.typed { strong { (language.say("timeline-person")) } " " } code { (visible(line)) @if line.len() < call.line.len() { "…" } } }
                p.beside { a href={ "/call/" (call.sequence) } { (parts::severity(language, call.severity)) " " (language.0.meaning(&happened)) } @if let Some(line) = ended::of(call.witnessed.as_deref()) { (ended::shown(&line, language)) } }
            }
        }
    }
}

/// Returns a call that the index found as a row.
pub fn row(call: &Row, home: Option<&str>, language: Spoken) -> Markup {
    let shown = rows::Shown {
        number: call.sequence,
        time: call.time,
        agent: call.agent.as_deref(),
        session: call.session.as_deref(),
        project: call.project.as_deref(),
        action: call.action,
        severity: call.severity,
        happened: &words::happened(call),
        line: &call.line,
        home,
    };
    rows::drawn(language, &shown)
}
