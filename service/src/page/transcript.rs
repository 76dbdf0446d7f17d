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
use super::kept::{Whole, of_record};
use super::timeline::{self, Beside, Headed, grouped};
use super::{Page, Shared, html as parts};
use crate::transcripts::{
    At, Called, Error, Item, Opening, Paged, Scan, Session, Text, Uncovered, Usage, What, place,
    size,
};

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
pub async fn list(State(page): State<Shared>, Query(listed): Query<Listed>) -> Markup {
    let drawn = tokio::task::spawn_blocking(move || drawn_list(&page, &listed));
    parts::page("Transcripts", "/transcripts", &drawn.await.unwrap_or_default())
}

fn drawn_list(page: &Page, listed: &Listed) -> Markup {
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
        p { "What agents keep of their sessions themselves. An agent can write it: it is evidence, and never authority." }
        nav.spans aria-label="Agents" {
            @for name in std::iter::once("").chain(agents) {
                @let label = if name.is_empty() { "all" } else { name };
                @if name == listed.agent { a href=(at(name, 0)) aria-current="true" { (label) } } @else { a href=(at(name, 0)) { (label) } }
                " "
            }
        }
        @for error in &errors { p.trouble { (visible(&error.to_string())) } }
        @if shown.is_empty() {
            p.empty { "There is no transcript." }
            p.dim { "Looked for in:" }
            ul.dim { @for (agent, root) in page.kept.transcripts.roots() { li { (agent) ": " code { (visible(&short(&root.to_string_lossy(), page.home.as_deref()))) } } } }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Transcripts" { table.calls {
                thead { tr { th scope="col" { "Last" } th scope="col" { "Agent" } th scope="col" { "Size" } th scope="col" { "Project, and how it began" } } }
                tbody { @for (session, opening) in &shown { (row(session, opening, page.home.as_deref())) } }
            } }
            nav.pages aria-label="Pages" {
                @if listed.skip > 0 { a href=(at(&listed.agent, listed.skip.saturating_sub(LISTED))) { "Newer" } " " }
                @if listed.skip + LISTED < count { a href=(at(&listed.agent, listed.skip + LISTED)) { "Older" } " " }
                span.dim { (count) " in all" }
            }
        }
    }
}

fn row(session: &Session, opening: &Result<Opening, Error>, home: Option<&str>) -> Markup {
    let id = opening.as_ref().ok().and_then(|opening| opening.id.as_deref());
    let id = if session.is_helper { &session.id } else { id.unwrap_or(&session.id) };
    html! { tr {
        td { a href=(of(session.agent(), id)) { (parts::time(session.modified)) } }
        td { (session.agent()) @if session.is_helper { span.dim { " helper" } } }
        td { @match session.bytes { Some(bytes) => (size(bytes)), None => "—" } }
        td.text {
            @match opening {
                Err(why) => span.failed { (visible(session.problem.map_or_else(|| why.to_string(), |problem| format!("It {problem}, so it is not read")).as_str())) },
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
pub async fn page(State(page): State<Shared>, Query(chosen): Query<Chosen>) -> Response {
    let drawn = tokio::task::spawn_blocking(move || match drawn_page(&page, &chosen) {
        Ok(body) => parts::page("Transcript", "/transcripts", &body).into_response(),
        Err(why) => {
            let body = html! { p.trouble { (visible(&why)) } };
            let body = parts::page("Transcript", "/transcripts", &body);
            (StatusCode::NOT_FOUND, body).into_response()
        }
    });
    drawn.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// What was written since, in the form in which the page has it.
pub async fn since(State(page): State<Shared>, Query(chosen): Query<Chosen>) -> Response {
    let drawn = tokio::task::spawn_blocking(move || match drawn_since(&page, &chosen) {
        Ok(body) => body.into_response(),
        Err(why) => (StatusCode::NOT_FOUND, why).into_response(),
    });
    drawn.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

impl Chosen {
    fn at(&self) -> At {
        match (&self.before, &self.from) {
            (Some(before), _) => At::Before(before.clone(), self.until.clone()),
            (None, Some(from)) => At::From(from.clone()),
            (None, None) => At::End,
        }
    }
}

fn drawn_page(page: &Page, chosen: &Chosen) -> Result<Markup, String> {
    let told = |error: Error| error.to_string();
    let session = page.kept.transcripts.session(&chosen.agent, &chosen.session).map_err(told)?;
    page.kept.watch.watch(&session);
    let opening = page.kept.transcripts.opening(&session).map_err(told)?;
    let id =
        if session.is_helper { &session.id } else { opening.id.as_ref().unwrap_or(&session.id) };
    let sought = chosen.call.as_deref().and_then(|call| {
        let place = |scan: &Scan| scan.place(call);
        page.kept.scans.ask(&session, PATIENCE * 10, place).ok().flatten()
    });
    let at = match &sought {
        Some(place) => place.clone(),
        None => chosen.at(),
    };
    let paged = page.kept.transcripts.page(&session, &at).map_err(told)?;
    let whole = page.whole(&session, id, &paged.items, PATIENCE);
    let list = entries(page, &session, &paged, whole.as_ref().ok())?;
    let name = address("", &[("agent", session.agent()), ("session", &session.id)]);
    Ok(html! {
        (head(page, &session, &opening, id))
        div #whole { (about(&whole, session.agent(), id)) }
        nav.pages aria-label="Pages" {
            @if let Some((before, until)) = &paged.before {
                a rel="prev" href=(address("/transcript", &[("agent", session.agent()), ("session", id), ("before", before), ("until", until.as_deref().unwrap_or_default())][..if until.is_some() { 4 } else { 3 }])) { "Earlier" } " "
            }
            @if paged.has_more { a href=(of(session.agent(), id)) { "Newest" } }
        }
        ol.timeline #timeline data-transcript=(name.trim_start_matches('?')) data-end=(paged.end) data-follows=(!paged.has_more) { (list) }
        @if paged.items.is_empty() { p.empty { "Nothing is said on this page." } }
        p.dim #unfinished { @if let Some(why) = &paged.unfinished { (visible(why)) } }
        @if paged.has_more { nav.pages aria-label="Further" {
            a rel="next" href=(address("/transcript", &[("agent", session.agent()), ("session", id), ("from", &paged.end)])) { "Later" }
        } }
    })
}

fn head(page: &Page, session: &Session, opening: &Opening, id: &str) -> Markup {
    let home = page.home.as_deref();
    html! {
        p.head {
            strong { (session.agent()) } @if session.is_helper { " (helper)" }
            @if let Some(cwd) = &opening.cwd { " in " code { (visible(&short(cwd, home))) } }
        }
        p.dim {
            code { (visible(id)) } " · " code { (visible(&short(&session.path().to_string_lossy(), home))) }
            @if let Some(bytes) = session.bytes { " · " (size(bytes)) }
        }
        p { a href=(address("/session", &[("id", &of_record(session.agent(), id))])) { "The session in the record" } }
    }
}

/// What is known of the whole: sums, and what no decision covers.
pub fn about(whole: &Result<Whole, String>, agent: &str, id: &str) -> Markup {
    let whole = match whole {
        Ok(whole) => whole,
        Err(why) => return html! { p.trouble { (visible(why)) } },
    };
    html! {
        (alarm(whole, agent, id))
        @if !whole.is_read_out {
            p role="status" #reading { "It is being read: " progress max=(whole.of.max(1)) value=(whole.read) { } " Sums and coverage are not of all of it yet." }
        }
        dl.sums {
            dt { "Prompts" } dd { (grouped(whole.prompts)) }
            dt { "Tool calls" } dd { (grouped(whole.calls)) }
            @if whole.used != Usage::default() { dt { "Used" } dd { (timeline::tokens(&whole.used)) } }
            @if whole.damaged > 0 { dt { "Damage" } dd { (grouped(whole.damaged)) " lines of which not all can be read" } }
        }
    }
}

/// Says which calls have no decision.
fn alarm(whole: &Whole, agent: &str, id: &str) -> Markup {
    let coverage = &whole.coverage;
    html! {
        @if let Some(why) = whole.unsure {
            p role="status" { (why) }
        } @else if coverage.without > 0 {
            section.trouble.alarm aria-label="Coverage" {
                p { strong { (grouped(coverage.without)) " of " (grouped(coverage.checked)) " calls that run commands or change files " (if coverage.without == 1 { "has" } else { "have" }) " no decision of ours." } }
                p { "Either they ran past the guard, or the transcript does not tell the truth: the agent can write it. It is evidence, and never authority." }
                details { summary { "Which" }
                    ul.points { @for one in &coverage.told { (uncovered(one, agent, id)) } }
                    @if coverage.without > coverage.told.len() as u64 { p.dim { "And " (coverage.without - coverage.told.len() as u64) " more." } }
                }
            }
        } @else if coverage.checked > 0 {
            p.all-decided { "Each of the " (grouped(coverage.checked)) " calls that run commands or change files has a decision of ours." }
        }
        @if coverage.before > 0 { p.dim { (grouped(coverage.before)) " calls are older than the record." } }
        @if whole.more_calls > 0 { p.trouble { (grouped(whole.more_calls)) " calls more are too many to be compared with the record." } }
    }
}

fn uncovered(one: &Uncovered, agent: &str, id: &str) -> Markup {
    let (field, place) = match place(&one.at) {
        At::Before(place, _) => ("before", place),
        At::From(place) | At::After(place) => ("from", place),
        At::End => ("from", String::new()),
    };
    let place = address("/transcript", &[("agent", agent), ("session", id), (field, &place)]);
    html! { li {
        @if let Some(time) = one.time { a href=(place) { (parts::time(time)) } } @else { a href=(place) { "There" } }
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

fn entries(
    page: &Page,
    session: &Session,
    paged: &Paged,
    whole: Option<&Whole>,
) -> Result<Markup, String> {
    let nothing = std::collections::HashMap::new();
    let matched = whole.map_or(&nothing, |whole| &whole.beside);
    let numbers = paged.items.iter().filter_map(|item| matched.get(&item.key)?.sequence());
    let rows = page.decided(numbers)?;
    let beside = Beside { matched, rows: &rows, came: &paged.came };
    let drawn = timeline::items(&paged.items, &beside, |called| headed(session.agent(), called));
    Ok(html! { @for (_, item) in drawn { (item) } })
}

fn drawn_since(page: &Page, chosen: &Chosen) -> Result<Markup, String> {
    let told = |error: Error| error.to_string();
    let session = page.kept.transcripts.session(&chosen.agent, &chosen.session).map_err(told)?;
    let opening = page.kept.transcripts.opening(&session).map_err(told)?;
    let id =
        if session.is_helper { &session.id } else { opening.id.as_ref().unwrap_or(&session.id) };
    let mut paged = page.kept.transcripts.page(&session, &chosen.at()).map_err(told)?;
    let earlier = earlier(page, &session, &paged);
    paged.items.splice(0..0, earlier);
    let whole = page.whole(&session, id, &paged.items, PATIENCE);
    let list = entries(page, &session, &paged, whole.as_ref().ok())?;
    Ok(html! {
        ol data-end=(paged.end) data-more=(paged.has_more) { (list) }
        div.whole { (about(&whole, session.agent(), id)) }
        p.unfinished { @if let Some(why) = &paged.unfinished { (visible(why)) } }
    })
}

/// Returns the calls, drawn before, of which something came only now.
fn earlier(page: &Page, session: &Session, paged: &Paged) -> Vec<Item> {
    let calls: Vec<&str> = paged
        .items
        .iter()
        .filter_map(|item| match &item.what {
            What::Called(called) => called.id.as_deref(),
            _ => None,
        })
        .collect();
    let ids: Vec<String> = paged
        .items
        .iter()
        .filter_map(|item| match &item.what {
            What::Came(came) => came.id.clone().filter(|id| !calls.contains(&id.as_str())),
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    for id in ids.iter().take(ANEW) {
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
