//! Answers: what a browser signs with the key that it was paired with, and what becomes of it.
//!
//! A cookie is sent to every port of a host, and so proves nothing here. What is signed is the origin, the question, the digest of the line that was
//! shown, a number that counts once, and the answer, a line each.

use std::time::Instant;

use axum::extract::{Extension, Form, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::model::{Answer, Proof, Severity};
use guarded_sh::sys::hex;
use serde::Deserialize;

use super::Shared;
use super::gate::Token;
use super::now;
use super::passkeys::{Place, Touch};

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
    /// What was touched where the line takes a passkey.
    #[serde(flatten)]
    touch: Touch,
}

/// What a browser wants.
enum Wish {
    Answer(Answer),
    Try,
}

/// Gives a number that counts once.
pub async fn nonce(State(page): State<Shared>, Extension(token): Extension<Token>) -> Response {
    match page.seats().nonce(&token.0, Instant::now()) {
        Ok(nonce) => nonce.into_response(),
        Err(refusal) => refused(StatusCode::FORBIDDEN, &refusal.to_string()),
    }
}

/// Takes an answer.
pub async fn answer(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    Form(signed): Form<Signed>,
) -> Response {
    let Some(signature) = hex::bytes(&signed.signature) else {
        return refused(StatusCode::BAD_REQUEST, "the signature is no hexadecimal");
    };
    let text = signed.text(&page.origin());
    let now = Instant::now();
    let checked = page.seats().check(&token.0, &signed.nonce, &text, &signature, now);
    if let Err(refusal) = checked {
        return refused(StatusCode::FORBIDDEN, &refusal.to_string());
    }
    let Some(wish) = signed.wish() else {
        return refused(StatusCode::BAD_REQUEST, "what came is no answer");
    };
    match take(&page, &signed, wish).await {
        Ok(()) => "taken\n".into_response(),
        Err(why) => refused(StatusCode::CONFLICT, &why),
    }
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
async fn take(page: &Shared, signed: &Signed, wish: Wish) -> Result<(), String> {
    let standing = page.floor.standing().borrow().clone();
    let (host, entry) = standing.open(&signed.question).ok_or("this question is no longer open")?;
    if now::digest(&entry.question.line) != signed.digest {
        return Err("the line of this question is another than the one that was shown".to_owned());
    }
    let answer = match wish {
        Wish::Try => {
            page.floor.begin_trial(host.clone(), entry.id.clone());
            return Ok(());
        }
        Wish::Answer(answer) => answer,
    };
    if answer.is_yes() && entry.question.severity == Severity::Critical {
        if answer != Answer::Once {
            return Err("it is critical: a yes covers this once and no more".to_owned());
        }
        if signed.typed != WORD {
            return Err(format!("it is critical: type {WORD} to run it once"));
        }
    }
    let runs = answer.is_yes() || answer == Answer::Keep;
    let proof = if runs && page.passkey.is_needed(entry.question.severity) {
        let text = signed.text(&page.origin());
        let place = Place { origin: &page.origin(), host: page.door.name() };
        page.passkeys().check(&signed.touch, &text, place).map_err(|why| why.to_string())?;
        Proof::Passkey
    } else if signed.typed == WORD {
        Proof::KeyAndWord
    } else {
        Proof::Key
    };
    if answer == Answer::Always {
        let (page, id) = (page.clone(), entry.id.clone());
        let written = tokio::task::spawn_blocking(move || page.offers.write(&id)).await;
        written.unwrap_or_else(|_| Err("the rule could not be written".to_owned()))?;
    }
    page.floor.answer(host.clone(), entry.id.clone(), answer, proof).await
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, format!("{why}\n")).into_response()
}
