//! What the shell would know at a point of the line: variables, directory, functions.
//! Where two ways lead to a point, what differs between them is not known there.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::model::Arg;
use crate::syntax::Command;

/// The value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Exactly this text, or a pattern or beginning of it.
    Word(Arg),
    /// Some number.
    Number,
    /// The number of this shell's own process, or of one that it started (`$$`, `$!`).
    Process,
    /// An indexed array.
    Array(Vec<Arg>),
    /// Not set.
    Unset,
    /// Anything.
    Unknown,
}

impl Value {
    /// Returns whether it is a number, whichever.
    pub(super) fn is_number(&self) -> bool {
        match self {
            Self::Number | Self::Process => true,
            Self::Word(Arg::Known(text)) => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            Self::Word(_) | Self::Array(_) | Self::Unset | Self::Unknown => false,
        }
    }

    /// Returns what is known of a value that is this one or the other.
    fn or(&self, other: &Self) -> Self {
        if self == other {
            self.clone()
        } else if self.is_number() && other.is_number() {
            Self::Number
        } else {
            Self::Unknown
        }
    }
}

/// What programs that are started get of a shell's state.
#[derive(Clone, Debug, Default)]
pub(super) struct Exports {
    /// Variables, beside those that this shell was given itself.
    names: Rc<HashSet<String>>,
    /// Every variable that is set is exported from then on (`set -a`).
    pub(super) all: bool,
    /// Functions may have been exported.
    pub(super) functions: bool,
}

/// Variables, directory and functions at one point of the line.
#[derive(Clone, Debug)]
pub(super) struct State {
    variables: Rc<HashMap<String, Value>>,
    /// The commands whose output a variable holds, by index into the plan.
    origins: Rc<HashMap<String, Vec<usize>>>,
    /// Variables that hold a secret, and the one that it comes from.
    secrets: Rc<HashMap<String, String>>,
    functions: Rc<HashMap<String, Vec<Rc<Command>>>>,
    shadowed: Rc<Vec<String>>,
    pub(super) exports: Exports,
    /// Every directory that is possible here; `None` among them: not known.
    pub(super) directories: Vec<Option<String>>,
    /// Where `cd -` goes.
    pub(super) previous: Option<String>,
    /// Positional parameters, if known.
    pub(super) positional: Option<Vec<Arg>>,
    /// What `$0` is, if known, and the file that is being read, which `BASH_SOURCE` names.
    pub(super) script: [Option<Arg>; 2],
    /// Code ran that may have set any variable.
    pub(super) tainted: bool,
    /// `set -e` is on.
    pub(super) errexit: bool,
    /// Nothing behind this point runs (`exit`, `return`).
    pub(super) dead: bool,
}

impl State {
    pub(super) fn new(directory: Option<String>) -> Self {
        Self {
            variables: Rc::default(),
            origins: Rc::default(),
            secrets: Rc::default(),
            functions: Rc::default(),
            shadowed: Rc::default(),
            exports: Exports::default(),
            directories: vec![directory],
            previous: None,
            positional: None,
            script: [None, None],
            tainted: false,
            errexit: false,
            dead: false,
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        Rc::make_mut(&mut self.variables).insert(name.to_owned(), value);
        if self.exports.all {
            self.export(name);
        }
    }

    /// Gives a variable to the programs that are started from here on.
    pub(super) fn export(&mut self, name: &str) {
        if !self.exports.names.contains(name) {
            Rc::make_mut(&mut self.exports.names).insert(name.to_owned());
        }
    }

    /// Returns the state in which a shell begins that is started here. `was_given` says which variables this shell was given
    /// itself: their new values are passed on (bash manual, 3.7.4).
    pub(super) fn child(&self, was_given: impl Fn(&str) -> bool) -> Self {
        let passes = |name: &str| self.exports.names.contains(name) || was_given(name);
        let kept = |(name, value): (&String, &Value)| {
            // Arrays are never passed on.
            let value = match value {
                Value::Array(_) => Value::Unknown,
                value => value.clone(),
            };
            passes(name).then(|| (name.clone(), value))
        };
        Self {
            variables: Rc::new(self.variables.iter().filter_map(kept).collect()),
            functions: if self.exports.functions {
                Rc::clone(&self.functions)
            } else {
                Rc::default()
            },
            positional: Some(Vec::new()),
            script: [None, None],
            previous: None,
            exports: Exports { all: false, ..self.exports.clone() },
            errexit: false,
            ..self.clone()
        }
    }

    /// Notes that a variable now holds output of this command.
    pub(super) fn set_origin(&mut self, name: &str, command: usize) {
        Rc::make_mut(&mut self.origins).entry(name.to_owned()).or_default().push(command);
    }

    /// Returns the commands whose output a variable may hold.
    pub(super) fn origins(&self, name: &str) -> &[usize] {
        self.origins.get(name).map_or(&[], Vec::as_slice)
    }

    /// Notes that a variable now holds the secret of another.
    pub(super) fn set_secret(&mut self, name: &str, of: &str) {
        Rc::make_mut(&mut self.secrets).insert(name.to_owned(), of.to_owned());
    }

    /// Returns the variable whose secret this one holds, itself included.
    pub(super) fn secret<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        if super::holds_secret(name) {
            return Some(name);
        }
        self.secrets.get(name).map(String::as_str)
    }

    /// Forgets every value: code that is not known may have set them.
    pub(super) fn taint(&mut self) {
        self.forget();
        self.tainted = true;
    }

    /// Forgets what the line set.
    pub(super) fn forget(&mut self) {
        for value in Rc::make_mut(&mut self.variables).values_mut() {
            *value = Value::Unknown;
        }
    }

    pub(super) fn functions(&self, name: &str) -> Option<&Vec<Rc<Command>>> {
        self.functions.get(name)
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Command>) {
        Rc::make_mut(&mut self.functions).insert(name.to_owned(), vec![body]);
    }

    pub(super) fn undefine(&mut self, name: &str) {
        if self.functions.contains_key(name) {
            Rc::make_mut(&mut self.functions).remove(name);
        }
    }

    pub(super) fn shadow(&mut self, name: &str) {
        if !self.is_shadowed(name) {
            Rc::make_mut(&mut self.shadowed).push(name.to_owned());
        }
    }

    pub(super) fn is_shadowed(&self, name: &str) -> bool {
        self.shadowed.iter().any(|shadowed| shadowed == name)
    }

    /// Becomes what is known where this way and `other` meet.
    pub(super) fn merge(&mut self, other: &Self) {
        if other.dead {
            return;
        }
        if self.dead {
            *self = other.clone();
            return;
        }
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let ours = Rc::make_mut(&mut self.variables);
            for (name, value) in other.variables.iter() {
                let met = ours.get(name).map_or(Value::Unknown, |own| own.or(value));
                ours.insert(name.clone(), met);
            }
            for (name, value) in ours.iter_mut() {
                if !other.variables.contains_key(name) {
                    *value = Value::Unknown;
                }
            }
        }
        if !Rc::ptr_eq(&self.origins, &other.origins) {
            let ours = Rc::make_mut(&mut self.origins);
            for (name, commands) in other.origins.iter() {
                let known = ours.entry(name.clone()).or_default();
                known.extend(commands);
                known.sort_unstable();
                known.dedup();
            }
        }
        if !Rc::ptr_eq(&self.secrets, &other.secrets) {
            let theirs = other.secrets.iter().map(|(name, of)| (name.clone(), of.clone()));
            Rc::make_mut(&mut self.secrets).extend(theirs);
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let ours = Rc::make_mut(&mut self.functions);
            for (name, bodies) in other.functions.iter() {
                let known = ours.entry(name.clone()).or_default();
                for body in bodies {
                    if !known.iter().any(|seen| Rc::ptr_eq(seen, body)) {
                        known.push(Rc::clone(body));
                    }
                }
            }
        }
        if !Rc::ptr_eq(&self.shadowed, &other.shadowed) {
            // Each name once: otherwise every branch of a line would double the list.
            for name in other.shadowed.iter() {
                self.shadow(name);
            }
        }
        for directory in &other.directories {
            if !self.directories.contains(directory) {
                self.directories.push(directory.clone());
            }
        }
        // More than a few ways are not told apart; those that are known still count.
        if self.directories.len() > 4 {
            self.lose_directory();
        }
        if self.previous != other.previous {
            self.previous = None;
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        if !Rc::ptr_eq(&self.exports.names, &other.exports.names) {
            // What is exported on one way only has a value there or none.
            let differ: Vec<String> =
                self.exports.names.symmetric_difference(&other.exports.names).cloned().collect();
            for name in differ {
                self.set(&name, Value::Unknown);
                self.export(&name);
            }
        }
        self.exports.all |= other.exports.all;
        self.exports.functions |= other.exports.functions;
        self.tainted |= other.tainted;
        self.errexit &= other.errexit;
    }

    /// Forgets where this may be, beyond the first few places.
    pub(super) fn lose_directory(&mut self) {
        self.directories.retain(Option::is_some);
        self.directories.truncate(4);
        self.directories.push(None);
    }

    /// Returns whether nothing that matters for reading differs.
    pub(super) fn same(&self, other: &Self) -> bool {
        (Rc::ptr_eq(&self.variables, &other.variables) || self.variables == other.variables)
            && self.directories == other.directories
            && self.positional == other.positional
            && self.tainted == other.tainted
            && (Rc::ptr_eq(&self.functions, &other.functions)
                || self.functions.len() == other.functions.len())
    }
}
