//! Compound commands: groups, `if`, `while`, and the way to the others.

use super::keyword::Keyword;
use super::word::ARGUMENT;
use super::{Read, Reader, refused};
use crate::syntax::script::{Command, CommandKind, Word};

impl Reader<'_> {
    /// Reads the command that a reserved word begins. `time` begins none.
    pub(super) fn compound(&mut self, keyword: Keyword, end: usize) -> Read<Option<CommandKind>> {
        if keyword == Keyword::Time {
            return Ok(None);
        }
        if keyword.closes() || keyword == Keyword::Not {
            return Err(self.unexpected());
        }
        self.position = end;
        self.deeper(|reader| {
            Ok(Some(match keyword {
                Keyword::Open => {
                    let statements = reader.list()?;
                    reader.expect_keyword(Keyword::Close)?;
                    CommandKind::Group(statements)
                }
                Keyword::If => reader.branches()?,
                Keyword::While => reader.repeat(false)?,
                Keyword::Until => reader.repeat(true)?,
                Keyword::For => reader.for_loop()?,
                Keyword::Select => reader.for_words(true)?,
                Keyword::Case => reader.case()?,
                Keyword::Function => reader.function_keyword()?,
                Keyword::Coproc => reader.coproc()?,
                Keyword::Condition => reader.condition()?,
                Keyword::Then
                | Keyword::Elif
                | Keyword::Else
                | Keyword::Fi
                | Keyword::Do
                | Keyword::Done
                | Keyword::In
                | Keyword::Esac
                | Keyword::Time
                | Keyword::Not
                | Keyword::Close
                | Keyword::ConditionEnd => return Err(reader.unexpected()),
            }))
        })
    }

    fn branches(&mut self) -> Read<CommandKind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.list()?;
            self.expect_keyword(Keyword::Then)?;
            branches.push((condition, self.list()?));
            if !self.eat_keyword(Keyword::Elif) {
                break;
            }
        }
        let otherwise = if self.eat_keyword(Keyword::Else) { Some(self.list()?) } else { None };
        self.expect_keyword(Keyword::Fi)?;
        Ok(CommandKind::If { branches, otherwise })
    }

    fn repeat(&mut self, until: bool) -> Read<CommandKind> {
        let condition = self.list()?;
        self.expect_keyword(Keyword::Do)?;
        let body = self.list()?;
        self.expect_keyword(Keyword::Done)?;
        Ok(CommandKind::While { condition, body, until })
    }

    /// Reads what begins with `(`: an arithmetic command if `((` closes with `))`, else a subshell.
    pub(super) fn parenthesis(&mut self) -> Read<CommandKind> {
        let inner = self.position + 1;
        if self.raw(inner) == b'('
            && let Some((end, after)) = self.double_parenthesis_command(inner)?
        {
            let expression = self.arithmetic_between(inner + 1, end)?;
            self.position = after;
            return Ok(CommandKind::Arithmetic(expression));
        }
        self.position = inner;
        self.deeper(|reader| {
            let statements = reader.list()?;
            if !reader.eat(b")") {
                return Err(reader.unexpected());
            }
            Ok(CommandKind::Subshell(statements))
        })
    }

    /// Reads what follows `coproc`. A word is a name only if a compound command comes after it.
    fn coproc(&mut self) -> Read<CommandKind> {
        self.skip_blanks();
        if self.at_compound() {
            let body = Box::new(self.command()?);
            return Ok(CommandKind::Coproc { name: None, body });
        }
        if self.keyword().is_some_and(|(it, _)| it != Keyword::Time) {
            return Err(self.unexpected());
        }
        let start = self.position;
        if let Some(word) = self.word(ARGUMENT)? {
            self.skip_blanks();
            // Bash knows reserved words after the name, too.
            if self.at_compound() {
                let body = Box::new(self.command()?);
                return Ok(CommandKind::Coproc { name: Some(self.name_of(&word)), body });
            }
            if self.keyword().is_some() {
                return Err(self.unexpected());
            }
        }
        self.position = start;
        let body = Box::new(self.simple_only()?);
        Ok(CommandKind::Coproc { name: None, body })
    }

    fn name_of(&mut self, word: &Word) -> String {
        let name = word.plain().map_or_else(String::new, str::to_owned);
        if name.is_empty() {
            self.note(refused("the name of a coprocess is not plain text").reason, word.span);
        }
        name
    }

    /// Returns whether a compound command comes next, of the kinds that bash calls shell commands.
    pub(super) fn at_compound(&mut self) -> bool {
        match self.keyword() {
            Some((keyword, _)) => {
                !matches!(
                    keyword,
                    Keyword::Time | Keyword::Not | Keyword::Function | Keyword::Coproc
                ) && !keyword.closes()
            }
            None => self.peek() == b'(',
        }
    }

    /// Reads the compound command that must come next, as the body of a function.
    pub(super) fn body(&mut self) -> Read<Command> {
        self.skip_newlines()?;
        if self.at_compound() { self.command() } else { Err(self.unexpected()) }
    }
}
