//! What a page says, in the language of whom it asks.

use std::borrow::Cow;

use super::Page;
use crate::language::{Language, Value};
use crate::model::Severity;

impl Page {
    /// Returns the language of whom it asks.
    pub(in crate::approval) const fn language(&self) -> Language {
        self.asked.language
    }

    /// Returns a text.
    pub(super) fn say(&self, key: &str) -> Cow<'static, str> {
        self.asked.language.say(key)
    }

    /// Returns a text with these put into it.
    pub(super) fn tell(&self, key: &str, values: &[(&str, Value<'_>)]) -> String {
        self.asked.language.tell(key, values)
    }

    /// Returns a severity in a word.
    pub(super) fn severity(&self, severity: Severity) -> Cow<'static, str> {
        self.asked.language.severity(severity.name())
    }
}
