//! *Live*: decisions as they are made, and the stream of events that all pages follow.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use guarded_sh::audit::{Entry, Filter};
use guarded_sh::model::Severity;
use maud::{Markup, PreEscaped, html};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::floor::Standing;
use super::gate::Token;
use super::spoken::Spoken;
use super::{Shared, html as parts, now, rows};

/// Calls that are there when the page is opened.
const FIRST: usize = 100;
/// How often something is said where nothing happens, so that whoever has gone is noticed.
const BREATH: Duration = Duration::from_secs(15);

/// What is done with lines, and its name.
const ACTIONS: [(&str, &str); 4] = [
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
            entries
                .map(|entry| rows::row_in(language, &entry, home.as_deref()).0)
                .collect::<String>(),
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
        (rows::table_in(language, &shown))
    };
    parts::page_in(language, &language.say("page-live"), "/live", &body)
}

/// What one browser follows.
struct Following {
    page: Shared,
    language: Spoken,
    standing: watch::Receiver<Arc<Standing>>,
    calls: broadcast::Receiver<Arc<Entry>>,
    /// Ends with the seat.
    life: watch::Receiver<()>,
    /// One of the streams that there may be.
    _place: OwnedSemaphorePermit,
}

/// The stream of events: `now` with the queue as it stands, first at once; `call` with one row; `missed` where the browser was too slow to hear all.
pub async fn events(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    language: Spoken,
) -> Response {
    let Some(life) = page.seats().life(&token.0) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    let Ok(place) = page.streams.clone().try_acquire_owned() else {
        let wait = [("retry-after", "5")];
        return (StatusCode::SERVICE_UNAVAILABLE, wait, "too many pages follow: wait\n")
            .into_response();
    };
    let mut standing = page.floor.standing();
    standing.mark_changed();
    let calls = page.calls.subscribe();
    let following = Following { page, language, standing, calls, life, _place: place };
    Sse::new(told(following)).keep_alive(KeepAlive::new().interval(BREATH)).into_response()
}

fn told(following: Following) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold(following, |mut following| async move {
        let event = following.next().await?;
        Some((Ok(event), following))
    })
}

impl Following {
    /// Waits for what is to be said next; none once the seat is given up.
    async fn next(&mut self) -> Option<Event> {
        tokio::select! {
            biased;
            _ = self.life.changed() => None,
            changed = self.standing.changed() => {
                changed.ok()?;
                self.standing.mark_unchanged();
                Some(Event::default().event("now").data(now::queue(&self.page, self.language).await.0))
            }
            call = self.calls.recv() => Some(match call {
                Ok(entry) => {
                    let row = rows::row_in(self.language, &entry, self.page.home.as_deref()).0;
                    Event::default().event("call").id(entry.last_number().to_string()).data(row)
                }
                Err(RecvError::Lagged(_)) => Event::default().event("missed").data(""),
                Err(RecvError::Closed) => return None,
            }),
        }
    }
}
