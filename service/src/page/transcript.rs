//! *Transcripts*: what agents keep of their sessions themselves, and one of them with our decision beside each call.

use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::approval::text::short;
use guarded_sh::approval::visible;
use guarded_sh::hooks::{self, Call, ToolKind};
use maud::{Markup, html};
use serde::Deserialize;

use super::html::address;
use super::kept::{Opened, Whole, of_record};
use super::spoken::Spoken;
use super::timeline::{self, Beside, Headed};
use super::{Page, Shared, html as parts};
use crate::transcripts::{
    At, Called, Error, Item, Opening, Paged, Pairs, Session, Text, Uncovered, Usage, What, place,
    size,
};

/// The columns of the list.
const COLUMNS: [&str; 4] =
    ["sessions-last", "rows-agent", "transcripts-size", "transcripts-project"];
/// Sessions on one page of the list.
const LISTED: usize = 50;
/// How long a page waits for what is known of a transcript as a whole.
const PATIENCE: Duration = Duration::from_millis(400);
/// Earlier calls that are drawn anew because something came of them.
const ANEW: usize = 20;

/// Which transcripts are listed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Listed {
    agent: String,
    skip: usize,
}

/// Which transcript, and which part of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Chosen {
    agent: String,
    session: String,
    before: Option<String>,
    until: Option<String>,
    from: Option<String>,
    call: Option<String>,
}

/// The list: agents, projects and sessions, the newest first.
pub async fn list(
    State(page): State<Shared>,
    Query(listed): Query<Listed>,
    language: Spoken,
) -> Markup {
    let drawn = tokio::task::spawn_blocking(move || drawn_list(&page, &listed, language));
    let drawn = drawn.await.unwrap_or_default();
    parts::page(language, &language.say("page-transcripts"), "/transcripts", &drawn)
}

fn drawn_list(page: &Page, listed: &Listed, language: Spoken) -> Markup {
    let agent = Some(listed.agent.as_str()).filter(|agent| !agent.is_empty());
    let (sessions, errors) = page.kept.transcripts.sessions(agent);
    let count = sessions.len();
    let shown: Vec<(Session, Result<Opening, Error>)> = sessions
        .into_iter()
        .skip(listed.skip)
        .take(LISTED)
        .map(|session| {
            let opening = page.kept.transcripts.opening(&session);
            (session, opening)
        })
        .collect();
    let mut agents: Vec<&str> = page.kept.transcripts.roots().map(|(agent, _)| agent).collect();
    agents.dedup();
    let at = |agent: &str, skip: usize| {
        address("/transcripts", &[("agent", agent), ("skip", &skip.to_string())])
    };
    html! {
        p { (language.say("transcripts-evidence")) }
        nav.spans aria-label=(language.say("page-agents")) {
            @for name in std::iter::once("").chain(agents) {
                @let label = if name.is_empty() { language.say("transcripts-all") } else { name.into() };
                @if name == listed.agent { a href=(at(name, 0)) aria-current="true" { (label) } } @else { a href=(at(name, 0)) { (label) } }
                " "
            }
        }
        @for error in &errors { (parts::trouble(language, &error.to_string())) }
        @if shown.is_empty() {
            p.empty { (language.say("transcripts-empty")) }
            p.dim { (language.say("transcripts-looked")) }
            ul.dim { @for (agent, root) in page.kept.transcripts.roots() { li { (agent) ": " code { (visible(&short(&root.to_string_lossy(), page.home.as_deref()))) } } } }
        } @else {
            div.scroll tabindex="0" role="region" aria-label=(language.say("page-transcripts")) { table.calls {
                thead { tr { @for key in COLUMNS { th scope="col" { (language.say(key)) } } } }
                tbody { @for (session, opening) in &shown { (row(session, opening, page.home.as_deref(), language)) } }
            } }
            nav.pages aria-label=(language.say("page-pages")) {
                @if listed.skip > 0 { a href=(at(&listed.agent, listed.skip.saturating_sub(LISTED))) { (language.say("transcripts-newer")) } " " }
                @if listed.skip + LISTED < count { a href=(at(&listed.agent, listed.skip + LISTED)) { (language.say("transcripts-older")) } " " }
                span.dim { (language.count("transcripts-count", count as u64)) }
            }
        }
    }
}

fn row(
    session: &Session,
    opening: &Result<Opening, Error>,
    home: Option<&str>,
    language: Spoken,
) -> Markup {
    // Where the list knows what is wrong with it, its name says nothing more.
    let unread = |why: &Error| match session.problem {
        Some(problem) => {
            language.0.meaning(&format!("It {problem}, so it is not read")).into_owned()
        }
        None => language.0.meaning(&why.to_string()).into_owned(),
    };
    let id = opening.as_ref().ok().and_then(|opening| opening.id.as_deref());
    let id = if session.is_helper { &session.id } else { id.unwrap_or(&session.id) };
    html! { tr {
        td { a href=(of(session.agent(), id)) { (parts::time(session.modified)) } }
        td { (session.agent()) @if session.is_helper { " " span.dim { (language.say("timeline-helper")) } } }
        td { @match session.bytes { Some(bytes) => (language.0.meaning(&size(bytes))), None => "—" } }
        td.text {
            @match opening {
                Err(why) => span.failed { (visible(&unread(why))) },
                Ok(opening) => {
                    (visible(&short(opening.cwd.as_deref().unwrap_or("—"), home)))
                    @if let Some(title) = &opening.title { br; span.dim { (visible(title)) } }
                },
            }
        }
    } }
}

/// Returns the address of a transcript.
pub fn of(agent: &str, session: &str) -> String {
    address("/transcript", &[("agent", agent), ("session", session)])
}

/// One transcript.
pub async fn page(
    State(page): State<Shared>,
    Query(chosen): Query<Chosen>,
    language: Spoken,
) -> Response {
    let drawn = tokio::task::spawn_blocking(move || {
        let title = language.say("session-transcript");
        let whole = |body: &Markup| parts::page(language, &title, "/transcripts", body);
        match drawn_page(&page, &chosen, language) {
            Ok(body) => whole(&body).into_response(),
            Err(why) => {
                (StatusCode::NOT_FOUND, whole(&parts::trouble(language, &why))).into_response()
            }
        }
    });
    drawn.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// What was written since, in the form in which the page has it.
pub async fn since(
    State(page): State<Shared>,
    Query(chosen): Query<Chosen>,
    language: Spoken,
) -> Response {
    let drawn = tokio::task::spawn_blocking(move || match drawn_since(&page, &chosen, language) {
        Ok(body) => body.into_response(),
        Err(why) => (StatusCode::NOT_FOUND, why).into_response(),
    });
    drawn.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

impl Chosen {
    fn at(&self) -> At {
        At::named(self.before.clone(), self.until.clone(), self.from.clone())
    }
}

fn drawn_page(page: &Page, chosen: &Chosen, language: Spoken) -> Result<Markup, String> {
    let name = (chosen.agent.as_str(), chosen.session.as_str());
    let opened = page.opened(name, chosen.call.as_deref(), &chosen.at(), |_, _| Vec::new())?;
    let list = entries(&opened, language);
    let Opened { session, opening, id, paged, whole, .. } = &opened;
    let name = address("", &[("agent", session.agent()), ("session", &session.id)]);
    Ok(html! {
        (head(page, session, opening, id, language))
        div #whole { (about(whole, session.agent(), id, language)) }
        nav.pages aria-label=(language.say("page-pages")) {
            @if let Some((before, until)) = &paged.before {
                a rel="prev" href=(address("/transcript", &[("agent", session.agent()), ("session", id), ("before", before), ("until", until.as_deref().unwrap_or_default())][..if until.is_some() { 4 } else { 3 }])) { (language.say("record-earlier")) } " "
            }
            @if paged.has_more { a href=(of(session.agent(), id)) { (language.say("transcript-newest")) } }
        }
        ol.timeline #timeline data-transcript=(name.trim_start_matches('?')) data-end=(paged.end) data-follows=(!paged.has_more) { (list) }
        @if paged.items.is_empty() { p.empty { (language.say("transcript-nothing")) } }
        p.dim #unfinished { @if let Some(why) = &paged.unfinished { (visible(&language.0.meaning(why))) } }
        @if paged.has_more { nav.pages aria-label=(language.say("transcript-further")) {
            a rel="next" href=(address("/transcript", &[("agent", session.agent()), ("session", id), ("from", &paged.end)])) { (language.say("transcript-later")) }
        } }
    })
}

fn head(page: &Page, session: &Session, opening: &Opening, id: &str, language: Spoken) -> Markup {
    let home = page.home.as_deref();
    html! {
        p.head {
            strong { (session.agent()) } @if session.is_helper { " (" (language.say("timeline-helper")) ")" }
            @if let Some(cwd) = &opening.cwd { " " (language.say("now-in")) " " code { (visible(&short(cwd, home))) } }
        }
        p.dim {
            code { (visible(id)) } " · " code { (visible(&short(&session.path().to_string_lossy(), home))) }
            @if let Some(bytes) = session.bytes { " · " (language.0.meaning(&size(bytes))) }
        }
        p { a href=(address("/session", &[("id", &of_record(session.agent(), id))])) { (language.say("transcript-in-record")) } }
    }
}

/// What is known of the whole: sums, and what no decision covers.
pub fn about(whole: &Result<Whole, String>, agent: &str, id: &str, language: Spoken) -> Markup {
    let sum = |key, count| html! { dt { (language.say(key)) } dd { (language.0.number(count)) } };
    let whole = match whole {
        Ok(whole) => whole,
        Err(why) => return parts::trouble(language, why),
    };
    html! {
        (alarm(whole, agent, id, language))
        @if !whole.is_read_out {
            p role="status" #reading { (language.say("transcript-reading")) " " progress max=(whole.of.max(1)) value=(whole.read) { } " " (language.say("transcript-not-all")) }
        }
        dl.sums {
            (sum("transcript-prompts", whole.prompts))
            (sum("transcript-calls", whole.calls))
            @if whole.used != Usage::default() { dt { (language.say("transcript-used")) } dd { (timeline::tokens(&whole.used, language)) } }
            @if whole.damaged > 0 { dt { (language.say("transcript-damage")) } dd { (language.count("transcript-damaged", whole.damaged)) } }
        }
    }
}

/// Says which calls have no decision.
fn alarm(whole: &Whole, agent: &str, id: &str, language: Spoken) -> Markup {
    let coverage = &whole.coverage;
    let values = [("count", coverage.without.into()), ("checked", coverage.checked.into())];
    let untold = coverage.without - coverage.told.len() as u64;
    html! {
        @if let Some(why) = whole.unsure {
            p role="status" { (language.0.meaning(why)) }
        } @else if coverage.without > 0 {
            section.trouble.alarm aria-label=(language.say("overview-coverage")) {
                p { strong { (language.tell("transcript-uncovered", &values)) } }
                p { (language.say("transcript-either")) }
                details { summary { (language.say("transcript-which")) }
                    ul.points { @for one in &coverage.told { (uncovered(one, agent, id, language)) } }
                    @if untold > 0 { p.dim { (language.count("transcript-more", untold)) } }
                }
            }
        } @else if coverage.checked > 0 {
            p.all-decided { (language.count("transcript-covered", coverage.checked)) }
        }
        @if coverage.before > 0 { p.dim { (language.count("transcript-older", coverage.before)) } }
        @if whole.more_calls > 0 { p.trouble { (language.count("transcript-uncompared", whole.more_calls)) } }
    }
}

fn uncovered(one: &Uncovered, agent: &str, id: &str, language: Spoken) -> Markup {
    let (field, place) = match place(&one.at) {
        At::Before(place, _) => ("before", place),
        At::From(place) | At::After(place) => ("from", place),
        At::End => ("from", String::new()),
    };
    let place = address("/transcript", &[("agent", agent), ("session", id), (field, &place)]);
    html! { li {
        @if let Some(time) = one.time { a href=(place) { (parts::time(time)) } } @else { a href=(place) { (language.say("transcript-there")) } }
        " " strong { (visible(&one.title)) } " " code { (visible(one.line.strip_prefix(&one.title).unwrap_or(&one.line).trim_start())) }
    } }
}

/// Returns what a call's head says.
pub fn headed(agent: &str, called: &Called) -> Headed {
    let call = Call {
        tool: called.tool.clone(),
        server: called.server.clone(),
        id: None,
        input: called.input.clone(),
    };
    let settings = guarded_sh::config::McpSettings::default();
    let work = hooks::named(agent).map(|agent| hooks::work(agent, &call, &settings));
    let Some(work) = work else {
        return Headed { title: called.tool.clone(), line: String::new(), acts: true };
    };
    let acts =
        matches!(work.kind, ToolKind::Shell | ToolKind::Write | ToolKind::Edit | ToolKind::Mcp);
    let line = work.line.unwrap_or(work.subject);
    Headed { title: work.title, line, acts }
}

fn entries(opened: &Opened, language: Spoken) -> Markup {
    let nothing = std::collections::HashMap::new();
    let matched = opened.whole.as_ref().map_or(&nothing, |whole| &whole.beside);
    let beside = Beside { matched, rows: &opened.rows, came: &opened.paged.came };
    let head = |called: &Called| headed(opened.session.agent(), called);
    let drawn = timeline::items(&opened.paged.items, &beside, head, language);
    html! { @for (_, item) in drawn { (item) } }
}

fn drawn_since(page: &Page, chosen: &Chosen, language: Spoken) -> Result<Markup, String> {
    let name = (chosen.agent.as_str(), chosen.session.as_str());
    let more = |session: &Session, paged: &Paged| earlier(page, session, paged);
    let opened = page.opened(name, None, &chosen.at(), more)?;
    let list = entries(&opened, language);
    let Opened { session, id, paged, whole, .. } = &opened;
    Ok(html! {
        ol data-end=(paged.end) data-more=(paged.has_more) { (list) }
        div.whole { (about(whole, session.agent(), id, language)) }
        p.unfinished { @if let Some(why) = &paged.unfinished { (visible(&language.0.meaning(why))) } }
    })
}

/// Returns the calls, drawn before, of which something came only now.
fn earlier(page: &Page, session: &Session, paged: &Paged) -> Vec<Item> {
    let pairs = Pairs::of(&paged.items, &[]);
    let ids = paged.items.iter().filter_map(|item| match &item.what {
        What::Came(came) if !pairs.has_call(came) => came.id.as_ref(),
        _ => None,
    });
    let mut found = Vec::new();
    for id in ids.take(ANEW) {
        let place = page.kept.scans.ask(session, PATIENCE, |scan| scan.place(id)).ok().flatten();
        let Some(place) = place else { continue };
        let Ok(there) = page.kept.transcripts.page(session, &place) else { continue };
        found.extend(there.items.into_iter().find(
            |item| matches!(&item.what, What::Called(called) if called.id.as_ref() == Some(id)),
        ));
    }
    found
}

/// A text that is told as a whole, for exports.
pub fn told(text: &Text) -> String {
    match text.more {
        0 => text.text.clone(),
        more => format!("{}… ({more} bytes more)", text.text),
    }
}
