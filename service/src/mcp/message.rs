//! Messages of the protocol as they come by HTTP: each is read whole, within a time, and is one of the protocol's; else the answer is an error in its own words.
//! Decides nothing of what is asked.

use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, CONTENT_TYPE, HeaderMap, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ErrorCode, RequestId};
use serde_json::{Value, json};

use super::gate::Caller;
use super::{LARGEST, Shared};

/// For how long a message may take to come.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why what came is no message.
#[derive(Debug, thiserror::Error)]
enum Fault {
    /// It says of itself that it is something else.
    #[error("a message is sent as application/json")]
    Type,
    /// It is too long.
    #[error("a message has at most {LARGEST} bytes")]
    Long,
    /// It does not come.
    #[error("the message did not come within {} seconds", PATIENCE.as_secs())]
    Late,
    /// Its connection broke.
    #[error("the message did not come whole")]
    Cut,
    /// It is no JSON.
    #[error("this is no JSON: {0}")]
    Json(serde_json::Error),
    /// It is JSON, and no message.
    #[error("this is no message of the protocol")]
    Form { id: Value },
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let (status, code) = match self {
            Self::Type => (StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::INVALID_REQUEST),
            Self::Long => (StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::INVALID_REQUEST),
            Self::Late => (StatusCode::REQUEST_TIMEOUT, ErrorCode::INVALID_REQUEST),
            Self::Json(_) => (StatusCode::BAD_REQUEST, ErrorCode::PARSE_ERROR),
            Self::Cut | Self::Form { .. } => (StatusCode::BAD_REQUEST, ErrorCode::INVALID_REQUEST),
        };
        let message = self.to_string();
        let is_unread = matches!(self, Self::Type | Self::Long | Self::Late | Self::Cut);
        let id = if let Self::Form { id } = self { id } else { Value::Null };
        let error =
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
        let mut response = (status, axum::Json(error)).into_response();
        if is_unread {
            // What is still to come on this connection is no request.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// Passes a message on once all of it is there.
pub async fn pass(
    State(bridge): State<Shared>,
    Extension(Caller(client)): Extension<Caller>,
    request: Request,
    next: Next,
) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let read = async {
        let whole = whole(&head.headers, body).await?;
        cancelled(&whole).map(|cancelled| (whole, cancelled))
    };
    match read.await {
        Ok((whole, cancelled)) => {
            // A client of the older protocol cancels by a message. Without sessions, the protocol's service hears none of these.
            if let Some(id) = cancelled {
                bridge.calls.cancel(&client.digest, &id);
            }
            next.run(Request::from_parts(head, Body::from(whole))).await
        }
        Err(fault) => fault.into_response(),
    }
}

async fn whole(headers: &HeaderMap, body: Body) -> Result<Bytes, Fault> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if !essence.eq_ignore_ascii_case("application/json") {
        return Err(Fault::Type);
    }
    let mut pieces = body.into_data_stream();
    let read = async {
        let mut whole = Vec::new();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| Fault::Cut)?;
            if piece.len() > LARGEST - whole.len() {
                return Err(Fault::Long);
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole.into())
    };
    tokio::time::timeout(PATIENCE, read).await.unwrap_or(Err(Fault::Late))
}

/// Holds that this is a message, and returns the id of the call that it cancels, if it does.
fn cancelled(text: &[u8]) -> Result<Option<RequestId>, Fault> {
    match serde_json::from_slice(text) {
        Ok(ClientJsonRpcMessage::Notification(told)) => Ok(match told.notification {
            ClientNotification::CancelledNotification(told) => told.params.request_id,
            _ => None,
        }),
        Ok(_) => Ok(None),
        Err(_) => {
            let read: Value = serde_json::from_slice(text).map_err(Fault::Json)?;
            let id = read.get("id").filter(|id| id.is_string() || id.is_number());
            Err(Fault::Form { id: id.cloned().unwrap_or_default() })
        }
    }
}
