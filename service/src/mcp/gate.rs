//! What is heard at all: requests to this very server, of no browser's page that the owner did not name, each with the token of a client. Everything else is
//! refused before any of it is read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, AUTHORIZATION, CACHE_CONTROL,
    CONNECTION, COOKIE, HOST, HeaderName, HeaderValue, ORIGIN, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::clients::Client;
use super::{Bridge, Shared};
use crate::issued::{found, now};
use crate::page::{Bucket, bearer, is_passed_on, only};

/// Requests of one client: so many at once, and so many a second from then on.
const BURST: f64 = 1_000.0;
const RATE: f64 = 200.0;
/// The same of all that come with no token that counts. They keep nobody else out.
const WRONG_BURST: f64 = 10.0;
const WRONG_RATE: f64 = 1.0;

/// Whose request it is.
#[derive(Clone)]
pub struct Caller(pub Arc<Client>);

/// How much was asked lately.
#[derive(Default)]
pub struct Rates(Mutex<Lately>);

#[derive(Default)]
struct Lately {
    by: HashMap<String, Bucket>,
    wrong: Bucket,
}

/// Why a request is not heard.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It is of another protocol, or names a whole address as those to proxies do.
    #[error("this is no request to this server")]
    Form,
    /// It is for another host.
    #[error("it is asked for another host than this server's")]
    Host,
    /// A site's page asks.
    #[error("a page of a site asks for it")]
    Site,
    /// A proxy passed it on.
    #[error("it was passed on by a proxy")]
    Proxy,
    /// There is no token that counts.
    #[error(
        "a client's token is needed: `guarded-sh mcp clients add` makes one, and it is sent as `Authorization: Bearer TOKEN`"
    )]
    Token,
    /// The clients cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// Too much was asked.
    #[error("too many requests")]
    Many(Duration),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Form | Self::Site | Self::Proxy => StatusCode::FORBIDDEN,
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Token | Self::Unreadable(_) => StatusCode::UNAUTHORIZED,
            Self::Many(_) => StatusCode::TOO_MANY_REQUESTS,
        };
        let mut response = (status, format!("refused: {self}\n")).into_response();
        let headers = response.headers_mut();
        // Whoever is refused asks nothing more on this connection.
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        if let Self::Many(wait) = self {
            headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1));
        }
        if let Self::Token = self {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Hears a request, or refuses it.
pub async fn pass(State(bridge): State<Shared>, request: Request, next: Next) -> Response {
    let site = match reached(&bridge, &request) {
        Ok(site) => site,
        Err(refusal) => return refusal.into_response(),
    };
    let mut response = match &site {
        // A browser asks whether it may ask, and sends no token with that.
        Some(_) if request.method() == Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => of_client(&bridge, request, next).await,
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Some(site) = site {
        headers.insert(VARY, HeaderValue::from_static("Origin"));
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, site);
        for (name, value) in FOR_SITES {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

/// What the page of a site may send and read, which the owner named. No cookie is sent for it: none is heard.
const FOR_SITES: [(HeaderName, &str); 5] = [
    (ACCESS_CONTROL_ALLOW_METHODS, "POST"),
    (
        ACCESS_CONTROL_ALLOW_HEADERS,
        "Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID",
    ),
    (ACCESS_CONTROL_EXPOSE_HEADERS, "WWW-Authenticate, Retry-After, MCP-Protocol-Version"),
    (ACCESS_CONTROL_MAX_AGE, "600"),
    (HeaderName::from_static("access-control-allow-private-network"), "true"),
];

/// Hears what a client asks, or refuses it.
async fn of_client(bridge: &Bridge, mut request: Request, next: Next) -> Response {
    match known(bridge, bearer(request.headers())) {
        Ok(client) => {
            // What comes behind is told whose it is, and not by what that is known.
            request.headers_mut().remove(AUTHORIZATION);
            request.extensions_mut().insert(Caller(Arc::new(client)));
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

/// Holds that a request is one to this server. Returns the site whose page asks, if the owner named it.
fn reached(bridge: &Bridge, request: &Request) -> Result<Option<HeaderValue>, Refusal> {
    if request.version() != Version::HTTP_11 || request.uri().authority().is_some() {
        return Err(Refusal::Form);
    }
    let headers = request.headers();
    let host = only(headers, &HOST).map(str::to_ascii_lowercase).ok_or(Refusal::Host)?;
    if !bridge.hosts.contains(&host) {
        return Err(Refusal::Host);
    }
    if is_passed_on(headers) {
        return Err(Refusal::Proxy);
    }
    if headers.contains_key(COOKIE) {
        return Err(Refusal::Site);
    }
    if !headers.contains_key(ORIGIN) {
        // Browsers say where their pages ask from (Fetch Metadata), whether or not they name a site.
        let is_browsers = headers.contains_key("sec-fetch-site");
        return if is_browsers { Err(Refusal::Site) } else { Ok(None) };
    }
    let site =
        only(headers, &ORIGIN).filter(|site| bridge.origins.contains(&site.to_ascii_lowercase()));
    Ok(Some(HeaderValue::from_str(site.ok_or(Refusal::Site)?).map_err(|_| Refusal::Site)?))
}

/// Returns the client whose token was sent, as the file says it now.
fn known(bridge: &Bridge, token: Option<&str>) -> Result<Client, Refusal> {
    let clients = bridge
        .clients
        .read()
        .map_err(|error| Refusal::Unreadable(guarded_sh::approval::text::with_causes(&error)))?;
    let found = token.and_then(|token| found(&clients, token, now()));
    let at = Instant::now();
    let mut lately = bridge.rates.0.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(client) = found else {
        lately.wrong.take(at, WRONG_RATE, WRONG_BURST).map_err(Refusal::Many)?;
        return Err(Refusal::Token);
    };
    lately.by.retain(|digest, _| clients.iter().any(|client| client.digest == *digest));
    let bucket = lately.by.entry(client.digest.clone()).or_default();
    bucket.take(at, RATE, BURST).map_err(Refusal::Many)?;
    Ok(client.clone())
}
