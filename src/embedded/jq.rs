//! jq filters (jq manual, 1.7). They run no program and write no file, but can print the environment.

use super::Found;
use crate::model::EffectKind;
use crate::variables::holds_secret;

/// Reads a filter: `env` and `$ENV` print variables; none if a string in it does not end.
pub(super) fn read(filter: &str) -> Option<Found> {
    let mut found = Found::default();
    let plain = without_strings(filter)?;
    // These give out without end, unless something takes so many of it.
    let words = |names: &[&str]| {
        let mut words = plain.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| names.contains(&word))
    };
    if words(&["repeat", "infinite"]) && !words(TAKES_SOME) {
        found.effects.push((EffectKind::Endless, None));
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    for word in plain.split(|c: char| !is_part(c)) {
        // A field of that name (`.env`) is data of the input.
        let (first, field) = word.split_once('.').unwrap_or((word, ""));
        // One variable by its name is what `printenv` shows as well.
        let is_one = !field.is_empty() && !field.contains('.') && !holds_secret(field);
        if matches!(first, "env" | "$ENV") && !is_one {
            found.effects.push((EffectKind::Disclose, None));
        }
        // Those of another yq (mikefarah/yq manual, `load`, `env-variable-operators`, `eval`), which has several names for one operator.
        let loads = !first.starts_with('$') && first.contains("load");
        if loads || matches!(first, "strenv" | "envsubst" | "eval") {
            return None;
        }
        // Modules are code from files.
        if matches!(first, "import" | "include") {
            return None;
        }
    }
    Some(found)
}

/// What takes some of what a filter gives, or leaves it.
const TAKES_SOME: &[&str] = &[
    "limit", "first", "nth", "until", "label", "any", "all", "isempty", "input", "inputs", "error",
];

/// Removes string literals; what `\(…)` interpolates stays.
fn without_strings(filter: &str) -> Option<String> {
    let mut plain = String::with_capacity(filter.len());
    // Depths of parentheses at which an interpolation returns into its string.
    let mut returns: Vec<usize> = Vec::new();
    let (mut depth, mut inside) = (0usize, false);
    let mut characters = filter.chars();
    while let Some(c) = characters.next() {
        match (inside, c) {
            // A comment; newer releases continue it behind a backslash.
            (false, '#') => {
                let comment = characters.by_ref().take_while(|c| *c != '\n');
                if comment.last() == Some('\\') {
                    return None;
                }
                plain.push(' ');
            }
            (true, '\\') => {
                if characters.next() == Some('(') {
                    returns.push(depth);
                    depth += 1;
                    inside = false;
                    plain.push(' ');
                }
            }
            (true, '"') => inside = false,
            (true, _) => {}
            (false, '"') => {
                inside = true;
                plain.push(' ');
            }
            (false, _) => {
                depth = match c {
                    '(' => depth + 1,
                    ')' => depth.saturating_sub(1),
                    _ => depth,
                };
                if c == ')' && returns.last() == Some(&depth) {
                    returns.pop();
                    inside = true;
                }
                plain.push(c);
            }
        }
    }
    (!inside).then_some(plain)
}
