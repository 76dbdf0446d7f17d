//! Redirections, with what may stand before their operators.

use super::cursor::{is_meta, is_name};
use super::word::{ARGUMENT, PLAIN};
use super::{Pending, Read, Reader, limit, refused};
use crate::model::Reason;
use crate::syntax::limits::MAX_PENDING;
use crate::syntax::script::{Descriptor, Part, PartKind, Redirect, RedirectOperator, Word};

/// The operators, longest first.
const OPERATORS: [(&[u8], RedirectOperator); 12] = [
    (b"&>>", RedirectOperator::AppendAndError),
    (b"&>", RedirectOperator::OutputAndError),
    (b"<<<", RedirectOperator::HereString),
    (b"<<-", RedirectOperator::HereDocumentTabs),
    (b"<<", RedirectOperator::HereDocument),
    (b"<&", RedirectOperator::DuplicateInput),
    (b"<>", RedirectOperator::ReadWrite),
    (b"<", RedirectOperator::Input),
    (b">>", RedirectOperator::Append),
    (b">&", RedirectOperator::DuplicateOutput),
    (b">|", RedirectOperator::Clobber),
    (b">", RedirectOperator::Output),
];

impl Reader<'_> {
    /// Reads a redirection, if one comes next.
    pub(super) fn redirect(&mut self) -> Read<Option<Redirect>> {
        let first = self.peek();
        let start = self.position;
        let descriptor = match first {
            b'<' | b'>' | b'&' => Descriptor::Default,
            b'0'..=b'9' | b'{' => match self.descriptor() {
                Some((descriptor, end)) => {
                    self.position = end;
                    descriptor
                }
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        let Some(operator) = self.redirect_operator() else {
            self.position = start;
            return Ok(None);
        };
        self.node()?;
        if descriptor == Descriptor::Number(u32::MAX) {
            let span = self.span(start, self.position);
            self.note(Reason::Syntax("a descriptor that is too large".to_owned()), span);
        }
        let duplicates = matches!(
            operator,
            RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput
        );
        self.skip_blanks();
        if duplicates && self.peek() == b'-' {
            let target = self.dash();
            let span = self.span(start, self.position);
            return Ok(Some(Redirect { span, descriptor, operator, target, body: None }));
        }
        let here =
            matches!(operator, RedirectOperator::HereDocument | RedirectOperator::HereDocumentTabs);
        let at = self.position;
        // `>1<f`: bash takes the number for what stands before the next operator. Only `>&1<f` may have it so.
        if self
            .descriptor()
            .is_some_and(|(it, _)| !(duplicates && matches!(it, Descriptor::Number(_))))
        {
            return Err(self.unexpected());
        }
        let rules = if here || operator == RedirectOperator::HereString { PLAIN } else { ARGUMENT };
        let Some(target) = self.word(rules)? else { return Err(self.unexpected()) };
        let span = self.span(start, self.position);
        if here {
            if self.pending.len() >= MAX_PENDING {
                return Err(limit(Reason::TooManyParts));
            }
            let (delimiter, quoted) = delimiter(&self.text[at..self.position])?;
            let tabs = operator == RedirectOperator::HereDocumentTabs;
            let redirect = span.start;
            self.here_document = true;
            self.pending.push(Pending { redirect, delimiter, quoted, tabs });
        }
        Ok(Some(Redirect { span, descriptor, operator, target, body: None }))
    }

    /// Reads the dash of `>&-`, which is one token: what stands right behind it is a word of its own.
    fn dash(&mut self) -> Word {
        let start = self.position;
        self.bump();
        let span = self.span(start, self.position);
        let kind = PartKind::Literal("-".to_owned());
        Word { span, parts: vec![Part { span, quoted: false, kind }] }
    }

    fn redirect_operator(&mut self) -> Option<RedirectOperator> {
        self.peek();
        // `<(…)` and `>(…)` are words.
        if matches!(self.raw(self.position), b'<' | b'>') && self.peek_second() == b'(' {
            return None;
        }
        let (_, operator) = OPERATORS.iter().find(|(text, _)| self.eat(text))?;
        Some(*operator)
    }

    /// Returns the `N` or `{NAME}` that stands right before `<` or `>`, and where it ends.
    fn descriptor(&self) -> Option<(Descriptor, usize)> {
        let mut at = self.join(self.position);
        let braces = self.raw(at) == b'{';
        if braces {
            at = self.join(at + 1);
        }
        let mut text = String::new();
        loop {
            let byte = self.raw(at);
            let fits = if braces {
                byte != b'}' && !is_meta(byte) && byte.is_ascii_graphic()
            } else {
                byte.is_ascii_digit()
            };
            if !fits {
                break;
            }
            text.push(char::from(byte));
            at = self.join(at + 1);
        }
        if braces {
            if self.raw(at) != b'}' || !is_variable(&text) {
                return None;
            }
            at = self.join(at + 1);
        }
        let operator = matches!(self.raw(at), b'<' | b'>');
        // `2>(a)` is a word: a number and a process substitution.
        if text.is_empty() || !operator || self.raw(self.join(at + 1)) == b'(' {
            return None;
        }
        if braces {
            return Some((Descriptor::Variable(text), at));
        }
        // Bash takes a number that is too large for a word; it is noted where it is used.
        let number = text.parse::<i32>().ok().and_then(|it| u32::try_from(it).ok());
        Some((Descriptor::Number(number.unwrap_or(u32::MAX)), at))
    }
}

/// Returns the text that ends a here-document, and whether any of it was quoted, for the word that is written so.
pub(in crate::syntax) fn delimiter(written: &[u8]) -> Read<(Vec<u8>, bool)> {
    let mut delimiter = Vec::with_capacity(written.len());
    let mut quoted = false;
    let mut at = 0;
    let mut open = None;
    while let Some(byte) = written.get(at).copied() {
        at += 1;
        match (open, byte) {
            (Some(quote), _) if quote == byte => open = None,
            (Some(b'\''), _) => delimiter.push(byte),
            (None, b'\'' | b'"') => {
                if delimiter.last() == Some(&b'$') {
                    return Err(refused("a here-document delimiter in $ quotes"));
                }
                quoted = true;
                open = Some(byte);
            }
            (None | Some(_), b'\\') => {
                let next = written.get(at).copied();
                at += 1;
                match next {
                    Some(b'\n') => {}
                    Some(next) => {
                        quoted = true;
                        let kept = open.is_some() && !matches!(next, b'$' | b'`' | b'"' | b'\\');
                        if kept {
                            delimiter.push(b'\\');
                        }
                        delimiter.push(next);
                    }
                    None => delimiter.push(b'\\'),
                }
            }
            (None | Some(_), _) => delimiter.push(byte),
        }
    }
    Ok((delimiter, quoted))
}

/// Returns whether text is a name, or a name with a subscript.
fn is_variable(text: &str) -> bool {
    let name = match text.split_once('[') {
        Some((name, rest)) if rest.ends_with(']') => name,
        Some(_) => return false,
        None => text,
    };
    !name.is_empty()
        && !name.starts_with(|it: char| it.is_ascii_digit())
        && name.bytes().all(is_name)
}
