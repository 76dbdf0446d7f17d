//! Questions that can be asked of a word without knowing anything but its text.

use super::script::{Part, PartKind, Word};

impl Word {
    /// Returns the text of the word if nothing in it expands: the word after quote removal. A tilde, a pattern or
    /// braces are no such text.
    #[must_use]
    pub fn literal(&self) -> Option<String> {
        if let [Part { kind: PartKind::Literal(text), .. }] = self.parts.as_slice() {
            return Some(text.clone());
        }
        let mut whole = String::new();
        for part in &self.parts {
            let PartKind::Literal(text) = &part.kind else { return None };
            whole.push_str(text);
        }
        Some(whole)
    }

    /// Returns the text of the word if it is written just so: nothing quoted, nothing that expands.
    #[must_use]
    pub fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part { kind: PartKind::Literal(text), quoted: false, .. }] => Some(text),
            _ => None,
        }
    }

    /// Returns how many words brace expansion makes of it, at least one. [`PartKind::BraceTooMany`] counts as one.
    #[must_use]
    pub fn expansions(&self) -> usize {
        self.parts.iter().fold(1, |many, part| match &part.kind {
            PartKind::Brace(words) => many
                .saturating_mul(words.iter().map(Self::expansions).fold(0, usize::saturating_add)),
            _ => many,
        })
    }

    /// Returns how many words a shell makes of it by brace expansion.
    #[must_use]
    pub fn expansions_in_all(&self) -> usize {
        let all = |words: &[Self]| {
            words.iter().map(Self::expansions_in_all).fold(0, usize::saturating_add)
        };
        self.parts.iter().fold(1, |many, part| match &part.kind {
            PartKind::Brace(words) => many.saturating_mul(all(words)),
            PartKind::BraceTooMany(words) => many.saturating_mul(*words),
            _ => many,
        })
    }

    /// Returns the words that brace expansion makes of it, in order, none of which holds [`PartKind::Brace`]; or
    /// `None` if there are more than `most`.
    #[must_use]
    pub fn expand_braces(&self, most: usize) -> Option<Vec<Self>> {
        if self.expansions() > most {
            return None;
        }
        let mut words = vec![Self { span: self.span, parts: Vec::new() }];
        for part in &self.parts {
            let PartKind::Brace(alternatives) = &part.kind else {
                for word in &mut words {
                    word.parts.push(part.clone());
                }
                continue;
            };
            let inner: Vec<Self> = alternatives
                .iter()
                .filter_map(|alternative| alternative.expand_braces(most))
                .flatten()
                .collect();
            words = words
                .iter()
                .flat_map(|word| {
                    inner.iter().map(|alternative| {
                        let parts = [word.parts.as_slice(), &alternative.parts].concat();
                        Self { span: self.span, parts }
                    })
                })
                .collect();
        }
        Some(words)
    }

    /// Returns whether every part of the word stands in quotes, and there is one: it is always exactly one word.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        !self.parts.is_empty() && self.parts.iter().all(|part| part.quoted)
    }
}
