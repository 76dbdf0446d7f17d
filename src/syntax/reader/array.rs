//! `(…)` on the right of an assignment.

use super::word::{ARGUMENT, VALUE};
use super::{Read, Reader, unfinished};
use crate::model::Reason;
use crate::syntax::script::{Part, PartKind, Word};

/// The elements of an array: index and value.
type Elements = Vec<(Option<Word>, Word)>;

impl Reader<'_> {
    /// Reads `(…)`, standing on the parenthesis.
    pub(super) fn array(&mut self) -> Read<Elements> {
        self.bump();
        self.deeper(|reader| {
            let mut elements = Vec::new();
            loop {
                reader.skip_newlines()?;
                if reader.eat(b")") {
                    return Ok(elements);
                }
                elements.push(reader.element()?);
            }
        })
    }

    /// Adds `(…)` to a word of a declaration builtin.
    pub(super) fn array_part(&mut self, word: &mut Word) -> Read<()> {
        let start = self.position;
        let elements = self.array()?;
        let span = self.span(start, self.position);
        word.parts.push(Part { span, quoted: false, kind: PartKind::Array(elements) });
        word.span = word.span.to(span);
        Ok(())
    }

    fn element(&mut self) -> Read<(Option<Word>, Word)> {
        if self.peek() == b'[' {
            // Bash looks for the end of an index before it looks for anything else.
            let Some(close) = self.closing_bracket(self.position)? else {
                return Err(unfinished("a bracket in an array is not closed"));
            };
            let open = self.position;
            let mut at = self.join(close + 1);
            if self.raw(at) == b'+' {
                at = self.join(at + 1);
            }
            if self.raw(at) == b'=' {
                let index = self.subscript_between(open + 1, close)?;
                self.position = at + 1;
                let value = self.word_or_empty(VALUE)?;
                self.note_braces(&value);
                return Ok((Some(index), value));
            }
        }
        let Some(word) = self.word(ARGUMENT)? else {
            return Err(if self.peek() == super::cursor::END {
                unfinished("an array is not closed")
            } else {
                self.unexpected()
            });
        };
        Ok((None, word))
    }

    /// Bash expands braces before it sees the index, and then there is no index any more.
    fn note_braces(&mut self, value: &Word) {
        let braces = value.parts.iter().any(|part| {
            matches!(&part.kind, PartKind::Literal(text) if !part.quoted && text.contains('{'))
        });
        if braces {
            let what = "braces in an array element with an index".to_owned();
            self.note(Reason::Syntax(what), value.span);
        }
    }
}
