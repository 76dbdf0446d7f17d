//! *Sessions*: the conversations of agents, and one of them as a time line: what was said, called, decided and came of it, from the record and from what the agent
//! keeps itself.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use axum::extract::{Query, State};
use guarded_sh::approval::text::short;
use guarded_sh::approval::visible;
use guarded_sh::audit::words;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use serde::Deserialize;

use super::html::address;
use super::kept::Whole;
use super::spoken::Spoken;
use super::timeline::{self, Beside};
use super::{Page, Shared, ended, files, html as parts, rows, transcript};
use crate::index::{Row, SessionRow, Wanted};
use crate::transcripts::{At, Error, Item, Opening, Session, earlier};

/// The columns of the list.
const COLUMNS: [&str; 6] = [
    "sessions-last",
    "rows-agent",
    "rows-calls",
    "sessions-asked",
    "sessions-refused",
    "live-project",
];
/// Sessions that are listed.
const LISTED: usize = 200;
/// Calls of a session that are shown at once.
const SHOWN: usize = 500;
/// Pages of a transcript that are gone through for them.
const PAGES: usize = 8;
/// Transcripts that are looked at for one session, and of which it is seen whether they are its own.
const TRANSCRIPTS: usize = 4;
const CANDIDATES: usize = 12;
/// How long a page waits for what is known of a transcript as a whole.
const PATIENCE: Duration = Duration::from_millis(400);
/// Files that are named.
const FILES: usize = 100;
/// By how much the time of a file may lie before that of a record which was written earlier: file systems read a coarser clock.
const COARSE: SignedDuration = SignedDuration::from_secs(1);

/// Which session.
#[derive(Clone, Debug, Deserialize)]
pub struct Chosen {
    id: String,
    /// Only calls with a lower number than this.
    before: Option<u64>,
}

/// All sessions, the newest first.
pub async fn list(State(page): State<Shared>, language: Spoken) -> Markup {
    let listed = page.ask(|index| index.sessions(LISTED)).await;
    let home = page.home.as_deref();
    let body = html! {
        (page.standing_of_index_in(language))
        @match listed {
            Err(why) => (parts::trouble(language, &why)),
            Ok(sessions) if sessions.is_empty() => p.empty { (language.say("sessions-empty")) },
            Ok(sessions) => (table(&sessions, home, language)),
        }
    };
    parts::page_in(language, &language.say("page-sessions"), "/sessions", &body)
}

fn table(sessions: &[SessionRow], home: Option<&str>, language: Spoken) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(language.say("page-sessions")) {
            table.calls {
                thead { tr { @for key in COLUMNS { th scope="col" { (language.say(key)) } } } }
                tbody { @for one in sessions { tr {
                    td { a href=(address("/session", &[("id", &one.session)])) { (parts::time(one.last)) } }
                    td { (visible(one.agent.as_deref().unwrap_or("—"))) }
                    // On a small screen there is no head that says what they are.
                    @for (key, count) in [("rows-calls", one.calls), ("sessions-asked", one.asked), ("sessions-refused", one.refused)] {
                        td data-name=(language.say(key)) { (language.0.number(count)) }
                    }
                    td.text { (visible(&short(one.project.as_deref().unwrap_or_default(), home))) span.dim { " " (visible(&one.session)) } }
                } } }
            }
        }
    }
}

/// One session: what the person typed, what was called, decided and came of it, oldest first.
pub async fn page(
    State(page): State<Shared>,
    Query(chosen): Query<Chosen>,
    language: Spoken,
) -> Markup {
    let drawn = tokio::task::spawn_blocking(move || {
        drawn(&page, &chosen, language).unwrap_or_else(|why| parts::trouble(language, &why))
    });
    let drawn = drawn.await.unwrap_or_default();
    parts::page_in(language, &language.say("live-session"), "/sessions", &drawn)
}

/// A transcript that belongs to a session.
pub struct Own {
    pub session: Session,
    pub opening: Opening,
}

impl Own {
    /// Returns the agent's id of it.
    pub fn id(&self) -> &str {
        self.opening.id.as_deref().filter(|_| !self.session.is_helper).unwrap_or(&self.session.id)
    }
}

/// Returns what agents keep of a session of the record: by the agent's id, where the record has that. Else of its agent, time and directory, if the record has a call of it by its id.
pub fn own(page: &Page, id: &str, known: Option<&SessionRow>) -> Vec<Own> {
    let open = |session: Session| {
        let opening = page.kept.transcripts.opening(&session).ok()?;
        Some(Own { session, opening })
    };
    let named = id.split_once(':').filter(|(agent, _)| guarded_sh::hooks::named(agent).is_some());
    if let Some((agent, id)) = named
        && let Ok(session) = page.kept.transcripts.session(agent, id)
    {
        return open(session).into_iter().collect();
    }
    let Some(known) = known else { return Vec::new() };
    let Some(agent) = &known.agent else { return Vec::new() };
    let (sessions, _) = page.kept.transcripts.sessions(Some(agent));
    let since = earlier(known.first, COARSE);
    let candidates = sessions.into_iter().filter(|session| session.modified >= since);
    let candidates = candidates.filter_map(open).take(CANDIDATES);
    let candidates =
        candidates.filter(|own| own.opening.cwd.is_none() || own.opening.cwd == known.project);
    let end = Instant::now() + PATIENCE;
    let has_one = |own: &Own| {
        let left = end.saturating_duration_since(Instant::now());
        let whole = page.whole(&own.session, own.id(), &[], left);
        let Ok(whole) = whole else { return false };
        let numbers = whole.coverage.matched.iter().filter_map(|found| found.sequence());
        let rows = page.decided(numbers.take(20)).unwrap_or_default();
        rows.values().any(|row| row.session.as_deref() == Some(id))
    };
    candidates.filter(has_one).take(TRANSCRIPTS).collect()
}

fn drawn(page: &Page, chosen: &Chosen, language: Spoken) -> Result<Markup, String> {
    let wanted = Wanted {
        session: Some(chosen.id.clone()),
        before: chosen.before,
        without_aside: true,
        limit: SHOWN,
        ..Wanted::default()
    };
    let (mut calls, known) =
        page.found.ask(|index| Ok((index.calls(&wanted)?, index.session(&chosen.id)?)))?;
    let earlier = calls.last().filter(|_| calls.len() == SHOWN).map(|call| call.sequence);
    calls.reverse();
    let own = own(page, &chosen.id, known.as_ref());
    let from = calls.first().filter(|_| earlier.is_some()).map(|call| call.time);
    let to = calls.last().filter(|_| chosen.before.is_some()).map(|call| call.time);
    let mut told = Vec::new();
    let mut beside_calls = HashSet::new();
    let mut wholes = Vec::new();
    for one in &own {
        page.kept.watch.watch(&one.session);
        let items = within(page, &one.session, from, to)
            .map_err(|error| transcript::told_in(&error, language))?;
        let whole = page.whole(&one.session, one.id(), &items, PATIENCE);
        if let Ok(whole) = &whole {
            let numbers = items.iter().filter_map(|item| whole.beside.get(&item.key)?.sequence());
            let rows = page.decided(numbers)?;
            beside_calls.extend(rows.keys().copied());
            let beside = Beside { matched: &whole.beside, rows: &rows, came: &[] };
            let agent = one.session.agent();
            told.extend(timeline::items(
                &items,
                &beside,
                |called| transcript::headed(agent, called),
                language,
            ));
        }
        wholes.push((one, whole));
    }
    let home = page.home.as_deref();
    // What the person typed stands in the transcript, where there is one.
    let alone = calls
        .iter()
        .filter(|call| !beside_calls.contains(&call.sequence) && (own.is_empty() || !call.typed));
    told.extend(alone.map(|call| (Some(call.time), decided(call, language))));
    let names = own.iter().map(|one| {
        let name = address("", &[("agent", one.session.agent()), ("session", &one.session.id)]);
        name.trim_start_matches('?').to_owned()
    });
    let names = names.collect::<Vec<_>>().join("\n");
    let name = address("", &[("id", &chosen.id)]);
    let name = name.trim_start_matches('?');
    Ok(html! {
        div #session data-session=(name) data-transcripts=(names) {
            (page.standing_of_index_in(language))
            (summary(chosen, known.as_ref(), home, language))
            @for (one, whole) in &wholes { (kept(one, whole, language)) }
            p #more.trouble role="status" hidden { (language.say("session-more")) " " a href=(address("/session", &[("id", &chosen.id)])) { (language.say("session-load")) } }
            @if let Some(first) = earlier {
                p { a href=(address("/session", &[("id", &chosen.id), ("before", &first.to_string())])) { (language.say("record-earlier")) } }
            }
            @if told.is_empty() { p.empty { (language.say("session-empty")) } }
            ol.timeline { @for item in in_order(told) { (item) } }
        }
    })
}

/// Returns what a transcript says within some time, as far as its last pages have it.
fn within(
    page: &Page,
    session: &Session,
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) -> Result<Vec<Item>, Error> {
    let (mut found, mut at) = (Vec::new(), At::End);
    for _ in 0..PAGES {
        let paged = page.kept.transcripts.page(session, &at)?;
        let is_before = paged.items.iter().any(|item| item.time < from && item.time.is_some());
        let mut items = paged.items;
        items.retain(|item| {
            let is_late = to.is_some() && item.time > to;
            !is_late && (from.is_none() || item.time >= from)
        });
        items.append(&mut found);
        found = items;
        match paged.before {
            Some((before, until)) if !is_before => at = At::Before(before, until),
            _ => break,
        }
    }
    Ok(found)
}

/// Returns parts by their times. One without a time stays behind the one before it.
fn in_order(told: Vec<(Option<Timestamp>, Markup)>) -> Vec<Markup> {
    let mut last = None;
    let mut timed: Vec<(Option<Timestamp>, Markup)> = Vec::with_capacity(told.len());
    for (time, markup) in told {
        last = time.or(last);
        timed.push((last, markup));
    }
    timed.sort_by_key(|(time, _)| *time);
    timed.into_iter().map(|(_, markup)| markup).collect()
}

fn summary(
    chosen: &Chosen,
    known: Option<&SessionRow>,
    home: Option<&str>,
    language: Spoken,
) -> Markup {
    let counts = |known: &SessionRow| {
        let SessionRow { calls, asked, refused, .. } = *known;
        let values =
            [("calls", calls.into()), ("asked", asked.into()), ("refused", refused.into())];
        language.tell("session-counts", &values)
    };
    let export = |form: &str| address("/session/export", &[("id", &chosen.id), ("as", form)]);
    html! {
        p.head {
            @if let Some(known) = known {
                strong { (visible(known.agent.as_deref().unwrap_or(&language.say("session-no-agent")))) }
                @if let Some(project) = &known.project { " " (language.say("now-in")) " " code { (visible(&short(project, home))) } }
            }
        }
        p.dim { code { (visible(&chosen.id)) } }
        @if let Some(known) = known {
            dl.sums {
                dt { (language.say("session-time")) } dd { (parts::time(known.first)) " – " (parts::time(known.last)) }
                dt { (language.say("session-decided")) } dd { (counts(known)) }
            }
        }
        p { a href=(files::of_session(&chosen.id)) { (language.say("files-link")) } }
        p { (language.say("session-export")) " " a href=(export("jsonl")) download { "JSON Lines" } " · " a href=(export("markdown")) download { "Markdown" } }
    }
}

/// What the agent keeps of the session.
fn kept(own: &Own, whole: &Result<Whole, String>, language: Spoken) -> Markup {
    let (agent, id) = (own.session.agent(), own.id());
    let title = language.say("session-transcript");
    html! {
        section.kept aria-label=(title) {
            p { a href=(transcript::of(agent, id)) { (title) } " " span.dim { (language.tell("session-kept-by", &[("agent", agent.into())])) } }
            (transcript::about(whole, agent, id, language))
            @if let Ok(whole) = whole && !whole.files.is_empty() {
                details { summary { (language.count("session-files", whole.files.len() as u64)) }
                    ul.points { @for (file, times) in whole.files.iter().take(FILES) { li { code { (visible(file)) } @if *times > 1 { " " span.dim { (language.count("record-times", *times)) } } } } }
                }
            }
        }
    }
}

/// A decision of a call that no transcript has.
fn decided(call: &Row, language: Spoken) -> Markup {
    let happened = words::happened(call);
    let line = guarded_sh::model::head(&call.line, timeline::HEAD);
    html! {
        li.decided {
            span.when { (parts::time(call.time)) }
            div.what {
                p.head { @if call.typed { strong { (language.say("timeline-person")) } " " } code { (visible(line)) @if line.len() < call.line.len() { "…" } } }
                p.beside { a href={ "/call/" (call.sequence) } { (parts::severity_in(language, call.severity)) " " (language.0.meaning(&happened)) } @if let Some(line) = ended::of(call.witnessed.as_deref()) { (ended::shown(&line, language)) } }
            }
        }
    }
}

/// Returns a call that the index found as a row.
pub fn row(call: &Row, home: Option<&str>, language: Spoken) -> Markup {
    let shown = rows::Shown {
        number: call.sequence,
        time: call.time,
        agent: call.agent.as_deref(),
        session: call.session.as_deref(),
        project: call.project.as_deref(),
        action: call.action,
        severity: call.severity,
        happened: &words::happened(call),
        line: &call.line,
        home,
    };
    rows::drawn(language, &shown)
}
