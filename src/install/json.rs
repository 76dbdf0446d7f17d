//! JSON with comments, edited in place: what is not ours keeps its bytes. Knows nothing of where the text comes from.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// What is wrong with a text, or with what is to be done to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is no JSON.
    Broken { line: usize, column: usize, what: String },
    /// A key, or without one the file, is not as it should be.
    Unexpected { key: String, what: &'static str },
}

const MARK: char = '\u{feff}';

/// A document that is edited.
pub(super) struct Document {
    root: CstRootNode,
    marked: bool,
}

/// How an agent reads its JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// With comments and commas behind what is last.
    #[default]
    Comments,
    /// With neither: it takes nothing of a file that has them.
    Plain,
}

fn parse(text: &str) -> Result<CstRootNode, Fault> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| Fault::Broken {
        line: error.line_display(),
        column: error.column_display(),
        what: error.kind().to_string().to_lowercase(),
    })
}

/// Returns where a text is not in a notation, and why. An empty one is in each.
pub(super) fn is_in(text: &str, notation: Notation) -> Result<(), Fault> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    if notation == Notation::Comments || text.trim().is_empty() {
        return Ok(());
    }
    let read = serde_json::from_str::<IgnoredAny>(text);
    read.map(drop).map_err(|error| {
        let what = error.to_string();
        let what = what.rsplit_once(" at line ").map_or(what.as_str(), |(what, _)| what);
        Fault::Broken { line: error.line(), column: error.column(), what: what.to_owned() }
    })
}

/// Reads a text of JSON with comments; an empty one is an empty object.
pub fn read_json(text: &str) -> Result<Value, (usize, usize, String)> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let root = parse(text).map_err(|fault| match fault {
        Fault::Broken { line, column, what } => (line, column, what),
        Fault::Unexpected { key, what } => (1, 1, format!("{key}: {what}")),
    })?;
    match root.value() {
        None => Ok(Value::Object(serde_json::Map::new())),
        Some(_) => root.to_serde_value().ok_or_else(|| (1, 1, "a value that is none".to_owned())),
    }
}

impl Document {
    /// Reads a text; an empty one is an empty object.
    pub(super) fn read(text: &str) -> Result<Self, Fault> {
        let marked = text.starts_with(MARK);
        let root = parse(text.strip_prefix(MARK).unwrap_or(text))?;
        if root.value().is_some_and(|value| value.as_object().is_none()) {
            return Err(unexpected(&[], "no object"));
        }
        Ok(Self { root, marked })
    }

    /// Returns the text.
    pub(super) fn text(&self) -> String {
        let mark = if self.marked { "\u{feff}" } else { "" };
        format!("{mark}{}", self.root)
    }

    /// Sets a value, keeping what stands around it.
    pub(super) fn set(&self, key: &[String], value: &Value) -> Result<(), Fault> {
        let Some((last, above)) = key.split_last() else { return Ok(()) };
        let object = self.make(above)?;
        once(&object, key, last)?;
        match object.get(last) {
            None => drop(object.append(last, input(value))),
            Some(property) if property.to_serde_value().is_some_and(|old| old == *value) => {}
            Some(property) => property.set_value(input(value)),
        }
        Ok(())
    }

    /// Puts a value at the end of a list.
    pub(super) fn append(&self, key: &[String], value: &Value) -> Result<(), Fault> {
        let Some((last, above)) = key.split_last() else { return Ok(()) };
        let object = self.make(above)?;
        once(&object, key, last)?;
        let list = object.array_value_or_create(last).ok_or_else(|| unexpected(key, "no list"))?;
        list.append(input(value));
        Ok(())
    }

    /// Returns the object of a key, made where there is none.
    fn make(&self, key: &[String]) -> Result<CstObject, Fault> {
        let mut object =
            self.root.object_value_or_create().ok_or_else(|| unexpected(&[], "no object"))?;
        for (index, name) in key.iter().enumerate() {
            once(&object, &key[..=index], name)?;
            object = object
                .object_value_or_create(name)
                .ok_or_else(|| unexpected(&key[..=index], "no object"))?;
        }
        Ok(object)
    }

    /// Takes a value out, or puts the one back that was there before; what becomes empty by that goes too, unless it was there before.
    pub(super) fn unset(&self, key: &[String], before: &Value, is_ours: impl Fn(&Value) -> bool) {
        let Some((last, above)) = key.split_last() else { return };
        let Some(object) = self.object(above) else { return };
        let Some(property) = object.get(last) else { return };
        if !property.to_serde_value().is_some_and(|value| is_ours(&value)) {
            return;
        }
        if let Some(old) = at(before, key) {
            property.set_value(input(old));
            return;
        }
        property.remove();
        self.tidy(above, before);
    }

    /// Takes the commands of an agent's hooks out of the lists below a key.
    pub(super) fn strip(&self, key: &[String], before: &Value, agent: &str) {
        let Some(object) = self.object(key) else { return };
        for property in object.properties() {
            let (Some(name), Some(list)) = (property.decoded_name(), property.array_value()) else {
                continue;
            };
            let had = list.elements().len();
            strip_list(&list, agent);
            if list.elements().is_empty() && had > 0 {
                let event: Vec<String> = key.iter().cloned().chain([name]).collect();
                if at(before, &event).is_none() {
                    property.remove();
                }
            }
        }
        self.tidy(key, before);
    }

    /// Takes out objects that are empty and were not there before, from this key upwards.
    fn tidy(&self, key: &[String], before: &Value) {
        for end in (1..=key.len()).rev() {
            let key = &key[..end];
            let Some((last, above)) = key.split_last() else { return };
            let Some(property) = self.object(above).and_then(|object| object.get(last)) else {
                return;
            };
            let is_empty = property
                .object_value()
                .is_some_and(|object| object.children().iter().all(is_blank));
            if !is_empty || at(before, key).is_some() {
                return;
            }
            property.remove();
        }
    }

    fn object(&self, key: &[String]) -> Option<CstObject> {
        key.iter().try_fold(self.root.object_value()?, |object, name| object.object_value(name))
    }

    /// Returns whether nothing is left but an empty object.
    pub(super) fn is_empty(&self) -> bool {
        let blank = |node: &CstNode| {
            is_blank(node)
                || node.as_object().is_some_and(|object| object.children().iter().all(is_blank))
        };
        self.root.children().iter().all(blank)
    }
}

/// White space and the braces around it.
fn is_blank(node: &CstNode) -> bool {
    !node.is_comment() && (node.is_trivia() || node.is_token())
}

/// Programs that read JSON take the last of two keys; which one is meant is not for us to say.
fn once(object: &CstObject, key: &[String], name: &str) -> Result<(), Fault> {
    let named = object
        .properties()
        .into_iter()
        .filter(|property| property.decoded_name().as_deref() == Some(name));
    if named.count() > 1 { Err(unexpected(key, "there twice")) } else { Ok(()) }
}

fn unexpected(key: &[String], what: &'static str) -> Fault {
    Fault::Unexpected { key: key.join("."), what }
}

/// Takes ours out of a list: commands, and groups of which nothing is left.
fn strip_list(list: &CstArray, agent: &str) {
    for element in list.elements() {
        let Some(object) = element.as_object() else { continue };
        if let Some(inner) = object.array_value("hooks") {
            let had = inner.elements().len();
            strip_list(&inner, agent);
            if had > 0 && inner.elements().is_empty() {
                element.remove();
            }
        } else if element.to_serde_value().is_some_and(|value| is_hook(&value, agent)) {
            element.remove();
        }
    }
}

/// Returns whether an entry of hooks runs our command for an agent.
#[must_use]
pub fn is_hook(entry: &Value, agent: &str) -> bool {
    let text = ["command", "bash"].iter().find_map(|key| entry.get(key)?.as_str());
    let words = text.and_then(|text| shell_words::split(text).ok()).unwrap_or_default();
    // What refuses where the program is gone may stand before it.
    let call = words.iter().rposition(|word| word == "exec").map_or(0, |at| at + 1);
    let [program, hook, name, ..] = &words[call..] else { return false };
    let file = std::path::Path::new(program).file_name();
    file.is_some_and(|name| name == "guarded-sh")
        && hook == "hook"
        && (name == agent || name == "auto")
}

/// Returns the value of a key.
pub(super) fn at<'v>(value: &'v Value, key: &[String]) -> Option<&'v Value> {
    key.iter().try_fold(value, |value, name| value.get(name))
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => CstInputValue::Object(
            map.iter().map(|(name, value)| (name.clone(), input(value))).collect(),
        ),
    }
}
