//! Work that takes long: the index that is brought up to date, and models that are measured. Says how far it is; a script asks again until it is at its end.

use axum::extract::State;
use axum::http::HeaderMap;
use guarded_sh::approval::text::short;
use guarded_sh::approval::visible;
use guarded_sh::subcommand::{self, Measured};
use jiff::Timestamp;
use maud::{Markup, html};

use super::found::Stands;
use super::spoken::Spoken;
use super::{Page, Shared, html as parts};
use crate::record::state_of;

/// Returns a bar with a text before it.
fn bar(language: Spoken, text: &str, done: u64, of: u64) -> Markup {
    let part = done.saturating_mul(100) / of.max(1);
    let part = language.tell("record-part", &[("part", part.into())]);
    html! { (text) " " progress max=(of.max(1)) value=(done) aria-label=(text) { (part) } }
}

/// Says that the index does not hold all of the record yet, where that is so.
pub fn of_index(page: &Page, language: Spoken) -> Markup {
    let Stands::Read(parts) = page.found.stands() else { return Markup::default() };
    html! {
        p role="status" data-again="/reading" {
            (bar(language, &language.say("record-reading"), parts, 100)) " " (language.say("record-not-all"))
        }
    }
}

/// How far the index is: asked for by a page that said that it does not hold all.
pub async fn reading(State(page): State<Shared>, headers: HeaderMap, language: Spoken) -> Markup {
    let mut standing = of_index(&page, language);
    if standing.0.is_empty() {
        standing = html! { p role="status" { (language.say("record-read")) } };
    }
    parts::part(language, &headers, &language.say("page-overview"), "/overview", &standing)
}

/// Returns the newest measurement of models, if there is one.
pub fn newest(page: &Page) -> Option<Measured> {
    subcommand::measured(Some(&state_of(&page.store)))
}

/// Returns a measurement in a section of its own, or that there is none.
pub fn of_models(measured: Option<&Measured>, home: Option<&str>, language: Spoken) -> Markup {
    let again = measured.filter(|measured| measured.is_going_on).map(|_| MEASURED);
    html! {
        section #measured data-again=[again] {
            h2 { (language.say("measured-title")) }
            @match measured {
                Some(measured) => (told(measured, home, language)),
                None => p.dim { (parts::words(&language.say("measured-none"))) },
            }
        }
    }
}

/// Where a page asks for it again.
const MEASURED: &str = "/prompts/measured";

/// How far a measurement is: asked for by a page that showed one that goes on.
pub async fn measured(State(page): State<Shared>, headers: HeaderMap, language: Spoken) -> Markup {
    let made = tokio::task::spawn_blocking(move || {
        of_models(newest(&page).as_ref(), page.home.as_deref(), language)
    });
    let made = made.await.unwrap_or_default();
    parts::part(language, &headers, &language.say("page-prompts"), "/prompts", &made)
}

fn told(measured: &Measured, home: Option<&str>, language: Spoken) -> Markup {
    let Measured { file, rows, done, runs, began, found, is_going_on } = measured;
    let file = short(file, home);
    let counts = [("done", (*done).into()), ("rows", (*rows).into())];
    let so_far = language.tell("measured-so-far", &counts);
    html! {
        p {
            code { (visible(&file)) } " · " (language.count("measured-runs", u64::from(*runs)))
            @if let Ok(began) = Timestamp::from_second(*began) { " · " (parts::time(began)) }
        }
        @match found {
            Some(found) => pre.preview tabindex="0" aria-label=(language.say("measured-title")) { (visible(found)) },
            None if *is_going_on => p role="status" { (bar(language, &so_far, *done, *rows)) },
            None => p.trouble { (language.tell("measured-cut", &counts)) },
        }
    }
}
