//! The node kinds that a tree-sitter query names, so that a query is compiled only for lines that have one of them.
//! Does not check queries: one that is not read here counts as fitting any line.

/// Returns node kinds of which a line must have one for `query` to match; none if it may match without any.
#[must_use]
pub fn node_kinds(query: &str) -> Vec<String> {
    let mut kinds = Vec::new();
    // How many parentheses are open, and at which of them a predicate began.
    let (mut depth, mut predicate, mut opened) = (0_usize, None, false);
    for token in Tokens(query) {
        let after_parenthesis = std::mem::take(&mut opened);
        match token {
            "(" => {
                depth += 1;
                opened = true;
            }
            ")" => {
                if predicate == Some(depth) {
                    predicate = None;
                }
                depth = depth.saturating_sub(1);
            }
            _ if predicate.is_some() => {}
            _ if after_parenthesis && token.starts_with('#') => predicate = Some(depth),
            // Wildcards, supertypes, errors and anonymous nodes: the pattern may match without a named kind.
            _ if token.starts_with(['_', '"']) => return Vec::new(),
            "ERROR" | "MISSING" => return Vec::new(),
            _ if after_parenthesis && token.starts_with(char::is_alphanumeric) => {
                kinds.push(token.to_owned());
            }
            _ => {}
        }
    }
    kinds.sort();
    kinds.dedup();
    kinds
}

/// The words, strings and signs of a query, without blanks and comments.
struct Tokens<'q>(&'q str);

impl<'q> Iterator for Tokens<'q> {
    type Item = &'q str;

    fn next(&mut self) -> Option<&'q str> {
        self.0 = self.0.trim_start();
        while let Some(comment) = self.0.strip_prefix(';') {
            self.0 = comment.split_once('\n').map_or("", |(_, next)| next).trim_start();
        }
        let first = self.0.chars().next()?;
        let len = match first {
            '"' => string_length(self.0),
            c if is_word(c) => self.0.find(|c| !is_word(c)).unwrap_or(self.0.len()),
            c => c.len_utf8(),
        };
        let (token, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(token)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '#' | '@' | '?' | '!')
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::node_kinds;

    #[test]
    fn named_nodes_are_kinds_and_predicates_are_not() {
        let query = r#"; finds (no_such)
            (command name: (command_name) @name (#eq? @name "rm (x)")) @whole"#;
        assert_eq!(node_kinds(query), ["command", "command_name"]);
    }

    #[test]
    fn what_may_match_any_node_fits_every_line() {
        for query in ["(_) @any", "_ @any", r#"[(list) "&&"] @x"#, "(ERROR) @e", "(_statement)", ""]
        {
            assert!(node_kinds(query).is_empty(), "{query}");
        }
    }
}
