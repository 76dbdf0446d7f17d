//! Simple commands: assignments, words and redirections in any order.

use super::cursor::is_name;
use super::word::{ARGUMENT, VALUE};
use super::{Read, Reader, refused, unfinished};
use crate::syntax::script::{
    Assignment, AssignmentValue, Command, CommandKind, Redirect, SimpleCommand, Word,
};

/// Builtins whose arguments may be `NAME=(…)`.
const DECLARATIONS: [&str; 7] =
    ["declare", "typeset", "local", "export", "readonly", "eval", "let"];

impl Reader<'_> {
    /// Reads a simple command. It ends before a `(` that may make it a function definition.
    pub(super) fn simple_only(&mut self) -> Read<Command> {
        self.peek();
        let start = self.position;
        let mut end = start;
        let mut simple = SimpleCommand::default();
        let mut redirects = Vec::new();
        let mut declares = false;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
            } else if let Some(assignment) = self.assignment_before(&simple)? {
                simple.assignments.push(assignment);
            } else if let Some(word) = self.argument(declares)? {
                if simple.words.is_empty() {
                    declares = word.literal().is_some_and(|it| DECLARATIONS.contains(&it.as_str()));
                }
                simple.words.push(word);
            } else {
                break;
            }
            end = self.position;
        }
        self.check_simple(&simple, &redirects)?;
        self.closed = false;
        self.notice_shopt(&simple);
        let span = self.span(start, end);
        Ok(Command { span, kind: CommandKind::Simple(simple), redirects, pipes_stderr: false })
    }

    fn check_simple(&mut self, simple: &SimpleCommand, redirects: &[Redirect]) -> Read<()> {
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        Ok(())
    }

    /// `shopt -s extglob` changes how later lines are read.
    fn notice_shopt(&mut self, simple: &SimpleCommand) {
        let Some((name, arguments)) = simple.words.split_first() else { return };
        let is = |word: &Word, text: &str| word.literal().is_some_and(|it| it == text);
        if is(name, "shopt") && arguments.iter().any(|word| is(word, "extglob")) {
            self.found.extended_globs = true;
        }
    }

    fn argument(&mut self, declares: bool) -> Read<Option<Word>> {
        let Some(mut word) = self.word(ARGUMENT)? else { return Ok(None) };
        if declares && self.peek() == b'(' && ends_in_equals(&word) {
            self.array_part(&mut word)?;
        }
        Ok(Some(word))
    }

    fn assignment_before(&mut self, simple: &SimpleCommand) -> Read<Option<Assignment>> {
        if simple.words.is_empty() { self.assignment() } else { Ok(None) }
    }

    /// Reads `NAME=…`, `NAME+=…` or `NAME[…]=…` if that is what comes next.
    pub(super) fn assignment(&mut self) -> Read<Option<Assignment>> {
        let first = self.peek();
        if !is_name(first) || first.is_ascii_digit() {
            return Ok(None);
        }
        let start = self.position;
        let mut at = start;
        while is_name(self.raw(at)) {
            at = self.join(at + 1);
        }
        let name_end = at;
        let mut bracket = None;
        if self.raw(at) == b'[' {
            let Some(close) = self.closing_bracket(at)? else {
                return Err(unfinished("a '[' after a name is not closed"));
            };
            bracket = Some((at + 1, close));
            at = self.join(close + 1);
        }
        let append = self.raw(at) == b'+' && self.raw(self.join(at + 1)) == b'=';
        if append {
            at = self.join(at + 1);
        }
        if self.raw(at) != b'=' {
            return match bracket {
                // Bash keeps blanks between the brackets in the word: `a[1 2]` is one.
                Some((from, to))
                    if self.text[from..to].iter().any(|it| super::cursor::is_meta(*it)) =>
                {
                    Err(refused("brackets with blanks after a name that is not assigned to"))
                }
                Some(_) | None => Ok(None),
            };
        }
        let name: String = self.text[start..name_end]
            .iter()
            .filter(|byte| is_name(**byte))
            .map(|byte| char::from(*byte))
            .collect();
        let index = match bracket {
            Some((from, to)) => Some(self.subscript_between(from, to)?),
            None => None,
        };
        self.position = at + 1;
        let value = self.value()?;
        let span = self.span(start, self.position);
        Ok(Some(Assignment { span, name, index, append, value }))
    }

    fn value(&mut self) -> Read<AssignmentValue> {
        if self.peek() == b'(' {
            return Ok(AssignmentValue::Array(self.array()?));
        }
        let at = self.position;
        let word = self.word(VALUE)?;
        Ok(AssignmentValue::Scalar(
            word.unwrap_or_else(|| Word { span: self.span(at, at), parts: Vec::new() }),
        ))
    }
}

fn ends_in_equals(word: &Word) -> bool {
    use crate::syntax::script::PartKind;
    let [part] = word.parts.as_slice() else { return false };
    let PartKind::Literal(text) = &part.kind else { return false };
    let Some(name) = text.strip_suffix('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    !part.quoted
        && !name.starts_with(|it: char| it.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(is_name)
}
