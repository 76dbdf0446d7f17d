//! Checks the regular expressions of owners' rules and settings. Not shared with the build script: built-in rules have none.

use super::Pack;
use super::source::Problem;

/// Returns what is wrong with the regular expressions of a pack.
#[must_use]
pub fn check_text(pack: &Pack) -> Vec<Problem> {
    let problem = |written: &super::PackRule| {
        let what = regex_fault(written.rule.conditions.text.as_ref()?)?;
        let span = written.pattern.clone().unwrap_or_else(|| written.span.clone());
        let message = format!("bad regular expression: {what}");
        Some(Problem::new(span, message).of_rule(&written.rule.id))
    };
    pack.rules.iter().filter_map(problem).collect()
}

/// Returns what is wrong with a regular expression, if anything is.
#[must_use]
pub fn regex_fault(text: &str) -> Option<String> {
    // The crate draws the place over several lines; the last one says what is wrong.
    let drawn = regex::Regex::new(text).err()?.to_string();
    Some(drawn.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned())
}
