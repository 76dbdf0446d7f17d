//! The pages' texts, in the language of whoever looks: what their settings say, else what their browser likes most.

use std::borrow::Cow;
use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::request::Parts;
use guarded_sh::language::{Language, Texts, Value};
use guarded_sh::model::Severity;

use super::Shared;

/// The texts of the pages; what stands on a terminal too is the guard's.
static TEXTS: Texts =
    guarded_sh::texts!(in "/../i18n/"; "page.ftl", "record.ftl", "owner.ftl", "keys.ftl");

/// The language in which a page is shown. A handler takes it as an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spoken(pub Language);

impl Spoken {
    /// What is shown of pages that have no texts in other languages.
    pub const ENGLISH: Self = Self(Language::English);

    /// Returns a text.
    pub fn say(self, key: &str) -> Cow<'static, str> {
        TEXTS.say(self.0, key).unwrap_or_else(|| self.0.say(key))
    }

    /// Returns a text with these put into it.
    pub fn tell(self, key: &str, values: &[(&str, Value<'_>)]) -> String {
        TEXTS.tell(self.0, key, values).unwrap_or_else(|| self.0.tell(key, values))
    }

    /// Returns a text with a count put into it.
    pub fn count(self, key: &str, count: u64) -> String {
        self.tell(key, &[("count", count.into())])
    }

    /// Returns a time in milliseconds as people say it.
    pub fn passed(self, milliseconds: u64) -> String {
        match milliseconds {
            0..10_000 => {
                let (whole, tenths) = (milliseconds / 1_000, milliseconds % 1_000 / 100);
                self.tell("record-tenths", &[("whole", whole.into()), ("tenths", tenths.into())])
            }
            10_000..120_000 => self.count("record-seconds", milliseconds / 1_000),
            120_000..7_200_000 => self.count("record-minutes", milliseconds / 60_000),
            _ => self.count("record-hours", milliseconds / 3_600_000),
        }
    }

    /// Returns a severity in a word.
    pub fn severity(self, severity: Severity) -> Cow<'static, str> {
        self.0.severity(severity.name())
    }
}

impl FromRequestParts<Shared> for Spoken {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, page: &Shared) -> Result<Self, Infallible> {
        let liked = parts.headers.get(ACCEPT_LANGUAGE).and_then(|field| field.to_str().ok());
        let liked = liked.map(Language::of_accepted);
        Ok(Self(page.language.or(liked).unwrap_or_default()))
    }
}
