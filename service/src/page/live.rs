//! *Live*: decisions as they are made.

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::audit::Filter;
use guarded_sh::model::Severity;
use maud::{Markup, PreEscaped, html};

use super::gate::Token;
use super::spoken::Spoken;
use super::stream::{self, To};
use super::{Shared, html as parts, rows};

/// Calls that are there when the page is opened.
const FIRST: usize = 100;

/// What is done with lines, and its name.
pub const ACTIONS: [(&str, &str); 4] = [
    ("allow", "action-allow"),
    ("contain", "action-contain"),
    ("ask", "action-ask"),
    ("deny", "action-deny"),
];

/// The page.
pub async fn page(State(page): State<Shared>, language: Spoken) -> Markup {
    let (store, home) = (page.store.clone(), page.home.clone());
    let shown = tokio::task::spawn_blocking(move || {
        let newest = store.newest(Filter::default()).ok()?;
        let entries = newest.take(FIRST).filter_map(Result::ok);
        Some(
            entries.map(|entry| rows::row(language, &entry, home.as_deref()).0).collect::<String>(),
        )
    });
    let shown = PreEscaped(shown.await.ok().flatten().unwrap_or_default());
    let body = html! {
        form #filter role="search" aria-label=(language.say("live-filter")) {
            label { (language.say("live-text")) " " input name="text" type="search" autocomplete="off"; }
            label { (language.say("live-agent")) " " input name="agent" autocomplete="off"; }
            label { (language.say("live-session")) " " input name="session" autocomplete="off"; }
            label { (language.say("live-project")) " " input name="project" autocomplete="off"; }
            label { (language.say("live-action")) " " select name="action" {
                option value="" { (language.say("live-any")) }
                @for (action, key) in ACTIONS { option value=(action) { (language.say(key)) } }
            } }
            label { (language.say("live-least")) " " select name="severity" {
                option value="" { (language.say("live-any")) }
                @for severity in [Severity::Medium, Severity::High, Severity::Critical] { option value=(severity.name()) { (language.severity(severity)) } }
            } }
            label.check { input #pause type="checkbox"; " " (language.say("live-pause")) }
        }
        noscript { p.trouble { (language.say("live-no-script")) } }
        (rows::table(language, &shown))
    };
    parts::page(language, &language.say("page-live"), "/live", &body)
}

/// The stream of events that a browser follows, for as long as it has its seat.
pub async fn events(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    language: Spoken,
) -> Response {
    let Some(mut life) = page.seats().life(&token.0) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    // It is over where there is nobody any more who could say so.
    let life = Box::pin(async move { while life.changed().await.is_ok() {} });
    stream::follow(page, To::Page(language), life, None).unwrap_or_else(|| {
        let wait = [("retry-after", "5")];
        (StatusCode::SERVICE_UNAVAILABLE, wait, "too many pages follow: wait\n").into_response()
    })
}
