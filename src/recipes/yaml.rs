//! YAML as far as files that describe tasks, and what stands before texts, use it: one document, its anchors followed, as JSON values.
//! What is too much of it, and what has no such value, is not read.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value as Json};

/// Values of a document beyond this are not read: aliases that hold each other twice multiply.
const NODES: usize = 20_000;
/// Values inside each other beyond this are not read.
const DEPTH: usize = 64;

/// A list or mapping that is not yet at its end.
struct Open {
    value: Json,
    anchor: usize,
    /// The key whose value comes next.
    key: Option<String>,
    nodes: usize,
}

/// Returns the value of the first document; none if it has none, or is too much.
#[must_use]
pub fn parse(text: &str) -> Option<Json> {
    let mut reader = Reader::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event.ok()?.0 {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                reader.add(scalar(&text, is_plain), anchor, 1)?;
            }
            Event::Alias(anchor) => {
                let (value, nodes) = reader.anchors.get(&anchor)?.clone();
                reader.add(value, 0, nodes)?;
            }
            Event::SequenceStart(anchor, _) => reader.open(Json::Array(Vec::new()), anchor)?,
            Event::MappingStart(anchor, _) => reader.open(Json::Object(Map::new()), anchor)?,
            Event::SequenceEnd | Event::MappingEnd => reader.close()?,
            Event::DocumentEnd => break,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
    }
    reader.whole
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    /// Values that have a name, and how many are in them.
    anchors: HashMap<usize, (Json, usize)>,
    whole: Option<Json>,
    nodes: usize,
}

impl Reader {
    fn open(&mut self, value: Json, anchor: usize) -> Option<()> {
        let open = Open { value, anchor, key: None, nodes: 1 };
        (self.open.len() < DEPTH).then(|| self.open.push(open))
    }

    fn close(&mut self) -> Option<()> {
        let Open { value, anchor, nodes, .. } = self.open.pop()?;
        // Those in it are counted already.
        self.nodes -= nodes - 1;
        self.add(value, anchor, nodes)
    }

    fn add(&mut self, value: Json, anchor: usize, nodes: usize) -> Option<()> {
        self.nodes += nodes;
        if self.nodes > NODES {
            return None;
        }
        if anchor != 0 {
            self.anchors.insert(anchor, (value.clone(), nodes));
        }
        let Some(open) = self.open.last_mut() else {
            self.whole = Some(value);
            return Some(());
        };
        open.nodes += nodes;
        match (&mut open.value, open.key.take()) {
            (Json::Array(list), _) => list.push(value),
            (Json::Object(map), Some(key)) => merge(map, key, value)?,
            (Json::Object(_), None) => open.key = Some(text_of(&value)?),
            _ => return None,
        }
        Some(())
    }
}

/// Puts a value into a mapping; `<<` brings those of another, which count for less.
fn merge(map: &mut Map<String, Json>, key: String, value: Json) -> Option<()> {
    if key != "<<" {
        map.insert(key, value);
        return Some(());
    }
    let others = match value {
        Json::Array(others) => others,
        other => vec![other],
    };
    for other in others {
        let Json::Object(other) = other else { return None };
        for (key, value) in other {
            map.entry(key).or_insert(value);
        }
    }
    Some(())
}

fn scalar(text: &str, is_plain: bool) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" if is_plain => Json::Null,
        "true" | "True" | "TRUE" if is_plain => Json::Bool(true),
        "false" | "False" | "FALSE" if is_plain => Json::Bool(false),
        text => Json::String(text.to_owned()),
    }
}

fn text_of(key: &Json) -> Option<String> {
    match key {
        Json::String(text) => Some(text.clone()),
        Json::Bool(is) => Some(is.to_string()),
        Json::Null => Some(String::new()),
        Json::Number(_) | Json::Array(_) | Json::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;

    use super::*;

    #[test]
    fn documents_have_values() {
        for (text, value) in [
            ("a: 1\nb: [x, 'true', true]\n", json!({"a": "1", "b": ["x", "true", true]})),
            ("a: |\n  one\n  two\nb: >-\n  x\n  y\n", json!({"a": "one\ntwo\n", "b": "x y"})),
            ("a: &n {x: 1}\nb: *n\n", json!({"a": {"x": "1"}, "b": {"x": "1"}})),
            (
                "a: &n {x: 1, y: 1}\nb:\n  x: 2\n  <<: *n\n",
                json!({"a": {"x": "1", "y": "1"}, "b": {"x": "2", "y": "1"}}),
            ),
            ("a: 1\n---\nb: 2\n", json!({"a": "1"})),
            ("\"a\\tb\": !!str ~\n", json!({"a\tb": "~"})),
        ] {
            assert_eq!(parse(text), Some(value), "{text}");
        }
    }

    #[test]
    fn what_is_too_much_is_not_read() {
        let mut laughs = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
        for (one, other) in "abcdefgh".chars().zip("bcdefghi".chars()) {
            let again = vec![format!("*{one}"); 9].join(", ");
            let _ = writeln!(laughs, "{other}: &{other} [{again}]");
        }
        let deep = "[".repeat(100_000);
        for text in [laughs.as_str(), &deep, &"- ".repeat(50_000), "a: *b", "a: [", "{a: b}: c"] {
            assert_eq!(parse(text), None, "{}", &text[..text.len().min(40)]);
        }
    }
}
