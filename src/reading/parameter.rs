//! `${…}`: elements, lengths, names in names, and what operators make of a value (bash manual, 3.5.3).

use super::defaults::holds_all;
use super::evaluate::{decimal, edit, is_name};
use super::expand::{PROCESS, element, is_one};
use super::operands;
use super::state::Value;
use super::walk::{Walker, has_extended_glob};
use crate::model::{Arg, Reason, Span};
use crate::syntax::{Construct, Parameter, Part, PartKind, Word};

impl Walker<'_> {
    pub(super) fn parameter(&mut self, parameter: &Parameter, part: &Part) -> Value {
        let span = part.span;
        if let Some(index) = &parameter.index
            && !is_whole(index)
        {
            self.arithmetic(index);
        }
        let argument = parameter.argument.as_ref();
        let argument = argument.map(|word| self.behind_operator(word, &parameter.operator, span));
        let second = parameter.second.as_ref().map(|word| self.text(word));
        if parameter.operator == ":" {
            // Offset and length are arithmetic.
            for word in [&parameter.argument, &parameter.second].into_iter().flatten() {
                self.arithmetic(word);
            }
            // More may be cut off than there is.
            let is_count = |word: &Word| {
                word.literal().is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            };
            if !parameter.second.as_ref().is_none_or(is_count) {
                self.may_give_up();
            }
        }
        if parameter.indirect {
            return self.indirect(parameter, span);
        }
        let mut value = self.lookup(&parameter.name);
        if let Some(index) = parameter.index.as_ref().filter(|index| !is_whole(index))
            && self.models(Construct::Index)
        {
            value = Self::element_from_one(&value, index);
            if matches!(parameter.operator.as_str(), ":=" | "=") {
                self.state.set(&parameter.name, Value::Unknown);
                return Value::Unknown;
            }
        } else if let (Value::Array(elements), Some(index)) = (&value, &parameter.index)
            && let Some(index) = index.literal()
            && index != "@"
            && index != "*"
        {
            value = decimal(&index).map_or(Value::Unknown, |index| element(elements, index));
        } else if let Some(index) = &parameter.index
            && index.literal().as_deref() != Some("0")
            && value != Value::Unset
            && !(is_whole(index) && matches!(value, Value::Array(_)))
        {
            // What else stands in an array whose first element was set alone is not noted.
            value = Value::Unknown;
        }
        if parameter.length {
            return match &value {
                // `${#a[@]}` is how many there are.
                _ if parameter.index.as_ref().is_some_and(is_whole) => count(&value),
                // Of others, the locale says how many there are.
                Value::Word(Arg::Known(text)) if text.is_ascii() => {
                    Value::text(text.len().to_string())
                }
                _ => Value::Number,
            };
        }
        if parameter.operator.is_empty() {
            self.met_unset |= value == Value::Unset;
            if self.state.nounset && matches!(value, Value::Unset | Value::Unknown) {
                self.may_exit(self.state.clone());
            }
            return match self.state.variable(&parameter.name) {
                Some(names @ Value::Named(_))
                    if matches!(value, Value::Word(Arg::Glob(_))) && parameter.index.is_none() =>
                {
                    names.clone()
                }
                _ => value,
            };
        }
        if parameter.operator == "(" {
            return Value::Word(Arg::Many);
        }
        let pattern = argument.as_ref();
        if operands::are_read_otherwise(parameter, part.quoted, pattern, self.dialect) {
            return Value::Unknown;
        }
        self.operate(parameter, value, argument.as_ref(), second.as_ref(), span)
    }

    /// Returns the word behind an operator. It may be left out, and with it what it sets; behind `?` it becomes a message.
    fn behind_operator(&mut self, word: &Word, operator: &str, span: Span) -> Arg {
        let outer = self.secret.take();
        let text = self.perhaps(|walker| walker.text(word));
        if operator.ends_with('?')
            && let Some(of) = self.secret.clone()
        {
            self.shows_secret(of, span);
        }
        self.secret = self.secret.take().or(outer);
        text
    }

    /// `${!x}`: the value is a name, whose subscript is evaluated. `${!x@}`, `${!x*}` and `${!x[@]}` only list.
    fn indirect(&mut self, parameter: &Parameter, span: Span) -> Value {
        if parameter.index.is_some() || matches!(parameter.operator.as_str(), "@" | "*") {
            return Value::Unknown;
        }
        match self.lookup(&parameter.name) {
            Value::Word(Arg::Known(name)) if is_name(&name) && parameter.operator.is_empty() => {
                self.lookup(&name)
            }
            value => {
                self.evaluated_variable(&parameter.name, span);
                self.may_give_up();
                if parameter.operator.ends_with('=') {
                    self.set_named(&value, span);
                }
                Value::Unknown
            }
        }
    }

    fn operate(
        &mut self,
        parameter: &Parameter,
        value: Value,
        argument: Option<&Arg>,
        second: Option<&Arg>,
        span: Span,
    ) -> Value {
        // `"${1+$@}"` is as many words as there are.
        let are_many = parameter.argument.as_ref().is_some_and(holds_all);
        let default = || match argument {
            Some(_) if are_many => Value::Word(Arg::Many),
            argument => argument.map_or_else(|| Value::text(""), |word| Value::Word(word.clone())),
        };
        let colon = parameter.operator.starts_with(':');
        let absent = match &value {
            Value::Unset => Some(true),
            Value::Word(Arg::Known(text)) => Some(colon && text.is_empty()),
            Value::Word(Arg::Prefix(text)) if !text.is_empty() => Some(false),
            Value::Number | Value::Process => Some(false),
            Value::Pattern(_) | Value::Named(_) | Value::Word(Arg::Glob(_)) => Some(false),
            // There is a variable, but it may be empty.
            Value::Printed(_) | Value::Name => (!colon).then_some(false),
            Value::Array(elements) => is_absent(elements, parameter, colon),
            Value::Word(_) | Value::PerhapsNumber | Value::OneOf(_) | Value::Unknown => None,
        };
        if matches!(parameter.operator.as_str(), ":?" | "?") && absent != Some(false) {
            self.may_exit(self.state.clone());
        }
        match (parameter.operator.as_str(), absent) {
            (":-" | "-", Some(true)) => default(),
            (":=" | "=", Some(true)) => {
                let value = default();
                self.set_default(parameter, value.clone(), span);
                value
            }
            (":=" | "=", None) => {
                self.set_default(parameter, Value::Unknown, span);
                if are_many { Value::Word(Arg::Many) } else { Value::Unknown }
            }
            (":-" | "-" | ":=" | "=" | ":?" | "?", Some(false)) => value,
            (":+" | "+", Some(false)) => default(),
            (":+" | "+", Some(true)) => Value::Unset,
            (":-" | "-" | ":+" | "+", None) if are_many => Value::Word(Arg::Many),
            (":?" | "?", Some(true)) => {
                self.state.dead = true;
                Value::Unset
            }
            ("@", _) => {
                self.transform(&value, argument, span);
                Value::Unknown
            }
            (operator, _) => match (&value, argument) {
                // Bash chooses the number.
                (Value::Word(Arg::Known(text)), _) if text.contains(PROCESS) => Value::Unknown,
                // These options change what a pattern fits.
                (Value::Word(_), Some(pattern))
                    if (self.state.globs.any_case && operator.starts_with('/'))
                        || (self.state.globs.extended && has_extended_glob(pattern.prefix())) =>
                {
                    Value::Unknown
                }
                // In front of what an expansion gives, `#` and `%` say where it stands.
                (Value::Word(_), Some(pattern))
                    if operator.starts_with('/')
                        && pattern.prefix().starts_with(['#', '%'])
                        && begins_with_expansion(parameter) =>
                {
                    Value::Unknown
                }
                (Value::Word(Arg::Known(text)), None | Some(Arg::Known(_))) => {
                    let pattern = argument.and_then(Arg::known).unwrap_or_default();
                    let second = match second {
                        Some(Arg::Known(text)) => Some(text.as_str()),
                        Some(_) => return Value::Unknown,
                        None => None,
                    };
                    edit(operator, text, pattern, second).map_or(Value::Unknown, Value::text)
                }
                (Value::Word(Arg::Glob(names)), Some(Arg::Known(part) | Arg::Glob(part))) => {
                    let cut = cut_from_names(operator, names, part);
                    cut.map_or(Value::Unknown, |names| Value::Word(Arg::Glob(names)))
                }
                (Value::Unset, _) => Value::Unset,
                // Taking parts of digits leaves digits or nothing; putting text into them does not.
                (Value::Number | Value::Process, _) if !operator.starts_with('/') => {
                    Value::PerhapsNumber
                }
                _ => Value::Unknown,
            },
        }
    }

    /// `${x@P}` expands the value as a prompt, which runs the substitutions in it.
    fn transform(&mut self, value: &Value, argument: Option<&Arg>, span: Span) {
        if argument.and_then(Arg::known) != Some("P") {
            return;
        }
        match value {
            // What backslashes make of it is not followed.
            Value::Word(Arg::Known(text)) if !text.contains('\\') => {
                self.evaluated(text, span);
                self.note_secrets_in(text);
            }
            Value::Unset | Value::Number | Value::PerhapsNumber | Value::Process => {}
            Value::Name
            | Value::Pattern(_)
            | Value::Printed(_)
            | Value::Named(_)
            | Value::Word(_)
            | Value::Array(_)
            | Value::OneOf(_)
            | Value::Unknown => self.opaque(Reason::DynamicCode, span),
        }
    }
}

/// Returns what fits names that fit a pattern, without a part of each: an ending, the directory, or the name in it. What `*` stands for
/// is a part of one name.
fn cut_from_names(operator: &str, names: &str, part: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/*".contains(c);
    if !names.chars().all(is_plain) || names.contains("**") {
        return None;
    }
    let is_written = !part.is_empty() && part.chars().all(|c| is_plain(c) && c != '*');
    let cut = match (operator, part) {
        ("##", "*/") => names.rsplit('/').next()?,
        ("%", "/*") => names.rsplit_once('/')?.0,
        ("%", ".*") => names.rsplit_once('.').filter(|(_, end)| !end.contains(['*', '/']))?.0,
        ("%" | "%%", part) if is_written => names.strip_suffix(part)?,
        ("#" | "##", part) if is_written => names.strip_prefix(part)?,
        _ => return None,
    };
    (!cut.is_empty()).then(|| cut.to_owned())
}

/// What `basename` and `dirname` make of names that fit a pattern (POSIX).
pub(super) fn part_of_names(program: &str, names: &str, ending: Option<&str>) -> Option<String> {
    match (program, ending) {
        ("basename", None) => cut_from_names("##", names, "*/"),
        ("basename", Some(ending)) => {
            cut_from_names("%", &cut_from_names("##", names, "*/")?, ending)
        }
        ("dirname", None) => cut_from_names("%", names, "/*"),
        _ => None,
    }
}

/// Whether a subscript means all elements.
pub(super) fn is_whole(index: &Word) -> bool {
    index.literal().is_some_and(|index| index == "@" || index == "*")
}

/// Whether an array, or the element of it that is meant, is not there, or empty where that counts as well.
fn is_absent(elements: &[Arg], parameter: &Parameter, colon: bool) -> Option<bool> {
    let is_all = matches!(parameter.name.as_str(), "@" | "*");
    let meant = match elements {
        [] => return Some(true),
        all if is_all || parameter.index.as_ref().is_some_and(is_whole) => all,
        [first, ..] => std::slice::from_ref(first),
    };
    let is_there = |word: &Arg| match word {
        Arg::Known(text) | Arg::Prefix(text) | Arg::Glob(text) => !colon || !text.is_empty(),
        Arg::Unknown => !colon,
        Arg::Many => false,
    };
    match meant {
        [Arg::Known(text)] => Some(colon && text.is_empty()),
        meant => meant.iter().any(is_there).then_some(false),
    }
}

/// How many elements there are.
pub(super) fn count(value: &Value) -> Value {
    match value {
        Value::Unset => Value::text("0"),
        Value::Array(elements) if elements.iter().all(is_one) => {
            Value::text(elements.len().to_string())
        }
        _ => Value::Number,
    }
}

pub(super) fn at(parameter: &Parameter) -> bool {
    parameter.index.as_ref().and_then(Word::literal).is_some_and(|index| index == "@")
}

/// Whether the first of what is looked for in a value is not written as it is.
fn begins_with_expansion(parameter: &Parameter) -> bool {
    let first = parameter.argument.as_ref().and_then(|word| word.parts.first());
    !first.is_none_or(|part| matches!(part.kind, PartKind::Literal(_)))
}
