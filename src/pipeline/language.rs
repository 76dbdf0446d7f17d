//! In which language the person here is told something.

use super::world::{load_request, places};
use crate::config::{self, Settings};
use crate::language::Language;
use crate::model::Facts;
use crate::observe::Environment;

/// Returns the language of the person with this environment: what their settings say, else their locale.
#[must_use]
pub fn language(environment: &Environment) -> Language {
    language_of_settings(environment).unwrap_or_else(|| of_locale(environment))
}

/// Returns the language that the settings of the person with this environment say, if they say one.
#[must_use]
pub fn language_of_settings(environment: &Environment) -> Option<Language> {
    let (places, nowhere) = (places(environment), Facts::default());
    // Settings that cannot be read are complained of by each line that is judged.
    config::load_settings(&load_request(&places, &nowhere), &[]).ok()?.language.value
}

/// The same, where the settings are there already.
pub(super) fn of_settings(settings: &Settings, environment: &Environment) -> Language {
    settings.language.value.unwrap_or_else(|| of_locale(environment))
}

fn of_locale(environment: &Environment) -> Language {
    Language::of_locale(["LC_ALL", "LC_MESSAGES", "LANG"].map(|name| environment.get(name)))
}
