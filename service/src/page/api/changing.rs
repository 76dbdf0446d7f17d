//! What programs change, with a token that may: each change is shown first, and made by the number that came with that. It is written by the same code as on the page.
//! Where the owner wants passkeys nothing is changed here, since a token touches none.

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use guarded_sh::audit::sha256;
use guarded_sh::subcommand::Ground;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::asking::{Sent, token};
use super::fault::{Error, Fault};
use super::kept::aside;
use super::reading::{Asked, Limit};
use super::shape::Json;
use crate::page::agents::{self, Way};
use crate::page::deeds::{self, What, digest};
use crate::page::made::{self, By, Made};
use crate::page::prepared::{self, Shown};
use crate::page::programs::{self, Asker};
use crate::page::settings::{self, Edit, Mistake, Own};
use crate::page::spoken::Spoken;
use crate::page::{Page, Shared, diff, once, prompts, rules};
use crate::record::state_of;

/// What is to be changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "change", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Change {
    /// A key of the settings is given a value.
    Set {
        /// The key.
        key: String,
        /// The value, as somebody types it: `strict`, `95`, `["a"]`.
        value: String,
    },
    /// A list of the settings has this item too.
    Add {
        /// The key.
        key: String,
        /// The item.
        item: String,
    },
    /// A key is taken out of the settings.
    Unset {
        /// The key.
        key: String,
    },
    /// The owner's file of settings says this.
    Settings {
        /// All that it says.
        text: String,
    },
    /// A file of rules says this.
    Rules {
        /// Its name, without `.toml`.
        file: String,
        /// All that it says.
        text: String,
    },
    /// A part of the prompts says this.
    Prompt {
        /// The part.
        part: String,
        /// All that it says; none: what is built in.
        text: Option<String>,
    },
    /// The guard is put into an agent's settings.
    Install {
        /// The agent.
        agent: String,
    },
    /// It is taken out of them.
    Uninstall {
        /// The agent.
        agent: String,
    },
}

impl From<Edit> for Change {
    fn from(edit: Edit) -> Self {
        match edit {
            Edit::Set(key, value) => Self::Set { key, value },
            Edit::Add(key, item) => Self::Add { key, item },
            Edit::Remove(key) => Self::Unset { key },
            Edit::Whole(text) => Self::Settings { text },
        }
    }
}

/// A change as it is shown.
#[derive(Serialize, ToSchema)]
pub struct ShownChange {
    /// What is changed.
    what: String,
    /// What goes and what comes.
    difference: String,
    /// The SHA-256 of that.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    digest: String,
    /// The number that counts once, for this change alone.
    nonce: String,
    /// For how many seconds it may be used.
    seconds: u64,
}

/// Says what a change would do, and gives the number by which it is made. Nothing is changed.
#[utoipa::path(post, path = "/api/changes/show", tag = "changes", request_body = Change,
    responses((status = 200, body = ShownChange), (status = 400, body = Error), (status = 403, body = Error), (status = 409, body = Error), (status = 413, body = Error), (status = 415, body = Error), (status = 422, body = Error)))]
pub async fn show(
    State(page): State<Shared>,
    Extension(asker): Extension<Asker>,
    Sent(change): Sent<Change>,
) -> Result<Json<ShownChange>, Fault> {
    may(&page, &asker)?;
    let home = page.home.clone();
    let (change, difference) = aside(move || prepared(change, home)).await?;
    let nonce = once::drawn().map_err(|error| Fault::unavailable(error.to_string()))?;
    let (what, digest) = (change.what.name(), sha256(difference.as_bytes()));
    let shown = Shown { change, digest: digest.clone() };
    page.programs.show(token(&asker)?, nonce.clone(), shown)?;
    Ok(Json(ShownChange { what, difference, digest, nonce, seconds: prepared::LIFE.as_secs() }))
}

/// A change that was shown.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// What is changed, as it was shown.
    what: String,
    /// The digest of what was shown.
    digest: String,
    /// The number that came with it.
    nonce: String,
}

/// What became of a change.
#[derive(Serialize, ToSchema)]
pub struct Done {
    /// What is so now.
    said: String,
}

/// Makes a change that was shown, if what it changes is still what it was then.
#[utoipa::path(post, path = "/api/changes", tag = "changes", request_body = Wanted,
    responses((status = 200, body = Done), (status = 400, body = Error), (status = 403, body = Error), (status = 409, body = Error), (status = 413, body = Error), (status = 415, body = Error)))]
pub async fn make(
    State(page): State<Shared>,
    Extension(asker): Extension<Asker>,
    Sent(Wanted { what, digest, nonce }): Sent<Wanted>,
) -> Result<Json<Done>, Fault> {
    may(&page, &asker)?;
    let token = token(&asker)?;
    let shown = page.programs.shown(token, &nonce)?;
    if shown.digest != digest || shown.change.what.name() != what {
        return Err(conflict("this is not what was shown"));
    }
    let by = By::Token(token.name.clone());
    let said = deeds::make(page.clone(), shown.change, by, Spoken::ENGLISH).await;
    let said = said.map_err(conflict)?;
    Ok(Json(Done { said }))
}

/// Changes that were made.
#[derive(Serialize, ToSchema)]
pub struct Changes {
    /// The newest first.
    changes: Vec<Made>,
}

/// Changes that were made on the page and by programs, the newest first.
#[utoipa::path(get, path = "/api/changes", tag = "changes", params(Limit),
    responses((status = 200, body = Changes), (status = 400, body = Error), (status = 422, body = Error)))]
pub async fn changes(
    State(page): State<Shared>,
    Asked(limit): Asked<Limit>,
) -> Result<Json<Changes>, Fault> {
    let limit = limit.get()?;
    aside(move || {
        let changes = made::newest(&state_of(&page.store), limit);
        let changes = changes.map_err(|error| unfit(error.to_string()))?;
        Ok(Json(Changes { changes }))
    })
    .await
}

/// Holds that somebody may change something.
fn may(page: &Page, asker: &Asker) -> Result<(), Fault> {
    let refused = |why: &str| Fault::new(StatusCode::FORBIDDEN, why);
    let Asker::Program(token) = asker else {
        return Err(refused("a browser changes by what it signs, at /change"));
    };
    programs::changes(token)?;
    if deeds::takes_passkey(page) {
        return Err(refused("the owner wants a passkey for each change, which no token has"));
    }
    Ok(())
}

/// Returns a change as it can be made, and what it would do. Files are read for it.
fn prepared(change: Change, home: Option<String>) -> Result<(deeds::Change, String), Fault> {
    let edit = match change {
        Change::Set { key, value } => Edit::Set(key, value),
        Change::Add { key, item } => Edit::Add(key, item),
        Change::Unset { key } => Edit::Remove(key),
        Change::Settings { text } => Edit::Whole(text),
        Change::Rules { file, text } => return of_rules(file, text),
        Change::Prompt { part, text } => return of_prompt(&part, text),
        Change::Install { agent } => return of_agent(Way::Install, &agent),
        Change::Uninstall { agent } => return of_agent(Way::Uninstall, &agent),
    };
    let own = Own::read(&Ground::at(home)).map_err(unfit)?;
    let after = settings::edited(&own, &edit).map_err(|wrong| mistaken(&wrong))?;
    is_other(own.said(), &after)?;
    let difference = diff::text(own.said(), &after);
    let digest = digest(own.text.as_deref());
    Ok((deeds::Change { what: What::Settings, digest, body: after }, difference))
}

fn of_rules(file: String, text: String) -> Result<(deeds::Change, String), Fault> {
    let ground = Ground::at(None);
    let typed = rules::Typed::new(file, text);
    let checked = rules::read(&ground, &typed).map_err(|wrong| mistaken(&wrong))?;
    let before = checked.before.clone();
    let said = before.as_deref().unwrap_or_default();
    is_other(said, &typed.text)?;
    if rules::failed(&rules::judged(checked).map_err(unfit)?) > 0 {
        return Err(unfit("not all of its examples hold: /api/rules/check says which".to_owned()));
    }
    let difference = diff::text(said, &typed.text);
    let what = named(What::Rules(typed.file))?;
    Ok((deeds::Change { what, digest: digest(before.as_deref()), body: typed.text }, difference))
}

fn of_prompt(name: &str, text: Option<String>) -> Result<(deeds::Change, String), Fault> {
    let part = prompts::Part::read(name).map_err(unfit)?;
    let body = text.unwrap_or_else(|| part.built_in.to_owned());
    prompts::check(name, &body).map_err(unfit)?;
    is_other(part.text(), &body)?;
    let difference = diff::text(part.text(), &body);
    let what = named(What::Prompt(name.to_owned()))?;
    Ok((deeds::Change { what, digest: digest(part.own.as_deref()), body }, difference))
}

fn of_agent(way: Way, agent: &str) -> Result<(deeds::Change, String), Fault> {
    let difference = agents::would(way, agent).map_err(unfit)?;
    if !agents::is_change(&difference) {
        return Err(conflict(difference.trim_end()));
    }
    let digest = digest(Some(&difference));
    let what = named(way.of(agent))?;
    Ok((deeds::Change { what, digest, body: String::new() }, difference))
}

/// Holds that a name is one that a change has.
fn named(what: What) -> Result<What, Fault> {
    let is_one = What::named(&what.name()).as_ref() == Some(&what);
    is_one.then_some(what).ok_or_else(|| Fault::wrong("there is nothing of this name to change"))
}

fn is_other(before: &str, after: &str) -> Result<(), Fault> {
    if before == after {
        return Err(conflict("nothing changes: it says so already"));
    }
    Ok(())
}

fn mistaken(mistakes: &[Mistake]) -> Fault {
    let told = mistakes.iter().map(|mistake| match mistake.place {
        Some((line, column)) => format!("line {line}, column {column}: {}", mistake.message),
        None => mistake.message.clone(),
    });
    unfit(told.collect::<Vec<_>>().join("; "))
}

fn conflict(why: impl Into<String>) -> Fault {
    Fault::new(StatusCode::CONFLICT, why)
}

/// It cannot be changed so, for this reason.
fn unfit(why: String) -> Fault {
    Fault::new(StatusCode::UNPROCESSABLE_ENTITY, why)
}
