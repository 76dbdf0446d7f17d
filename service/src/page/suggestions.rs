//! *Suggestions*: what `guarded-sh suggest` finds in the record, each with what it would have let through, and a button that takes it.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::HeaderMap;
use guarded_sh::approval::visible;
use guarded_sh::subcommand::{self, Ground, LEAST, Suggestion};
use maud::{Markup, html};

use super::settings::{Edit, Own, offered};
use super::spoken::Spoken;
use super::{Shared, html as parts};

/// Suggestions that are shown.
const TOLD: usize = 3;
/// Lines of each that are shown.
const SHOWN: usize = 8;

/// For how long what was found is told again: lines of the record are judged for it, and a page is soon loaded anew.
const FRESH: Duration = Duration::from_secs(60);

/// What was found, and when, and what the owner's settings said then.
struct Found {
    at: Instant,
    settings: Option<String>,
    suggestions: Vec<Suggestion>,
    is_damaged: bool,
}

/// What was found last.
#[derive(Default)]
pub struct Kept(Mutex<Option<Found>>);

/// Where they are told in another page: they are looked for once that is shown, since lines of the record are judged again for them.
pub fn place(language: Spoken) -> Markup {
    html! {
        section #suggestions aria-labelledby="suggested" {
            h2 #suggested { (language.say("suggest-less")) }
            div.part data-load="/suggestions" data-looking=(language.say("change-looking")) {
                p { a href="/suggestions" { (language.say("suggest-look")) } }
            }
        }
    }
}

/// The suggestions.
pub async fn page(State(page): State<Shared>, headers: HeaderMap, language: Spoken) -> Markup {
    let page = page.clone();
    let told = tokio::task::spawn_blocking(move || {
        told(&page.suggested, &Ground::at(page.home.clone()), language)
    });
    let told =
        told.await.unwrap_or_else(|_| Err("the record could not be looked through".to_owned()));
    let told = told.unwrap_or_else(|why| parts::trouble(language, &why));
    parts::part(language, &headers, &language.say("suggest-title"), "/overview", &told)
}

/// Returns the suggestions, the best first, and whether a part of the record was not looked at.
pub fn found(kept: &Kept, ground: &Ground) -> Result<(Vec<Suggestion>, bool), String> {
    let settings = Own::read(ground)?.text;
    // Whoever asks meanwhile waits for the same.
    let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
    let is_fresh = |found: &Found| found.at.elapsed() < FRESH && found.settings == settings;
    let found = if let Some(found) = kept.take().filter(is_fresh) {
        found
    } else {
        let found = subcommand::suggestions(ground, None, LEAST);
        let (suggestions, is_damaged) = found.map_err(|failure| failure.told())?;
        Found { at: Instant::now(), settings, suggestions, is_damaged }
    };
    let Found { suggestions, is_damaged, .. } = &*kept.insert(found);
    Ok((suggestions.iter().take(TOLD).cloned().collect(), *is_damaged))
}

fn told(kept: &Kept, ground: &Ground, language: Spoken) -> Result<Markup, String> {
    let (suggestions, is_damaged) = found(kept, ground)?;
    Ok(html! {
        @if is_damaged { p.trouble { (language.say("suggest-damaged")) } }
        @if suggestions.is_empty() {
            p.dim { (language.tell("suggest-none", &[("count", LEAST.into())])) }
        }
        @for suggestion in &suggestions { (one(ground, suggestion, language)?) }
    })
}

fn one(ground: &Ground, suggestion: &Suggestion, language: Spoken) -> Result<Markup, String> {
    let edit = edit(suggestion);
    let Suggestion { setting, yes, lines, others, .. } = suggestion;
    Ok(html! {
        article.suggestion {
            h3 { code { (visible(setting)) } }
            p { (language.tell("suggest-yes", &[("count", (*yes).into())])) }
            (some(lines, language))
            @if others.is_empty() { p { (language.say("suggest-nothing-else")) } }
            @else { p { (language.say("suggest-others")) } (some(others, language)) }
            details {
                summary { (language.say("suggest-take")) }
                (offered(ground, &edit, "suggest-write", "/overview", language)?)
            }
        }
    })
}

/// Returns the edit of the settings that takes a suggestion.
pub fn edit(suggestion: &Suggestion) -> Edit {
    let (key, value) = suggestion.change.setting();
    match value {
        toml::Value::String(item) => Edit::Add(key.to_owned(), item),
        value => Edit::Set(key.to_owned(), value.to_string()),
    }
}

fn some(lines: &[String], language: Spoken) -> Markup {
    html! {
        ul { @for line in lines.iter().take(SHOWN) { li { code { (visible(line)) } } } }
        @if lines.len() > SHOWN { p.dim { (language.tell("suggest-more", &[("count", (lines.len() - SHOWN).into())])) } }
    }
}
