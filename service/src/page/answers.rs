//! Answers: what a browser signs of them, and what becomes of one.
//!
//! What is signed is the origin, the question, the digest of the line that was
//! shown, a number that counts once, and the answer, a line each.

use std::time::Instant;

use axum::extract::{Extension, Form, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::model::{Answer, Severity};
use serde::Deserialize;

use super::Shared;
use super::gate::Token;
use super::now;
use super::signed::{self, Refused};

/// What is typed to run what is critical.
const WORD: &str = "critical";

/// An answer as it is sent.
#[derive(Deserialize)]
pub struct Signed {
    /// Of which question.
    question: String,
    /// Of the line that was shown.
    digest: String,
    nonce: String,
    /// The answer as hosts take it, or `try`.
    answer: String,
    /// The signature in hexadecimal.
    signature: String,
    /// What the person typed where the line is critical.
    #[serde(default)]
    typed: String,
}

/// What a person wants.
pub enum Wish {
    Answer(Answer),
    Try,
}

/// To what an answer is given.
pub struct Given<'g> {
    /// The question.
    pub question: &'g str,
    /// The digest of the line that was shown.
    pub digest: &'g str,
    /// What was typed for it.
    pub typed: &'g str,
}

/// By what an answer is known to be a person's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It was signed with the key of a browser.
    Key,
    /// It came with the token of this name.
    Token(String),
}

/// Gives a number that counts once.
pub async fn nonce(State(page): State<Shared>, Extension(token): Extension<Token>) -> Response {
    match page.seats().nonce(&token.0, Instant::now()) {
        Ok(nonce) => nonce.into_response(),
        Err(refusal) => Refused(StatusCode::FORBIDDEN, refusal.to_string()).into_response(),
    }
}

/// Takes an answer.
pub async fn answer(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    Form(signed): Form<Signed>,
) -> Result<&'static str, Refused> {
    let text = signed.text(&page.origin());
    signed::check(&page, &token, &signed.nonce, &text, &signed.signature)?;
    let wish = signed.wish().ok_or_else(|| Refused::form("what came is no answer"))?;
    let Signed { question, digest, typed, .. } = &signed;
    let given = Given { question, digest, typed };
    take(&page, &given, wish, &Proof::Key).await.map_err(Refused::conflict)?;
    Ok("taken\n")
}

impl Signed {
    /// Returns what is signed.
    fn text(&self, origin: &str) -> String {
        let Self { question, digest, nonce, answer, typed, .. } = self;
        format!("guarded-sh answer\n{origin}\n{question}\n{digest}\n{nonce}\n{typed}\n{answer}")
    }

    fn wish(&self) -> Option<Wish> {
        if self.answer == "try" {
            return Some(Wish::Try);
        }
        serde_json::from_str(&self.answer).ok().map(Wish::Answer)
    }
}

/// Hands a wish to the host of its question, if that is still open and its line is what was shown.
pub async fn take(
    page: &Shared,
    given: &Given<'_>,
    wish: Wish,
    proof: &Proof,
) -> Result<(), String> {
    let standing = page.floor.standing().borrow().clone();
    let (host, entry) = standing.open(given.question).ok_or("this question is no longer open")?;
    if now::digest(&entry.question.line) != given.digest {
        return Err("the line of this question is another than the one that was shown".to_owned());
    }
    let is_critical = entry.question.severity == Severity::Critical;
    let is_denial = matches!(&wish, Wish::Answer(answer) if answer.is_no());
    if let Proof::Token(name) = proof
        && is_critical
        && !is_denial
    {
        return Err(format!("it is critical: a token, as '{name}' is, only denies it"));
    }
    let answer = match wish {
        Wish::Try => {
            page.floor.begin_trial(host.clone(), entry.id.clone());
            return Ok(());
        }
        Wish::Answer(answer) => answer,
    };
    if answer.is_yes() && is_critical {
        if answer != Answer::Once {
            return Err("it is critical: a yes covers this once and no more".to_owned());
        }
        if given.typed != WORD {
            return Err(format!("it is critical: type {WORD} to run it once"));
        }
    }
    if answer == Answer::Always {
        if *proof != Proof::Key {
            return Err("a token changes no rules: say yes for once or for the session".to_owned());
        }
        let (page, id) = (page.clone(), entry.id.clone());
        let written = tokio::task::spawn_blocking(move || page.offers.write(&id)).await;
        written.unwrap_or_else(|_| Err("the rule could not be written".to_owned()))?;
    }
    page.floor.answer(host.clone(), entry.id.clone(), answer).await
}
