//! What a call gives its tool, field by field, as the tool takes it. What it does not take, or takes otherwise, is unclear.
//! Says nothing of what the tool does with it.

use serde_json::{Map, Value};

use super::table::{Holds, OFF, ON, REST, Takes, Tool};

/// Strings of a call that are looked at: more than any real call has. A call with more is unclear.
pub(super) const MOST_STRINGS: usize = 4096;

/// Objects of a list that are looked at.
const MOST_INNER: usize = 1024;

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
                fields.take_all(takes, given);
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

    fn take_all(&mut self, takes: Takes, given: &Map<String, Value>) {
        for (name, value) in given {
            let known = |wanted: &str| takes.iter().find(|(known, _)| *known == wanted);
            match known(name).or_else(|| known(REST)) {
                Some((_, Holds::Inner)) => self.take_inner(takes, name, value),
                holds => self.take(name, holds.map(|(_, holds)| *holds), value),
            }
        }
    }

    /// Each of a list is given what the tool itself takes.
    fn take_inner(&mut self, takes: Takes, name: &str, value: &Value) {
        let list = value.as_array().map_or(&[][..], Vec::as_slice);
        list.iter()
            .take(MOST_INNER)
            .filter_map(Value::as_object)
            .for_each(|one| self.take_all(takes, one));
        let fits = value.is_array() && list.iter().all(Value::is_object);
        if !(value.is_null() || fits && list.len() <= MOST_INNER) {
            self.unclear.push(format!("is given a '{name}' that it is not known to take so"));
        }
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
            (Holds::Texts | Holds::Perhaps, value) => self.is_all(&collect(value), holds),
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
    /// The names of fields that are switched off.
    pub(super) switched_off: Vec<String>,
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

/// Returns all texts in a value, and the names of its fields. What a text writes out as JSON counts as what it is, too.
pub(super) fn collect(value: &Value) -> Collected {
    let mut collected = Collected { is_all: true, ..Collected::default() };
    collected.add(None, value);
    collected
}

impl Collected {
    fn add(&mut self, field: Option<&String>, value: &Value) {
        let mut open: Vec<(Option<&String>, &Value)> = vec![(field, value)];
        while let Some((field, value)) = open.pop() {
            // Beyond that, the names are more texts than are looked at.
            let switched = match is_on(value) {
                Some(true) => Some(&mut self.switched_on),
                Some(false) => Some(&mut self.switched_off),
                None => None,
            };
            if let Some(names) = switched.filter(|names| names.len() < MOST_STRINGS) {
                names.extend(field.cloned());
            }
            match value {
                Value::String(text) => {
                    self.push(field, text);
                    if let Some(written) = written_out(text).filter(|_| self.is_all) {
                        self.add(field, &written);
                    }
                }
                Value::Array(list) => open.extend(list.iter().rev().map(|value| (field, value))),
                Value::Object(fields) => {
                    for (name, value) in fields.iter().rev() {
                        self.push(None, name);
                        open.push((Some(name), value));
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }

    fn push(&mut self, field: Option<&String>, text: &str) {
        if self.texts.len() < MOST_STRINGS {
            self.texts.push(text.to_owned());
            self.fields.push(field.cloned());
        } else {
            self.is_all = false;
        }
    }
}

/// The fields or the list that a text writes out as JSON.
fn written_out(text: &str) -> Option<Value> {
    text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text).ok())?
}

/// Whether a value switches its field on or off, as servers read one that is no truth value, too.
fn is_on(value: &Value) -> Option<bool> {
    let is_one = |list: &[&str], text: &str| list.iter().any(|one| text.eq_ignore_ascii_case(one));
    match value {
        Value::Bool(is_on) => Some(*is_on),
        Value::Number(number) => match number.as_i64() {
            Some(1) => Some(true),
            Some(0) => Some(false),
            _ => None,
        },
        Value::String(text) if is_one(ON, text.trim()) => Some(true),
        Value::String(text) if is_one(OFF, text.trim()) => Some(false),
        _ => None,
    }
}
