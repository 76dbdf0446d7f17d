//! *Files*: what lines changed, as it stands now, as far as undo kept what was there before: of one line, or of a whole session.

use axum::extract::{Query, State};
use guarded_sh::approval::text::short;
use guarded_sh::approval::visible;
use guarded_sh::subcommand::{Became, Of, Since, Touched, since};
use maud::{Markup, html};
use serde::Deserialize;

use super::diff::difference;
use super::spoken::Spoken;
use super::{Shared, html as parts};

/// Of which lines: of a session, or of the one that something was kept for.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Chosen {
    session: Option<String>,
    kept: Option<String>,
}

impl Chosen {
    /// Returns which lines are meant; the one that something was kept for, where both are named.
    pub const fn new(session: Option<String>, kept: Option<String>) -> Self {
        Self { session, kept }
    }

    /// Returns what is not as it was before these lines. Reads all of it: to be called where waiting is no harm.
    pub fn since(&self) -> Result<Since, String> {
        let of = match self {
            Self { kept: Some(id), .. } => Of::Entry(id),
            Self { session: Some(session), .. } => Of::Session(session),
            Self { .. } => return Ok(Since::default()),
        };
        since(of).map_err(|error| error.to_string())
    }
}

/// Returns the address of the page about a session.
pub fn of_session(session: &str) -> String {
    parts::address("/files", &[("session", session)])
}

/// Returns the address of the page about what was kept before one line.
pub fn of_line(kept: &str) -> String {
    parts::address("/files", &[("kept", kept)])
}

/// The page.
pub async fn page(
    State(page): State<Shared>,
    language: Spoken,
    Query(chosen): Query<Chosen>,
) -> Markup {
    let about = chosen.clone();
    let found = tokio::task::spawn_blocking(move || chosen.since()).await;
    let found = found.unwrap_or_else(|_| Err("it could not be read".to_owned()));
    let body = html! {
        @if let Some(session) = &about.session {
            p { a href=(parts::address("/session", &[("id", session)])) { (visible(session)) } }
        }
        p.dim { (language.say("files-from-undo")) }
        @match &found {
            Ok(since) => (drawn(language, since, page.home.as_deref())),
            Err(why) => p.trouble { (visible(why)) },
        }
    };
    parts::page(language, &language.say("files-title"), "/sessions", &body)
}

fn drawn(language: Spoken, since: &Since, home: Option<&str>) -> Markup {
    html! {
        @if since.touched.is_empty() {
            p.empty { (language.say(if since.entries == 0 { "files-nothing-kept" } else { "files-as-they-were" })) }
        }
        @for one in &since.touched { (touched(language, one, home)) }
        @if since.more > 0 { p.dim { (language.tell("files-more", &[("count", since.more.into())])) } }
        @for why in &since.unread { p.trouble { (language.tell("files-unread", &[("what", visible(why).into())])) } }
    }
}

fn touched(language: Spoken, one: &Touched, home: Option<&str>) -> Markup {
    let path = one.path.to_string_lossy();
    html! {
        section.file aria-label=(visible(&path)) {
            p.head { code { (visible(&short(&path, home))) } " " span.dim { (language.say(became(one.became))) } }
            @if let Some(text) = &one.difference { (difference(language, text)) }
            @if one.more > 0 { p.dim { (language.tell("files-lines", &[("count", one.more.into())])) } }
        }
    }
}

const fn became(became: Became) -> &'static str {
    match became {
        Became::Made => "files-made",
        Became::Changed => "files-changed",
        Became::Deleted => "files-deleted",
        Became::Dressed => "files-dressed",
    }
}
