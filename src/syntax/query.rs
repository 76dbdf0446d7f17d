//! Structural queries, which owners write in tree-sitter's query language over the grammar of bash.
//! They may add a finding to a line; what a line runs is never read with them.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use streaming_iterator::StreamingIterator;
use tree_sitter::{Query, QueryCursor, Tree};

use super::highlight::{BASH, parse};
use super::nodes::any_node;
use crate::model::Span;

/// A structural query. Compiling costs milliseconds, so it is compiled when the first text comes that it may match.
#[derive(Debug)]
pub struct StructuralQuery {
    source: String,
    /// The kinds of nodes that it names; a text with none of them is not searched. Empty: every text is.
    kinds: BTreeSet<u16>,
    compiled: OnceLock<Result<Query, QueryError>>,
}

/// What is wrong with a structural query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read structural query at line {line}, column {column}: {message}")]
pub struct QueryError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl StructuralQuery {
    /// Takes a query. Names of nodes that the grammar does not have, and a query without a capture, are errors at
    /// once; the rest is checked by [`Self::check`] or when it is first used.
    pub fn new(source: &str) -> Result<Self, QueryError> {
        let mut kinds = BTreeSet::new();
        let mut everything = false;
        for name in names(source) {
            if matches!(name.text, "_" | "ERROR" | "MISSING") {
                everything = true;
                continue;
            }
            let kind = BASH.id_for_node_kind(name.text, name.named);
            if kind == 0 {
                // Supertypes have no id of their own.
                everything |= name.text.starts_with('_');
                if !name.text.starts_with('_') {
                    let message = format!("the grammar of bash has no node '{}'", name.text);
                    return Err(error_at(source, name.at, message));
                }
                continue;
            }
            kinds.insert(kind);
        }
        if !source.contains('@') {
            let message = "no capture: write @match behind what is to be found".to_owned();
            return Err(error_at(source, 0, message));
        }
        if everything {
            kinds.clear();
        }
        Ok(Self { source: source.to_owned(), kinds, compiled: OnceLock::new() })
    }

    /// Compiles the query, for `rules lint` and tests.
    pub fn check(&self) -> Result<(), QueryError> {
        self.compiled().map(|_| ())
    }

    /// Returns what the query finds in a text: for each match the capture `@match`, or all captures together. A text
    /// that is too long to be searched is an error, since nothing can be said of it.
    pub fn matches(&self, text: &str) -> Result<Vec<Span>, QueryError> {
        let Some(tree) = parse(text) else {
            return Err(error_at("", 0, "the text is too long to be searched".to_owned()));
        };
        if !self.may_match(&tree) {
            return Ok(Vec::new());
        }
        let query = self.compiled()?;
        let marked = query.capture_index_for_name("match");
        let mut cursor = QueryCursor::new();
        let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
        let mut spans = Vec::new();
        while let Some(each) = matches.next() {
            let chosen = each.captures().iter().filter(|it| marked.is_none_or(|at| it.index == at));
            let span = chosen
                .map(|it| Span::new(it.node.start_byte(), it.node.end_byte()))
                .reduce(Span::to);
            spans.extend(span);
        }
        spans.sort_unstable();
        spans.dedup();
        Ok(spans)
    }

    fn compiled(&self) -> Result<&Query, QueryError> {
        let compiled = self.compiled.get_or_init(|| {
            Query::new(&BASH, &self.source).map_err(|error| QueryError {
                line: error.row + 1,
                column: error.column + 1,
                message: error.message.trim().to_owned(),
            })
        });
        compiled.as_ref().map_err(Clone::clone)
    }

    fn may_match(&self, tree: &Tree) -> bool {
        self.kinds.is_empty()
            || any_node(tree.root_node(), |node, _| self.kinds.contains(&node.kind_id()))
    }
}

/// A node that a query names.
struct Name<'a> {
    text: &'a str,
    named: bool,
    at: usize,
}

/// Returns the nodes that a query names, in parentheses and in quotes, without what stands in predicates.
fn names(source: &str) -> Vec<Name<'_>> {
    let mut names = Vec::new();
    let bytes = source.as_bytes();
    let (mut at, mut depth, mut predicate) = (0, 0_usize, None);
    while at < bytes.len() {
        match bytes[at] {
            b';' => at += source[at..].find('\n').unwrap_or(source.len() - at),
            b'"' => {
                let end = string_end(bytes, at);
                if predicate.is_none() {
                    let text = source.get(at + 1..end).unwrap_or_default();
                    names.push(Name { text, named: false, at });
                }
                at = end;
            }
            b'(' => {
                depth += 1;
                let rest = &source[at + 1..];
                let text = &rest[rest.len() - rest.trim_start().len()..];
                let length = text
                    .find(|it: char| !(it.is_ascii_alphanumeric() || it == '_'))
                    .unwrap_or(text.len());
                if text.starts_with('#') {
                    predicate = predicate.or(Some(depth));
                } else if length > 0 && predicate.is_none() {
                    names.push(Name { text: &text[..length], named: true, at });
                }
            }
            b')' => {
                if predicate == Some(depth) {
                    predicate = None;
                }
                depth = depth.saturating_sub(1);
            }
            b'_' if at == 0
                || !(bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_') =>
            {
                let alone =
                    bytes.get(at + 1).is_none_or(|it| !it.is_ascii_alphanumeric() && *it != b'_');
                if alone {
                    names.push(Name { text: "_", named: true, at });
                }
            }
            _ => {}
        }
        at += 1;
    }
    names
}

fn string_end(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

fn error_at(source: &str, at: usize, message: String) -> QueryError {
    let before = &source[..at];
    let line = before.matches('\n').count() + 1;
    let column = at - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    QueryError { line, column, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, text: &str) -> Vec<String> {
        let query = StructuralQuery::new(source).unwrap();
        let spans = query.matches(text).unwrap();
        spans.iter().map(|it| text[it.start..it.end].to_owned()).collect()
    }

    #[test]
    fn a_query_finds_what_it_captures() {
        assert_eq!(found("(pipeline) @match", "a; b | c && d"), ["b | c"]);
        assert_eq!(found("(pipeline (command) @first) @match", "a | b"), ["a | b"]);
        assert_eq!(found("[\"&&\" \"||\"] @operator", "a && b || c"), ["&&", "||"]);
    }

    #[test]
    fn predicates_hold_for_the_text() {
        let source = "((command_name) @match (#match? @match \"^cu\"))";
        assert_eq!(found(source, "curl a | wget b"), ["curl"]);
    }

    #[test]
    fn a_query_is_not_compiled_for_text_without_its_nodes() {
        let query = StructuralQuery::new("(for_statement) @match").unwrap();
        assert_eq!(query.matches("ls -l"), Ok(vec![]));
        assert!(query.compiled.get().is_none());
        assert_eq!(query.matches("for a in b; do c; done").unwrap().len(), 1);
        assert!(query.compiled.get().is_some());
    }

    #[test]
    fn a_wildcard_is_tried_on_every_text() {
        assert_eq!(found("(program . (_) @match)", "ls; id"), ["ls"]);
        assert_eq!(found("(program . _ @match)", "ls; id"), ["ls"]);
    }

    #[test]
    fn a_wrong_query_says_where() {
        let error = StructuralQuery::new("(pipeline\n  (comand) @match)").unwrap_err();
        assert_eq!((error.line, error.column), (2, 3));
        assert!(StructuralQuery::new("(pipeline)").is_err());
        let open = StructuralQuery::new("(pipeline @match").unwrap();
        assert!(open.check().is_err());
        assert!(open.matches("a | b").is_err());
    }
}
