//! Requests of programs: what comes with a token, as `Authorization: Bearer`, and nowhere else. Which of them are heard, how many, and by which token each comes.
//!
//! A program is held to the same gate as a browser, and says nothing of what browsers say of themselves: with an origin, a cookie or Fetch Metadata it is refused,
//! so no site can have a browser send a token. It may name the page by the address of this machine, `127.0.0.1:PORT`, beside its name.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONNECTION, COOKIE, HeaderMap, HeaderValue, ORIGIN};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::Written;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::Shared;
use super::api::Fault;
use super::gate::{self, Refusal};
use super::once::Once;
use super::prepared::{self, Shown};
use super::tokens::{self, May, Token, Tokens};
use crate::issued::{self, Issued};

/// Requests by one token: so many at once, and so many a second from then on.
const BURST: f64 = 200.0;
const RATE: f64 = 50.0;
/// The same of all that come with no token that counts. They keep nobody else out: of those that count this is not asked.
const WRONG_BURST: f64 = 10.0;
const WRONG_RATE: f64 = 1.0;
/// Streams of events by one token.
const STREAMS: usize = 32;
/// Numbers that count once which a token has open at most, and for how long each may be used.
const NONCES: usize = 64;
const NONCE_LIFE: Duration = Duration::from_secs(60);
/// How often it is noted that a token was used.
const NOTE: Duration = Duration::from_secs(60);

/// How often is looked whether a token has ended: clocks are set.
const LOOK: Duration = Duration::from_secs(60);

/// Who asks for what programs ask for.
#[derive(Clone)]
pub enum Asker {
    /// A browser, by the seat of this token.
    Seat(gate::Token),
    /// A program, by this token.
    Program(Arc<Token>),
}

/// Returns whether a request is a program's.
pub fn is_programs(request: &Request) -> bool {
    let path = request.uri().path();
    let is_for_programs = path.starts_with("/api/") || path == "/metrics";
    is_for_programs && !request.headers().contains_key("sec-fetch-site")
}

/// Holds that a program's request says nothing that only browsers say.
pub fn is_asked_for(request: &Request) -> Result<(), Refusal> {
    let headers = request.headers();
    if headers.contains_key(ORIGIN) || headers.contains_key(COOKIE) {
        return Err(Refusal::Site);
    }
    match *request.method() {
        Method::GET | Method::POST => Ok(()),
        _ => Err(Refusal::Method),
    }
}

/// What is known of programs while the page runs.
pub struct Programs {
    tokens: Tokens,
    /// The tokens as they stand: what is told by one that is gone ends.
    standing: watch::Receiver<Arc<Vec<Token>>>,
    asking: Mutex<Asking>,
}

#[derive(Default)]
struct Asking {
    by: HashMap<String, Seen>,
    wrong: Bucket,
    refused: u64,
}

/// What one token has.
struct Seen {
    bucket: Bucket,
    nonces: Once,
    /// Changes that it was shown.
    prepared: Once<Shown>,
    streams: Arc<Semaphore>,
    noted: Option<Instant>,
}

impl Default for Seen {
    fn default() -> Self {
        let streams = Arc::new(Semaphore::new(STREAMS));
        let nonces = Once::new(NONCES, NONCE_LIFE);
        let prepared = prepared::none();
        Self { bucket: Bucket::default(), nonces, prepared, streams, noted: None }
    }
}

/// How many requests were made lately: it fills by each, and empties with time.
#[derive(Clone, Copy, Default)]
pub struct Bucket {
    filled: f64,
    at: Option<Instant>,
}

impl Bucket {
    /// Takes one more; where there is no room, says after how long there is.
    pub fn take(&mut self, now: Instant, rate: f64, burst: f64) -> Result<(), Duration> {
        let passed = self.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        self.filled = (self.filled - passed.as_secs_f64() * rate).max(0.0);
        self.at = Some(now);
        if self.filled + 1.0 > burst {
            return Err(Duration::from_secs_f64((self.filled + 1.0 - burst) / rate));
        }
        self.filled += 1.0;
        Ok(())
    }
}

impl Programs {
    /// Follows the tokens of an owner.
    pub fn follow(tokens: Tokens) -> Result<Self, String> {
        let said = |error: issued::Error| with_causes(&error);
        let unfollowed = |error: io::Error| format!("cannot follow the tokens: {error}");
        let directory = tokens.directory().map_err(said)?;
        let mut written = Written::to(directory).map_err(unfollowed)?;
        let (say, standing) = watch::channel(Arc::new(tokens.read().unwrap_or_default()));
        let followed = tokens.clone();
        let thread = std::thread::Builder::new().name("tokens".to_owned());
        let follows = move || {
            while !say.is_closed() && written.wait(None).is_ok() {
                // Of what cannot be read, none counts.
                say.send_replace(Arc::new(followed.read().unwrap_or_default()));
            }
        };
        thread.spawn(follows).map_err(unfollowed)?;
        Ok(Self { tokens, standing, asking: Mutex::default() })
    }

    fn asking(&self) -> MutexGuard<'_, Asking> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns how many requests came with no token that counts.
    pub fn refused(&self) -> u64 {
        self.asking().refused
    }

    /// Returns the token that a program has sent, as the file says it now. Files are read for that.
    fn known(&self, sent: Option<&str>) -> Result<Token, Fault> {
        let tokens = self
            .tokens
            .read()
            .map_err(|error| Fault::new(StatusCode::UNAUTHORIZED, with_causes(&error)))?;
        let found = sent.and_then(|sent| tokens::found(&tokens, sent, tokens::now()));
        let now = Instant::now();
        let mut asking = self.asking();
        let Some(token) = found else {
            asking.refused += 1;
            asking.wrong.take(now, WRONG_RATE, WRONG_BURST).map_err(Fault::too_many)?;
            let why = match sent {
                None => {
                    "a token is needed: `guarded-sh page tokens add` makes one, and it is sent as `Authorization: Bearer TOKEN`"
                }
                Some(_) => "this token does not count, or no longer",
            };
            return Err(Fault::new(StatusCode::UNAUTHORIZED, why));
        };
        asking.by.retain(|digest, _| tokens.iter().any(|token| token.digest == *digest));
        let seen = asking.by.entry(token.digest.clone()).or_default();
        seen.bucket.take(now, RATE, BURST).map_err(Fault::too_many)?;
        let is_noted = seen.noted.is_some_and(|noted| now.duration_since(noted) < NOTE);
        if !is_noted {
            seen.noted = Some(now);
        }
        drop(asking);
        if !is_noted {
            // It counts all the same where that cannot be written.
            let _ = self.tokens.note(&token.digest);
        }
        Ok(token.clone())
    }

    /// Returns a number by which one answer of a token counts, and for how long. Only a token that may answer gets one.
    pub fn nonce(&self, token: &Token, drawn: String) -> Result<(String, Duration), Fault> {
        if token.may != May::Answer {
            return Err(Fault::new(StatusCode::FORBIDDEN, "this token does not answer"));
        }
        let mut asking = self.asking();
        let seen = asking.by.entry(token.digest.clone()).or_default();
        seen.nonces.give(drawn.clone(), (), Instant::now());
        Ok((drawn, NONCE_LIFE))
    }

    /// Uses a number up.
    pub fn uses(&self, token: &Token, nonce: &str) -> Result<(), Fault> {
        if token.may != May::Answer {
            return Err(Fault::new(StatusCode::FORBIDDEN, "this token does not answer"));
        }
        let mut asking = self.asking();
        let seen = asking.by.get_mut(&token.digest);
        let good = seen.and_then(|seen| seen.nonces.take(nonce, Instant::now()));
        let late = || {
            Fault::new(
                StatusCode::FORBIDDEN,
                "this was answered before, or too late: get another nonce",
            )
        };
        good.ok_or_else(late)
    }

    /// Notes a change that a token was shown, by the number with which it may make it.
    pub fn show(&self, token: &Token, number: String, shown: Shown) -> Result<(), Fault> {
        changes(token)?;
        let mut asking = self.asking();
        let seen = asking.by.entry(token.digest.clone()).or_default();
        seen.prepared.give(number, shown, Instant::now());
        Ok(())
    }

    /// Uses up the number of a change that a token was shown, and returns that.
    pub fn shown(&self, token: &Token, number: &str) -> Result<Shown, Fault> {
        changes(token)?;
        let mut asking = self.asking();
        let seen = asking.by.get_mut(&token.digest);
        let found = seen.and_then(|seen| seen.prepared.take(number, Instant::now()));
        found.ok_or_else(|| {
            let why = "this was changed before, or too late: have it shown again";
            Fault::new(StatusCode::FORBIDDEN, why)
        })
    }

    /// Returns a place among the streams of a token; none where it has all of its own.
    pub fn stream(&self, token: &Token) -> Option<OwnedSemaphorePermit> {
        let mut asking = self.asking();
        let seen = asking.by.entry(token.digest.clone()).or_default();
        seen.streams.clone().try_acquire_owned().ok()
    }

    /// Waits until a token counts no more.
    pub fn life(&self, token: &Token) -> impl Future<Output = ()> + Send + use<> {
        let (mut standing, token) = (self.standing.clone(), token.clone());
        async move {
            loop {
                let now = tokens::now();
                let is_there =
                    standing.borrow_and_update().iter().any(|one| one.digest == token.digest);
                if !is_there || !token.counts(now) {
                    return;
                }
                let left =
                    token.ends.map_or(LOOK, |ends| Duration::from_secs(ends - now).min(LOOK));
                if let Ok(Err(_)) = tokio::time::timeout(left, standing.changed()).await {
                    return;
                }
            }
        }
    }
}

/// Holds that a token may change something.
pub fn changes(token: &Token) -> Result<(), Fault> {
    match token.may {
        May::Change => Ok(()),
        May::Read | May::Answer => {
            Err(Fault::new(StatusCode::FORBIDDEN, "this token changes nothing"))
        }
    }
}

/// Lets only those through who have a token that counts, or are a browser with a seat.
pub async fn asked(State(page): State<Shared>, mut request: Request, next: Next) -> Response {
    if !is_programs(&request) {
        // A browser comes by its seat alone.
        let seat = gate::seat(&page, request.headers());
        let seat = seat.filter(|_| !request.headers().contains_key(AUTHORIZATION));
        let Some(seat) = seat else {
            return Fault::new(StatusCode::UNAUTHORIZED, "this browser is not known here")
                .into_response();
        };
        request.extensions_mut().insert(Asker::Seat(seat));
        return next.run(request).await;
    }
    let sent = bearer(request.headers()).map(str::to_owned);
    let known = {
        let page = page.clone();
        tokio::task::spawn_blocking(move || page.programs.known(sent.as_deref())).await
    };
    let broken = || Fault::new(StatusCode::SERVICE_UNAVAILABLE, "the tokens could not be read");
    match known.unwrap_or_else(|_| Err(broken())) {
        Ok(token) => {
            request.extensions_mut().insert(Asker::Program(Arc::new(token)));
            next.run(request).await
        }
        Err(fault) => {
            let mut refused = fault.into_response();
            // Whoever guesses asks nothing more on this connection.
            refused.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            refused
        }
    }
}

/// Returns the token that stands in the one header where tokens count.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = gate::only(headers, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_full_once_and_empties_with_time() {
        let (mut bucket, now) = (Bucket::default(), Instant::now());
        let second = Duration::from_secs(1);
        let mut take = |now| bucket.take(now, 2.0, 3.0);
        assert_eq!([take(now), take(now), take(now)], [Ok(()); 3]);
        assert_eq!(take(now), Err(second / 2));
        // What is refused takes no room.
        assert_eq!(take(now), Err(second / 2));
        assert_eq!([take(now + second), take(now + second)], [Ok(()); 2]);
        assert!(take(now + second).is_err());
        // A clock that goes back gives nothing.
        assert!(take(now).is_err());
    }

    fn programs() -> (tempfile::TempDir, Programs, [Token; 2]) {
        let state = tempfile::tempdir().unwrap();
        let tokens = Tokens::below(state.path());
        tokens.add("reads", May::Read, None).unwrap();
        tokens.add("answers", May::Answer, None).unwrap();
        let both = tokens.read().unwrap().try_into().unwrap();
        (state, Programs::follow(tokens).unwrap(), both)
    }

    #[test]
    fn a_number_counts_once_for_the_token_that_got_it() {
        let (_state, programs, [reads, answers]) = programs();
        let number = |text: &str| text.to_owned();
        assert!(programs.nonce(&reads, number("a")).is_err());
        programs.nonce(&answers, number("a")).unwrap();
        assert!(programs.uses(&reads, "a").is_err() && programs.uses(&answers, "b").is_err());
        assert!(programs.uses(&answers, "a").is_ok() && programs.uses(&answers, "a").is_err());
        for at in 0..=NONCES {
            programs.nonce(&answers, at.to_string()).unwrap();
        }
        assert!(programs.uses(&answers, "0").is_err() && programs.uses(&answers, "1").is_ok());
    }

    #[test]
    fn wrong_tokens_are_limited_and_keep_no_right_one_out() {
        let (_state, programs, _) = programs();
        let right = programs.tokens.add("more", May::Read, None).unwrap();
        let status = |sent: Option<&str>| programs.known(sent).map_err(|fault| fault.status());
        for _ in 0..10 {
            assert_eq!(status(Some("wrong")), Err(StatusCode::UNAUTHORIZED));
        }
        assert_eq!(status(Some("wrong")), Err(StatusCode::TOO_MANY_REQUESTS));
        assert_eq!(status(None), Err(StatusCode::TOO_MANY_REQUESTS));
        assert!(status(Some(&right)).is_ok());
        assert_eq!(programs.refused(), 12);
        programs.tokens.revoke("more").unwrap();
        assert!(status(Some(&right)).is_err());
    }
}
