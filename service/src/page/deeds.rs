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
use super::passkeys::{Place, Touch};
use super::signed::{self, Refused};
use super::{Page, Shared, agents, prompts, rules, settings};

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
        }
    }

    /// Returns what is meant by this; none where that is nothing.
    fn named(text: &str) -> Option<Self> {
        let (word, name) = text.split_once(' ').unwrap_or((text, ""));
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic());
        match word {
            "settings" if text == word => Some(Self::Settings),
            "rules" if is_name => Some(Self::Rules(name.to_owned())),
            "prompt" if is_name => Some(Self::Prompt(name.to_owned())),
            "install" if is_name => Some(Self::Install(name.to_owned())),
            "uninstall" if is_name => Some(Self::Uninstall(name.to_owned())),
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
    Form(signed): Form<Signed>,
) -> Result<String, Refused> {
    let text = signed.text(&page.origin());
    signed::check(&page, &token, &signed.nonce, &text, &signed.signature)?;
    if takes_passkey(&page) {
        let place = Place { origin: &page.origin(), host: page.door.name() };
        let touched = page.passkeys().check(&signed.touch, &text, place);
        touched.map_err(|why| Refused(StatusCode::FORBIDDEN, why.to_string()))?;
    }
    let what = What::named(&signed.what)
        .ok_or_else(|| Refused::form("there is nothing of this name to change"))?;
    let change = Change { what, digest: signed.digest, body: signed.body };
    // Files are read and written, one change after the other.
    let done = tokio::task::spawn_blocking(move || {
        let _one = page.changing.lock().unwrap_or_else(PoisonError::into_inner);
        take(&change)
    });
    let done = done.await.unwrap_or_else(|_| Err("it could not be changed".to_owned()));
    done.map(|said| said + "\n").map_err(Refused::conflict)
}

impl Signed {
    /// Returns what is signed.
    fn text(&self, origin: &str) -> String {
        let Self { what, digest, nonce, body, .. } = self;
        format!("guarded-sh change\n{origin}\n{what}\n{digest}\n{nonce}\n{body}")
    }
}

/// Makes a change, and says what is so now.
fn take(change: &Change) -> Result<String, String> {
    match &change.what {
        What::Settings => settings::take(change),
        What::Rules(name) => rules::take(name, change),
        What::Prompt(name) => prompts::take(name, change),
        What::Install(agent) => agents::take(agents::Way::Install, agent, change),
        What::Uninstall(agent) => agents::take(agents::Way::Uninstall, agent, change),
    }
}

/// Returns the digest that stands for what was shown; none is a file that is not there.
pub fn digest(text: Option<&str>) -> String {
    text.map_or_else(|| "none".to_owned(), |text| sha256(text.as_bytes()))
}

/// Returns the button that makes a change: what was shown, and what it becomes. `then` is the page that is opened afterwards.
pub fn button(what: &What, shown: Option<&str>, body: &str, label: &str, then: &str) -> Markup {
    // As JSON, no character of it is another one after it was read from the page.
    let body = serde_json::Value::from(body).to_string();
    html! {
        p.choices {
            button.change type="button" hidden data-change=(what.name()) data-digest=(digest(shown)) data-body=(body) data-then=(then) { (label) }
        }
        noscript { p.dim { "Without JavaScript nothing can be changed: a change is signed with a key that stays in the browser." } }
        p.outcome role="alert" {}
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
