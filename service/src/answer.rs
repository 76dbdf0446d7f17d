//! What a model answered, read strictly: an object with these fields and no others, or no answer.

use guarded_sh::model::{Heard, Note, Opinion, Verdict};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::prompt::Prompt;

/// Characters of a reason that are kept.
const REASONING: usize = 400;
/// Characters of a category that are kept.
const CATEGORY: usize = 40;
/// Characters of a quotation: a longer one is no quotation.
const QUOTATION: usize = 1_000;

/// Why what was said is no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is no object of these fields.
    #[error("it is not what was asked for: {0}")]
    Shape(String),
    /// It quotes what it was told never to.
    #[error("it quotes the marks around what others wrote: somebody may be speaking through it")]
    Marked,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    verdict: Verdict,
    safety_score: u8,
    category: String,
    confidence: u8,
    uncertain: bool,
    quotation: Option<String>,
    reasoning: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenNote {
    problem: bool,
    note: String,
}

/// Returns the JSON schema of an answer, the verdict first.
#[must_use]
pub fn schema(form: Form) -> Value {
    if form == Form::Note {
        return json!({
            "type": "object",
            "properties": {"problem": {"type": "boolean"}, "note": {"type": "string"}},
            "required": ["problem", "note"],
            "additionalProperties": false,
        });
    }
    json!({
        "type": "object",
        "properties": {
            "verdict": {"type": "string", "enum": ["within", "wider", "unclear"]},
            "safetyScore": {"type": "integer"},
            "category": {"type": "string"},
            "confidence": {"type": "integer"},
            "uncertain": {"type": "boolean"},
            "quotation": {"type": "string"},
            "reasoning": {"type": "string"},
        },
        "required": [
            "verdict", "safetyScore", "category", "confidence", "uncertain", "quotation", "reasoning"
        ],
        "additionalProperties": false,
    })
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// An opinion.
    Opinion,
    /// A note.
    Note,
}

/// Reads a note, JSON as text.
pub fn note(text: &str, prompt: &Prompt) -> Result<Note, Error> {
    let written: WrittenNote =
        serde_json::from_str(text.trim()).map_err(|error| Error::Shape(error.to_string()))?;
    let holds = |word: &str| text.contains(word) || written.note.contains(word);
    if holds(&prompt.boundary) || holds(&prompt.canary) {
        return Err(Error::Marked);
    }
    Ok(Note { problem: written.problem, text: cut(&written.note, REASONING) })
}

/// Reads an answer, JSON as text.
pub fn read(text: &str, prompt: &Prompt) -> Result<Opinion, Error> {
    if text.contains(&prompt.boundary) || text.contains(&prompt.canary) {
        return Err(Error::Marked);
    }
    let shape = |what: &dyn std::fmt::Display| Error::Shape(what.to_string());
    let written: Written = serde_json::from_str(text.trim()).map_err(|error| shape(&error))?;
    if written.safety_score > 100 || written.confidence > 100 {
        return Err(shape(&"a score is 0 to 100"));
    }
    let quotation = written.quotation.filter(|words| !words.trim().is_empty());
    if quotation.as_ref().is_some_and(|words| words.chars().count() > QUOTATION) {
        return Err(shape(&"the quotation is too long"));
    }
    // Escapes of JSON may have hidden them.
    let said = [Some(&written.category), Some(&written.reasoning), quotation.as_ref()];
    let holds = |word: &str| said.iter().flatten().any(|text| text.contains(word));
    if holds(&prompt.boundary) || holds(&prompt.canary) {
        return Err(Error::Marked);
    }
    Ok(Opinion {
        verdict: written.verdict,
        safety_score: written.safety_score,
        category: cut(&written.category, CATEGORY),
        confidence: written.confidence,
        uncertain: written.uncertain,
        quotation,
        reasoning: cut(&written.reasoning, REASONING),
    })
}

/// Returns what was heard where somebody had this opinion.
#[must_use]
pub fn heard(by: String, opinion: Opinion, bar: u8) -> Heard {
    let is_clear = !opinion.uncertain && opinion.verdict != Verdict::Unclear;
    if is_clear && opinion.confidence >= bar {
        Heard::Judged { by, opinion }
    } else {
        Heard::Uncertain { by, opinion }
    }
}

fn cut(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt() -> Prompt {
        let (boundary, canary) = ("b0b0b0".to_owned(), "wc0c0".to_owned());
        Prompt { text: String::new(), boundary, canary, form: Form::Opinion }
    }

    const ANSWER: &str = r#"{"verdict":"within","safetyScore":90,"category":"network","confidence":85,"uncertain":false,"quotation":"fetch the docs","reasoning":"it does"}"#;

    #[test]
    fn only_what_was_asked_for_is_an_answer() {
        assert_eq!(read(ANSWER, &prompt()).unwrap().quotation.as_deref(), Some("fetch the docs"));
        let not = [
            "",
            "null",
            "[]",
            "{}",
            "within",
            "```json\n{}\n```",
            &ANSWER[..ANSWER.len() - 1],
            &format!("{ANSWER} {ANSWER}"),
            &ANSWER.replace("within", "allow"),
            &ANSWER.replace("90", "101"),
            &ANSWER.replace("90", "-1"),
            &ANSWER.replace("90", "90.5"),
            &ANSWER.replace("85", "\"85\""),
            &ANSWER.replace("\"uncertain\":false,", ""),
            &ANSWER.replace("\"uncertain\"", "\"allow\":true,\"uncertain\""),
            &ANSWER.replace("fetch the docs", &"x".repeat(2_000)),
            &"[".repeat(100_000),
        ];
        for text in not {
            assert!(matches!(read(text, &prompt()), Err(Error::Shape(_))), "{text:.80}");
        }
    }

    #[test]
    fn only_a_note_is_a_note() {
        let read = |text: &str| note(text, &prompt());
        let good = read(r#"{"problem":true,"note":"two  tests\nfailed"}"#).unwrap();
        assert_eq!(good, Note { problem: true, text: "two tests failed".to_owned() });
        for text in ["", "null", ANSWER, "{\"problem\":true}", "{\"problem\":1,\"note\":\"\"}"] {
            assert!(matches!(read(text), Err(Error::Shape(_))), "{text}");
        }
        let marked = r#"{"problem":true,"note":"\u00620b0b0"}"#;
        assert_eq!(read(marked), Err(Error::Marked));
    }

    #[test]
    fn an_answer_that_quotes_the_marks_is_none() {
        for word in ["b0b0b0", "wc0c0", "\\u00620b0b0"] {
            let text = ANSWER.replace("it does", &format!("it does {word}"));
            assert_eq!(read(&text, &prompt()), Err(Error::Marked), "{word}");
        }
    }

    #[test]
    fn what_is_not_clear_is_told_apart() {
        let opinion = || read(ANSWER, &prompt()).unwrap();
        let is_judged =
            |opinion, bar| matches!(heard(String::new(), opinion, bar), Heard::Judged { .. });
        assert!(is_judged(opinion(), 80));
        assert!(!is_judged(opinion(), 86));
        assert!(!is_judged(Opinion { uncertain: true, ..opinion() }, 80));
        assert!(!is_judged(Opinion { verdict: Verdict::Unclear, ..opinion() }, 80));
        assert!(is_judged(Opinion { verdict: Verdict::Wider, ..opinion() }, 80));
    }
}
