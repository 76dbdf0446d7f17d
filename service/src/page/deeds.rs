//! Changes: what an owner changes from the page. As an answer is, each is signed: the origin, what is changed, the digest of what was shown, a number that
//! counts once, and what it becomes, a line each. What is written is written by the same code as at a terminal.

use std::sync::PoisonError;

use axum::extract::{Extension, Form, State};
use axum::http::StatusCode;
use guarded_sh::audit::sha256;
use guarded_sh::config::Passkey;
use maud::{Markup, html};
use serde::Deserialize;

use super::gate::Token;
use super::made::{self, By, Made};
use super::passkeys::{Place, Touch};
use super::signed::{self, Refused};
use super::spoken::Spoken;
use super::{Page, Shared, agents, prompts, rules, settings, touch};
use crate::record::state_of;

/// A change as it is sent.
#[derive(Deserialize)]
pub struct Signed {
    /// What is changed: a word, and the name of which one where there are several.
    what: String,
    /// Of what was shown.
    digest: String,
    nonce: String,
    /// What it becomes.
    body: String,
    /// The signature in hexadecimal.
    signature: String,
    /// What was touched, where the owner wants passkeys.
    #[serde(flatten)]
    touch: Touch,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The owner's file of settings.
    Settings,
    /// A file of the owner's rules.
    Rules(String),
    /// A part of the prompts for language models.
    Prompt(String),
    /// An agent's settings: the guard is put into them.
    Install(String),
    /// The guard is taken out of them.
    Uninstall(String),
    /// A passkey of this name is removed.
    Passkey(String),
}

impl What {
    /// Returns it as it is sent.
    pub fn name(&self) -> String {
        match self {
            Self::Settings => "settings".to_owned(),
            Self::Rules(name) => format!("rules {name}"),
            Self::Prompt(name) => format!("prompt {name}"),
            Self::Install(agent) => format!("install {agent}"),
            Self::Uninstall(agent) => format!("uninstall {agent}"),
            Self::Passkey(name) => format!("passkey {name}"),
        }
    }

    /// Returns what is meant by this; none where that is nothing.
    pub fn named(text: &str) -> Option<Self> {
        let (word, name) = text.split_once(' ').unwrap_or((text, ""));
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic());
        match word {
            "settings" if text == word => Some(Self::Settings),
            "rules" if is_name => Some(Self::Rules(name.to_owned())),
            "prompt" if is_name => Some(Self::Prompt(name.to_owned())),
            "install" if is_name => Some(Self::Install(name.to_owned())),
            "uninstall" if is_name => Some(Self::Uninstall(name.to_owned())),
            "passkey" if is_name => Some(Self::Passkey(name.to_owned())),
            _ => None,
        }
    }
}

/// A change that a person saw and signed.
pub struct Change {
    pub what: What,
    /// Of what was shown.
    pub digest: String,
    /// What it becomes.
    pub body: String,
}

impl Change {
    /// Holds that a text is still what was shown; none is a file that is not there.
    pub fn is_of(&self, text: Option<&str>) -> Result<(), String> {
        if digest(text) == self.digest {
            return Ok(());
        }
        Err("it has changed since it was shown, and nothing was written: load the page anew to see how it is now".to_owned())
    }
}

/// Returns whether a change takes the touch of a passkey: where a yes does, so does what could make that otherwise.
pub fn takes_passkey(page: &Page) -> bool {
    page.passkey != Passkey::Off
}

/// Takes a change.
pub async fn change(
    State(page): State<Shared>,
    Extension(token): Extension<Token>,
    language: Spoken,
    Form(signed): Form<Signed>,
) -> Result<String, Refused> {
    let done = changed(page, token, signed, language).await;
    done.map_err(|refused| refused.told(language))
}

async fn changed(
    page: Shared,
    token: Token,
    signed: Signed,
    language: Spoken,
) -> Result<String, Refused> {
    let text = signed.text(&page.origin());
    signed::check(&page, &token, &signed.nonce, &text, &signed.signature)?;
    if takes_passkey(&page) {
        let place = Place { origin: &page.origin(), host: page.door.name() };
        let touched = page.passkeys().check(&signed.touch, &text, place);
        touched.map_err(|why| Refused(StatusCode::FORBIDDEN, why.told(language)))?;
    }
    let what = What::named(&signed.what)
        .ok_or_else(|| Refused::form("there is nothing of this name to change"))?;
    let change = Change { what, digest: signed.digest, body: signed.body };
    let by = if takes_passkey(&page) { By::Passkey } else { By::Key };
    make(page, change, by, language).await.map(|said| said + "\n").map_err(Refused::conflict)
}

/// Makes a change, and says in a language what is so now. Files are read and written, one change after the other; each is noted with what it came by.
pub async fn make(
    page: Shared,
    change: Change,
    by: By,
    language: Spoken,
) -> Result<String, String> {
    let done = tokio::task::spawn_blocking(move || {
        let _one = page.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let noted = made::open(&state_of(&page.store))
            .map_err(|error| format!("it could not be noted, so nothing was changed: {error}"))?;
        let said = take(&page, &change, language)?;
        let made = Made::of(&change, &by);
        Ok(match made::note(&noted, &made) {
            Ok(()) => said,
            Err(error) => format!("{said}; it could not be noted: {error}"),
        })
    });
    done.await.unwrap_or_else(|_| Err("it could not be changed".to_owned()))
}

impl Signed {
    /// Returns what is signed.
    fn text(&self, origin: &str) -> String {
        let Self { what, digest, nonce, body, .. } = self;
        format!("guarded-sh change\n{origin}\n{what}\n{digest}\n{nonce}\n{body}")
    }
}

/// Makes a change, and says in this language what is so now; the error is in English.
fn take(page: &Page, change: &Change, language: Spoken) -> Result<String, String> {
    match &change.what {
        What::Settings => settings::take(change, language),
        What::Rules(name) => rules::take(name, change, language),
        What::Prompt(name) => prompts::take(name, change, language),
        What::Install(agent) => agents::take(agents::Way::Install, agent, change, language),
        What::Uninstall(agent) => agents::take(agents::Way::Uninstall, agent, change, language),
        What::Passkey(name) => touch::take(page, name, change, language),
    }
}

/// Returns the digest that stands for what was shown; none is a file that is not there.
pub fn digest(text: Option<&str>) -> String {
    text.map_or_else(|| "none".to_owned(), |text| sha256(text.as_bytes()))
}

/// A button that makes a change.
pub struct Button<'b> {
    pub what: What,
    /// What was shown; none is a file that is not there.
    pub shown: Option<&'b str>,
    /// What it becomes.
    pub body: &'b str,
    /// The name of the text that stands on it.
    pub label: &'b str,
    /// The page that is opened afterwards.
    pub then: &'b str,
}

impl Button<'_> {
    /// Returns it as it is shown.
    pub fn drawn(&self, language: Spoken) -> Markup {
        let Self { what, shown, body, label, then } = self;
        // As JSON, no character of it is another one after it was read from the page.
        let body = serde_json::Value::from(*body).to_string();
        html! {
            p.choices {
                button.change type="button" hidden data-change=(what.name()) data-digest=(digest(*shown)) data-body=(body) data-then=(then) data-not-made=(language.say("change-not-made")) { (language.say(label)) }
            }
            noscript { p.dim { (language.say("change-no-script")) } }
            p.outcome role="alert" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_has_one_name() {
        let name = || "own".to_owned();
        for what in [
            What::Settings,
            What::Rules(name()),
            What::Prompt(name()),
            What::Install(name()),
            What::Uninstall(name()),
            What::Passkey(name()),
        ] {
            assert_eq!(What::named(&what.name()), Some(what));
        }
        for text in [
            "",
            "settings x",
            "settings ",
            "rules",
            "rules ",
            "rules a b",
            "install a\n",
            "x",
            "prompt \u{e9}",
        ] {
            assert_eq!(What::named(text), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_not_there_is_no_empty_file() {
        let change = |digest: String| Change { what: What::Settings, digest, body: String::new() };
        assert!(change(digest(None)).is_of(None).is_ok());
        assert!(change(digest(None)).is_of(Some("")).is_err());
        assert!(change(digest(Some("a"))).is_of(Some("b")).is_err());
        assert!(change(String::new()).is_of(None).is_err());
    }
}
