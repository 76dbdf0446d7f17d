//! What is counted while the page runs, and how Prometheus is told of it (text format 0.0.4). Each label has its values from a closed set: nothing of a line, a path or
//! a name stands in any.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use guarded_sh::audit::{DecidedBy, Entry, Said, head_says};
use guarded_sh::ipc::State as Stands;
use serde::Serialize;

use super::found::Stands as IndexStands;
use super::{Page, STREAMS, Shared};

/// What is said of the format.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";
/// The upper ends of what is counted together of how long people were waited for, in seconds.
const WAITED: [u64; 9] = [1, 2, 5, 10, 30, 60, 300, 1_800, 7_200];

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Page,
    Asset,
    Events,
    Api,
    Metrics,
}

impl Kind {
    /// Returns what a request of this path is for.
    pub fn of(path: &str) -> Self {
        match path {
            "/metrics" => Self::Metrics,
            "/events" | "/api/events" => Self::Events,
            path if path.starts_with("/api/") => Self::Api,
            path if path.starts_with("/assets/") => Self::Asset,
            _ => Self::Page,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Asset => "asset",
            Self::Events => "events",
            Self::Api => "api",
            Self::Metrics => "metrics",
        }
    }
}

#[derive(Default)]
struct Counted {
    decisions: BTreeMap<(&'static str, &'static str, String), u64>,
    requests: BTreeMap<(Kind, u16), u64>,
    /// Answers that took no longer than each of [`WAITED`], and all of them.
    waited: [u64; WAITED.len()],
    answers: u64,
    milliseconds: u64,
}

/// What was counted.
#[derive(Default)]
pub struct Counts(Mutex<Counted>);

impl Counts {
    fn held(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request that was answered with this.
    pub fn request(&self, kind: Kind, status: StatusCode) {
        *self.held().requests.entry((kind, status.as_u16() / 100)).or_default() += 1;
    }

    /// Counts what the newest record of a call says. A call is decided once, whatever other doors see of it.
    pub fn record(&self, entry: &Entry) {
        let newest = &entry.views.last().unwrap_or(&entry.first).record;
        let decided = entry.records().filter(|one| one.decided_by != DecidedBy::Observed).count();
        let mut held = self.held();
        if newest.decided_by != DecidedBy::Observed && decided == 1 {
            let labels = (newest.action.name(), newest.severity.name(), word(newest.decided_by));
            *held.decisions.entry(labels).or_default() += 1;
        }
        let answered = newest.question.as_ref().filter(|_| newest.decided_by.is_person());
        if let Some(question) = answered {
            held.answers += 1;
            held.milliseconds = held.milliseconds.saturating_add(question.waited);
            for (count, end) in held.waited.iter_mut().zip(WAITED) {
                *count += u64::from(question.waited <= end * 1_000);
            }
        }
    }
}

/// Returns how JSON spells a value that is one word there.
pub fn word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// What is told at `/metrics`.
pub async fn metrics(State(page): State<Shared>) -> Response {
    let told = tokio::task::spawn_blocking(move || told(&page)).await;
    match told {
        Ok(text) => ([(CONTENT_TYPE, FORMAT)], text).into_response(),
        Err(_) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

/// A text that is put together of families.
#[derive(Default)]
struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ =
            writeln!(self.0, "# HELP guarded_sh_{name} {help}\n# TYPE guarded_sh_{name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "guarded_sh_{name}{labels} {value}");
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl std::fmt::Display) {
        self.family(name, "gauge", help);
        self.value(name, &[], value);
    }
}

fn told(page: &Page) -> String {
    let mut text = Text::default();
    counted(&mut text, &page.counts.held());
    text.family(
        "tokens_refused_total",
        "counter",
        "Requests of programs that came with no token that counts.",
    );
    text.value("tokens_refused_total", &[], page.programs.refused());
    let standing = page.floor.standing().borrow().clone();
    let states: Vec<&Stands> = standing.entries.iter().map(|(_, entry)| &entry.state).collect();
    text.family(
        "questions_open",
        "gauge",
        "Questions that were not answered: whoever asked waits, or has left.",
    );
    let of = |is: fn(&Stands) -> bool| states.iter().filter(|state| is(state)).count();
    let waiting = of(|state| matches!(state, Stands::Waiting { .. }));
    text.value("questions_open", &[("state", "waiting")], waiting);
    text.value("questions_open", &[("state", "left")], of(|state| matches!(state, Stands::Left)));
    text.gauge("hosts", "Hosts that are followed.", standing.hosts);
    let streams = STREAMS - page.streams.available_permits();
    text.gauge("streams", "Streams of events that are open.", streams);
    let is_ready = page.found.stands() == IndexStands::Ready;
    text.gauge(
        "index_ready",
        "Whether the index holds all that the record holds.",
        u8::from(is_ready),
    );
    let position = match head_says(page.store.directory()) {
        Ok(Some(Said::Position(position))) => Some(position.count),
        Ok(None) => Some(0),
        // What cannot be read is not told.
        Ok(Some(Said::Nothing | Said::Nonsense)) | Err(_) => None,
    };
    if let Some(records) = position {
        text.gauge("records", "Records that there are.", records);
        if let Ok(indexed) = page.found.ask(crate::index::Index::records) {
            let behind = records.saturating_sub(indexed);
            text.gauge("index_behind_records", "Records that the index does not hold yet.", behind);
        }
    }
    text.0
}

fn counted(text: &mut Text, counted: &Counted) {
    text.family(
        "decisions_total",
        "counter",
        "Calls of which something was decided since the page was started.",
    );
    for ((action, severity, by), count) in &counted.decisions {
        let labels = [("action", *action), ("severity", severity), ("decided_by", by)];
        text.value("decisions_total", &labels, count);
    }
    text.family(
        "wait_seconds",
        "histogram",
        "How long people were waited for, of questions that they answered.",
    );
    for (count, end) in counted.waited.iter().zip(WAITED) {
        text.value("wait_seconds_bucket", &[("le", &end.to_string())], count);
    }
    text.value("wait_seconds_bucket", &[("le", "+Inf")], counted.answers);
    let seconds = format!("{}.{:03}", counted.milliseconds / 1_000, counted.milliseconds % 1_000);
    text.value("wait_seconds_sum", &[], seconds);
    text.value("wait_seconds_count", &[], counted.answers);
    text.family(
        "requests_total",
        "counter",
        "Requests, by what they were for and how they were answered.",
    );
    for ((kind, class), count) in &counted.requests {
        let status = format!("{class}xx");
        text.value("requests_total", &[("kind", kind.name()), ("status", &status)], count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_path_says_is_in_no_label() {
        let counts = Counts::default();
        for path in ["/", "/metrics", "/api/calls/\"x\"", "/assets/x", "/secret", "/events"] {
            counts.request(Kind::of(path), StatusCode::OK);
        }
        counts.request(Kind::Api, StatusCode::IM_A_TEAPOT);
        let mut text = Text::default();
        counted(&mut text, &counts.held());
        assert!(!text.0.contains("secret") && !text.0.contains("\\\""), "{}", text.0);
        for line in [
            "guarded_sh_requests_total{kind=\"page\",status=\"2xx\"} 2",
            "guarded_sh_requests_total{kind=\"api\",status=\"4xx\"} 1",
            "guarded_sh_wait_seconds_bucket{le=\"+Inf\"} 0",
        ] {
            assert!(text.0.lines().any(|one| one == line), "{line}: {}", text.0);
        }
    }
}
