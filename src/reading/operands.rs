//! What stands behind the operator of `${x#…}`, `${x%…}` and `${x/…/…}`: whether its text alone says what it does.
//! Knows no values but that of the pattern.

use crate::model::Arg;
use crate::syntax::{Construct, Dialect, Parameter, Part, PartKind, Treatment, Word};

/// The characters of which patterns are made everywhere.
const PATTERN: [char; 4] = ['*', '?', '[', '\\'];

/// Whether a pattern or its replacement is not what its text seems: characters of patterns that are quoted, or that a shell
/// takes from an expansion or not; and what only another shell than bash takes for a pattern, or not for a quote.
pub(super) fn are_read_otherwise(
    parameter: &Parameter,
    quoted: bool,
    pattern: Option<&Arg>,
    dialect: Dialect,
) -> bool {
    let is_zsh = dialect.treats(Construct::Modifier) == Treatment::Modelled;
    let offset = parameter.argument.as_ref().and_then(Word::literal).unwrap_or_default();
    if is_zsh && parameter.operator == ":" && !offset.bytes().all(|byte| byte.is_ascii_digit()) {
        // `${a:h}`
        return true;
    }
    if !matches!(parameter.operator.as_str(), "#" | "##" | "%" | "%%" | "/" | "//") {
        return false;
    }
    let parts = |word: &Option<Word>| word.iter().flat_map(|word| word.parts.clone()).collect();
    let (pattern_parts, replacement): (Vec<Part>, Vec<Part>) =
        (parts(&parameter.argument), parts(&parameter.second));
    let is_literal = |part: &Part| matches!(part.kind, PartKind::Literal(_) | PartKind::Glob(_));
    let has_patterns = pattern.and_then(Arg::known).is_some_and(|text| text.contains(PATTERN));
    let hides = |part: &Part| match &part.kind {
        PartKind::Literal(text) => part.quoted && text.contains(PATTERN),
        _ => part.quoted && has_patterns,
    };
    if pattern_parts.iter().any(hides) {
        return true;
    }
    if dialect.treats(Construct::Splitting) != Treatment::Modelled {
        return false;
    }
    // There `(a|b)` and `<1-9>` are patterns, but not what an expansion gives; and between double quotes, quotes are text.
    let alternates = |part: &Part| match &part.kind {
        PartKind::Literal(text) | PartKind::Glob(text) => {
            !part.quoted && text.contains(['(', '|', '<'])
        }
        _ => false,
    };
    let expands = has_patterns && pattern_parts.iter().any(|part| !is_literal(part));
    let is_text = |part: &Part| part.quoted || matches!(part.kind, PartKind::Tilde(_));
    expands
        || pattern_parts.iter().any(alternates)
        || (quoted && pattern_parts.iter().chain(&replacement).any(is_text))
}
