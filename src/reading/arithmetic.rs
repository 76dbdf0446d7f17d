//! Arithmetic (bash manual, 6.5): what it evaluates, and what it assigns to.

use std::collections::BTreeSet;

use super::evaluate::{
    as_quoted, assigned_names, identifiers, is_name, is_plain_arithmetic, is_unfailing,
    runs_when_evaluated,
};
use super::state::Value;
use super::walk::Walker;
use crate::model::{Arg, Reason, Span};
use crate::syntax::{Part, PartKind, Word};

/// More variables than these, each of which names the next, are not followed. Bash stops at a depth of its own.
const EVALUATED_NAMES: usize = 256;

/// Whether a pattern fits numbers and what is written out beside them.
pub(super) fn is_of_numbers(pattern: &str) -> bool {
    let rest = pattern.replace(super::field::NUMBER, "");
    !rest.contains(['*', '?', '[', '{'])
}

impl Walker<'_> {
    /// Reads an arithmetic expression: its substitutions run, and the variables in it are evaluated again,
    /// so that `a[$(cmd)]` in a value runs `cmd`.
    pub(super) fn arithmetic(&mut self, expression: &Word) {
        let text = self.text(expression);
        let span = expression.span;
        for part in &expression.parts {
            let PartKind::Literal(text) = &part.kind else { continue };
            self.evaluated_variables(text, span);
        }
        self.assigned_in_arithmetic(expression);
        match text {
            Arg::Known(text) => self.evaluated(&text, span),
            // Numbers come out of what is not known; code would have to come in by a variable.
            Arg::Glob(pattern) if is_of_numbers(&pattern) => {}
            // Names of files may hold `a[$(cmd)]`.
            Arg::Glob(_) | Arg::Prefix(_) | Arg::Unknown | Arg::Many => {
                if !expression.parts.iter().all(|part| self.is_numeric(part)) {
                    self.opaque(Reason::DynamicCode, span);
                }
            }
        }
    }

    fn is_numeric(&self, part: &Part) -> bool {
        match &part.kind {
            PartKind::Literal(_) | PartKind::Arithmetic(_) | PartKind::Glob(_) => true,
            PartKind::Parameter(parameter) => {
                parameter.length
                    || self.is_harmless_number(&parameter.name)
                    || matches!(self.lookup(&parameter.name),
                        Value::Word(Arg::Known(text)) if !runs_when_evaluated(&text))
            }
            PartKind::Command(script) => super::substitution::is_number(script, self),
            _ => false,
        }
    }

    /// Whether a variable is a number, not set, or was set before this line: by people and programs, not by what is judged.
    pub(super) fn is_harmless_number(&self, name: &str) -> bool {
        let is_positional = name.bytes().all(|byte| byte.is_ascii_digit() || b"@*".contains(&byte));
        let inherited = self.state.is_inherited(name) && !is_positional;
        match self.lookup(name) {
            Value::Unset => true,
            Value::Word(Arg::Known(text)) if inherited => !runs_when_evaluated(&text),
            value => inherited || value.is_perhaps_number(),
        }
    }

    /// `[[ … ]]`: words are expanded; operands of arithmetic operators and of `-v` are evaluated.
    pub(super) fn test(&mut self, words: &[Word]) {
        self.secret = None;
        // What stands behind `&&` and `||` may be left out, and with it what it sets.
        self.perhaps(|walker| {
            walker.tested_words(words);
            if let Some(of) = walker.secret.take() {
                walker.state.set_secret("BASH_REMATCH", &of);
            }
        });
    }

    fn tested_words(&mut self, words: &[Word]) {
        let literals: Vec<Option<String>> = words.iter().map(Word::literal).collect();
        for (position, word) in words.iter().enumerate() {
            let operator = |at: Option<usize>| {
                at.and_then(|at| literals.get(at)).and_then(Option::as_deref).is_some_and(|text| {
                    matches!(text, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
                })
            };
            if literals[position].as_deref() == Some("=~") {
                self.state.set("BASH_REMATCH", Value::Unknown);
            }
            let is_arithmetic = operator(position.checked_sub(1)) || operator(Some(position + 1));
            let is_name = position > 0 && literals[position - 1].as_deref() == Some("-v");
            if is_arithmetic {
                self.arithmetic(word);
            } else if is_name {
                self.subscripted(word);
            } else {
                self.text(word);
            }
        }
    }

    /// A word that names a variable: its subscript is evaluated (`test -v 'a[$(cmd)]'`).
    pub(super) fn subscripted(&mut self, word: &Word) {
        match self.text(word) {
            Arg::Known(text) => self.evaluated_name(&text, word.span),
            Arg::Prefix(_) | Arg::Unknown | Arg::Many | Arg::Glob(_) => {
                self.opaque(Reason::DynamicCode, word.span);
            }
        }
    }

    /// The values of the variables that an expression names are evaluated.
    pub(super) fn evaluated_variables(&mut self, expression: &str, span: Span) {
        for name in identifiers(expression) {
            self.evaluated_variable(&name, span);
        }
    }

    /// The value of a variable is evaluated, and so are those of the variables that it names.
    pub(super) fn evaluated_variable(&mut self, name: &str, span: Span) {
        let mut seen = BTreeSet::new();
        let mut open = vec![name.to_owned()];
        while let Some(name) = open.pop() {
            if seen.len() >= EVALUATED_NAMES {
                self.opaque(Reason::DynamicCode, span);
                return;
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            let inherited = self.state.is_inherited(&name);
            let elements = match self.lookup(&name) {
                Value::Word(element) => vec![element],
                Value::Pattern(pattern) | Value::Printed(pattern) | Value::Named(pattern) => {
                    vec![Arg::Glob(pattern)]
                }
                Value::Array(elements) => elements,
                Value::Unset | Value::Number | Value::PerhapsNumber | Value::Process => continue,
                // What was set before this line and is not known came from people and programs, not from what is being judged.
                Value::Unknown if inherited => continue,
                Value::Name | Value::OneOf(_) | Value::Unknown => vec![Arg::Unknown],
            };
            for element in elements {
                match element {
                    Arg::Known(text) => {
                        self.evaluated(&text, span);
                        self.assign_in(&text);
                        open.extend(identifiers(&text));
                    }
                    _ if inherited => {}
                    _ => self.opaque(Reason::DynamicCode, span),
                }
            }
        }
    }

    /// Text that bash evaluates: substitutions in it run.
    pub(super) fn evaluated(&mut self, text: &str, span: Span) {
        if runs_when_evaluated(text) {
            // Read as the inside of double quotes: what runs there is what runs in a subscript.
            self.shell_text(&as_quoted(text), span);
        }
    }

    /// Sets what an expression assigns to. Where it may be left out, or fail before, the variable may be what it was.
    fn assigned_in_arithmetic(&mut self, expression: &Word) {
        // Names that are only known when it runs are not looked for: they stand in the values that are evaluated.
        let literal = |part: &Part| match &part.kind {
            PartKind::Literal(text) => text.clone(),
            _ => " 0 ".to_owned(),
        };
        self.assign_in(&expression.parts.iter().map(literal).collect::<String>());
    }

    /// Returns whether an expression is evaluated to its end: nothing in it is left out, and nothing fails.
    fn succeeds(&self, text: &str) -> bool {
        // What is replaced is not read.
        let read = match text.split_once('=') {
            Some((name, value)) if is_name(name.trim()) => value,
            _ => text,
        };
        is_plain_arithmetic(text)
            && identifiers(read).iter().all(|name| self.lookup(name).is_perhaps_number())
    }

    /// Sets what the text of an expression assigns to, and notes that it may fail.
    pub(super) fn assign_in(&mut self, text: &str) {
        let is_sure = self.succeeds(text);
        let is_number = |name: &String| self.lookup(name).is_perhaps_number();
        if !(is_sure || is_unfailing(text) && identifiers(text).iter().all(is_number)) {
            self.may_give_up();
        }
        for (name, is_element) in assigned_names(text) {
            let is_inherited = self.state.is_inherited(&name);
            let value = match self.lookup(&name) {
                Value::Array(_) => Value::Unknown,
                _ if is_element => Value::Unknown,
                Value::Unknown if is_inherited && !is_sure => continue,
                value if is_sure || value.is_number() => Value::Number,
                value if value.is_perhaps_number() => Value::PerhapsNumber,
                _ => Value::Unknown,
            };
            self.state.set(&name, value);
        }
    }
}
