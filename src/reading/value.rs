//! What is known of the value of a variable, and of one that is this or that.

use std::rc::Rc;

use crate::model::Arg;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Exactly this text, or a pattern or beginning of it.
    Word(Arg),
    /// Text that fits a pattern and has blanks only where that shows them: numbers, what `mktemp` makes, the names that a
    /// command lists. Those that the shell finds itself are words, whatever they hold.
    Pattern(String),
    /// What a command prints that may print nothing: text that fits a pattern, or lines of names where that goes down (`**`).
    Printed(String),
    /// Names of files that the shell finds by a pattern, none of which is divided where it is not quoted.
    Named(String),
    /// Some number.
    Number,
    /// Some number, or not set.
    PerhapsNumber,
    /// The number of this shell's own process, or of one that it started (`$$`, `$!`).
    Process,
    /// One word that is no option: the name of a branch, a commit, a user.
    Name,
    /// An indexed array.
    Array(Vec<Arg>),
    /// One of these, of which none is the value that the variable had before the line. Who asks for a value gets what all of them
    /// have in common; `choices` plans a command for each.
    OneOf(Rc<[Option<Rc<Value>>]>),
    /// Not set.
    Unset,
    /// Anything.
    Unknown,
}

impl Value {
    /// Returns the value that is exactly this text.
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Word(Arg::Known(text.into()))
    }

    /// Returns the value that a command prints.
    pub(super) fn printed(word: Arg) -> Self {
        match word {
            Arg::Glob(pattern) => Self::Pattern(pattern),
            word => Self::Word(word),
        }
    }

    /// Returns what a program gets of it in a variable.
    pub(super) fn word(&self) -> Arg {
        match self {
            Self::Word(word) => word.clone(),
            Self::Pattern(pattern) | Self::Printed(pattern) | Self::Named(pattern) => {
                Arg::Glob(pattern.clone())
            }
            _ => Arg::Unknown,
        }
    }

    /// Returns whether it is longer than what anybody keeps in a variable. A line could double it again and again.
    pub(super) fn is_large(&self) -> bool {
        match self {
            Self::Word(word) => word.length() > LARGE,
            Self::Pattern(pattern) | Self::Printed(pattern) | Self::Named(pattern) => {
                pattern.len() > LARGE
            }
            Self::Array(elements) => are_large(elements),
            _ => false,
        }
    }

    /// Returns whether it is a number, whichever.
    pub(super) fn is_number(&self) -> bool {
        match self {
            Self::Number | Self::Process => true,
            Self::Word(Arg::Known(text)) => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                // Behind a zero it is octal, or an error.
                let is_plain = digits == "0" || !digits.starts_with('0');
                !digits.is_empty() && is_plain && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => false,
        }
    }

    /// Returns whether it is a number, or not set.
    pub(super) fn is_perhaps_number(&self) -> bool {
        matches!(self, Self::PerhapsNumber | Self::Unset) || self.is_number()
    }

    /// Returns whether it is an array, or one of several.
    pub(super) fn is_array(&self) -> bool {
        match self {
            Self::OneOf(values) => values.iter().flatten().any(|value| value.is_array()),
            value => matches!(value, Self::Array(_)),
        }
    }

    /// Returns whether a program may get another value of the variable than this one, or none.
    pub(super) fn may_be_kept_back(&self) -> bool {
        match self {
            Self::OneOf(values) => {
                values.iter().any(|value| value.as_ref().is_none_or(|it| it.may_be_kept_back()))
            }
            value => matches!(value, Self::Array(_) | Self::Unset),
        }
    }

    /// Returns what all values have in common that it may be.
    pub(super) fn in_common(&self) -> &Self {
        let Self::OneOf(values) = self else { return self };
        let are = |is_so: fn(&Self) -> bool| {
            values.iter().all(|value| value.as_deref().is_some_and(is_so))
        };
        if are(Self::is_number) {
            &Self::Number
        } else if are(Self::is_perhaps_number) {
            &Self::PerhapsNumber
        } else {
            &Self::Unknown
        }
    }
}

/// Values that are told apart of a variable.
const VALUES: usize = 8;

/// Returns the value of a variable that has this one or the other.
pub(super) fn either(one: Option<&Rc<Value>>, other: Option<&Rc<Value>>) -> Option<Rc<Value>> {
    if one == other {
        return one.cloned();
    }
    let mut values = Vec::new();
    for value in [one, other] {
        match value.map(Rc::as_ref) {
            Some(Value::OneOf(several)) => values.extend(several.iter().cloned()),
            _ => values.push(value.cloned()),
        }
    }
    let mut several: Vec<Option<Rc<Value>>> = Vec::with_capacity(values.len());
    for value in values {
        if !several.contains(&value) {
            several.push(value);
        }
    }
    let is = |is_so: fn(&Value) -> bool| {
        move |value: &Option<Rc<Value>>| value.as_deref().is_some_and(is_so)
    };
    let arrays = several.iter().filter(|it| is(|it| matches!(it, Value::Array(_)))(it)).count();
    let is_some_number = is(|value| matches!(value, Value::Number | Value::PerhapsNumber));
    let is_lost = several.len() > VALUES
        || (arrays > 0 && arrays < several.len())
        || several.iter().any(is(|value| *value == Value::Unknown || value.is_large()))
        // A number that is not known takes in the known ones.
        || several.iter().any(is_some_number);
    let value = Value::OneOf(several.into());
    Some(Rc::new(if is_lost { value.in_common().clone() } else { value }))
}

/// Bytes of a value that is followed: half of what Linux takes for one word of an argv (`MAX_ARG_STRLEN`).
const LARGE: usize = 1 << 16;
/// Words of an array, or positional parameters, that are followed.
const MANY: usize = 1 << 12;

/// Returns whether these are more words than are followed.
pub(super) fn are_large(words: &[Arg]) -> bool {
    words.len() > MANY || words.iter().map(Arg::length).sum::<usize>() > LARGE
}
