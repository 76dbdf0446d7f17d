//! `${x:-…}`, `${x:=…}` and `${x:+…}`: what they set, and whether their word is one.

use super::evaluate::is_name;
use super::parameter::{at, is_whole};
use super::state::Value;
use super::walk::Walker;
use crate::model::{Arg, Span};
use crate::syntax::{Parameter, PartKind, Word};

impl Walker<'_> {
    /// `${x:=…}` sets the variable, or an element of it; what is no variable is not set, and the line is given up.
    pub(super) fn set_default(&mut self, parameter: &Parameter, value: Value, span: Span) {
        if !is_name(&parameter.name) {
            self.may_give_up();
            return;
        }
        let is_own =
            crate::variables::holds_secret(&parameter.name).then(|| parameter.name.clone());
        if let Some(of) = self.secret.clone().or(is_own) {
            self.state.set_secret(&parameter.name, &of);
        }
        let is_element = parameter.index.is_some();
        self.told(&parameter.name, span);
        self.state.set(&parameter.name, if is_element { Value::Unknown } else { value });
    }

    /// `${!x:=…}` sets the variable that this value names.
    pub(super) fn set_named(&mut self, name: &Value, span: Span) {
        if let Value::Word(Arg::Known(name)) = name
            && is_name(name)
        {
            self.told(name, span);
            self.state.set(name, Value::Unknown);
        } else {
            self.may_set_any(span);
        }
    }
}

/// Returns whether a word holds all positional parameters, or all elements of an array: each is a word of its own, `"${1+$@}"`, or may
/// be, `${1+$*}`.
pub(super) fn holds_all(word: &Word) -> bool {
    word.parts.iter().any(|part| match &part.kind {
        PartKind::Parameter(parameter) => {
            let is_divided = !part.quoted && parameter.index.as_ref().is_some_and(is_whole);
            parameter.name == "@"
                || (parameter.name == "*" && !part.quoted)
                || is_divided
                || at(parameter)
                || parameter.indirect
                || parameter.argument.as_ref().is_some_and(holds_all)
        }
        _ => false,
    })
}
