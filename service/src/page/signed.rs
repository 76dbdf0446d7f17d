//! What a browser signs with the key that it was paired with: answers and changes. A cookie is sent to every port of a host, and so proves nothing here.

use std::time::Instant;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::sys::hex;

use super::Page;
use super::gate::Token;
use super::spoken::Spoken;

/// Why what came is not taken.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused(pub StatusCode, pub String);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        (self.0, format!("{}\n", self.1)).into_response()
    }
}

impl Refused {
    /// What came has not the form that it must have.
    pub fn form(why: &str) -> Self {
        Self(StatusCode::BAD_REQUEST, why.to_owned())
    }

    /// It does not fit how things stand.
    pub fn conflict(why: impl Into<String>) -> Self {
        Self(StatusCode::CONFLICT, why.into())
    }

    /// Returns it as a person is told it.
    pub fn told(self, language: Spoken) -> Self {
        Self(self.0, language.0.meaning(&self.1).into_owned())
    }
}

/// Holds that a text with this nonce in it was signed by a seat's key; the signature is in hexadecimal. The nonce counts once, whatever comes of it.
pub fn check(
    page: &Page,
    token: &Token,
    nonce: &str,
    text: &str,
    signature: &str,
) -> Result<(), Refused> {
    let signature =
        hex::bytes(signature).ok_or_else(|| Refused::form("the signature is no hexadecimal"))?;
    let checked = page.seats().check(&token.0, nonce, text, &signature, Instant::now());
    checked.map_err(|refusal| Refused(StatusCode::FORBIDDEN, refusal.to_string()))
}
