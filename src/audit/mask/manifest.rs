//! Secrets of a manifest that says of itself that it holds some: whatever stands below `data` and `stringData` of `kind: Secret`.

use std::ops::Range;

use super::quoting::Text;
use super::value;

/// Names below which every value of such a manifest is a secret.
const HOLDING: [&str; 2] = ["data:", "stringData:"];

/// Finds them.
pub(super) fn find(text: &Text<'_>, found: &mut Vec<Range<usize>>) {
    let mut start = 0;
    // Each document may stand between others.
    for document in text.split_inclusive("\n---") {
        let is_kind = |line: &str| {
            let kind = line.trim().trim_start_matches("- ").strip_prefix("kind:");
            kind.is_some_and(|kind| kind.trim().trim_matches(['"', '\'']) == "Secret")
        };
        if document.lines().any(is_kind) {
            below(text, start..start + document.len(), found);
        }
        start += document.len();
    }
}

/// Finds the values on the lines below such a name.
fn below(text: &Text<'_>, document: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut margin = None;
    let mut at = document.start;
    for line in text[document].split_inclusive('\n') {
        let content = line.trim_end();
        let indent = content.len() - content.trim_start().len();
        let start = at;
        at += line.len();
        if HOLDING.contains(&content.trim_start()) {
            margin = Some(indent);
            continue;
        }
        if content.trim().is_empty() {
            continue;
        }
        if margin.is_none_or(|margin| indent <= margin) {
            margin = None;
            continue;
        }
        // The lines of a block have no names.
        let named = content.find(": ").map_or(indent, |colon| colon + 2);
        let given = content[named..].trim_matches([' ', '"', '\'']);
        let range = start + named + content[named..].find(given).unwrap_or(0);
        let range = range..range + given.len();
        if !content.ends_with(':') && given.len() >= 2 && value::is_at(text, &range) {
            found.push(range);
        }
    }
}
