//! Why a program gets nothing: one shape for all of it.

use std::time::Duration;

use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// A refusal, or a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    status: StatusCode,
    why: String,
    again: Option<Duration>,
}

/// What is said where nothing else is.
#[derive(Serialize, ToSchema)]
pub struct Error {
    /// Why, in plain words.
    error: String,
}

impl Fault {
    /// Makes it.
    pub fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self { status, why: why.into(), again: None }
    }

    /// There were too many requests; after so long there is room for another.
    pub fn too_many(again: Duration) -> Self {
        let why = "there were too many requests";
        Self { again: Some(again), ..Self::new(StatusCode::TOO_MANY_REQUESTS, why) }
    }

    /// What came is not what is to come.
    pub fn wrong(why: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, why)
    }

    /// There is no such thing.
    pub fn absent(why: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, why)
    }

    /// It cannot be said now.
    pub fn unavailable(why: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, why)
    }

    /// Returns the status.
    #[cfg(test)]
    pub const fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<BytesRejection> for Fault {
    fn from(rejection: BytesRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let body = super::shape::text(&Error { error: self.why });
        let mut response =
            (self.status, [(CONTENT_TYPE, "application/json")], body).into_response();
        let headers = response.headers_mut();
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        let again = self.again.map(|again| HeaderValue::from(again.as_secs() + 1));
        headers.extend(again.map(|again| (RETRY_AFTER, again)));
        response
    }
}
