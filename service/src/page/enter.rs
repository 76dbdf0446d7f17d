//! How a browser comes to look: the code that was given where the page was started, exchanged for a seat.

use std::time::Instant;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Extension, Form, Query, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use guarded_sh::sys::hex;
use maud::{Markup, html};
use serde::Deserialize;

use super::door::Most;
use super::gate::{self, Token};
use super::spoken::Spoken;
use super::{Shared, html as parts};

/// What is exchanged.
#[derive(Deserialize)]
pub struct Given {
    code: String,
    /// The public key that answers are signed with, in hexadecimal; empty where the browser has no script.
    #[serde(default)]
    key: String,
    /// The question at which the page is entered.
    #[serde(default)]
    at: String,
}

/// At what the page is entered.
#[derive(Default, Deserialize)]
pub struct At {
    /// The question; none for all.
    #[serde(default)]
    at: String,
}

/// The page that takes a code. The code itself stands behind the `#` of the address, which no server is sent.
pub async fn form(language: Spoken, at: Result<Query<At>, QueryRejection>) -> Markup {
    let Query(At { at }) = at.unwrap_or_default();
    asked(None, &at, language)
}

/// Exchanges a code.
pub async fn enter(
    State(page): State<Shared>,
    language: Spoken,
    Form(given): Form<Given>,
) -> Response {
    let key = match given.key.as_str() {
        "" => None,
        key => Some(hex::bytes(key).unwrap_or_default()),
    };
    // Without a key it looks, and signs nothing.
    let key = key.filter(|_| page.door.most == Most::Answers);
    let taken = page.seats().take(given.code.trim(), key, Instant::now());
    let token = match taken {
        Ok(token) => token,
        Err(refusal) => {
            let why = refusal.told(language);
            return (StatusCode::FORBIDDEN, asked(Some(&why), &given.at, language)).into_response();
        }
    };
    // An id has letters and digits: nothing else gets into the address.
    let is_id = !given.at.is_empty() && given.at.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let to = if is_id { format!("/#q-{}", given.at) } else { "/".to_owned() };
    set_cookie(&gate::cookie(&page.door, &token), Redirect::to(&to))
}

/// Gives the seat up.
pub async fn leave(State(page): State<Shared>, Extension(token): Extension<Token>) -> Response {
    page.seats().leave(&token.0);
    set_cookie(&gate::no_cookie(&page.door), Redirect::to("/enter"))
}

fn set_cookie(cookie: &str, answer: Redirect) -> Response {
    let mut headers = HeaderMap::new();
    headers.extend(HeaderValue::from_str(cookie).ok().map(|value| (SET_COOKIE, value)));
    (headers, answer).into_response()
}

/// What is shown to a browser that has no seat.
pub fn without_seat(language: Spoken) -> Markup {
    asked(Some(&language.say("enter-unknown")), "", language)
}

fn asked(why: Option<&str>, at: &str, language: Spoken) -> Markup {
    let body = html! {
        main.narrow {
            h1 { "guarded-sh" }
            @if let Some(why) = why { p.trouble role="alert" { (why) } }
            p { (parts::words(&language.say("enter-how"))) }
            form #enter method="post" action="/enter" {
                label for="code" { (language.say("enter-code")) }
                input #code name="code" autocomplete="off" spellcheck="false" required;
                input #key name="key" type="hidden" value="";
                @if !at.is_empty() { input name="at" type="hidden" value=(at); }
                button type="submit" { (language.say("enter-open")) }
            }
            noscript { p { (language.say("enter-no-script")) } }
        }
    };
    parts::document(language, &language.say("enter-title"), &body)
}
