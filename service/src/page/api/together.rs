//! Questions that can be answered in one go, and what a trial of a question's line found.

use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use guarded_sh::ipc::Entry;
use guarded_sh::model::{Answer, Trying};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::asking::{Sent, token};
use super::fault::{Error, Fault};
use super::kept::aside;
use super::shape::Json;
use crate::page::answers::{self, By, Given, Wish};
use crate::page::programs::Asker;
use crate::page::{Shared, groups};

/// Questions of one signature each.
#[derive(Serialize, ToSchema)]
pub struct Groups {
    /// In the order in which the first of each was asked.
    groups: Vec<Group>,
}

/// Questions of one signature. Nothing that is critical is among them.
#[derive(Serialize, ToSchema)]
pub struct Group {
    /// Programs and subcommands.
    signatures: Vec<Vec<String>>,
    /// The ids of the questions.
    questions: Vec<String>,
}

/// Open questions that can be answered in one go.
#[utoipa::path(get, path = "/api/groups", tag = "questions", responses((status = 200, body = Groups)))]
pub async fn groups(State(page): State<Shared>) -> Json<Groups> {
    let standing = page.floor.standing().borrow().clone();
    let open = standing.entries.iter().map(|(_, entry)| entry.clone()).filter(Entry::is_open);
    let open: Vec<Entry> = open.collect();
    let groups = groups::groups(&open).into_iter().map(|group| Group {
        signatures: group
            .first()
            .map_or_else(Vec::new, |entry| entry.question.scope.signatures.clone()),
        questions: group.iter().map(|entry| entry.id.clone()).collect(),
    });
    Json(Groups { groups: groups.collect() })
}

/// Answers to some questions.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Together {
    /// The questions, each with the digest of the line that was shown.
    questions: Vec<Of>,
    /// The number that counts once.
    nonce: String,
    /// What is answered to each.
    answer: Each,
}

/// A question that is answered.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Of {
    /// Which.
    question: String,
    /// The digest of the line that was shown.
    digest: String,
}

/// What is answered to each of some questions.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Each {
    /// No.
    Deny,
    /// Yes, this line once.
    Once,
}

/// What became of answers.
#[derive(Serialize, ToSchema)]
pub struct AllTaken {
    /// Of each, in their order.
    answers: Vec<One>,
}

/// What became of one of them.
#[derive(Serialize, ToSchema)]
pub struct One {
    /// To which question.
    question: String,
    /// Whether the host of the question took it.
    taken: bool,
    /// Why it did not.
    why: Option<String>,
}

/// Questions that are answered in one go at most.
const MOST: usize = 100;

/// Answers some questions in one go, with a token that may: each gets its own answer, as if it were given alone.
#[utoipa::path(post, path = "/api/answers/together", tag = "questions", request_body = Together,
    responses((status = 200, body = AllTaken), (status = 400, body = Error), (status = 403, body = Error), (status = 413, body = Error), (status = 415, body = Error)))]
pub async fn answer(
    State(page): State<Shared>,
    Extension(asker): Extension<Asker>,
    Sent(sent): Sent<Together>,
) -> Result<Json<AllTaken>, Fault> {
    if sent.questions.len() > MOST {
        return Err(Fault::wrong(format!("{MOST} questions are answered in one go at most")));
    }
    let token = token(&asker)?;
    page.programs.uses(token, &sent.nonce)?;
    let mut answers = Vec::new();
    for Of { question, digest } in sent.questions {
        let wish = Wish::Answer(match sent.answer {
            Each::Deny => Answer::Deny { message: None },
            Each::Once => Answer::Once,
        });
        let given = Given { question: &question, digest: &digest, typed: "" };
        let why = answers::take(&page, &given, wish, By::Token(&token.name)).await.err();
        answers.push(One { question, taken: why.is_none(), why });
    }
    Ok(Json(AllTaken { answers }))
}

/// What a trial of a question's line found.
#[derive(Serialize, ToSchema)]
pub struct Tried {
    /// How the line ended.
    ended: String,
    /// The end of what it printed.
    printed: String,
    /// What it would do that was not tried.
    untried: Vec<String>,
    /// What it would change in files: a unified difference.
    difference: Option<String>,
    /// Why what it did cannot be kept in place of running it.
    unkept: Option<String>,
}

/// What a trial of a question's line found.
#[utoipa::path(get, path = "/api/questions/{id}/trial", tag = "questions", params(("id" = String, Path, description = "The question")),
    responses((status = 200, body = Tried), (status = 404, body = Error), (status = 409, body = Error)))]
pub async fn trial(
    State(page): State<Shared>,
    Path(id): Path<String>,
) -> Result<Json<Tried>, Fault> {
    let standing = page.floor.standing().borrow().clone();
    let found = standing.entries.iter().find(|(_, entry)| entry.id == id);
    let (_, entry) =
        found.ok_or_else(|| Fault::absent("there is no such question, or no longer"))?;
    let trial = match &entry.trying {
        Trying::Done(trial) => trial.clone(),
        Trying::Failed { why } => return Err(Fault::new(StatusCode::CONFLICT, why)),
        Trying::Running => return Err(Fault::new(StatusCode::CONFLICT, "it is being tried")),
        Trying::Possible | Trying::Impossible => {
            return Err(Fault::absent("its line was not tried"));
        }
    };
    aside(move || {
        let unread = |why| format!("what it would change cannot be read: {why}\n");
        let difference = trial.id.as_deref().map(|id| page.changes.of(id).unwrap_or_else(unread));
        let guarded_sh::model::Trial { ended, printed, untried, unkept, .. } = *trial;
        Ok(Json(Tried { ended, printed, untried, difference, unkept }))
    })
    .await
}
