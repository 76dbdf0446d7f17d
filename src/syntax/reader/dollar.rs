//! What a dollar or a backtick begins.

use super::cursor::{END, is_name};
use super::parts::Parts;
use super::quoted::Context;
use super::{Origin, Read, Reader, limit, refused, unfinished};
use crate::model::{Reason, Span};
use crate::syntax::dialect::Construct;
use crate::syntax::script::{Parameter, PartKind, Script};

impl Reader<'_> {
    /// Reads what begins with `$`; alone it is text.
    pub(super) fn dollar(&mut self, parts: &mut Parts, context: Context) -> Read<()> {
        let start = self.position;
        let after = self.join(start + 1);
        let kind = match self.raw(after) {
            b'(' => {
                self.position = after;
                self.dollar_parenthesis()?
            }
            b'[' => {
                self.position = after;
                self.extension(Construct::OldArithmetic, start, after);
                self.dollar_bracket()?
            }
            b'{' => {
                self.position = after + 1;
                self.deeper(|reader| reader.braced(context))?
            }
            b'\'' if context == Context::Bare => return self.ansi(parts),
            // Bash takes it for text there or decodes it, by its release and by what stands around.
            b'\'' if matches!(context, Context::Braced | Context::BracedText) => {
                let what = "$'…' inside a quoted ${…}";
                self.note(Reason::Syntax(what.to_owned()), self.span(start, after));
                self.bump();
                self.add_text(parts, start, start + 1, context.quoting());
                return Ok(());
            }
            b'"' if context == Context::Bare => {
                // A translated string: in the locales that agents run in, the string itself.
                self.flush(parts);
                let first = parts.list.len();
                self.position = after;
                self.double(parts)?;
                self.extension(Construct::Translated, start, self.position);
                parts.list[first].span.start = self.span(start, start).start;
                return Ok(());
            }
            byte if is_name(byte) && !byte.is_ascii_digit() => {
                let mut name = String::new();
                let mut at = after;
                while is_name(self.raw(at)) {
                    name.push(char::from(self.raw(at)));
                    self.position = at + 1;
                    at = self.join(at + 1);
                }
                named(name)
            }
            byte if byte.is_ascii_digit() || is_special_parameter(byte) => {
                self.position = after + 1;
                named(char::from(byte).to_string())
            }
            byte => {
                if matches!(byte, b'=' | b'~' | b'+' | b'^') {
                    self.extension(Construct::PrefixedParameter, start, after);
                }
                self.bump();
                self.add_text(parts, start, start + 1, context.quoting());
                return Ok(());
            }
        };
        self.add_expansion(parts, start, context, kind)
    }

    /// Reads `$((…))`, or `$(…)` where bash falls back to it.
    fn dollar_parenthesis(&mut self) -> Read<PartKind> {
        let inner = self.join(self.position + 1);
        if self.raw(inner) == b'('
            && let Some((end, after)) = self.double_parenthesis(inner)?
        {
            let expression = self.arithmetic_between(inner + 1, end)?;
            self.position = after;
            return Ok(PartKind::Arithmetic(Box::new(expression)));
        }
        Ok(PartKind::Command(Box::new(self.substitution()?)))
    }

    /// Reads `$[…]`.
    fn dollar_bracket(&mut self) -> Read<PartKind> {
        let open = self.position;
        let Some(end) = self.closing_bracket(open)? else {
            return Err(unfinished("a $[ is not closed"));
        };
        let expression = self.arithmetic_between(open + 1, end)?;
        self.position = end + 1;
        Ok(PartKind::Arithmetic(Box::new(expression)))
    }

    /// Reads `(…)` after `$`, `<` or `>`, standing on the parenthesis.
    pub(super) fn substitution(&mut self) -> Read<Script> {
        self.peek();
        // Where a second parenthesis follows, bash has found the end by balance before it parses.
        let balanced =
            if self.peek_second() == b'(' { self.balanced(self.position)? } else { None };
        self.bump();
        let start = self.position;
        let pending = std::mem::take(&mut self.pending);
        let closed = self.closed;
        let here_document = std::mem::replace(&mut self.here_document, false);
        self.substitutions += 1;
        let statements = self.deeper(Self::possibly_empty_list)?;
        self.substitutions -= 1;
        self.here_document = here_document;
        if self.peek() != b')' {
            return Err(self.unexpected());
        }
        if balanced.is_some_and(|end| end != self.position) {
            return Err(refused("parentheses that close elsewhere than they balance"));
        }
        if !self.pending.is_empty() {
            return Err(refused("a here-document in a substitution has no body there"));
        }
        self.pending = pending;
        self.closed = closed;
        self.keep_text(start, self.position);
        let span = self.span(start, self.position);
        self.bump();
        Ok(Script { span, statements, opaque: Vec::new() })
    }

    /// Reads `${ …; }`: a substitution that runs in this shell (bash 5.3; bash 5.2 refuses it when it runs).
    pub(super) fn function_substitution(&mut self) -> Read<PartKind> {
        let start = self.position;
        self.eat(b"|");
        let statements = self.possibly_empty_list()?;
        self.skip_blanks();
        if !self.at(b"}") {
            return Err(self.unexpected());
        }
        self.keep_text(start, self.position);
        let span = self.span(start, self.position);
        self.bump();
        Ok(PartKind::Command(Box::new(Script { span, statements, opaque: Vec::new() })))
    }

    /// Reads `` `…` ``. Bash parses it when it runs, so an error in it is its own: the rest of the line stands.
    pub(super) fn backticks(&mut self, parts: &mut Parts, context: Context) -> Read<()> {
        let start = self.position;
        self.bump();
        let mut text = Vec::new();
        let mut places = Vec::new();
        loop {
            let at = self.position;
            match self.peek() {
                END => return Err(unfinished("a backtick is not closed")),
                b'`' => break,
                b'\\' => {
                    let next = self.raw(self.position + 1);
                    let taken = matches!(next, b'$' | b'`' | b'\\')
                        || next == b'"' && matches!(context, Context::Double | Context::Braced);
                    if !taken {
                        text.push(b'\\');
                        places.push(self.span(at, at).start);
                    }
                    if next != END {
                        text.push(next);
                        places.push(self.span(self.position, self.position).start);
                        self.bump();
                    }
                    self.bump();
                }
                byte => {
                    text.push(byte);
                    places.push(self.span(self.position, self.position).start);
                    self.bump();
                }
            }
        }
        let end = self.position;
        places.push(self.span(end, end).start);
        self.steps(end - start)?;
        self.bump();
        let span = self.span(start + 1, end);
        let statements = self.deeper(|reader| {
            Ok(reader.apart(&text, Origin::Each(places), |inner| {
                let statements = inner.program();
                inner.keep_text(0, text.len());
                statements
            }))
        })?;
        self.limits_of(span)?;
        let script = Script { span, statements, opaque: Vec::new() };
        self.add_expansion(parts, start, context, PartKind::Command(Box::new(script)))
    }

    /// A text inside this one that passed a limit ends this one too.
    fn limits_of(&mut self, span: Span) -> Read<()> {
        let Some(last) = self.found.opaque.last() else { return Ok(()) };
        match last.reason {
            Reason::TooDeep | Reason::TooManyParts | Reason::TooSlow
                if span.to(last.span) == span =>
            {
                Err(limit(last.reason.clone()))
            }
            _ => Ok(()),
        }
    }
}

/// Returns whether a byte names a special parameter (bash manual, 3.4.2).
pub(super) const fn is_special_parameter(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

fn named(name: String) -> PartKind {
    PartKind::Parameter(Box::new(Parameter { name, ..Parameter::default() }))
}
