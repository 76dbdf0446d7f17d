//! Answers: what a browser signs of them, and what becomes of one.
//!
//! What is signed is the origin, the question, the digest of the line that was
//! shown, a number that counts once, and the answer, a line each.

use std::time::Instant;

use axum::extract::{Extension, Form, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::model::{Answer, Proof, Severity};
use serde::Deserialize;

use super::door::Most;
use super::gate::Token;
use super::passkeys::{Place, Touch};
use super::signed::{self, Refused};
use super::spoken::Spoken;
use super::{Shared, now};

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

/// By what an answer came.
pub enum By<'a> {
    /// By a browser, which signed this text with its key, and touched this besides; it is told in this language why that does not count.
    Browser(&'a str, &'a Touch, Spoken),
    /// With the token of this name.
    Token(&'a str),
}

/// Gives a number that counts once.
pub async fn nonce(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    language: Spoken,
) -> Response {
    match page.seats().nonce(&token.0, Instant::now()) {
        Ok(nonce) => nonce.into_response(),
        Err(refusal) => {
            let refused = Refused(StatusCode::FORBIDDEN, refusal.to_string());
            refused.told(language).into_response()
        }
    }
}

/// Takes an answer.
pub async fn answer(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    language: Spoken,
    Form(signed): Form<Signed>,
) -> Result<&'static str, Refused> {
    taken(&page, &token, &signed, language).await.map_err(|refused| refused.told(language))?;
    Ok("taken\n")
}

async fn taken(
    page: &Shared,
    token: &Token,
    signed: &Signed,
    language: Spoken,
) -> Result<(), Refused> {
    let text = signed.text(&page.origin());
    signed::check(page, token, &signed.nonce, &text, &signed.signature)?;
    let wish = signed.wish().ok_or_else(|| Refused::form("what came is no answer"))?;
    let Signed { question, digest, typed, .. } = signed;
    let given = Given { question, digest, typed };
    let by = By::Browser(&text, &signed.touch, language);
    take(page, &given, wish, by).await.map_err(Refused::conflict)
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
pub async fn take(page: &Shared, given: &Given<'_>, wish: Wish, by: By<'_>) -> Result<(), String> {
    if page.door.most == Most::Looks {
        return Err("from here you can look, and not answer".to_owned());
    }
    let standing = page.floor.standing().borrow().clone();
    let (host, entry) = standing.open(given.question).ok_or("this question is no longer open")?;
    if now::digest(&entry.question.line) != given.digest {
        return Err("the line of this question is another than the one that was shown".to_owned());
    }
    let is_critical = entry.question.severity == Severity::Critical;
    if let By::Token(name) = by {
        match &wish {
            Wish::Answer(Answer::Deny { .. } | Answer::Stop) => {}
            Wish::Answer(Answer::Always) => {
                return Err(
                    "a token changes no rules: say yes for once or for the session".to_owned()
                );
            }
            _ if is_critical => {
                return Err(format!("it is critical: a token, as '{name}' is, only denies it"));
            }
            _ => {}
        }
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
            return Err("it is critical: type critical to run it once".to_owned());
        }
    }
    let runs = answer.is_yes() || answer == Answer::Keep;
    let takes_passkey = runs && page.passkey.is_needed(entry.question.severity);
    let proof = match by {
        By::Token(_) if takes_passkey => {
            return Err("a yes to this takes a passkey, which no token has".to_owned());
        }
        By::Token(_) => Proof::Token,
        By::Browser(text, touch, language) if takes_passkey => {
            let place = Place { origin: &page.origin(), host: page.door.name() };
            page.passkeys().check(touch, text, place).map_err(|why| why.told(language))?;
            Proof::Passkey
        }
        By::Browser(..) if given.typed == WORD => Proof::KeyAndWord,
        By::Browser(..) => Proof::Key,
    };
    if answer == Answer::Always {
        let (page, id) = (page.clone(), entry.id.clone());
        let written = tokio::task::spawn_blocking(move || page.offers.write(&id)).await;
        written.unwrap_or_else(|_| Err("the rule could not be written".to_owned()))?;
    }
    page.floor.answer(host.clone(), entry.id.clone(), answer, proof).await
}
