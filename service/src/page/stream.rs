//! Streams of events: how the questions stand, and what is recorded, as pages and as programs are told. What is told to many is made once, and its bytes are shared.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use guarded_sh::audit::Entry;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{Mutex, OwnedSemaphorePermit, watch};

use super::calls::Told;
use super::floor::Standing;
use super::spoken::Spoken;
use super::{Shared, api, html as parts, now, rows};
use crate::transcripts::Changed;

/// How often something is said where nothing happens, so that whoever has gone is noticed.
const BREATH: Duration = Duration::from_secs(15);
/// For how long what was made of the same questions is told again: how long each waits is part of it.
const FRESH: Duration = Duration::from_secs(1);
/// What is said where nothing happens.
const NOTHING: Bytes = Bytes::from_static(b":\n\n");

/// To whom it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// A page: as HTML, in a language.
    Page(Spoken),
    /// A program: as JSON.
    Program,
}

/// What was made of how the questions stand, for pages and for programs.
#[derive(Default)]
pub struct Drawn(Mutex<Vec<Made>>);

struct Made {
    to: To,
    of: Arc<Standing>,
    at: Instant,
    bytes: Bytes,
}

/// Until when a stream goes on.
pub type Life = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What one browser or program follows.
struct Following {
    page: Shared,
    to: To,
    standing: watch::Receiver<Arc<Standing>>,
    calls: broadcast::Receiver<Arc<Told>>,
    /// What agents write of their sessions.
    transcripts: broadcast::Receiver<Changed>,
    life: Life,
    /// Its place among the streams that there may be, and among those of its token.
    _places: Vec<OwnedSemaphorePermit>,
}

/// Tells of it until the life of whoever asked is over: `now` with the questions as they stand, first at once; `call` with one call; `missed` where whoever reads was
/// too slow to hear all; `transcript` with the session of which an agent wrote more. None: there are as many streams as may be.
pub fn follow(
    page: Shared,
    to: To,
    life: Life,
    own: Option<OwnedSemaphorePermit>,
) -> Option<Response> {
    let place = page.streams.clone().try_acquire_owned().ok()?;
    let mut standing = page.floor.standing();
    standing.mark_changed();
    let calls = page.calls.subscribe();
    let transcripts = page.kept.watch.subscribe();
    let places = own.into_iter().chain([place]).collect();
    let following = Following { page, to, standing, calls, transcripts, life, _places: places };
    let told = stream::unfold(following, |mut following| async move {
        let bytes = following.next().await?;
        Some((Ok::<_, Infallible>(bytes), following))
    });
    let body = Body::from_stream(told);
    Some((StatusCode::OK, [(CONTENT_TYPE, "text/event-stream")], body).into_response())
}

/// Returns an event as it stands in a stream.
fn event(name: &str, id: Option<u64>, data: &str) -> Bytes {
    let mut text = format!("event: {name}\n");
    if let Some(id) = id {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "id: {id}");
    }
    // All that ends a line for whoever reads it: the one who reads puts them together again with a newline.
    for line in data.replace("\r\n", "\n").split(['\n', '\r']) {
        text.push_str("data: ");
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    Bytes::from(text)
}

impl Following {
    /// Waits for what is to be said next; none once the life is over.
    async fn next(&mut self) -> Option<Bytes> {
        tokio::select! {
            biased;
            () = &mut self.life => None,
            changed = self.standing.changed() => {
                changed.ok()?;
                let standing = self.standing.borrow_and_update().clone();
                Some(self.page.drawn.told(&self.page, self.to, standing).await)
            }
            call = self.calls.recv() => match call {
                Ok(told) => Some(self.call(&told)),
                Err(RecvError::Lagged(_)) => Some(event("missed", None, "{}")),
                Err(RecvError::Closed) => None,
            },
            changed = self.transcripts.recv() => match changed {
                Ok(Changed { agent, session, .. }) => Some(self.written(Some((agent, &session)))),
                // Which it was is not known any more.
                Err(RecvError::Lagged(_)) => Some(self.written(None)),
                Err(RecvError::Closed) => None,
            },
            () = tokio::time::sleep(BREATH) => Some(NOTHING),
        }
    }

    /// Says of which session an agent wrote more; none: of any.
    fn written(&self, of: Option<(&str, &str)>) -> Bytes {
        let fields = of.map(|(agent, session)| [("agent", agent), ("session", session)]);
        let data = match (self.to, fields) {
            (To::Page(_), Some(fields)) => {
                parts::address("", &fields).trim_start_matches('?').to_owned()
            }
            (To::Page(_), None) => "any".to_owned(),
            (To::Program, fields) => {
                let fields: BTreeMap<&str, &str> = fields.into_iter().flatten().collect();
                api::shape::text(&fields)
            }
        };
        event("transcript", None, &data)
    }

    fn call(&self, told: &Told) -> Bytes {
        let id = |entry: &Entry| Some(entry.last_number());
        let home = self.page.home.as_deref();
        match self.to {
            To::Page(language) => {
                let row = |entry: &Entry| rows::row(language, entry, home).0;
                told.page(language.0, |entry| event("call", id(entry), &row(entry)))
            }
            To::Program => told.program(|entry| {
                event("call", id(entry), &api::shape::text(&api::shape::Call::from(entry)))
            }),
        }
    }
}

impl Drawn {
    /// Returns what is told of how the questions stand. Whoever asks while it is made waits for that, and is told the same.
    async fn told(&self, page: &Shared, to: To, standing: Arc<Standing>) -> Bytes {
        let mut all = self.0.lock().await;
        let is_same = |made: &Made| Arc::ptr_eq(&made.of, &standing) && made.at.elapsed() < FRESH;
        all.retain(is_same);
        if let Some(made) = all.iter().find(|made| made.to == to) {
            return made.bytes.clone();
        }
        let data = match to {
            To::Page(language) => now::queue(page, standing.clone(), language).await.0,
            To::Program => api::shape::text(&api::shape::Queue::of(&standing, page.passkey)),
        };
        let bytes = event("now", None, &data);
        all.push(Made { to, of: standing, at: Instant::now(), bytes: bytes.clone() });
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_whatever_its_text_holds() {
        let text = |data: &str| String::from_utf8(event("call", Some(7), data).to_vec()).unwrap();
        assert_eq!(text("a"), "event: call\nid: 7\ndata: a\n\n");
        assert_eq!(text(""), "event: call\nid: 7\ndata: \n\n");
        for data in ["a\n\nevent: now\rdata: b", "a\r\n\r\nevent: now", "\rid: 1"] {
            let told = text(data);
            let lines: Vec<&str> = told.lines().collect();
            assert!(
                lines[2..lines.len() - 1].iter().all(|line| line.starts_with("data: ")),
                "{told:?}"
            );
            assert!(!told.contains('\r') && told.ends_with("\n\n"), "{told:?}");
            assert_eq!(told.matches("\n\n").count(), 1, "{told:?}");
        }
    }
}
