//! Finds the closing bracket as bash does before it knows what stands between: by counting, past quotes.

use super::{Read, Reader};

/// What is open while looking for the end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Parenthesis,
    Bracket,
    Brace,
    Double,
    Backtick,
}

impl Reader<'_> {
    /// Returns where the parenthesis that opens at `open` is closed.
    pub(super) fn balanced(&mut self, open: usize) -> Read<Option<usize>> {
        self.closing(open, Open::Parenthesis)
    }

    /// Returns where the bracket that opens at `open` is closed.
    pub(super) fn closing_bracket(&mut self, open: usize) -> Read<Option<usize>> {
        self.closing(open, Open::Bracket)
    }

    fn closing(&mut self, open: usize, first: Open) -> Read<Option<usize>> {
        let mut stack = vec![first];
        let mut at = open + 1;
        let (mut dollar, mut angle) = (false, false);
        while at < self.text.len() {
            let Some(top) = stack.last().copied() else { break };
            let byte = self.text[at];
            let after_dollar = std::mem::replace(&mut dollar, byte == b'$');
            let process = std::mem::replace(&mut angle, matches!(byte, b'<' | b'>'));
            match (top, byte) {
                (_, b'\\') => at += 1,
                (Open::Parenthesis, b')')
                | (Open::Bracket, b']')
                | (Open::Brace, b'}')
                | (Open::Double, b'"')
                | (Open::Backtick, b'`') => {
                    stack.pop();
                    if stack.is_empty() {
                        self.steps(at - open)?;
                        return Ok(Some(at));
                    }
                }
                (Open::Backtick, _) => {}
                (_, b'`') => stack.push(Open::Backtick),
                (Open::Double, b'(') if after_dollar => stack.push(Open::Parenthesis),
                (Open::Parenthesis, b'(') => stack.push(Open::Parenthesis),
                (Open::Bracket | Open::Brace, b'(') if after_dollar || process => {
                    stack.push(Open::Parenthesis);
                }
                (Open::Bracket, b'[') => stack.push(Open::Bracket),
                (_, b'{') if after_dollar => stack.push(Open::Brace),
                (Open::Double, _) => {}
                (_, b'"') => stack.push(Open::Double),
                (_, b'\'') => match self.past_single(at, after_dollar) {
                    Some(close) => at = close,
                    None => break,
                },
                _ => {}
            }
            at += 1;
        }
        self.steps(self.text.len() - open)?;
        Ok(None)
    }

    /// Returns where the single quote that opens at `open` is closed.
    fn past_single(&self, open: usize, escapes: bool) -> Option<usize> {
        let mut at = open + 1;
        while at < self.text.len() {
            match self.text[at] {
                b'\'' => return Some(at),
                b'\\' if escapes => at += 2,
                _ => at += 1,
            }
        }
        None
    }
}
