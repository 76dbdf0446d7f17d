//! *Sessions*: the conversations of agents, and one of them as a time line.

use axum::extract::{Query, State};
use guarded_sh::approval::text::short;
use guarded_sh::approval::visible;
use guarded_sh::audit::words;
use maud::{Markup, html};
use serde::Deserialize;

use super::html::address;
use super::{Shared, html as parts, rows};
use crate::index::{Row, SessionRow, Wanted};

/// Sessions that are listed.
const LISTED: usize = 200;
/// Calls of a session that are shown at once.
const SHOWN: usize = 500;

/// Which session.
#[derive(Clone, Debug, Deserialize)]
pub struct Chosen {
    id: String,
    /// Only calls with a lower number than this.
    before: Option<u64>,
}

/// All sessions, the newest first.
pub async fn list(State(page): State<Shared>) -> Markup {
    let listed = page.ask(|index| index.sessions(LISTED)).await;
    let home = page.home.as_deref();
    let body = html! {
        (page.standing_of_index())
        @match listed {
            Err(why) => p.trouble { (visible(&why)) },
            Ok(sessions) if sessions.is_empty() => p.empty { "The record has no session yet." },
            Ok(sessions) => (table(&sessions, home)),
        }
    };
    parts::page("Sessions", "/sessions", &body)
}

fn table(sessions: &[SessionRow], home: Option<&str>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Sessions" {
            table.calls {
                thead { tr { th scope="col" { "Last" } th scope="col" { "Agent" } th scope="col" { "Calls" } th scope="col" { "Asked" } th scope="col" { "Refused" } th scope="col" { "Project" } } }
                tbody { @for one in sessions { tr {
                    td { a href=(address("/session", &[("id", &one.session)])) { (parts::time(one.last)) } }
                    td { (visible(one.agent.as_deref().unwrap_or("—"))) }
                    td { (one.calls) }
                    td { (one.asked) }
                    td { (one.refused) }
                    td.text { (visible(&short(one.project.as_deref().unwrap_or_default(), home))) span.dim { " " (visible(&one.session)) } }
                } } }
            }
        }
    }
}

/// One session: what the person typed, what was called, decided and came of it, oldest first.
pub async fn page(State(page): State<Shared>, Query(chosen): Query<Chosen>) -> Markup {
    let wanted = Wanted {
        session: Some(chosen.id.clone()),
        before: chosen.before,
        without_aside: true,
        limit: SHOWN,
        ..Wanted::default()
    };
    let found = page.ask(move |index| index.calls(&wanted)).await;
    let body = html! {
        p.dim { code { (visible(&chosen.id)) } }
        @match found {
            Err(why) => p.trouble { (visible(&why)) },
            Ok(mut calls) => {
                @if calls.len() == SHOWN && let Some(first) = calls.last() {
                    p { a href=(address("/session", &[("id", &chosen.id), ("before", &first.sequence.to_string())])) { "Earlier" } }
                }
                @let () = calls.reverse();
                (line(&calls, page.home.as_deref()))
            }
        }
    };
    parts::page("Session", "", &body)
}

fn line(calls: &[Row], home: Option<&str>) -> Markup {
    if calls.is_empty() {
        return html! { p.empty { "The record has nothing of this session." } };
    }
    rows::table(&html! { @for call in calls { (row(call, home)) } })
}

/// Returns a call that the index found as a row.
pub fn row(call: &Row, home: Option<&str>) -> Markup {
    rows::drawn(&rows::Shown {
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
    })
}
