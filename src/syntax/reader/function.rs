//! Function definitions in both forms, and the simple command that may turn out to be one.

use super::word::ARGUMENT;
use super::{Read, Reader, refused};
use crate::syntax::dialect::Construct;
use crate::syntax::script::{Command, CommandKind, Word};

impl Reader<'_> {
    /// Reads what follows `function`.
    pub(super) fn function_keyword(&mut self) -> Read<CommandKind> {
        self.extension(Construct::FunctionKeyword, self.position, self.position);
        self.skip_blanks();
        let Some(word) = self.word(ARGUMENT)? else { return Err(self.unexpected()) };
        self.skip_blanks();
        let before = self.position;
        if self.eat(b"(") {
            self.skip_blanks();
            if !self.eat(b")") {
                // `function f ( … )`: the parenthesis begins the body.
                self.position = before;
            }
        }
        self.definition(&word)
    }

    /// Reads the body of a function whose name is known.
    pub(super) fn definition(&mut self, word: &Word) -> Read<CommandKind> {
        let body = self.body()?;
        let name = word.plain().map_or_else(String::new, str::to_owned);
        if name.is_empty() {
            self.note(refused("the name of a function is not plain text").reason, word.span);
        }
        Ok(CommandKind::Function { name, body: Box::new(body) })
    }

    /// Reads a simple command, or `NAME () BODY`.
    pub(super) fn simple_or_function(&mut self) -> Read<Command> {
        self.peek();
        let start = self.position;
        let command = self.simple_only()?;
        if self.peek() != b'(' {
            return Ok(command);
        }
        let CommandKind::Simple(simple) = &command.kind else { return Ok(command) };
        let [word] = simple.words.as_slice() else { return Err(self.unexpected()) };
        if !simple.assignments.is_empty() || !command.redirects.is_empty() {
            return Err(self.unexpected());
        }
        self.bump();
        self.skip_blanks();
        if !self.eat(b")") {
            return Err(self.unexpected());
        }
        let kind = self.deeper(|reader| reader.definition(word))?;
        self.finish(kind, start)
    }
}
