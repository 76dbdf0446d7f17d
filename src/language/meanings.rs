//! What is found in lines, in other languages. A question carries English sentences, which models read as well; here the sentence is found among
//! the English texts of `found.ftl`, with what varies in it, and told anew.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::{FOUND, Language, Value};

/// What stands for a value in a text that was given none.
const OPEN: &str = "{$";
const CLOSE: char = '}';
/// Between what two sentences are joined by.
const JOINTS: [&str; 2] = [": ", ", "];
/// Places at which a text may be joined that are tried at most: a name in it may be made of nothing else.
const MOST_JOINTS: usize = 64;

/// A sentence in which something varies: texts that stand still, and the name of what stands behind each but the last.
struct Sentence {
    key: &'static str,
    first: String,
    rest: Vec<(String, String)>,
}

/// The English texts.
struct Known {
    whole: HashMap<String, &'static str>,
    varying: Vec<Sentence>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let mut known = Known { whole: HashMap::new(), varying: Vec::new() };
    for key in FOUND.keys() {
        // Of values that are not given, their names stand in the text.
        let Some(text) = FOUND.say(Language::English, key) else { continue };
        let mut parts = text.split(OPEN);
        let first = parts.next().unwrap_or_default().to_owned();
        let rest = parts.filter_map(|part| part.split_once(CLOSE));
        let rest: Vec<_> = rest.map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        if rest.is_empty() {
            known.whole.insert(first, key);
        } else {
            known.varying.push(Sentence { key, first, rest });
        }
    }
    known
});

/// Returns what an English text says, in this language; none where that is not known.
pub(super) fn of(language: Language, text: &str) -> Option<String> {
    if let Some(told) = sentence(language, text) {
        return Some(told);
    }
    let joints = JOINTS.iter().flat_map(|joint| text.match_indices(joint));
    let mut joints: Vec<(usize, &str)> = joints.take(MOST_JOINTS).collect();
    // The longest that is known first: sentences have commas of their own.
    joints.sort_unstable_by_key(|(at, _)| Reverse(*at));
    joints.into_iter().find_map(|(at, joint)| {
        let before = sentence(language, &text[..at])?;
        let behind = &text[at + joint.len()..];
        let behind = of(language, behind).unwrap_or_else(|| behind.to_owned());
        Some(format!("{before}{joint}{behind}"))
    })
}

fn sentence(language: Language, text: &str) -> Option<String> {
    if let Some(key) = KNOWN.whole.get(text) {
        return FOUND.say(language, key).map(Into::into);
    }
    KNOWN.varying.iter().find_map(|sentence| sentence.told(language, text))
}

impl Sentence {
    /// Returns a text in a language if it is this sentence.
    fn told(&self, language: Language, text: &str) -> Option<String> {
        let mut left = text.strip_prefix(self.first.as_str())?;
        let mut values = Vec::new();
        for (at, (name, behind)) in self.rest.iter().enumerate() {
            let is_last = at + 1 == self.rest.len();
            let end = match (is_last, behind.as_str()) {
                (true, behind) => left.len().checked_sub(behind.len())?,
                (false, behind) => left.find(behind)?,
            };
            let value = left.get(..end)?;
            left = left[end..].strip_prefix(behind.as_str())?;
            values.push((name.as_str(), Value::from(value_in(language, value)?)));
        }
        FOUND.tell(language, self.key, &values)
    }
}

/// Returns what varies, in this language: what is quoted and numbers as they are, and what has a text of its own by that.
fn value_in(language: Language, value: &str) -> Option<String> {
    let is_quoted = |mark| value.len() > 1 && value.starts_with(mark) && value.ends_with(mark);
    if is_quoted('\'') || is_quoted('`') || is_number(value) {
        return Some(value.to_owned());
    }
    if let Some(size) = size_in(language, value) {
        return Some(size);
    }
    FOUND.say(language, KNOWN.whole.get(value)?).map(Into::into)
}

/// Returns a number of bytes, in this language.
fn size_in(language: Language, value: &str) -> Option<String> {
    let (count, unit) = value.split_once(' ')?;
    let key = match unit {
        "bytes" => "size-bytes",
        "kB" => "size-kilobytes",
        "MB" => "size-megabytes",
        _ => return None,
    };
    is_number(count).then(|| FOUND.tell(language, key, &[("count", count.into())]))?
}

fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}
