//! Codex's rules: calls of `prefix_rule` with lists of words, a small part of Starlark. What is written otherwise is named, and not guessed at.

use super::entry::{Entry, Prefix, Says};

/// How many commands one rule may stand for.
const MOST: usize = 64;

/// The entries of a file of rules.
pub(super) fn read(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rest = text;
    let mut before = 0;
    while let Some(at) = find(rest) {
        let line = text[..before + at].matches('\n').count() + 1;
        let call = &rest[at + CALL.len()..];
        let mut reader = Reader { rest: call };
        if let Some(call) = reader.call() {
            entries.extend(call.entries());
        } else {
            let what = format!("prefix_rule in line {line}");
            let why = "not written as a list of words".to_owned();
            entries.push(Entry::new(what, Says::Ask, Err(why)));
        }
        before = text.len() - reader.rest.len();
        rest = reader.rest;
    }
    entries
}

const CALL: &str = "prefix_rule(";

/// Finds the next call that does not stand in a comment.
fn find(text: &str) -> Option<usize> {
    text.match_indices(CALL).map(|(at, _)| at).find(|at| {
        let line = text[..*at].rsplit('\n').next().unwrap_or_default();
        !line.contains('#')
    })
}

/// What a call says.
#[derive(Default)]
struct Call {
    pattern: Vec<Vec<String>>,
    decision: Option<String>,
}

impl Call {
    /// Every way to take one word of each place.
    fn entries(self) -> Vec<Entry> {
        let says = match self.decision.as_deref() {
            None | Some("allow") => Says::Allow,
            Some("forbidden") => Says::Deny,
            Some(_) => Says::Ask,
        };
        let mut all = vec![Vec::new()];
        for place in &self.pattern {
            all = all
                .iter()
                .flat_map(|words: &Vec<String>| {
                    place
                        .iter()
                        .map(move |word| words.iter().cloned().chain([word.clone()]).collect())
                })
                .take(MOST + 1)
                .collect();
        }
        if all.len() > MOST {
            let why = format!("more than {MOST} commands in one rule");
            return vec![Entry::new(format!("{:?}", self.pattern), says, Err(why))];
        }
        let entry = |words: Vec<String>| {
            Entry::new(shell_words::join(&words), says, Prefix::of(words, false))
        };
        all.into_iter().map(entry).collect()
    }
}

struct Reader<'t> {
    rest: &'t str,
}

/// A value of a keyword.
enum Value {
    Text(String),
    List(Vec<Value>),
}

impl Reader<'_> {
    /// Reads the keywords of a call up to its end; none if it is written otherwise.
    fn call(&mut self) -> Option<Call> {
        let mut call = Call::default();
        loop {
            if self.takes(')') {
                return (!call.pattern.is_empty()).then_some(call);
            }
            let name = self.name()?;
            if !self.takes('=') {
                return None;
            }
            let value = self.value(0)?;
            match (name.as_str(), value) {
                ("pattern", Value::List(places)) => {
                    call.pattern = places.into_iter().map(words).collect::<Option<_>>()?;
                }
                ("decision", Value::Text(decision)) => call.decision = Some(decision),
                ("pattern" | "decision", _) => return None,
                _ => {}
            }
            if !self.takes(',') && !self.rest.starts_with(')') {
                return None;
            }
        }
    }

    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix('#') else { return };
            self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }

    fn takes(&mut self, character: char) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(character);
        self.rest = rest.unwrap_or(self.rest);
        self.skip();
        rest.is_some()
    }

    fn name(&mut self) -> Option<String> {
        let end = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if self.takes('[') {
            let mut list = Vec::new();
            while !self.takes(']') {
                // A pattern has lists in a list, and examples have no more.
                if depth > 2 {
                    return None;
                }
                list.push(self.value(depth + 1)?);
                if !self.takes(',') && !self.rest.starts_with(']') {
                    return None;
                }
            }
            return Some(Value::List(list));
        }
        self.text().map(Value::Text)
    }

    /// A text in quotes, with the escapes that change nothing but quotes.
    fn text(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => match characters.next()?.1 {
                    escaped @ ('"' | '\'' | '\\') => text.push(escaped),
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    _ => return None,
                },
                '\n' => return None,
                _ if character == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Some(text);
                }
                _ => text.push(character),
            }
        }
        None
    }
}

/// The words of one place of a pattern.
fn words(value: Value) -> Option<Vec<String>> {
    match value {
        Value::Text(word) => Some(vec![word]),
        Value::List(list) => list
            .into_iter()
            .map(|value| match value {
                Value::Text(word) => Some(word),
                Value::List(_) => None,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_codex_writes_them() {
        let text = "# prefix_rule(pattern=[\"no\"])\nprefix_rule(pattern=[\"git\", [\"push\", 'fetch']], decision=\"prompt\", justification=\"x, y)\")\nprefix_rule(\n  pattern = [\"npm\", \"test\"], # mine\n  match = [[\"npm\", \"test\"]],\n)\nprefix_rule(pattern=[x])\nprefix_rule(";
        let said: Vec<_> = read(text)
            .into_iter()
            .map(|entry| (entry.text, entry.says, entry.about.is_ok()))
            .collect();
        let row = |text: &str, says, known| (text.to_owned(), says, known);
        assert_eq!(
            said,
            [
                row("git push", Says::Ask, true),
                row("git fetch", Says::Ask, true),
                row("npm test", Says::Allow, true),
                row("prefix_rule in line 7", Says::Ask, false),
                row("prefix_rule in line 8", Says::Ask, false),
            ]
        );
    }
}
