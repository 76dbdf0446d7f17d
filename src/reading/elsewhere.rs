//! What other shells than bash make of words and variables, where the reading follows them. Which shell does what, the table of
//! [`Dialect`](crate::syntax::Dialect) says.

use super::expand::{element, is_one};
use super::field::Field;
use super::state::Value;
use super::walk::Walker;
use crate::model::{Arg, Span};
use crate::syntax::{Construct, Part, PartKind, Treatment, Word, named_option, plain_subscript};

impl Walker<'_> {
    /// Whether there are arrays among the parameters of a word with braces, or in braces what may be one.
    pub(super) fn has_arrays(&self, parts: &[Part]) -> bool {
        let is_array = |part: &Part, inside: bool| match &part.kind {
            PartKind::Parameter(parameter) if !part.quoted => match self.lookup(&parameter.name) {
                Value::Array(_) => true,
                Value::Unknown => inside,
                _ => false,
            },
            _ => false,
        };
        parts.iter().any(|part| match &part.kind {
            PartKind::Brace(words) => words.iter().any(|word| {
                word.parts.iter().any(|part| is_array(part, true)) || self.has_arrays(&word.parts)
            }),
            _ => is_array(part, false),
        })
    }

    /// A tilde behind a sign of equality in a word of a command, which not every shell expands.
    pub(super) fn assigned_tilde(&self, user: &str, field: &mut Field) {
        match self.dialect.treats(Construct::AssignedTilde) {
            Treatment::Same => self.tilde(user, field),
            Treatment::Modelled => field.push(user),
            Treatment::Opaque => field.push_open(),
        }
    }

    /// Whether a variable is not what it is set to: the shell makes something else of it, sets it by itself, or has another name
    /// for it by which it was set.
    pub(super) fn is_set_otherwise(&self, name: &str) -> bool {
        let is_set = |name: &str| self.state.variable(name).is_some();
        (is_set(name) && self.dialect.counts(name))
            || self.dialect.is_special(name)
            || self.dialect.sets(name)
            || self.dialect.tied(name).iter().any(|other| *other != name && is_set(other))
    }

    /// Plans the parts of a word that has `$a[1]` or `$#a` in it, of which is not known what they become. Returns whether it has.
    pub(super) fn has_subscript(&mut self, parts: &[Part]) -> bool {
        let pairs = parts.windows(2).filter_map(|pair| plain_subscript(&pair[0], &pair[1]));
        let subscripts: Vec<&str> = pairs.collect();
        if subscripts.is_empty() || !self.models(Construct::Subscript) {
            return false;
        }
        let span = parts.first().map_or_else(Span::default, |part| part.span);
        for subscript in subscripts {
            self.evaluated_variables(subscript, span);
        }
        for part in parts {
            self.text(&Word { span: part.span, parts: vec![part.clone()] });
        }
        true
    }

    /// Returns what `${a[…]}` gives where elements are counted from one; of what is no array, it is a character.
    pub(super) fn element_from_one(value: &Value, index: &Word) -> Value {
        match (value, index.literal().and_then(|index| index.parse::<usize>().ok())) {
            (Value::Array(elements), Some(index))
                if index > 0 && elements.iter().take(index).all(is_one) =>
            {
                element(elements, index - 1)
            }
            _ => Value::Unknown,
        }
    }

    /// `setopt`, `unsetopt`: options that change how words are read.
    pub(super) fn set_named_options(&mut self, builtin: &str, words: &[Arg]) {
        for word in words {
            let Some((option, on)) = word.known().and_then(named_option) else { continue };
            let on = on == (builtin == "setopt");
            match option {
                "errexit" => self.state.errexit = on,
                // Where they are switched off, a function may have switched them on for itself alone.
                "nullglob" if on => self.state.globs.switch("nullglob", true),
                "globdots" if on => self.state.globs.switch("dotglob", true),
                "caseglob" if !on => self.state.globs.switch("nocaseglob", true),
                _ => {}
            }
        }
    }

    /// Whether the shell that is read for follows the reading where it does this otherwise than bash.
    pub(super) fn models(&self, construct: Construct) -> bool {
        self.dialect.treats(construct) == Treatment::Modelled
    }
}
