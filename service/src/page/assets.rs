//! The files of the page, which are in the program.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// Returns how the page looks.
pub async fn style() -> Response {
    typed("text/css; charset=utf-8", include_str!("assets/page.css"))
}

/// Returns what the page does in the browser.
pub async fn script() -> Response {
    typed("text/javascript; charset=utf-8", include_str!("assets/page.js"))
}

/// Returns what the page does in the browser where something is tried or changed.
pub async fn changes() -> Response {
    typed("text/javascript; charset=utf-8", include_str!("assets/changes.js"))
}

/// Returns how passkeys are made and touched.
pub async fn passkey() -> Response {
    typed("text/javascript; charset=utf-8", include_str!("assets/passkey.js"))
}

/// Returns what all tabs of a browser have in common: the one stream of events.
pub async fn worker() -> Response {
    typed("text/javascript; charset=utf-8", include_str!("assets/events.js"))
}

/// Returns what follows a transcript.
pub async fn transcript() -> Response {
    typed("text/javascript; charset=utf-8", include_str!("assets/transcript.js"))
}

/// Returns the sign that tabs have.
pub async fn icon() -> Response {
    typed("image/svg+xml", include_str!("assets/icon.svg"))
}

fn typed(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}
