//! What each key is for, and what it can be: as the published schema of settings says.

use serde_json::Value;

/// The schema that `guarded-sh schema config` prints.
const SCHEMA: &str = include_str!("../../../../schemas/config.json");

/// What there is to say of all keys.
pub struct Help(Value);

/// What there is to say of one.
pub struct About {
    /// What it is for.
    pub text: String,
    /// What it can be.
    pub kind: Kind,
}

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

    /// Returns what there is to say of a key.
    pub fn of(&self, key: &str) -> About {
        let found = self.found(key);
        let text = found["description"].as_str().unwrap_or_default().to_owned();
        About { text, kind: kind(found) }
    }

    fn found(&self, key: &str) -> &Value {
        key.split('.').fold(&self.0, |table, name| {
            let own = &table["properties"][name];
            // One table can also be a word.
            if own.is_null() { &table["anyOf"][1]["properties"][name] } else { own }
        })
    }
}

fn kind(of: &Value) -> Kind {
    let words = of["enum"].as_array().or_else(|| of["anyOf"][0]["enum"].as_array());
    if let Some(words) = words {
        return Kind::OneOf(words.iter().filter_map(Value::as_str).map(str::to_owned).collect());
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
    use guarded_sh::config::{Settings, show};

    use super::*;

    #[test]
    fn every_key_has_help_and_a_value_of_its_kind() {
        let help = Help::read();
        for row in show(&Settings::default()) {
            let about = help.of(row.name);
            assert!(!about.text.is_empty(), "{} has no help", row.name);
            let is_right = match about.kind {
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
