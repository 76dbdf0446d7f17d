//! How a browser comes to look: the code that was given where the page was started, exchanged for a seat.

use std::time::Instant;

use axum::extract::{Extension, Form, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use guarded_sh::sys::hex;
use maud::{Markup, html};
use serde::Deserialize;

use super::door::Most;
use super::gate::{self, Token};
use super::{Shared, html as parts};

/// What is exchanged.
#[derive(Deserialize)]
pub struct Given {
    code: String,
    /// The public key that answers are signed with, in hexadecimal; empty where the browser has no script.
    #[serde(default)]
    key: String,
}

/// The page that takes a code. The code itself stands behind the `#` of the address, which no server is sent.
pub async fn form() -> Markup {
    asked(None)
}

/// Exchanges a code.
pub async fn enter(State(page): State<Shared>, Form(given): Form<Given>) -> Response {
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
            return (StatusCode::FORBIDDEN, asked(Some(&refusal.to_string()))).into_response();
        }
    };
    set_cookie(&gate::cookie(&page.door, &token), Redirect::to("/"))
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
pub fn without_seat() -> Markup {
    asked(Some("this browser is not known here, or no longer"))
}

fn asked(why: Option<&str>) -> Markup {
    let body = html! {
        main.narrow {
            h1 { "guarded-sh" }
            @if let Some(why) = why { p.trouble role="alert" { (why) } }
            p { "The page opens with a code that is given where it was started: " code { "guarded-sh page" } " prints it, and again each time you press Enter there." }
            form #enter method="post" action="/enter" {
                label for="code" { "Code" }
                input #code name="code" autocomplete="off" spellcheck="false" required;
                input #key name="key" type="hidden" value="";
                button type="submit" { "Open" }
            }
            noscript { p { "Without JavaScript you can look, and not answer: answers are signed with a key that stays in the browser." } }
        }
    };
    parts::document("Open the page", &body)
}
