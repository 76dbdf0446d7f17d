//! What programs read: the same as pages show.

use std::time::Duration;

use axum::extract::{Extension, FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::{Filter, Id, ago};
use guarded_sh::subcommand::spent_today;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::fault::{Error, Fault};
use super::kept::aside;
use super::shape::{
    Call, Calls, Index, IndexStands, Json, Overview, Question, Queue, Session, Sessions, WholeCall,
};
use crate::index;
use crate::page::Shared;
use crate::page::found::Stands;
use crate::page::history::Wanted;
use crate::page::kept;
use crate::page::programs::Asker;
use crate::page::stream::{self, To};
use crate::record::state_of;

/// Calls and sessions that are given at once, unless fewer are wanted.
const GIVEN: usize = 200;
/// The same, of which no more can be wanted.
const MOST: usize = 1_000;
/// Days that can be looked back.
const DAYS: u64 = 366;

/// The fields in an address.
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Fault> {
        let fields = serde_urlencoded::from_str(parts.uri.query().unwrap_or_default());
        fields.map(Self).map_err(|error| Fault::wrong(format!("the address: {error}")))
    }
}

/// How many are wanted.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Limit {
    /// No more than this; 200 unless it is said
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

impl Limit {
    pub fn get(&self) -> Result<usize, Fault> {
        match self.limit.unwrap_or(GIVEN) {
            limit @ 1..=MOST => Ok(limit),
            _ => Err(Fault::wrong(format!("`limit` is 1 to {MOST}"))),
        }
    }
}

/// The questions of all sessions.
#[utoipa::path(get, path = "/api/questions", tag = "questions", responses((status = 200, body = Queue)))]
pub async fn questions(State(page): State<Shared>) -> Json<Queue> {
    Json(Queue::of(&page.floor.standing().borrow(), page.passkey))
}

/// One question.
#[utoipa::path(get, path = "/api/questions/{id}", tag = "questions", params(("id" = String, Path, description = "The question")),
    responses((status = 200, body = Question), (status = 404, body = Error)))]
pub async fn question(
    State(page): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<Question>, Fault> {
    let standing = page.floor.standing().borrow().clone();
    let found = standing.entries.iter().find(|(_, entry)| entry.id == id);
    let (_, entry) =
        found.ok_or_else(|| Fault::absent("there is no such question, or no longer"))?;
    Ok(Json(Question::of(entry, &standing, page.passkey)))
}

/// Calls of the record, newest first: those that fit.
#[utoipa::path(get, path = "/api/calls", tag = "record", params(Wanted, Limit),
    responses((status = 200, body = Calls), (status = 400, body = Error), (status = 503, body = Error)))]
pub async fn calls(
    State(page): State<Shared>,
    Asked(wanted): Asked<Wanted>,
    Asked(limit): Asked<Limit>,
) -> Result<Json<Calls>, Fault> {
    let limit = limit.get()?;
    if wanted.action().is_none() && !wanted.action.is_empty() {
        return Err(Fault::wrong("`action` is allow, contain, ask or deny"));
    }
    if wanted.severity().is_none() && !wanted.severity.is_empty() {
        return Err(Fault::wrong("`severity` is low, medium, high or critical"));
    }
    if !wanted.rule.is_empty() {
        return by_record(&page, &wanted, limit).await.map(Json);
    }
    let asked = index::Wanted { limit, ..wanted.of_index() };
    let found = page.ask(move |index| index.calls(&asked)).await.map_err(Fault::unavailable)?;
    let before = found.last().filter(|_| found.len() == limit).map(|call| call.sequence);
    Ok(Json(Calls { calls: found.iter().map(Call::from).collect(), before }))
}

/// A rule is not in the index by its text, so the record itself is read, from its end.
async fn by_record(page: &Shared, wanted: &Wanted, limit: usize) -> Result<Calls, Fault> {
    let (store, filter, before) = (page.store.clone(), wanted.of_record(), wanted.before);
    let project = wanted.project.clone();
    let found = tokio::task::spawn_blocking(move || {
        let newest = store.newest(filter).map_err(|error| with_causes(&error))?;
        let fits = |entry: &guarded_sh::audit::Entry| {
            let is_before = before.is_none_or(|before| entry.first.sequence < before);
            is_before && (project.is_empty() || entry.decisive().cwd.as_ref() == Some(&project))
        };
        let entries: Vec<_> = newest.filter_map(Result::ok).filter(fits).take(limit).collect();
        let before = entries.last().filter(|_| entries.len() == limit);
        let before = before.map(|entry| entry.first.sequence);
        Ok::<_, String>(Calls { calls: entries.iter().map(Call::from).collect(), before })
    });
    let found = found.await.unwrap_or_else(|_| Err("the record could not be read".to_owned()));
    found.map_err(Fault::unavailable)
}

/// One call, with its records.
#[utoipa::path(get, path = "/api/calls/{number}", tag = "record", params(("number" = u64, Path, description = "The number of its first record")),
    responses((status = 200, body = WholeCall), (status = 404, body = Error), (status = 503, body = Error)))]
pub async fn call(
    State(page): State<Shared>,
    Path(number): Path<String>,
) -> Result<Json<WholeCall>, Fault> {
    let absent = || Fault::absent("the record has no call of this number");
    let number: u64 = number.parse().map_err(|_| absent())?;
    let store = page.store.clone();
    let found = tokio::task::spawn_blocking(move || {
        let filter = Filter { id: Some(Id::Number(number)), ..Filter::default() };
        store.newest(filter)?.next().transpose()
    });
    let found = found.await.map_err(|_| Fault::unavailable("the record could not be read"))?;
    let entry =
        found.map_err(|error| Fault::unavailable(with_causes(&error)))?.ok_or_else(absent)?;
    let records = std::iter::once(&entry.first).chain(&entry.views);
    let records = records.map(|stored| serde_json::to_value(stored).unwrap_or_default());
    Ok(Json(WholeCall { call: Call::from(&entry), records: records.collect() }))
}

/// The conversations of agents, the newest first.
#[utoipa::path(get, path = "/api/sessions", tag = "record", params(Limit),
    responses((status = 200, body = Sessions), (status = 400, body = Error), (status = 503, body = Error)))]
pub async fn sessions(
    State(page): State<Shared>,
    Asked(limit): Asked<Limit>,
) -> Result<Json<Sessions>, Fault> {
    let limit = limit.get()?;
    let found = page.ask(move |index| index.sessions(limit)).await.map_err(Fault::unavailable)?;
    Ok(Json(Sessions { sessions: found.into_iter().map(Session::from).collect() }))
}

/// Where to begin.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Before {
    /// Only calls with a lower number than this
    pub before: Option<u64>,
}

/// The calls of one session, newest first: what the person typed, what was called, and what came of it.
#[utoipa::path(get, path = "/api/sessions/{id}", tag = "record", params(("id" = String, Path, description = "The session"), Before, Limit),
    responses((status = 200, body = Calls), (status = 400, body = Error), (status = 503, body = Error)))]
pub async fn session(
    State(page): State<Shared>,
    Path(id): Path<String>,
    Asked(Before { before }): Asked<Before>,
    Asked(limit): Asked<Limit>,
) -> Result<Json<Calls>, Fault> {
    let limit = limit.get()?;
    let session = Some(id);
    let wanted =
        index::Wanted { session, before, without_aside: true, limit, ..index::Wanted::default() };
    let found = page.ask(move |index| index.calls(&wanted)).await.map_err(Fault::unavailable)?;
    let before = found.last().filter(|_| found.len() == limit).map(|call| call.sequence);
    Ok(Json(Calls { calls: found.iter().map(Call::from).collect(), before }))
}

/// How far is looked back.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Span {
    /// So many days; one unless it is said
    #[param(minimum = 1, maximum = 366)]
    days: Option<u64>,
}

/// How much was decided, by hours, and what made the guard ask.
#[utoipa::path(get, path = "/api/overview", tag = "record", params(Span),
    responses((status = 200, body = Overview), (status = 400, body = Error), (status = 503, body = Error)))]
pub async fn overview(
    State(page): State<Shared>,
    Asked(span): Asked<Span>,
) -> Result<Json<Overview>, Fault> {
    let days = span.days.unwrap_or(1);
    if !(1..=DAYS).contains(&days) {
        return Err(Fault::wrong(format!("`days` is 1 to {DAYS}")));
    }
    let since = ago(Duration::from_secs(days * 24 * 60 * 60));
    let asked = page.ask(move |index| Ok((index.summary(since)?, index.damage()?))).await;
    let (summary, damage) = asked.map_err(Fault::unavailable)?;
    let looked = {
        let page = page.clone();
        aside(move || Ok(kept::looked(&page, since))).await?
    };
    let standing = page.floor.standing().borrow().clone();
    let spent = spent_today(Some(&state_of(&page.store)));
    Ok(Json(Overview::new(since, (&summary, damage), spent, &standing, looked)))
}

/// How it stands with the index by which calls are found.
#[utoipa::path(get, path = "/api/index", tag = "record", responses((status = 200, body = Index)))]
pub async fn index_stands(State(page): State<Shared>) -> Json<Index> {
    let (state, percent, mut why) = match page.found.stands() {
        Stands::Ready => (IndexStands::Ready, 100, None),
        Stands::Read(parts) => (IndexStands::Reading, parts, None),
        Stands::Failed(why) => (IndexStands::Failed, 0, Some(why)),
    };
    let held = page.ask(|index| Ok((index.count()?, index.records()?, index.damage()?))).await;
    let (calls, records, damage) = match held {
        Ok((calls, records, damage)) => (Some(calls), Some(records), damage),
        Err(error) => {
            why = why.or(Some(error));
            (None, None, None)
        }
    };
    Json(Index { state, percent, calls, records, damage, why })
}

/// Events as they come: `now` with the questions, first at once; `call` with one call; `transcript` with the session of which its agent wrote more, where it was read
/// before, or empty where it may be any; `missed`, where whoever reads was too slow to hear all.
#[utoipa::path(get, path = "/api/events", tag = "events",
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 503, body = Error)))]
pub async fn events(State(page): State<Shared>, Extension(asker): Extension<Asker>) -> Response {
    let full = || {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, "as many follow as may: wait").into_response()
    };
    let (life, own): (stream::Life, _) = match asker {
        Asker::Seat(seat) => {
            let Some(mut life) = page.seats().life(&seat.0) else {
                return Fault::new(StatusCode::UNAUTHORIZED, "this browser is not known here")
                    .into_response();
            };
            (Box::pin(async move { while life.changed().await.is_ok() {} }), None)
        }
        Asker::Program(token) => {
            let Some(place) = page.programs.stream(&token) else { return full() };
            (Box::pin(page.programs.life(&token)), Some(place))
        }
    };
    stream::follow(page, To::Program, life, own).unwrap_or_else(full)
}
