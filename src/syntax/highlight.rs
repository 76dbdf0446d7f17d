//! Colours for people, from tree-sitter. Never for reading what runs.
//! Its query costs milliseconds to compile, and is compiled when something is first coloured.

use std::sync::LazyLock;

use streaming_iterator::StreamingIterator;
use tree_sitter::{Language, Parser, Query, QueryCursor, Tree};

use crate::model::{HighlightKind, Span};

pub(super) static BASH: LazyLock<Language> = LazyLock::new(|| tree_sitter_bash::LANGUAGE.into());

/// How much text is looked at. More than a person would read is neither coloured nor searched.
pub const MAX_QUERIED_BYTES: usize = 1 << 20;

/// Returns the kind that a capture of the query names.
fn kind(name: &str) -> Option<HighlightKind> {
    Some(match name {
        "argument" => HighlightKind::Argument,
        "option" => HighlightKind::Option,
        "command" => HighlightKind::Command,
        "string" => HighlightKind::String,
        "number" => HighlightKind::Number,
        "variable" => HighlightKind::Variable,
        "keyword" => HighlightKind::Keyword,
        "operator" => HighlightKind::Operator,
        "redirect" => HighlightKind::Redirect,
        "comment" => HighlightKind::Comment,
        _ => return None,
    })
}

static HIGHLIGHTS: LazyLock<Option<Query>> =
    LazyLock::new(|| Query::new(&BASH, include_str!("../../grammar-queries/highlights.scm")).ok());

/// Returns the pieces of a text that have a colour, in order and without overlap. A piece inside another is cut out of it.
#[must_use]
pub fn highlight(text: &str) -> Vec<(Span, HighlightKind)> {
    let (Some(query), Some(tree)) = (HIGHLIGHTS.as_ref(), parse(text)) else { return Vec::new() };
    let names = query.capture_names();
    let mut kinds: Vec<Option<HighlightKind>> = vec![None; text.len()];
    let mut found: Vec<(usize, usize, usize, HighlightKind)> = Vec::new();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    while let Some(each) = matches.next() {
        for capture in each.captures() {
            let Some(kind) = kind(names[capture.index as usize]) else { continue };
            let range = capture.node.byte_range();
            found.push((range.len(), each.pattern_index, range.start, kind));
        }
    }
    // Wide pieces first, so that what stands in them is painted over them; for one piece the later pattern wins.
    found.sort_by_key(|(length, pattern, start, _)| (std::cmp::Reverse(*length), *pattern, *start));
    for (length, _, start, kind) in found {
        kinds[start..start + length].fill(Some(kind));
    }
    runs(&kinds)
}

fn runs(kinds: &[Option<HighlightKind>]) -> Vec<(Span, HighlightKind)> {
    let mut runs: Vec<(Span, HighlightKind)> = Vec::new();
    for (at, kind) in kinds.iter().enumerate() {
        let Some(kind) = kind else { continue };
        match runs.last_mut() {
            Some((span, last)) if last == kind && span.end == at => span.end = at + 1,
            _ => runs.push((Span::new(at, at + 1), *kind)),
        }
    }
    runs
}

/// Parses text; none if it is too long.
pub(super) fn parse(text: &str) -> Option<Tree> {
    if text.len() > MAX_QUERIED_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&BASH).ok()?;
    parser.parse(text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(text: &str) -> Vec<(&str, HighlightKind)> {
        highlight(text)
            .into_iter()
            .map(|(span, kind)| (&text[span.start..span.end], kind))
            .collect()
    }

    #[test]
    fn the_query_of_colours_fits_the_grammar_and_the_kinds() {
        let query =
            Query::new(&BASH, include_str!("../../grammar-queries/highlights.scm")).unwrap();
        for name in query.capture_names() {
            assert!(kind(name).is_some(), "{name}");
        }
    }

    #[test]
    fn each_piece_has_the_colour_of_what_it_is() {
        use HighlightKind::{
            Argument, Command, Comment, Operator, Option, Redirect, String, Variable,
        };
        assert_eq!(
            coloured("rm -rf a \"b $c\" | cat > f # d"),
            [
                ("rm", Command),
                ("-rf", Option),
                ("a", Argument),
                ("\"b ", String),
                ("$c", Variable),
                ("\"", String),
                ("|", Operator),
                ("cat", Command),
                (">", Redirect),
                ("f", Argument),
                ("# d", Comment),
            ]
        );
    }

    #[test]
    fn text_that_does_not_parse_is_coloured_as_far_as_it_goes() {
        let text = "if true; then (";
        assert!(coloured(text).contains(&("if", HighlightKind::Keyword)));
    }

    #[test]
    fn text_that_is_too_long_has_no_colours() {
        assert_eq!(highlight(&"a ".repeat(MAX_QUERIED_BYTES)), []);
    }
}
