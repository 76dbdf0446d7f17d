//! What is heard at all: requests of a person's own browser to this very page. Everything else is refused before it reaches a page, with the reason in
//! plain words, as a person may see it.

use std::time::Instant;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CONNECTION, COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::http::{Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::counts::Kind;
use super::door::{Door, From as Comes};
use super::listeners::Known;
use super::spoken::Spoken;
use super::{Page, Shared, programs};

/// What every answer says: nothing of it is kept, framed, guessed at or loaded from elsewhere, and no script is run but ours.
const HEADERS: [(&str, &str); 7] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    // With `no-referrer` browsers would not say the origin of a form.
    ("referrer-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

/// By which seat a request comes.
#[derive(Clone)]
pub struct Token(pub String);

/// Why a request is not heard.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is of another protocol, or names a whole address as those to proxies do.
    #[error("this is no request of a browser to this page")]
    Form,
    /// It is for another host.
    #[error("it is asked for another host than this page's")]
    Host,
    /// A proxy passed it on.
    #[error("it was passed on by a proxy, and the page is for this machine alone")]
    Proxy,
    /// A proxy passed it on that does not say that it came by TLS.
    #[error("the proxy does not say that it came by HTTPS (X-Forwarded-Proto)")]
    Plain,
    /// Another site asks.
    #[error("another site asks for it")]
    Site,
    /// It would do what pages do not.
    #[error("this method is not known here")]
    Method,
    /// Whoever asks is not the person.
    #[error(transparent)]
    Peer(#[from] super::peers::Stranger),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            _ => StatusCode::FORBIDDEN,
        };
        (status, format!("refused: {self}\n")).into_response()
    }
}

/// Hears a request, or refuses it.
pub async fn pass(
    State(page): State<Shared>,
    ConnectInfo(peer): ConnectInfo<Known>,
    request: Request,
    next: Next,
) -> Response {
    let kind = Kind::of(request.uri().path());
    let heard = match is_asked_for(&page, &request) {
        Ok(()) => known(peer).await,
        Err(refusal) => Err(refusal),
    };
    let mut response = match heard {
        Ok(()) => next.run(request).await,
        Err(refusal) => {
            let mut refused = refusal.into_response();
            // Whoever is refused asks nothing more on this connection.
            refused.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            refused
        }
    };
    page.counts.request(kind, response.status());
    for (name, value) in HEADERS {
        let name = HeaderName::from_static(name);
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if page.door.from == Comes::Elsewhere {
        let name = HeaderName::from_static("strict-transport-security");
        response.headers_mut().insert(name, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// Lets only those through who have a seat.
pub async fn seated(
    State(page): State<Shared>,
    language: Spoken,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(token) = seat(&page, request.headers()) else {
        return (StatusCode::UNAUTHORIZED, super::enter::without_seat(language)).into_response();
    };
    request.extensions_mut().insert(token);
    next.run(request).await
}

/// Returns the seat that a request comes by.
pub fn seat(page: &Page, headers: &HeaderMap) -> Option<Token> {
    let token = token(headers, &page.door).map(str::to_owned);
    token.filter(|token| page.seats().is_seat(token, Instant::now())).map(Token)
}

/// Holds that a person's programs are at the other end, and still are: on a thread of its own, since files are read for it.
async fn known(peer: Known) -> Result<(), Refusal> {
    let checked = tokio::task::spawn_blocking(move || match &*peer {
        Ok(peer) => peer.check(),
        Err(stranger) => Err(stranger.clone()),
    });
    Ok(checked.await.unwrap_or(Err(super::peers::Stranger::Unknown))?)
}

/// Holds that a request is one of this page's own documents, or of a person who opens one.
fn is_asked_for(page: &Page, request: &Request) -> Result<(), Refusal> {
    if request.version() != Version::HTTP_11 || request.uri().authority().is_some() {
        return Err(Refusal::Form);
    }
    let headers = request.headers();
    let host = only(headers, &HOST);
    // Programs ask on this machine, and nowhere else.
    let is_programs = page.door.from == Comes::Here && programs::is_programs(request);
    let is_here = host == Some(page.door.host.as_str())
        || (is_programs && host == Some(page.address.as_str()));
    if !is_here {
        return Err(Refusal::Host);
    }
    match page.door.from {
        Comes::Here if is_passed_on(headers) => return Err(Refusal::Proxy),
        Comes::Here => {}
        Comes::Elsewhere => is_by_tls(headers, &page.door)?,
    }
    if is_programs {
        return programs::is_asked_for(request);
    }
    // Browsers say where a request comes from (Fetch Metadata); `none` is what a person typed, or another program opened.
    let site = only(headers, &HeaderName::from_static("sec-fetch-site"));
    let origin = headers.contains_key(ORIGIN).then(|| only(headers, &ORIGIN));
    let is_own = origin.is_none_or(|origin| origin == Some(page.origin().as_str()));
    match *request.method() {
        Method::GET if is_own && matches!(site, Some("same-origin" | "none")) => Ok(()),
        Method::POST if is_own && origin.is_some() && site == Some("same-origin") => Ok(()),
        Method::GET | Method::POST => Err(Refusal::Site),
        _ => Err(Refusal::Method),
    }
}

/// Holds that the named proxy got a request by TLS, for this very host.
fn is_by_tls(headers: &HeaderMap, door: &Door) -> Result<(), Refusal> {
    let forwarded = |name: &'static str| {
        let name = HeaderName::from_static(name);
        headers.contains_key(&name).then(|| only(headers, &name))
    };
    if forwarded("x-forwarded-proto") != Some(Some("https")) {
        return Err(Refusal::Plain);
    }
    match forwarded("x-forwarded-host") {
        Some(host) if host != Some(door.host.as_str()) => Err(Refusal::Host),
        _ => Ok(()),
    }
}

/// Whether a proxy says that it passes a request on for somebody else.
pub fn is_passed_on(headers: &HeaderMap) -> bool {
    let says = |name: &HeaderName| {
        let name = name.as_str();
        matches!(name, "forwarded" | "via") || name.starts_with("x-forwarded-")
    };
    headers.keys().any(says)
}

/// Returns the value of a header that stands there once.
pub fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Returns what a seat is known by.
fn token<'h>(headers: &'h HeaderMap, door: &Door) -> Option<&'h str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|cookies| cookies.split("; "));
    pairs.find_map(|pair| pair.strip_prefix(door.cookie())?.strip_prefix('='))
}

/// Returns the cookie of a seat: for this host alone, and for no script.
pub fn cookie(door: &Door, token: &str) -> String {
    format!("{}={token}; {}", door.cookie(), door.attributes())
}

/// Returns what has a browser forget the cookie.
pub fn no_cookie(door: &Door) -> String {
    format!("{}=; {}; Max-Age=0", door.cookie(), door.attributes())
}
