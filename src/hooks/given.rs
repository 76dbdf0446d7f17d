//! What a call gives its tool, field by field, as the tool takes it. What it does not take, or takes otherwise, is unclear.
//! Says nothing of what the tool does with it.

use serde_json::Value;

use super::table::{Holds, REST, Tool};

/// Strings of a call that are looked at: more than any real call has. A call with more is unclear.
pub(super) const MOST_STRINGS: usize = 4096;

/// What a call gives its tool.
#[derive(Debug, Default)]
pub(super) struct Fields {
    found: Vec<(Holds, String)>,
    /// What is not clear.
    pub(super) unclear: Vec<String>,
    /// It asks the client for more than the line.
    pub(super) asks_more: bool,
}

impl Fields {
    /// Reads the input of a tool.
    pub(super) fn read(tool: &Tool, input: &Value) -> Self {
        let mut fields = Self::default();
        let Some(takes) = tool.takes else { return fields };
        match input {
            Value::Object(given) => {
                for (name, value) in given {
                    let known = |wanted: &str| takes.iter().find(|(known, _)| *known == wanted);
                    let holds = known(name).or_else(|| known(REST));
                    fields.take(name, holds.map(|(_, holds)| *holds), value);
                }
            }
            // A tool whose one field is a patch may get it bare.
            Value::String(text) if takes.iter().any(|(_, holds)| *holds == Holds::Patch) => {
                fields.put(Holds::Patch, text);
            }
            Value::Null => {}
            _ => fields.unclear.push("is given something else than fields".to_owned()),
        }
        fields
    }

    /// Returns what stands in the fields of this kind.
    pub(super) fn of(&self, wanted: Holds) -> impl Iterator<Item = &str> {
        self.found.iter().filter(move |(holds, _)| *holds == wanted).map(|(_, text)| text.as_str())
    }

    fn take(&mut self, name: &str, holds: Option<Holds>, value: &Value) {
        // What is not given, or is not wanted, does nothing.
        if matches!(value, Value::Null) {
            return;
        }
        let Some(holds) = holds else {
            if *value != Value::Bool(false) {
                self.unclear.push(format!("is given '{name}', which it is not known to take"));
            }
            return;
        };
        let fits = match (holds, value) {
            (Holds::Any, _) => true,
            (Holds::Option, value) => !(value.is_array() || value.is_object()),
            (Holds::More, value) => {
                self.asks_more |= *value != Value::Bool(false);
                true
            }
            (Holds::Texts, value) => {
                let is_replaced = |name: &str| name.starts_with("old");
                self.is_all(&collect(value, &is_replaced), Holds::Texts)
            }
            (Holds::Perhaps, value) => self.is_all(&collect(value, &|_| false), holds),
            (Holds::Line, Value::Array(words)) => {
                let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
                let line = words.map(shell_words::join);
                line.map(|line| self.put(Holds::Line, &line)).is_some()
            }
            (holds, Value::String(text)) => {
                self.put(holds, text);
                true
            }
            (Holds::Paths | Holds::Words, Value::Array(list)) => {
                list.iter().take(MOST_STRINGS).for_each(|one| {
                    self.put(holds, one.as_str().unwrap_or_default());
                });
                list.len() <= MOST_STRINGS && list.iter().all(Value::is_string)
            }
            _ => false,
        };
        if !fits {
            self.unclear.push(format!("is given a '{name}' that it is not known to take so"));
        }
    }

    fn put(&mut self, holds: Holds, text: &str) {
        if !text.is_empty() {
            self.found.push((holds, text.to_owned()));
        }
    }

    fn is_all(&mut self, collected: &Collected, holds: Holds) -> bool {
        collected.texts.iter().for_each(|text| self.put(holds, text));
        collected.is_all
    }
}

/// The texts in a value.
#[derive(Debug, Default)]
pub(super) struct Collected {
    /// The texts, and the names that they stand under.
    pub(super) texts: Vec<String>,
    /// For each of them, the nearest name that it stands under; none of names.
    pub(super) fields: Vec<Option<String>>,
    /// The names of fields that are switched on.
    pub(super) switched_on: Vec<String>,
    /// There were no more.
    pub(super) is_all: bool,
}

/// Returns the texts in a value, without the names of its fields.
pub(super) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(texts).take(MOST_STRINGS).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).take(MOST_STRINGS).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Returns all texts in a value, and the names of its fields, but for what stands under names to be left out.
pub(super) fn collect(value: &Value, leaves_out: &dyn Fn(&str) -> bool) -> Collected {
    let mut collected = Collected { is_all: true, ..Collected::default() };
    let mut open = vec![(None, value)];
    while let Some((field, value)) = open.pop() {
        let mut push = |field: Option<&String>, text: &String| {
            if collected.texts.len() < MOST_STRINGS {
                collected.texts.push(text.clone());
                collected.fields.push(field.cloned());
            } else {
                collected.is_all = false;
            }
        };
        match value {
            Value::String(text) => push(field, text),
            Value::Array(list) => open.extend(list.iter().rev().map(|value| (field, value))),
            Value::Object(fields) => {
                let fields = fields.iter().filter(|(name, _)| !leaves_out(name));
                for (name, value) in fields.rev() {
                    push(None, name);
                    open.push((Some(name), value));
                }
            }
            // Beyond that, the names are more texts than are looked at.
            Value::Bool(true) if collected.switched_on.len() < MOST_STRINGS => {
                collected.switched_on.extend(field.cloned());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    collected
}
