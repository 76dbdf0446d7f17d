//! What is asked of a model where it takes it, and of some not at all: no chance, no long thinking before an answer, a bound of its length. Which
//! model takes what changes with every one, so no list of names says it: it is asked for, and what is refused is asked for otherwise, then not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Parameters of requests that not every model takes. In an answer of status 400 or 422 their names say what is refused.
const NAMES: [&str; 3] = ["temperature", "reasoning_effort", "max_completion_tokens"];

/// What a provider refused: of each parameter how many values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Refused(BTreeMap<String, usize>);

impl Refused {
    /// Returns the first of these values that was not refused.
    pub fn next<'v>(&self, name: &str, values: &'v [Value]) -> Option<&'v Value> {
        values.get(self.0.get(name).copied().unwrap_or_default())
    }

    /// Sets a parameter to the first of these values that was not refused, or leaves it away.
    pub fn set(&self, body: &mut Value, name: &str, values: &[Value]) {
        debug_assert!(NAMES.contains(&name), "{name} would never be found refused");
        if let Some(value) = self.next(name, values) {
            body[name] = value.clone();
        }
    }

    /// Notes what of a request an answer refuses. Returns whether another one is worth while.
    pub fn note(&mut self, body: &Value, answer: &[u8]) -> bool {
        let text = String::from_utf8_lossy(answer);
        let is_refused = |name: &&&str| body.get(**name).is_some() && text.contains(**name);
        let Some(name) = NAMES.iter().find(is_refused) else { return false };
        *self.0.entry((*name).to_owned()).or_default() += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_refused_is_asked_for_otherwise_and_then_not() {
        let efforts = [json!("none"), json!("low")];
        let mut refused = Refused::default();
        let asked = |refused: &Refused| {
            let mut body = json!({"model": "m"});
            refused.set(&mut body, "reasoning_effort", &efforts);
            body
        };
        let answer = br#"{"error": {"message": "Unsupported value: 'reasoning_effort'"}}"#;
        for effort in &efforts {
            let body = asked(&refused);
            assert_eq!(body.get("reasoning_effort"), Some(effort));
            assert!(refused.note(&body, answer));
        }
        let body = asked(&refused);
        assert_eq!(body, json!({"model": "m"}));
        assert!(!refused.note(&body, answer), "it was not asked for");
    }

    #[test]
    fn an_answer_that_names_nothing_refuses_nothing() {
        let body = json!({"temperature": 0});
        for answer in [&b""[..], b"{}", b"\xff\0", br#"{"error": {"message": "too long"}}"#] {
            let mut refused = Refused::default();
            assert!(!refused.note(&body, answer));
            assert_eq!(refused, Refused::default());
        }
    }
}
