//! The languages in which people are told something, and how one is chosen. What a model reads, what is recorded and what programs read is
//! English, whatever is chosen here.
//!
//! The texts are Fluent files below `i18n/`, one directory a language, built into the program. None of them is read before a person is told
//! something in that language; a text that a language does not have is told in English.
#![forbid(unsafe_code, clippy::disallowed_methods, clippy::disallowed_types)]

mod meanings;
mod texts;

use std::borrow::Cow;

use serde::Deserialize;

pub use texts::{Texts, Value};

/// The texts of questions, of `watch` and what belongs to it, of the tray's icon and of pauses.
pub(crate) static TEXTS: Texts = crate::texts!("question.ftl", "watch.ftl", "tray.ftl");

/// What is found in lines: the English text is what stands in the question, and its translation is looked up by it.
pub(crate) static FOUND: Texts = crate::texts!("found.ftl");

/// A language in which people are told something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[allow(missing_docs, reason = "named after the languages")]
pub enum Language {
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
    #[serde(rename = "fr")]
    French,
    #[serde(rename = "es")]
    Spanish,
    #[serde(rename = "da")]
    Danish,
    #[serde(rename = "ru")]
    Russian,
    #[serde(rename = "ja")]
    Japanese,
    /// In simplified characters.
    #[serde(rename = "zh")]
    Chinese,
}

impl Language {
    /// All of them, in the order in which [`Texts`] holds them.
    pub const ALL: [Self; 8] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Danish,
        Self::Russian,
        Self::Japanese,
        Self::Chinese,
    ];

    /// Returns its name in settings, which is that of its directory as well.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Danish => "da",
            Self::Russian => "ru",
            Self::Japanese => "ja",
            Self::Chinese => "zh",
        }
    }

    /// Returns its tag for documents (BCP 47).
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Chinese => "zh-Hans",
            other => other.name(),
        }
    }

    /// Returns what it calls itself.
    #[must_use]
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::German => "Deutsch",
            Self::French => "Français",
            Self::Spanish => "Español",
            Self::Danish => "Dansk",
            Self::Russian => "Русский",
            Self::Japanese => "日本語",
            Self::Chinese => "简体中文",
        }
    }

    /// Returns a whole number as it is written there: from a thousand on with its thousands apart.
    #[must_use]
    pub fn number(self, number: u64) -> String {
        texts::grouped(&number.to_string(), self.thousands())
    }

    /// Returns what stands between thousands.
    const fn thousands(self) -> char {
        match self {
            Self::English | Self::Japanese | Self::Chinese => ',',
            Self::German | Self::Spanish | Self::Danish => '.',
            // A space of no other kind is shown as what it is: a character that nobody sees.
            Self::French | Self::Russian => ' ',
        }
    }

    /// Returns the language of a tag, of a locale's name or of a name in settings; none where there are no texts in it.
    #[must_use]
    pub fn named(tag: &str) -> Option<Self> {
        let tag = tag.to_ascii_lowercase();
        let mut parts = tag.split(['-', '_']);
        let first = parts.next()?;
        let language = Self::ALL.into_iter().find(|language| language.name() == first)?;
        // Traditional characters are others.
        let is_traditional = parts.any(|part| matches!(part, "hant" | "tw" | "hk" | "mo"));
        (language != Self::Chinese || !is_traditional).then_some(language)
    }

    /// Returns the language of a locale, given `LC_ALL`, `LC_MESSAGES` and `LANG`: the first that has a value counts (POSIX, Base Definitions
    /// 8.2). A terminal that takes no UTF-8 is written to in English.
    #[must_use]
    pub fn of_locale(variables: [Option<&str>; 3]) -> Self {
        let Some(locale) = variables.into_iter().flatten().find(|value| !value.is_empty()) else {
            return Self::English;
        };
        let locale = locale.split('@').next().unwrap_or_default();
        let (tag, charset) = locale.split_once('.').unwrap_or((locale, "UTF-8"));
        let charset = charset.to_ascii_lowercase().replace('-', "");
        Self::named(tag).filter(|_| charset == "utf8").unwrap_or_default()
    }

    /// Returns the language that whoever asks by HTTP likes most, by the field `Accept-Language` (RFC 9110, 12.5.4).
    #[must_use]
    pub fn of_accepted(field: &str) -> Self {
        let mut best = (Self::English, 0.0);
        for range in field.split(',') {
            let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
            let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.parse().ok());
            let weight: f32 = weight.unwrap_or(0.0);
            if let Some(language) = Self::named(tag.trim()).filter(|_| weight > best.1) {
                best = (language, weight);
            }
        }
        best.0
    }

    /// Returns a text.
    #[must_use]
    pub fn say(self, key: &str) -> Cow<'static, str> {
        TEXTS.say(self, key).unwrap_or_else(|| key.to_owned().into())
    }

    /// Returns a text with these put into it.
    #[must_use]
    pub fn tell(self, key: &str, values: &[(&str, Value<'_>)]) -> String {
        TEXTS.tell(self, key, values).unwrap_or_else(|| key.to_owned())
    }

    /// Returns how severe something is, in a word; `name` is the severity's.
    #[must_use]
    pub fn severity(self, name: &str) -> Cow<'static, str> {
        TEXTS.say(self, &format!("severity-{name}")).unwrap_or_else(|| name.to_owned().into())
    }

    /// Returns what is said of a line, given its English text; the text as it is where this language has none for it. For where it is drawn for
    /// a person: nothing else is told by what comes back.
    #[must_use]
    pub fn meaning(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::English => text.into(),
            other => meanings::of(other, text).map_or_else(|| text.into(), Cow::Owned),
        }
    }
}
