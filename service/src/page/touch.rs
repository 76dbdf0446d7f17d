//! *Passkey*: how one is registered, with a code that the terminal gives for it, and which a yes may be touched with.

use std::time::Instant;

use axum::Json;
use axum::extract::{Extension, Form, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use super::door::Most;
use super::gate::Token;
use super::passkeys::{Place, Refusal, Touch};
use super::{Shared, deeds, html as parts, once};

/// By what one is registered.
#[derive(Deserialize)]
pub struct Code {
    code: String,
}

/// What a browser makes one with.
#[derive(Serialize)]
struct Asked {
    /// The host that it is for.
    host: String,
    /// Those that are registered for it.
    known: Vec<String>,
    /// Whether a change takes one too.
    changes: bool,
    /// What it is to sign; none where a yes is to be touched, which is itself what is signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<String>,
}

/// The page that registers one.
pub async fn page(State(page): State<Shared>) -> Markup {
    let count = page.passkeys().known(page.door.name()).len();
    let needed = page.passkey.name();
    let body = html! {
        p { "A yes to what is severe can take the touch of a passkey: " code { "page.passkey" } " is " code { (needed) } ". What drives this browser without you cannot touch it." }
        p #known { @match count { 0 => "None is", 1 => "One is", count => { (count) " are" } } " registered for " code { (page.door.name()) } "." }
        p { "A new one takes a code from where the page was started: type " code { "passkey" } " and Enter there." }
        form #passkey hidden {
            label for="code" { "Code" }
            input #code name="code" autocomplete="off" spellcheck="false" required;
            button type="submit" { "Register a passkey" }
            p.outcome role="alert" {}
        }
        noscript { p.trouble { "Passkeys take JavaScript." } }
    };
    parts::page("Passkey", "", &body)
}

/// Exchanges a code for what a passkey is made with.
pub async fn begin(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    Form(Code { code }): Form<Code>,
) -> Response {
    if page.door.most == Most::Looks {
        return (StatusCode::FORBIDDEN, "from here nothing is answered\n").into_response();
    }
    let Ok(challenge) = once::drawn() else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let begun = page.passkeys().begin(code.trim(), &token.0, &challenge, Instant::now());
    match begun {
        Ok(()) => asked(&page, Some(challenge)),
        Err(why) => refused(&why),
    }
}

/// Registers what was made.
pub async fn finish(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    Form(touch): Form<Touch>,
) -> Response {
    let place = Place { origin: &page.origin(), host: page.door.name() };
    let registered = page.passkeys().register(&token.0, &touch, place, Instant::now());
    match registered {
        Ok(()) => "registered\n".into_response(),
        Err(why) => refused(&why),
    }
}

/// Says which a yes may be touched with.
pub async fn known(State(page): State<Shared>) -> Response {
    asked(&page, None)
}

fn asked(page: &Shared, challenge: Option<String>) -> Response {
    let host = page.door.name().to_owned();
    let known = page.passkeys().known(&host);
    Json(Asked { host, known, changes: deeds::takes_passkey(page), challenge }).into_response()
}

fn refused(why: &Refusal) -> Response {
    (StatusCode::FORBIDDEN, format!("{why}\n")).into_response()
}
