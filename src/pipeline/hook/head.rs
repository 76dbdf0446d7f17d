//! What stands before a file that is told to a model, between two lines of `---`: read as the YAML that it is, so that no spelling hides a key.
//! Says nothing of what the text behind it does.

use serde_json::{Map, Value};

use crate::hooks::{brings_commands, is_plain_key};
use crate::recipes::yaml;

/// The keys before a file, and their values.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Head(Map<String, Value>);

impl Head {
    /// Reads what stands before a text; none if that is not clear.
    pub(super) fn read(text: &str) -> Option<Self> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let Some(rest) = text.strip_prefix("---") else { return Some(Self::default()) };
        let (first, rest) = rest.split_once('\n').unwrap_or((rest, ""));
        if first.starts_with('-') {
            return Some(Self::default());
        }
        let lines = || rest.split('\n');
        let end = lines().position(|line| line.trim_end() == "---")?;
        let head: Vec<&str> = lines().take(end).collect();
        // Clients part the head from the text, and one document from the next, each in its own way.
        let is_strange =
            |line: &&str| ["---", "...", "%"].iter().any(|mark| line.starts_with(mark));
        if !first.trim().is_empty()
            || lines().nth(end) != Some("---")
            || head.iter().any(is_strange)
        {
            return None;
        }
        let text = head.join("\n");
        let is_empty = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
        if head.iter().all(is_empty) {
            return Some(Self::default());
        }
        match yaml::parse(&text) {
            Some(Value::Object(keys)) => Some(Self(keys)),
            Some(Value::Null | Value::String(_)) => Some(Self::default()),
            // Clients read what is no YAML, as a description with a colon, by its lines.
            Some(_) | None => plain(&head).map(Self),
        }
    }

    /// Returns the key by which the client is made to run commands of the file. A list of names is of what is set up elsewhere.
    pub(super) fn brings(&self) -> Option<&str> {
        let is_name = |value: &Value| value.is_string();
        let is_named_elsewhere = |value: &Value| match value {
            Value::Null => true,
            Value::Array(list) => list.iter().all(is_name),
            _ => false,
        };
        let mut keys = self.0.iter().filter(|(key, _)| brings_commands(key));
        keys.find(|(_, value)| !is_named_elsewhere(value)).map(|(key, _)| key.as_str())
    }

    /// Returns the text under a key.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    /// Returns the names under a key: a list, or a text with commas between them. What is no name is an empty one, which names nothing.
    pub(super) fn names(&self, key: &str) -> Vec<&str> {
        match self.0.get(key) {
            Some(Value::String(text)) => {
                text.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
            }
            Some(Value::Array(list)) => {
                list.iter().map(|name| name.as_str().unwrap_or("")).collect()
            }
            Some(Value::Null) | None => Vec::new(),
            Some(_) => vec![""],
        }
    }

    /// Returns whether there is such a key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }
}

/// The keys of lines `key: value`, where all of these are known; what is indented belongs to the line before it.
fn plain(lines: &[&str]) -> Option<Map<String, Value>> {
    let mut keys = Map::new();
    for line in lines.iter().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if !keys.is_empty() && line.starts_with([' ', '\t', '-']) {
            continue;
        }
        let (key, value) = line.split_once(':')?;
        if !is_plain_key(key) {
            return None;
        }
        keys.insert(key.to_owned(), Value::String(value.trim().to_owned()));
    }
    Some(keys)
}

#[cfg(test)]
mod tests {
    use super::Head;

    #[test]
    fn a_key_is_seen_in_every_spelling() {
        for head in [
            "hooks:\n  PreToolUse: [{a: b}]",
            "\"hooks\":\n  a: {}",
            "'hooks' :\n  a: {}",
            "{description: d, hooks: {a: {}}}",
            "\"\\x68ooks\": {a: b}",
            "? hooks\n: {a: b}",
            "<<: {hooks: {a: b}}",
            "x: &x {hooks: {a: b}}\n<<: [*x]",
            "  description: d\n  hooks:\n    a: b",
            "!!str hooks: {a: b}",
            "&a hooks: {a: b}",
            "Hooks: {a: b}",
            "mcp-servers: {a: {command: x}}",
            "mcpServers:\n  - a: {command: x}",
        ] {
            for before in ["---\n", "\u{feff}---\n", "\n\n---\n", "---\r\n"] {
                let text = format!("{before}{head}\n---\nx\n");
                let read = Head::read(&text);
                assert!(read.is_none_or(|head| head.brings().is_some()), "{text}");
            }
        }
        for text in [
            "Do it.\n",
            "---\ndescription: d\n---\nhooks: x\n",
            "---\ndescription: use when: a thing, {b}\nallowed-tools: Bash(*), Read\n---\n",
            "---\nmetadata:\n  hooks: {a: b}\n---\n",
            "---\nmcpServers: [github]\nhooks:\n---\n",
            "---\n# x\n---\n",
            "----\n",
        ] {
            assert_eq!(Head::read(text).map(|head| head.brings().is_some()), Some(false), "{text}");
        }
        for text in [
            "---\na: 1\n...\nhooks: {}\n---\n",
            "---\na: 1\n",
            "--- {a: b}\n---\n",
            "---\na\u{7}: [\n---\n",
        ] {
            assert_eq!(Head::read(text), None, "{text}");
        }
    }
}
