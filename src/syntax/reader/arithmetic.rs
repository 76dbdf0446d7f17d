//! Arithmetic: bash finds its end by balance alone, and reads what stands between as if in double quotes.

use super::cursor::END;
use super::{Read, Reader, refused, unfinished};
use crate::model::Reason;
use crate::syntax::script::Word;

impl Reader<'_> {
    /// Returns where the expression after `((` ends and where reading goes on after `))`; the second parenthesis
    /// stands at `inner`. None if what begins there is a subshell: bash asks only whether `))` closes it.
    pub(super) fn double_parenthesis(&mut self, inner: usize) -> Read<Option<(usize, usize)>> {
        let Some(end) = self.balanced(inner)? else {
            return Err(unfinished("a (( is not closed"));
        };
        let after = self.join(end + 1);
        match self.raw(after) {
            b')' => Ok(Some((end, after + 1))),
            END => Err(unfinished("a (( is not closed")),
            _ => Ok(None),
        }
    }

    /// The same for the command `((`, where bash looks at the next byte as it is, and refuses a newline there.
    pub(super) fn double_parenthesis_command(
        &mut self,
        inner: usize,
    ) -> Read<Option<(usize, usize)>> {
        let found = self.double_parenthesis(inner)?;
        if let Some(end) = self.balanced(inner)?
            && (self.raw(end + 1) == b'\n' || self.join(end + 1) != end + 1)
        {
            return Err(refused("a (( is not closed on its line"));
        }
        Ok(found)
    }

    /// Reads an expression between two places.
    pub(super) fn arithmetic_between(&mut self, from: usize, to: usize) -> Read<Word> {
        self.position = from;
        self.deeper(|reader| reader.text_until(to))
    }

    /// Reads a subscript between two places. For an indexed array it is arithmetic, in which quotes hold nothing
    /// back; for an associative one it is a word. Which, is not known here: read as the former, commands are seen.
    pub(super) fn subscript_between(&mut self, from: usize, to: usize) -> Read<Word> {
        if self.text[from..to].windows(2).any(|it| matches!(it, b"<(" | b">(")) {
            let what = "a process substitution in a subscript".to_owned();
            self.note(Reason::Syntax(what), self.span(from, to));
        }
        self.arithmetic_between(from, to)
    }

    /// Returns where the next `;` outside parentheses and quotes stands, or the end.
    pub(super) fn semicolon_or(&self, from: usize, end: usize) -> usize {
        let mut open = 0_u32;
        let mut at = from;
        while at < end {
            match self.raw(at) {
                b'(' => open += 1,
                b')' => open = open.saturating_sub(1),
                b'\\' => at += 1,
                b';' if open == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        end
    }
}
