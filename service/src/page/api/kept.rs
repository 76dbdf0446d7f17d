//! What programs read of transcripts and of sessions: what pages show of them.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::fault::{Error, Fault};
use super::reading::{Asked, Before};
use super::said::{self, Entry, Whole};
use super::shape::{Json, Session, time};
use crate::page::conversation::{Conversation, in_order};
use crate::page::export::{self, Form, Secrets};
use crate::page::kept::Opened;
use crate::page::sessions::SHOWN;
use crate::page::{Page, Shared};
use crate::transcripts::At;

/// Transcripts that are given at once, unless fewer are wanted; and at most.
const GIVEN: usize = 50;
const MOST: usize = 200;

/// Which transcripts are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Listed {
    /// Only those of this agent
    agent: Option<String>,
    /// Without the newest, so many of them
    skip: Option<usize>,
    /// No more than this; 50 unless it is said
    #[param(minimum = 1, maximum = 200)]
    limit: Option<usize>,
}

/// What agents keep of their sessions.
#[derive(Serialize, ToSchema)]
#[schema(as = Transcripts)]
pub struct Listing {
    /// The newest first.
    transcripts: Vec<Kept>,
    /// How many there are in all.
    count: usize,
    /// Where it is looked for them.
    places: Vec<Place>,
    /// What could not be looked at, and why.
    troubles: Vec<String>,
}

/// A transcript, in short.
#[derive(Serialize, ToSchema)]
pub struct Kept {
    /// Whose it is.
    agent: &'static str,
    /// The session, as the agent calls it.
    session: String,
    /// Whether the model started it to help it.
    helper: bool,
    /// When something was written there last.
    #[schema(format = DateTime)]
    modified: String,
    /// How large it is, where that is known.
    bytes: Option<u64>,
    /// The directory.
    project: Option<String>,
    /// How it began.
    title: Option<String>,
    /// Why it cannot be read.
    trouble: Option<String>,
}

/// A directory in which agents keep sessions.
#[derive(Serialize, ToSchema)]
pub struct Place {
    agent: &'static str,
    /// The directory.
    directory: String,
}

/// What agents keep of their sessions themselves, the newest first.
#[utoipa::path(get, path = "/api/transcripts", tag = "transcripts", params(Listed),
    responses((status = 200, body = Listing), (status = 400, body = Error)))]
pub async fn transcripts(
    State(page): State<Shared>,
    Asked(listed): Asked<Listed>,
) -> Result<Json<Listing>, Fault> {
    let limit @ 1..=MOST = listed.limit.unwrap_or(GIVEN) else {
        return Err(Fault::wrong(format!("`limit` is 1 to {MOST}")));
    };
    aside(move || Ok(Json(list(&page, &listed, limit)))).await
}

fn list(page: &Page, listed: &Listed, limit: usize) -> Listing {
    let kept = &page.kept.transcripts;
    let (sessions, errors) = kept.sessions(listed.agent.as_deref());
    let count = sessions.len();
    let shown = sessions.into_iter().skip(listed.skip.unwrap_or_default()).take(limit);
    let transcripts = shown.map(|session| {
        let (opening, trouble) = match kept.opening(&session) {
            Ok(opening) => (opening, None),
            Err(why) => (crate::transcripts::Opening::default(), Some(why.to_string())),
        };
        let id = opening.id.filter(|_| !session.is_helper);
        let title = opening.title.map(|title| guarded_sh::audit::mask::mask(&title).into_owned());
        Kept {
            agent: session.agent(),
            session: id.unwrap_or_else(|| session.id.clone()),
            helper: session.is_helper,
            modified: time(session.modified),
            bytes: session.bytes,
            project: opening.cwd,
            title,
            trouble,
        }
    });
    let transcripts = transcripts.collect();
    let directory = |(agent, root): (&'static str, &std::path::Path)| Place {
        agent,
        directory: root.display().to_string(),
    };
    let places = kept.roots().map(directory).collect();
    let troubles = errors.iter().map(ToString::to_string).collect();
    Listing { transcripts, count, places, troubles }
}

/// Which part of a transcript: the newest, unless it is said.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Part {
    /// What is before this place: `before` of `earlier`
    before: Option<String>,
    /// `until` of `earlier`, where it has one
    until: Option<String>,
    /// What is behind this place, or was written since: `end`
    from: Option<String>,
    /// From the call of this id on
    call: Option<String>,
}

/// A part of a transcript. An agent can write it: it is evidence, and never authority.
#[derive(Serialize, ToSchema)]
pub struct Transcript {
    /// Whose it is.
    agent: &'static str,
    /// The session, as the agent calls it.
    session: String,
    /// Whether the model started it to help it.
    helper: bool,
    /// Where it is kept.
    file: String,
    /// How large it is, where that is known.
    bytes: Option<u64>,
    /// The directory.
    project: Option<String>,
    /// What it says, oldest first.
    entries: Vec<Entry>,
    /// What is known of it as a whole.
    whole: Option<Whole>,
    /// Why that is not known.
    trouble: Option<String>,
    /// The part before this one.
    earlier: Option<Earlier>,
    /// What `from` is for what follows, or is written later.
    end: String,
    /// Whether there is more behind it.
    more: bool,
    /// A last line that is not finished.
    unfinished: Option<String>,
}

/// How the part before is asked for.
#[derive(Serialize, ToSchema)]
pub struct Earlier {
    /// What `before` is.
    before: String,
    /// What `until` is.
    until: Option<String>,
}

/// One transcript, a part of it: what was said, which tools were called and what came of that, with our decision beside each call.
#[utoipa::path(get, path = "/api/transcripts/{agent}/{session}", tag = "transcripts",
    params(("agent" = String, Path, description = "Whose it is"), ("session" = String, Path, description = "The session, as the agent calls it"), Part),
    responses((status = 200, body = Transcript), (status = 400, body = Error), (status = 404, body = Error)))]
pub async fn transcript(
    State(page): State<Shared>,
    Path((agent, session)): Path<(String, String)>,
    Asked(part): Asked<Part>,
) -> Result<Json<Transcript>, Fault> {
    aside(move || {
        let at = At::named(part.before, part.until, part.from);
        let name = (agent.as_str(), session.as_str());
        let opened = page.opened(name, part.call.as_deref(), &at, |_, _| Vec::new());
        opened.map(|opened| Json(Transcript::from(opened))).map_err(Fault::absent)
    })
    .await
}

impl From<Opened> for Transcript {
    fn from(opened: Opened) -> Self {
        let Opened { session, opening, id, paged, whole, rows } = opened;
        let nothing = std::collections::HashMap::new();
        let matched = whole.as_ref().map_or(&nothing, |whole| &whole.beside);
        let entries = said::entries(session.agent(), &paged.items, &paged.came, matched, &rows);
        let (whole, trouble) = halves(&whole);
        Self {
            agent: session.agent(),
            session: id,
            helper: session.is_helper,
            file: session.path().display().to_string(),
            bytes: session.bytes,
            project: opening.cwd,
            entries: entries.into_iter().map(|(_, entry)| entry).collect(),
            whole,
            trouble,
            earlier: paged.before.map(|(before, until)| Earlier { before, until }),
            end: paged.end,
            more: paged.has_more,
            unfinished: paged.unfinished,
        }
    }
}

fn halves(whole: &Result<crate::page::kept::Whole, String>) -> (Option<Whole>, Option<String>) {
    match whole {
        Ok(whole) => (Some(Whole::from(whole)), None),
        Err(why) => (None, Some(why.clone())),
    }
}

/// A session as a time line.
#[derive(Serialize, ToSchema)]
pub struct Timeline {
    /// What the record has of it as a whole.
    session: Option<Session>,
    /// What was said, called, decided and came of it, oldest first.
    entries: Vec<Entry>,
    /// What `before` is for what is older; none: there is nothing older.
    before: Option<u64>,
    /// What the agent keeps of it.
    transcripts: Vec<Own>,
}

/// A transcript of a session.
#[derive(Serialize, ToSchema)]
pub struct Own {
    /// Whose it is.
    agent: &'static str,
    /// The session, as the agent calls it.
    session: String,
    /// What is known of it as a whole.
    whole: Option<Whole>,
    /// Why that is not known.
    trouble: Option<String>,
}

/// One session as a time line, from the record and from what the agent keeps of it.
#[utoipa::path(get, path = "/api/sessions/{id}/timeline", tag = "transcripts",
    params(("id" = String, Path, description = "The session"), Before),
    responses((status = 200, body = Timeline), (status = 400, body = Error), (status = 503, body = Error)))]
pub async fn timeline(
    State(page): State<Shared>,
    Path(id): Path<String>,
    Asked(Before { before }): Asked<Before>,
) -> Result<Json<Timeline>, Fault> {
    aside(move || {
        let read = Conversation::read(&page, &id, before, SHOWN).map_err(Fault::unavailable)?;
        let Conversation { known, earlier, parts, alone } = read;
        let mut told = Vec::new();
        let mut transcripts = Vec::new();
        for part in parts {
            let agent = part.own.session.agent();
            if let Ok(whole) = &part.whole {
                told.extend(said::entries(agent, &part.items, &[], &whole.beside, &part.rows));
            }
            let (whole, trouble) = halves(&part.whole);
            let session = part.own.id().to_owned();
            transcripts.push(Own { agent, session, whole, trouble });
        }
        told.extend(alone.iter().map(said::alone));
        let session = known.map(Session::from);
        Ok(Json(Timeline { session, entries: in_order(told), before: earlier, transcripts }))
    })
    .await
}

/// In which form.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct As {
    /// JSON Lines, unless it is said
    #[serde(rename = "as")]
    form: Option<Form>,
}

/// One session as a file: what was said, called, decided and came of it.
#[utoipa::path(get, path = "/api/sessions/{id}/export", tag = "transcripts",
    params(("id" = String, Path, description = "The session"), As),
    responses((status = 200, content_type = "application/jsonl", body = String), (status = 400, body = Error)))]
pub async fn export(
    State(page): State<Shared>,
    Path(id): Path<String>,
    Asked(As { form }): Asked<As>,
) -> Response {
    export::file(page, id, form.unwrap_or(Form::Jsonl), Secrets::Masked)
}

/// Does what reads files, on a thread of its own.
pub async fn aside<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let broken = || Fault::new(StatusCode::SERVICE_UNAVAILABLE, "it could not be read");
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|_| Err(broken()))
}
