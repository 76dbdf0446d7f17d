//! *Passkeys*: how one is registered, with a code that the terminal gives for it, which there are, and how one is removed.

use std::time::Instant;

use axum::Json;
use axum::extract::{Extension, Form, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use guarded_sh::approval::visible;
use jiff::Timestamp;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

use super::deeds::{self, Button, Change, What};
use super::door::{From as Comes, Most};
use super::gate::Token;
use super::keyring::{Passkey, Removed};
use super::passkeys::{Place, Refusal, Touch};
use super::spoken::Spoken;
use super::{Page, Shared, html as parts, once};

/// By what one is registered.
#[derive(Deserialize)]
pub struct Code {
    code: String,
}

/// What a browser makes one with.
#[derive(Serialize)]
struct Asked {
    /// The host that it is for.
    host: String,
    /// Those that are registered for it.
    known: Vec<String>,
    /// Whether a change takes one too.
    changes: bool,
    /// What is said where none is registered.
    none: String,
    /// What it is to sign; none where a yes is to be touched, which is itself what is signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    challenge: Option<String>,
}

/// The page that registers one, and lists those that are registered.
pub async fn page(State(page): State<Shared>, language: Spoken) -> Markup {
    let host = page.door.name();
    let all = page.passkeys().keyring().read();
    let (all, trouble) = match all {
        Ok(kept) => (kept.passkeys, None),
        Err(why) => (Vec::new(), Some(Refusal::from(why).told(language))),
    };
    // From elsewhere only those are seen that are for there.
    let shown: Vec<&Passkey> = match page.door.from {
        Comes::Here => all.iter().collect(),
        Comes::Elsewhere => all.iter().filter(|passkey| passkey.host == host).collect(),
    };
    let count = all.iter().filter(|passkey| passkey.host == host).count();
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    let told = |key, name, value: &str| parts::words(&language.tell(key, &[(name, value.into())]));
    let body = html! {
        p { (told("keys-for", "needed", page.passkey.name())) }
        @if let Some(why) = &trouble { p.trouble { (visible(why)) } }
        p #known { (parts::words(&language.tell("keys-count", &[("count", count.into()), ("host", host.into())]))) }
        @for passkey in &shown { (one(&page, passkey, &all, language)) }
        @if !shown.is_empty() && page.door.from == Comes::Elsewhere { p.dim { (language.say("keys-elsewhere")) } }
        p { (parts::words(&language.say("keys-new"))) }
        form #passkey hidden data-done=(language.say("keys-registered")) data-failed=(language.say("keys-not-registered")) {
            label for="code" { (language.say("enter-code")) }
            input #code name="code" autocomplete="off" spellcheck="false" required;
            button type="submit" { (language.say("keys-register")) }
            p.outcome role="alert" {}
        }
        noscript { p.trouble { (language.say("keys-no-script")) } }
    };
    parts::page(language, &language.say("keys-title"), "", &body)
}

/// One that is registered, with the button that removes it.
fn one(page: &Shared, passkey: &Passkey, all: &[Passkey], language: Spoken) -> Markup {
    let when = |seconds: Option<u64>| {
        let time = seconds.and_then(|seconds| i64::try_from(seconds).ok());
        time.and_then(|seconds| Timestamp::from_second(seconds).ok())
    };
    let is_last = all.iter().filter(|other| other.host == passkey.host).count() == 1;
    let what = What::Passkey(passkey.name());
    html! {
        article.passkey aria-label=(passkey.name()) {
            h2 { code { (passkey.name()) } }
            dl {
                dt { (language.say("keys-host")) } dd { code { (visible(&passkey.host)) } }
                dt { (language.say("keys-made")) } dd { @match when(passkey.made) { Some(time) => (parts::time(time)), None => "—" } }
                dt { (language.say("keys-used")) } dd { @match when(passkey.used) { Some(time) => (parts::time(time)), None => "—" } }
            }
            @if page.door.from == Comes::Here {
                @if is_last { p { (parts::words(&language.tell("keys-last", &[("host", passkey.host.as_str().into())]))) } }
                (Button { what, shown: Some(&passkey.id), body: "", label: "keys-remove", then: "/passkey" }.drawn(language))
            }
        }
    }
}

/// Removes a passkey, if it is still the one that was shown.
pub fn take(page: &Page, name: &str, change: &Change, language: Spoken) -> Result<String, String> {
    let keyring = page.passkeys().keyring().clone();
    let told = |error| Refusal::from(error).told(language);
    let found = keyring.read().map_err(told)?.passkeys.into_iter().find(|one| one.name() == name);
    let gone = || language.say("keys-gone").into_owned();
    change.is_of(Some(&found.ok_or_else(gone)?.id))?;
    let Removed { host, left } = keyring.remove(name).map_err(told)?.ok_or_else(gone)?;
    let key = if left == 0 { "keys-removed-last" } else { "keys-removed" };
    Ok(language.tell(key, &[("name", name.into()), ("host", host.into())]))
}

/// Exchanges a code for what a passkey is made with.
pub async fn begin(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    language: Spoken,
    Form(Code { code }): Form<Code>,
) -> Response {
    if page.door.most == Most::Looks {
        let why = format!("{}\n", language.say("keys-looks"));
        return (StatusCode::FORBIDDEN, why).into_response();
    }
    let Ok(challenge) = once::drawn() else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let begun = page.passkeys().begin(code.trim(), &token.0, &challenge, Instant::now());
    match begun {
        Ok(()) => asked(&page, Some(challenge), language),
        Err(why) => refused(&why, language),
    }
}

/// Registers what was made.
pub async fn finish(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    language: Spoken,
    Form(touch): Form<Touch>,
) -> Response {
    let place = Place { origin: &page.origin(), host: page.door.name() };
    let registered = page.passkeys().register(&token.0, &touch, place, Instant::now());
    match registered {
        Ok(()) => "registered\n".into_response(),
        Err(why) => refused(&why, language),
    }
}

/// Says which a yes may be touched with.
pub async fn known(State(page): State<Shared>, language: Spoken) -> Response {
    asked(&page, None, language)
}

fn asked(page: &Shared, challenge: Option<String>, language: Spoken) -> Response {
    let host = page.door.name().to_owned();
    let known = page.passkeys().known(&host);
    let (changes, none) = (deeds::takes_passkey(page), Refusal::None.told(language));
    Json(Asked { host, known, changes, none, challenge }).into_response()
}

fn refused(why: &Refusal, language: Spoken) -> Response {
    (StatusCode::FORBIDDEN, format!("{}\n", why.told(language))).into_response()
}
