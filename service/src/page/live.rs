//! *Live*: decisions as they are made.

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::audit::Filter;
use maud::{Markup, PreEscaped, html};

use super::gate::Token;
use super::stream::{self, To};
use super::{Shared, html as parts, rows};

/// Calls that are there when the page is opened.
const FIRST: usize = 100;

/// The page.
pub async fn page(State(page): State<Shared>) -> Markup {
    let (store, home) = (page.store.clone(), page.home.clone());
    let shown = tokio::task::spawn_blocking(move || {
        let newest = store.newest(Filter::default()).ok()?;
        let entries = newest.take(FIRST).filter_map(Result::ok);
        Some(entries.map(|entry| rows::row(&entry, home.as_deref()).0).collect::<String>())
    });
    let shown = PreEscaped(shown.await.ok().flatten().unwrap_or_default());
    let body = html! {
        form #filter role="search" aria-label="Filter" {
            label { "Text " input name="text" type="search" autocomplete="off"; }
            label { "Agent " input name="agent" autocomplete="off"; }
            label { "Session " input name="session" autocomplete="off"; }
            label { "Project " input name="project" autocomplete="off"; }
            label { "Action " select name="action" {
                option value="" { "any" }
                @for action in ["allow", "contain", "ask", "deny"] { option { (action) } }
            } }
            label { "At least " select name="severity" {
                option value="" { "any" }
                @for severity in ["medium", "high", "critical"] { option { (severity) } }
            } }
            label.check { input #pause type="checkbox"; " Pause" }
        }
        noscript { p.trouble { "Without JavaScript this page shows the newest calls as they were when it was loaded." } }
        (rows::table(&shown))
    };
    parts::page("Live", "/live", &body)
}

/// The stream of events that a browser follows, for as long as it has its seat.
pub async fn events(State(page): State<Shared>, Extension(token): Extension<Token>) -> Response {
    let Some(mut life) = page.seats().life(&token.0) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    // It is over where there is nobody any more who could say so.
    let life = Box::pin(async move { while life.changed().await.is_ok() {} });
    stream::follow(page, To::Page, life, None).unwrap_or_else(|| {
        let wait = [("retry-after", "5")];
        (StatusCode::SERVICE_UNAVAILABLE, wait, "too many pages follow: wait\n").into_response()
    })
}
