//! `for` in its three forms, and `select`.

use super::cursor::END;
use super::keyword::Keyword;
use super::word::ARGUMENT;
use super::{Read, Reader, refused};
use crate::syntax::dialect::Construct;
use crate::syntax::script::{CommandKind, Statement, Word};

impl Reader<'_> {
    pub(super) fn for_loop(&mut self) -> Read<CommandKind> {
        self.skip_blanks();
        if self.at(b"((") { self.for_arithmetic() } else { self.for_words(false) }
    }

    pub(super) fn for_words(&mut self, select: bool) -> Read<CommandKind> {
        self.skip_blanks();
        let start = self.position;
        let Some(name) = self.word(ARGUMENT)? else { return Err(self.unexpected()) };
        let variable = name.plain().map_or_else(String::new, str::to_owned);
        if variable.is_empty() {
            let what = "the name of a loop variable is not plain text";
            self.note(refused(what).reason, self.span(start, self.position));
        }
        self.skip_blanks();
        let semicolon = self.peek() == b';' && !self.at(b";;") && !self.at(b";&");
        if semicolon {
            self.bump();
        }
        let separated = semicolon || self.peek() == b'\n';
        self.skip_newlines()?;
        let mut words = None;
        if !semicolon && self.eat_keyword(Keyword::In) {
            words = Some(self.words_of_loop()?);
            self.skip_newlines()?;
        } else if !separated && self.peek() == b'{' {
            // Right after the name bash knows `do` and `in`, but not the brace.
            return Err(self.unexpected());
        }
        let body = self.body_of_loop()?;
        Ok(CommandKind::For { variable, words, body, select })
    }

    fn words_of_loop(&mut self) -> Read<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                b'\n' => return Ok(words),
                b';' if !self.at(b";;") && !self.at(b";&") => {
                    self.bump();
                    return Ok(words);
                }
                END => return Err(self.unexpected()),
                _ => {}
            }
            let Some(word) = self.word(ARGUMENT)? else { return Err(self.unexpected()) };
            words.push(word);
        }
    }

    /// Bash takes braces for `do` and `done` in every `for` and `select`.
    fn body_of_loop(&mut self) -> Read<Vec<Statement>> {
        let end = if self.eat_keyword(Keyword::Do) {
            Keyword::Done
        } else if self.eat_keyword(Keyword::Open) {
            self.extension(Construct::BraceLoop, self.position, self.position);
            Keyword::Close
        } else {
            return Err(self.unexpected());
        };
        let body = self.list()?;
        self.expect_keyword(end)?;
        Ok(body)
    }

    fn for_arithmetic(&mut self) -> Read<CommandKind> {
        self.eat(b"(");
        self.peek();
        let inner = self.position;
        let Some((end, after)) = self.double_parenthesis(inner)? else {
            return Err(self.unexpected());
        };
        let mut expressions: [Word; 3] = Default::default();
        let mut start = inner + 1;
        for (at, expression) in expressions.iter_mut().enumerate() {
            let stop = self.semicolon_or(start, end);
            if (stop == end) != (at == 2) {
                return Err(refused("for (( )) needs three expressions"));
            }
            *expression = self.arithmetic_between(start, stop)?;
            start = stop + 1;
        }
        self.position = after;
        self.skip_blanks();
        if self.peek() == b';' && !self.at(b";;") {
            self.bump();
        }
        self.skip_newlines()?;
        let body = self.body_of_loop()?;
        Ok(CommandKind::ArithmeticFor { expressions, body })
    }
}
