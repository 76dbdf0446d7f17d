//! `${…}`: the parameter, its subscript, and the operator with its words (bash manual, 3.5.3).

use super::cursor::{END, is_name};
use super::dollar::is_special_parameter;
use super::parts::{Parts, Quoting};
use super::quoted::Context;
use super::word::{DEFAULT, REMOVED, REPLACED};
use super::{Read, Reader, refused, unfinished};
use crate::model::Reason;
use crate::syntax::dialect::Construct;
use crate::syntax::script::{Parameter, PartKind, Word};

/// Operators that take a word, longest first.
const WITH_WORD: [&str; 8] = [":-", ":=", ":?", ":+", "-", "=", "?", "+"];
/// Operators that take a pattern, longest first. `~` toggles case and is not in the manual.
const WITH_PATTERN: [&str; 10] = ["##", "#", "%%", "%", "^^", "^", ",,", ",", "~~", "~"];

impl Reader<'_> {
    /// Reads what follows `${`, with the closing brace.
    pub(super) fn braced(&mut self, context: Context) -> Read<PartKind> {
        if matches!(self.peek(), b' ' | b'\t' | b'\n' | b'|') {
            self.extension(Construct::FunctionSubstitution, self.position, self.position);
            return self.function_substitution();
        }
        let start = self.position;
        let mut parameter = Parameter::default();
        let is_flagged = self.flags();
        // Behind flags, what they are for may be another expansion.
        if !(is_flagged && self.peek() == b'$') {
            self.prefix(&mut parameter);
            self.name(&mut parameter);
        }
        if !parameter.name.is_empty() {
            self.subscript(&mut parameter)?;
        }
        if is_flagged {
            self.bad_substitution(&mut parameter, start, context)?;
            "(".clone_into(&mut parameter.operator);
            self.extension(Construct::Flags, start, self.position);
            self.bump();
            return Ok(PartKind::Parameter(Box::new(parameter)));
        }
        let known = !parameter.name.is_empty() && self.operation(&mut parameter, context)?;
        if !known || self.peek() != b'}' {
            self.bad_substitution(&mut parameter, start, context)?;
        }
        self.bump();
        Ok(PartKind::Parameter(Box::new(parameter)))
    }

    /// Passes over what zsh has in front of the name, and bash refuses: `(f)`, `=`, `~`, `+`. Returns whether there is some.
    fn flags(&mut self) -> bool {
        let start = self.position;
        if self.peek() == b'(' {
            let rest = &self.text[start..];
            let length = rest.iter().position(|byte| *byte == b')').unwrap_or(0);
            let is_plain = |byte: &u8| byte.is_ascii_graphic() && !b"$`'\"\\{}".contains(byte);
            if length == 0 || !rest[..length].iter().all(is_plain) {
                return false;
            }
            self.position = start + length + 1;
        }
        while matches!(self.peek(), b'=' | b'~' | b'+') {
            self.bump();
        }
        self.position > start
    }

    /// Reads `#` for a length and `!` for indirection; both may be the parameter itself.
    fn prefix(&mut self, parameter: &mut Parameter) {
        let next = self.peek_second();
        let names = |byte: u8| is_name(byte) || matches!(byte, b'@' | b'*');
        match self.peek() {
            b'#' if names(next) => parameter.length = true,
            b'#' if is_special_parameter(next) => {
                // `${##}` and `${#?}` are lengths, `${##x}` and `${#?x}` are operators on `$#`.
                let after = self.raw(self.join(self.join(self.position + 1) + 1));
                parameter.length = after == b'}';
            }
            b'!' if names(next) || matches!(next, b'#' | b'?' | b'$' | b'!') => {
                parameter.indirect = true;
            }
            _ => {}
        }
        if parameter.length || parameter.indirect {
            self.bump();
        }
    }

    fn name(&mut self, parameter: &mut Parameter) {
        let first = self.peek();
        if is_special_parameter(first) {
            parameter.name.push(char::from(first));
            self.bump();
            return;
        }
        let digits = first.is_ascii_digit();
        while is_name(self.peek()) && (!digits || self.peek().is_ascii_digit()) {
            parameter.name.push(char::from(self.raw(self.position)));
            self.bump();
        }
    }

    fn subscript(&mut self, parameter: &mut Parameter) -> Read<()> {
        if self.peek() != b'[' {
            return Ok(());
        }
        let open = self.position;
        let Some(close) = self.closing_bracket(open)? else {
            return Err(unfinished("a subscript is not closed"));
        };
        parameter.index = Some(self.subscript_between(open + 1, close)?);
        self.position = close + 1;
        Ok(())
    }

    /// Reads the operator and its words, up to the closing brace. Returns whether there is such an operator.
    fn operation(&mut self, parameter: &mut Parameter, context: Context) -> Read<bool> {
        let byte = self.peek();
        if byte == b'}' {
            return Ok(true);
        }
        if parameter.indirect && matches!(byte, b'*' | b'@') && self.peek_second() == b'}' {
            parameter.operator.push(char::from(byte));
            self.bump();
            return Ok(true);
        }
        if let Some(operator) = self.eat_one_of(&WITH_WORD) {
            operator.clone_into(&mut parameter.operator);
            parameter.argument = Some(self.default_word(context)?);
            return Ok(true);
        }
        if let Some(operator) = self.eat_one_of(&WITH_PATTERN) {
            operator.clone_into(&mut parameter.operator);
            parameter.argument = Some(self.word_or_empty(REMOVED)?);
            return Ok(true);
        }
        match byte {
            b'/' => self.replacement(parameter, context)?,
            b':' => self.substring(parameter, context)?,
            b'@' => {
                self.bump();
                "@".clone_into(&mut parameter.operator);
                let word = self.word_or_empty(REMOVED)?;
                let known = word.literal().is_some_and(|it| {
                    matches!(it.as_str(), "U" | "u" | "L" | "Q" | "E" | "P" | "A" | "K" | "a" | "k")
                });
                parameter.argument = Some(word);
                return Ok(known);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn eat_one_of(&mut self, operators: &[&'static str]) -> Option<&'static str> {
        operators.iter().copied().find(|operator| self.eat(operator.as_bytes()))
    }

    fn default_word(&mut self, context: Context) -> Read<Word> {
        if context == Context::Bare {
            return self.word_or_empty(DEFAULT);
        }
        let start = self.position;
        let mut parts = Parts::default();
        self.quoted(context.braced(), &mut parts)?;
        self.finish_word(parts, start)
    }

    fn replacement(&mut self, parameter: &mut Parameter, context: Context) -> Read<()> {
        self.bump();
        let operator = match self.peek() {
            b'/' => "//",
            b'#' => "/#",
            b'%' => "/%",
            _ => "/",
        };
        if operator.len() == 2 {
            self.bump();
        }
        operator.clone_into(&mut parameter.operator);
        parameter.argument = Some(self.word_or_empty(REPLACED)?);
        if self.eat(b"/") {
            let braced = if context == Context::Bare { DEFAULT } else { REMOVED };
            parameter.second = Some(self.word_or_empty(braced)?);
        }
        Ok(())
    }

    fn substring(&mut self, parameter: &mut Parameter, context: Context) -> Read<()> {
        self.bump();
        ":".clone_into(&mut parameter.operator);
        parameter.argument = Some(self.expression_of_substring(context)?);
        if self.eat(b":") {
            parameter.second = Some(self.expression_of_substring(context)?);
        }
        Ok(())
    }

    /// Reads an expression up to `}`, or a `:` that belongs to no `?` and stands in no parentheses.
    fn expression_of_substring(&mut self, context: Context) -> Read<Word> {
        self.peek();
        let start = self.position;
        let mut parts = Parts::default();
        let (mut open, mut questions) = (0_u32, 0_u32);
        loop {
            let byte = self.peek();
            let at = self.position;
            match byte {
                END | b'}' => break,
                b':' if open == 0 && questions == 0 => break,
                b'$' => {
                    self.dollar(&mut parts, context.text())?;
                    continue;
                }
                b'`' => {
                    self.backticks(&mut parts, context.text())?;
                    continue;
                }
                b'"' if context != Context::Text => {
                    self.double(&mut parts)?;
                    continue;
                }
                b'(' => open += 1,
                b')' => open = open.saturating_sub(1),
                b'?' => questions += 1,
                b':' => questions = questions.saturating_sub(1),
                b'\\' | b'\'' => {
                    return Err(refused("quotes in the offset of a substring"));
                }
                _ => {}
            }
            self.bump();
            self.add_text(&mut parts, at, at + 1, Quoting::Quoted);
        }
        self.finish_word(parts, start)
    }

    /// Reads on to the closing brace of something that bash refuses when it runs, so that commands in it are seen.
    fn bad_substitution(
        &mut self,
        parameter: &mut Parameter,
        start: usize,
        context: Context,
    ) -> Read<()> {
        let word = self.default_word(context)?;
        if self.peek() != b'}' {
            return Err(unfinished("a ${ is not closed"));
        }
        parameter.second = Some(word);
        let span = self.span(start, self.position);
        self.note(Reason::Syntax("bad substitution".to_owned()), span);
        Ok(())
    }
}
