//! What each key is for, and what it can be: as the published schema of settings says, or its translation.

use std::borrow::Cow;

use guarded_sh::language::Texts;
use serde_json::Value;

use super::super::spoken::Spoken;

/// What keys are for, in the other languages: each text by its key, in which a dash stands for a point.
static TEXTS: Texts = guarded_sh::texts!(translations in "/../i18n/"; "help.ftl");

/// The schema that `guarded-sh schema config` prints.
const SCHEMA: &str = include_str!("../../../../schemas/config.json");

/// What there is to say of all keys.
pub struct Help(Value);

/// What a value can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of these words.
    OneOf(Vec<String>),
    /// A number.
    Number,
    /// A list of texts.
    List,
    /// A text.
    Text,
}

impl Help {
    /// Reads it.
    pub fn read() -> Self {
        Self(serde_json::from_str(SCHEMA).unwrap_or_default())
    }

    /// Returns what a key is for.
    pub fn text(&self, key: &str, language: Spoken) -> Cow<'_, str> {
        let english = || self.found(key)["description"].as_str().unwrap_or_default().into();
        TEXTS.say(language.0, &named(key)).unwrap_or_else(english)
    }

    /// Returns what it can be.
    pub fn kind(&self, key: &str) -> Kind {
        kind(self.found(key))
    }

    fn found(&self, key: &str) -> &Value {
        key.split('.').fold(&self.0, |table, name| {
            let own = &table["properties"][name];
            // One table can also be a word.
            if own.is_null() { &table["anyOf"][1]["properties"][name] } else { own }
        })
    }
}

/// Returns the name of a key's text.
fn named(key: &str) -> String {
    key.replace('.', "-")
}

fn kind(of: &Value) -> Kind {
    let words = of["enum"].as_array().or_else(|| of["anyOf"][0]["enum"].as_array());
    if let Some(words) = words {
        let word = |word: &Value| word.as_str().map_or_else(|| word.to_string(), str::to_owned);
        return Kind::OneOf(words.iter().map(word).collect());
    }
    match of["type"].as_str() {
        Some("boolean") => Kind::OneOf(vec!["true".to_owned(), "false".to_owned()]),
        Some("integer" | "number") => Kind::Number,
        Some("array") => Kind::List,
        _ => Kind::Text,
    }
}

impl Kind {
    /// Returns the value that a text is, as TOML has it.
    pub fn value(&self, text: &str) -> toml::Value {
        match self {
            Self::Text => toml::Value::String(text.to_owned()),
            Self::OneOf(words) if !words.iter().any(|word| word == "true") => {
                toml::Value::String(text.to_owned())
            }
            Self::OneOf(_) | Self::Number | Self::List => guarded_sh::config::typed(text.trim()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use guarded_sh::config::{Settings, show};
    use guarded_sh::language::Language;

    use super::*;

    /// The parts of a text that are code.
    fn code(text: &str) -> BTreeSet<&str> {
        text.split('`').skip(1).step_by(2).collect()
    }

    #[test]
    fn every_key_has_help_in_every_language_and_no_other_has() {
        let help = Help::read();
        let rows = show(&Settings::default());
        // Handlers of hooks have a row each.
        let keys: Vec<&str> = rows.iter().map(|row| row.name).chain(["hooks"]).collect();
        let names: BTreeSet<String> = keys.iter().map(|key| named(key)).collect();
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../i18n");
        for language in Language::ALL.into_iter().filter(|one| *one != Language::English) {
            for key in &keys {
                let english = help.text(key, Spoken::ENGLISH);
                let text = help.text(key, Spoken(language));
                assert!(text != english, "{}: {key} is not translated", language.name());
                assert_eq!(code(&text), code(&english), "{}: {key}", language.name());
            }
            let file = std::fs::read_to_string(files.join(language.name()).join("help.ftl"));
            let file = file.unwrap();
            let told = file.lines().filter_map(|line| line.split_once(" ="));
            let told: Vec<&str> =
                told.map(|(key, _)| key).filter(|key| !names.contains(*key)).collect();
            assert!(told.is_empty(), "{} has {told:?}", language.name());
        }
    }

    #[test]
    fn every_key_has_help_and_a_value_of_its_kind() {
        let help = Help::read();
        for row in show(&Settings::default()) {
            let text = help.text(row.name, Spoken::ENGLISH);
            assert!(!text.is_empty(), "{} has no help", row.name);
            let is_right = match help.kind(row.name) {
                Kind::OneOf(words) => {
                    row.value.is_empty() || words.contains(&row.value.trim_matches('"').to_owned())
                }
                Kind::Number => row.value.is_empty() || row.value.parse::<f64>().is_ok(),
                Kind::List => row.value.starts_with('['),
                // Sizes are shown in bytes, and written with their unit.
                Kind::Text => {
                    row.value.is_empty()
                        || row.value.starts_with('"')
                        || row.name.starts_with("undo.")
                }
            };
            assert!(is_right, "{} = {}", row.name, row.value);
        }
    }
}
