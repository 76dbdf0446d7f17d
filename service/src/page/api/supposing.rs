//! How a line would be judged if something were other, and what its session's lines changed.

use axum::extract::State;
use axum::http::StatusCode;
use guarded_sh::subcommand::{Became, WireVerdict};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asking::{Sent, Verdict};
use super::fault::{Error, Fault};
use super::kept::aside;
use super::reading::Asked;
use super::shape::Json;
use crate::page::Shared;
use crate::page::files::Chosen;
use crate::page::judged::{Both, Judged, Supposed};

/// A line, where it would run, and what is supposed to be other.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Supposing {
    /// The line.
    line: String,
    /// The directory; the home unless it is said.
    directory: Option<String>,
    /// Another profile: strict, balanced or unattended
    profile: Option<String>,
    /// Another threshold
    #[schema(maximum = 100)]
    threshold: Option<u8>,
    /// A rule or more, as a file of rules has them
    rules: Option<String>,
}

/// How it is judged, and how it would be.
#[derive(Serialize, ToSchema)]
pub struct Otherwise {
    /// As it is.
    #[schema(value_type = Verdict)]
    now: serde_json::Value,
    /// As it would be; none where nothing is supposed.
    #[schema(value_type = Option<Verdict>)]
    then: Option<serde_json::Value>,
    /// What would make it quieter as it is.
    ways: Vec<Quieter>,
}

/// Something that would make a line quieter.
#[derive(Serialize, ToSchema)]
#[schema(as = QuieterWay)]
pub struct Quieter {
    /// What it is.
    text: String,
    /// What would be decided then, where that was tried.
    #[schema(schema_with = super::shape::maybe_action)]
    then: Option<guarded_sh::model::Action>,
}

/// Judges a line as it is and as it would be under another profile, another threshold or more rules. Nothing runs, and nothing is written.
#[utoipa::path(post, path = "/api/try/otherwise", tag = "judging", request_body = Supposing,
    responses((status = 200, body = Otherwise), (status = 400, body = Error), (status = 413, body = Error), (status = 415, body = Error), (status = 422, body = Error)))]
pub async fn otherwise(
    State(page): State<Shared>,
    Sent(Supposing { line, directory, profile, threshold, rules }): Sent<Supposing>,
) -> Result<Json<Otherwise>, Fault> {
    let directory = page.directory(directory);
    let threshold = threshold.map(|threshold| threshold.to_string()).unwrap_or_default();
    let unjudged = |why| Fault::new(StatusCode::UNPROCESSABLE_ENTITY, why);
    aside(move || {
        let (profile, rules) = (profile.unwrap_or_default(), rules.unwrap_or_default());
        let supposed = Supposed::of(&profile, &threshold, &rules).map_err(unjudged)?;
        let both = Both::of(&line, &directory, supposed.as_ref()).map_err(unjudged)?;
        let verdict = |judged: &Judged| serde_json::to_value(WireVerdict::from(&judged.judgement));
        let then = both.then.transpose().map_err(|wrong| unjudged(wrong.told()))?;
        let ways = both.ways.into_iter();
        let ways =
            ways.map(|way| Quieter { then: way.then.map(|(action, ..)| action), text: way.text });
        Ok(Json(Otherwise {
            now: verdict(&both.now).unwrap_or_default(),
            then: then.as_ref().map(|then| verdict(then).unwrap_or_default()),
            ways: ways.collect(),
        }))
    })
    .await
}

/// What is not as it was before some lines, as far as undo kept that.
#[derive(Serialize, ToSchema)]
pub struct SinceThen {
    /// The files, in the order in which they were kept.
    files: Vec<Changed>,
    /// Files that are left out.
    more: usize,
    /// What could not be read, and why.
    troubles: Vec<String>,
}

/// A file that is not as it was.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangedFile)]
pub struct Changed {
    /// Which.
    path: String,
    /// What became of it.
    became: Word,
    /// The lines that went and came, secrets masked, where both are texts.
    difference: Option<String>,
    /// Lines of the difference that are left out.
    more: usize,
}

/// What became of a file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = BecameOfFile)]
pub enum Word {
    /// There was nothing.
    Made,
    /// It is another one, or says something else.
    Changed,
    /// There is nothing any more.
    Deleted,
    /// It has other permissions, another owner or another time.
    Dressed,
}

/// Of which lines.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Whose {
    /// Of this session, as the record names it
    session: Option<String>,
    /// Of the line before which undo kept this
    kept: Option<String>,
}

/// What lines changed, as it stands now: of a session or of one line, as far as undo kept what was there before.
#[utoipa::path(get, path = "/api/files", tag = "transcripts", params(Whose),
    responses((status = 200, body = SinceThen), (status = 400, body = Error), (status = 404, body = Error)))]
pub async fn files(Asked(Whose { session, kept }): Asked<Whose>) -> Result<Json<SinceThen>, Fault> {
    aside(move || {
        let since = Chosen::new(session, kept).since().map_err(Fault::absent)?;
        let files = since.touched.into_iter().map(|touched| Changed {
            path: touched.path.to_string_lossy().into_owned(),
            became: match touched.became {
                Became::Made => Word::Made,
                Became::Changed => Word::Changed,
                Became::Deleted => Word::Deleted,
                Became::Dressed => Word::Dressed,
            },
            difference: touched.difference,
            more: touched.more,
        });
        Ok(Json(SinceThen { files: files.collect(), more: since.more, troubles: since.unread }))
    })
    .await
}
