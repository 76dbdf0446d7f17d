//! Lists and pipelines: what stands between commands.

use super::cursor::END;
use super::keyword::Keyword;
use super::{Read, Reader, Stop, refused};
use crate::model::{Reason, Span};
use crate::syntax::script::{AndOr, Command, CommandKind, Pipeline, Statement};

impl Reader<'_> {
    /// Reads the whole text. Where bash would refuse it, the rest from the statement in question on is opaque.
    pub(super) fn program(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        loop {
            let start = match self.skip_newlines() {
                Ok(()) => self.position,
                Err(stop) => {
                    self.give_up(stop, self.position);
                    break;
                }
            };
            if self.raw(start) == END {
                break;
            }
            let depth = self.meter.depth;
            match self.top_level() {
                Ok(statement) => statements.push(statement),
                Err(stop) => {
                    self.meter.depth = depth;
                    self.give_up(stop, start);
                    break;
                }
            }
        }
        if let Err(stop) = self.end_of_text() {
            self.give_up(stop, self.text.len());
        }
        statements
    }

    fn give_up(&mut self, stop: Stop, start: usize) {
        self.pending.clear();
        self.note(stop.reason, self.span(start, self.text.len()));
    }

    pub(super) fn top_level(&mut self) -> Read<Statement> {
        let mut statement = self.statement()?;
        self.skip_blanks();
        match self.peek() {
            END | b'\n' => {}
            _ if self.at(b";;") || self.at(b";&") => return Err(self.unexpected()),
            b';' => self.bump(),
            b'&' => {
                statement.background = true;
                self.bump();
            }
            _ => return Err(self.unexpected()),
        }
        Ok(statement)
    }

    /// Reads a list up to whatever ends it, which is for the caller to check. Bash allows no empty ones.
    pub(super) fn list(&mut self) -> Read<Vec<Statement>> {
        let statements = self.possibly_empty_list()?;
        if statements.is_empty() { Err(self.unexpected()) } else { Ok(statements) }
    }

    /// Reads a list that may be empty: in an arm of `case`, in a substitution.
    pub(super) fn possibly_empty_list(&mut self) -> Read<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.at_end_of_list() {
                return Ok(statements);
            }
            let mut statement = self.statement()?;
            self.skip_blanks();
            match self.peek() {
                b'\n' => {}
                _ if self.at_end_of_list() => {
                    let word = !matches!(self.peek(), END | b')' | b';');
                    if word && !self.closed {
                        return Err(self.unexpected());
                    }
                    statements.push(statement);
                    return Ok(statements);
                }
                b';' => {
                    self.bump();
                    self.skip_blanks();
                    self.lost_semicolon();
                }
                b'&' => {
                    statement.background = true;
                    self.bump();
                }
                _ => return Err(self.unexpected()),
            }
            statements.push(statement);
        }
    }

    /// Bash 5.2 keeps a substitution as the text that it prints of it, and prints no semicolon behind a here-document: in
    /// `$(cat <<E` … `E` `a; b)` it runs `a b`.
    fn lost_semicolon(&mut self) {
        if self.substitutions > 0
            && self.here_document
            && self.peek() != b'\n'
            && !self.at_end_of_list()
        {
            let at = self.span(self.position, self.position);
            let what = "a semicolon behind a here-document in a substitution";
            self.note(refused(what).reason, at);
        }
    }

    fn at_end_of_list(&mut self) -> bool {
        match self.peek() {
            END | b')' => true,
            b';' => self.at(b";;") || self.at(b";&"),
            _ => self.keyword().is_some_and(|(keyword, _)| keyword.closes()),
        }
    }

    /// Reads an and-or list.
    fn statement(&mut self) -> Read<Statement> {
        self.node()?;
        let first = self.pipeline()?;
        let start = first.span;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let joined = if self.eat(b"&&") {
                AndOr::And
            } else if self.eat(b"||") {
                AndOr::Or
            } else {
                break;
            };
            self.skip_newlines()?;
            rest.push((joined, self.pipeline()?));
        }
        let span = rest.last().map_or(start, |(_, pipeline)| start.to(pipeline.span));
        Ok(Statement { span, first, rest, background: false })
    }

    fn pipeline(&mut self) -> Read<Pipeline> {
        self.skip_blanks();
        self.peek();
        let start = self.position;
        let mut pipeline = Pipeline {
            span: Span::default(),
            negated: false,
            timed: false,
            commands: Vec::with_capacity(1),
        };
        let mut end = start;
        let mut prefixed = false;
        loop {
            let before = self.position;
            if self.eat_keyword(Keyword::Not) {
                pipeline.negated = !pipeline.negated;
                if self.found.extended_globs && self.raw(self.position) == b'(' {
                    // A pattern or a negated subshell, as `shopt` may or may not have run by then.
                    let what = "'!(' after shopt with extglob".to_owned();
                    self.note(Reason::Syntax(what), self.span(before, self.position + 1));
                }
            } else if self.eat_keyword(Keyword::Time) {
                pipeline.timed = true;
                end = self.position;
                self.skip_blanks();
                self.time_options(&mut end);
            } else {
                break;
            }
            prefixed = true;
            end = end.max(self.position);
            self.skip_blanks();
        }
        if prefixed && self.at_end_of_prefixes() {
            pipeline.span = self.span(start, end);
            return Ok(pipeline);
        }
        loop {
            let mut command = self.command()?;
            self.skip_blanks();
            let more = if self.eat(b"|&") {
                command.pipes_stderr = true;
                true
            } else {
                !self.at(b"||") && self.eat(b"|")
            };
            let end = command.span;
            pipeline.commands.push(command);
            if !more {
                pipeline.span = self.span(start, start).to(end);
                return Ok(pipeline);
            }
            let line = self.position;
            self.skip_newlines()?;
            // After a bar `time` is the program, but on a line of its own bash knows it, and then refuses it.
            let new_line = self.text[line..self.position].contains(&b'\n');
            if new_line && self.keyword().is_some_and(|(it, _)| it == Keyword::Time) {
                return Err(self.unexpected());
            }
        }
    }

    fn time_options(&mut self, end: &mut usize) {
        for option in [b"-p".as_slice(), b"--"] {
            let before = self.position;
            if !self.eat(option) {
                continue;
            }
            if !super::cursor::is_meta(self.peek()) {
                self.position = before;
                return;
            }
            *end = self.position;
            self.skip_blanks();
        }
    }

    /// After `!` and `time` nothing need follow, if the list goes on (bash's grammar: `BANG list_terminator`).
    fn at_end_of_prefixes(&mut self) -> bool {
        match self.peek() {
            END | b'\n' => true,
            b';' => !self.at(b";;") && !self.at(b";&"),
            _ => false,
        }
    }

    /// Reads one command. Here `time` is no reserved word: after a bar bash runs the program of that name.
    pub(super) fn command(&mut self) -> Read<Command> {
        self.node()?;
        self.skip_blanks();
        self.peek();
        let start = self.position;
        let kind = match self.keyword() {
            Some((keyword, end)) => self.compound(keyword, end)?,
            None if self.peek() == b'(' => Some(self.parenthesis()?),
            None => None,
        };
        let Some(kind) = kind else { return self.simple_or_function() };
        self.finish(kind, start)
    }

    /// Reads the redirections on a compound command.
    pub(super) fn finish(&mut self, kind: CommandKind, start: usize) -> Read<Command> {
        let mut end = self.position;
        let mut redirects = Vec::new();
        if !matches!(kind, CommandKind::Function { .. } | CommandKind::Coproc { .. }) {
            loop {
                self.skip_blanks();
                let Some(redirect) = self.redirect()? else { break };
                redirects.push(redirect);
                end = self.position;
            }
            self.closed = redirects.is_empty();
        }
        let span = self.span(start, end);
        Ok(Command { span, kind, redirects, pipes_stderr: false })
    }
}
