//! What programs ask to be judged, and the answers that those give which may.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Extension, FromRequest, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use guarded_sh::hooks;
use guarded_sh::model::{Action, Answer, Covers, Score, Severity};
use guarded_sh::pipeline::{self, Analysis};
use guarded_sh::subcommand::WireVerdict;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::fault::{Error, Fault};
use super::reading::Asked;
use super::shape::Json;
use crate::page::answers::{self, By, Given, Wish};
use crate::page::once;
use crate::page::programs::Asker;
use crate::page::{Shared, judged};

/// How long judging an event may take: what a hook has by itself.
const LIMIT: Duration = Duration::from_millis(2_500);

/// A body of JSON.
pub struct Sent<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Sent<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
        if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
            return Err(Fault::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body is sent as application/json",
            ));
        }
        let body = Bytes::from_request(request, state).await?;
        serde_json::from_slice(&body)
            .map(Self)
            .map_err(|error| Fault::wrong(format!("the body: {error}")))
    }
}

/// A line, and where it would run.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The line.
    line: String,
    /// The directory; the home unless it is said.
    directory: Option<String>,
}

/// How a line is judged: what `schemas/verdict.json` describes.
pub struct Verdict;

impl PartialSchema for Verdict {
    fn schema() -> RefOr<Schema> {
        Ref::from_schema_name("Verdict").into()
    }
}

impl ToSchema for Verdict {}

/// Judges a line, as `guarded-sh check --json` does. Nothing runs, and nobody is asked.
#[utoipa::path(post, path = "/api/try", tag = "judging", request_body = Line,
    responses((status = 200, body = Verdict), (status = 400, body = Error), (status = 413, body = Error), (status = 415, body = Error), (status = 422, body = Error)))]
pub async fn try_line(
    State(page): State<Shared>,
    Sent(Line { line, directory }): Sent<Line>,
) -> Result<Response, Fault> {
    let directory = page.directory(directory);
    let judged = tokio::task::spawn_blocking(move || {
        let judgement = judged::judgement(&line, &directory)?;
        Ok::<_, String>(Json(WireVerdict::from(&judgement)).into_response())
    });
    let judged = judged.await.unwrap_or_else(|_| Err("it could not be judged".to_owned()));
    judged.map_err(|why| Fault::new(StatusCode::UNPROCESSABLE_ENTITY, why))
}

/// Whose event it is.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Whose {
    /// claude, copilot, codex, gemini or opencode; whose the event looks like unless it is said
    agent: Option<String>,
}

/// What the hook would answer to an event.
#[derive(Serialize, ToSchema)]
pub struct Analyzed {
    /// Whose event it is; none where that cannot be said.
    agent: Option<&'static str>,
    /// The event, as its agent spells it.
    event: Option<String>,
    /// What would be decided; none where there is nothing to decide.
    #[schema(schema_with = super::shape::maybe_action)]
    action: Option<Action>,
    /// How severe what would be done is; none where that is not judged.
    #[schema(schema_with = super::shape::maybe_severity)]
    severity: Option<Severity>,
    /// How safe it is.
    #[schema(maximum = 100, value_type = Option<u8>)]
    score: Option<Score>,
    /// With which status the hook would end.
    status: u8,
    /// What it would print.
    stdout: String,
    /// What it would say on standard error.
    stderr: String,
}

impl From<Analysis> for Analyzed {
    fn from(analysis: Analysis) -> Self {
        let Analysis { reply, agent, event, action, judged } = analysis;
        let (severity, score) = judged.unzip();
        let hooks::Reply { stdout, stderr, status } = reply;
        Self { agent, event, action, severity, score, status, stdout, stderr }
    }
}

/// Judges an event of an agent, as its hook does, and answers what that would. Nobody is asked, nothing is recorded, kept or granted, and no program of the owner's is run:
/// what a person would be asked about is left to the client where that asks its own, else refused.
#[utoipa::path(post, path = "/api/analyze", tag = "judging", params(Whose), request_body = Object,
    responses((status = 200, body = Analyzed), (status = 400, body = Error), (status = 413, body = Error), (status = 415, body = Error), (status = 422, body = Error)))]
pub async fn analyze(
    Asked(whose): Asked<Whose>,
    Sent(event): Sent<Value>,
) -> Result<Json<Analyzed>, Fault> {
    let agent = match whose.agent.as_deref() {
        None => None,
        Some(name) => {
            let unknown = || Fault::wrong("`agent` is claude, copilot, codex, gemini or opencode");
            Some(hooks::named(name).ok_or_else(unknown)?)
        }
    };
    let analyzed =
        tokio::task::spawn_blocking(move || pipeline::analyze(agent, event, LIMIT)).await;
    let broken = |_| Fault::new(StatusCode::UNPROCESSABLE_ENTITY, "it could not be judged");
    Ok(Json(Analyzed::from(analyzed.map_err(broken)?)))
}

/// A number that counts once.
#[derive(Serialize, ToSchema)]
pub struct Nonce {
    /// The number.
    nonce: String,
    /// For how many seconds it may be used.
    seconds: u64,
}

/// Returns the token of who may answer by one.
pub fn token(asker: &Asker) -> Result<&crate::page::tokens::Token, Fault> {
    match asker {
        Asker::Program(token) => Ok(token),
        Asker::Seat(_) => {
            Err(Fault::new(StatusCode::FORBIDDEN, "a browser answers by what it signs, at /answer"))
        }
    }
}

/// Gives a number by which one answer counts.
#[utoipa::path(post, path = "/api/nonce", tag = "questions",
    responses((status = 200, body = Nonce), (status = 403, body = Error)))]
pub async fn nonce(
    State(page): State<Shared>,
    Extension(asker): Extension<Asker>,
) -> Result<Json<Nonce>, Fault> {
    let drawn = once::drawn().map_err(|error| Fault::unavailable(error.to_string()))?;
    let (nonce, life) = page.programs.nonce(token(&asker)?, drawn)?;
    Ok(Json(Nonce { nonce, seconds: life.as_secs() }))
}

/// An answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// To which question.
    question: String,
    /// The digest of the line that was shown.
    digest: String,
    /// The number that counts once.
    nonce: String,
    /// What is answered.
    answer: Words,
}

/// What a token can answer. It changes no rules, and says no yes to what is critical.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case", tag = "answer")]
pub enum Words {
    /// No; with words for the agent.
    Deny {
        /// What it is told.
        message: Option<String>,
    },
    /// No, and the agent that wants it is ended.
    Stop,
    /// Yes, this line once.
    Once,
    /// Yes, for the session.
    Session {
        /// What the yes covers.
        covers: Covering,
    },
    /// This line is judged in its place.
    Edit {
        /// The line.
        line: String,
    },
    /// The line is tried first, where it changes nothing.
    Try,
    /// What it did when it was tried is carried out.
    Keep,
}

/// What a yes for the session covers.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Covering {
    /// The same programs and subcommands, with no more effects, targets and severity than were shown.
    Signature,
    /// The same line in the same directory.
    Line,
}

impl From<Words> for Wish {
    fn from(words: Words) -> Self {
        Self::Answer(match words {
            Words::Try => return Self::Try,
            Words::Deny { message } => Answer::Deny { message },
            Words::Stop => Answer::Stop,
            Words::Once => Answer::Once,
            Words::Session { covers: Covering::Signature } => {
                Answer::Session { covers: Covers::Signature }
            }
            Words::Session { covers: Covering::Line } => Answer::Session { covers: Covers::Line },
            Words::Edit { line } => Answer::Edit { line },
            Words::Keep => Answer::Keep,
        })
    }
}

/// What became of an answer.
#[derive(Serialize, ToSchema)]
pub struct Taken {
    /// It was handed to the host of the question, which took it.
    taken: bool,
}

/// Answers a question, with a token that may.
#[utoipa::path(post, path = "/api/answers", tag = "questions", request_body = Answered,
    responses((status = 200, body = Taken), (status = 400, body = Error), (status = 403, body = Error), (status = 409, body = Error), (status = 413, body = Error), (status = 415, body = Error)))]
pub async fn answer(
    State(page): State<Shared>,
    Extension(asker): Extension<Asker>,
    Sent(sent): Sent<Answered>,
) -> Result<Json<Taken>, Fault> {
    let token = token(&asker)?;
    page.programs.uses(token, &sent.nonce)?;
    let given = Given { question: &sent.question, digest: &sent.digest, typed: "" };
    let by = By::Token(&token.name);
    let taken = answers::take(&page, &given, Wish::from(sent.answer), by).await;
    taken.map_err(|why| Fault::new(StatusCode::CONFLICT, why))?;
    Ok(Json(Taken { taken: true }))
}
