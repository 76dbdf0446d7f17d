//! What the shell would know at a point of the line: variables, directory, functions.
//! Where two ways lead to a point, what differs between them is not known there.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::rc::Rc;

use super::builtins::table;
pub(super) use super::globs::Globs;
use super::journal::Journal;
pub(super) use super::special::Special;
use super::value::either;
pub(super) use super::value::{Value, are_large};
use crate::model::Arg;
use crate::syntax::Command;

/// Variables beyond this are not told apart: where ways part, all of them are copied.
const VARIABLES: usize = 1_000;

/// Functions of one name beyond these are not told apart: what is called by it is not known.
const BODIES: usize = 8;

/// By what it is known whether programs get a function. It has another name than a variable's.
pub(super) fn function_key(name: &str) -> String {
    format!("{name}()")
}

/// What is known of names. A way of its own copies it when it changes something: the names and values stay where they are.
type Names<V> = Rc<HashMap<Rc<str>, Rc<V>>>;

/// Whether programs get a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exported {
    Yes,
    No,
    /// That depends on what happened.
    Perhaps,
}

/// What is known of one variable.
#[derive(Clone, Debug, Default, PartialEq)]
struct Variable {
    /// What it holds; none: what it held before the line.
    value: Option<Rc<Value>>,
    /// Whether programs get it; none: as before the line.
    exported: Option<Exported>,
    special: Option<Special>,
    /// What is assigned to it may be evaluated as arithmetic.
    evaluates: bool,
}

impl Variable {
    fn is_array(&self) -> bool {
        self.value.as_ref().is_some_and(|value| value.is_array())
    }

    /// Returns what is known of a variable that is this one or the other.
    fn or(&self, other: &Self) -> Self {
        let may_be_array = (self.is_array() != other.is_array()).then_some(Special::Element);
        let is_one = self.exported == other.exported;
        Self {
            value: either(self.value.as_ref(), other.value.as_ref()),
            exported: if is_one { self.exported } else { Some(Exported::Perhaps) },
            special: Special::with(self.special, other.special).max(may_be_array),
            evaluates: self.evaluates || other.evaluates,
        }
    }

    /// Returns whether its value was not set since it was that of another.
    fn holds_what(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Some(one), Some(other)) => Rc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

/// Variables that hold a secret, and the one that it comes from.
type Secrets = Rc<HashMap<Rc<str>, Rc<str>>>;

/// What some variables are at a point of the line, and which of all hold secrets.
pub(super) struct Values {
    variables: Vec<(Rc<str>, Rc<Variable>)>,
    secrets: Secrets,
}

/// The variables of a function that called another.
pub(super) struct Locals(Names<Variable>);

/// Variables, directory and functions at one point of the line.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own about the shell")]
pub(super) struct State {
    /// Variables, and by [`function_key`] the functions that programs get; `*` stands for all.
    variables: Names<Variable>,
    /// How often it was said of a variable whether programs get it, or what becomes of what is assigned to it.
    attributes: usize,
    /// The commands whose output a variable holds, by index into the plan.
    pub(super) origins: Rc<HashMap<String, Vec<usize>>>,
    pub(super) secrets: Secrets,
    pub(super) functions: Names<Vec<Rc<Command>>>,
    shadowed: Rc<HashSet<String>>,
    /// Functions that may not be there.
    unsure: Rc<HashSet<Rc<str>>>,
    /// Variables of the function that runs, and what they were before it.
    locals: Names<Variable>,
    /// Variables of no function that were set while one may have had its own of that name (`declare -g`).
    globals: Rc<HashSet<String>>,
    /// Every directory that is possible here; `None` among them: not known.
    pub(super) directories: Vec<Option<String>>,
    /// Every directory that `cd -` may go to; `None` among them: not known. Without one, there is none.
    pub(super) previous: Vec<Option<String>>,
    /// Positional parameters, if known.
    pub(super) positional: Option<Rc<[Arg]>>,
    /// What `$0` is, if known, and the file that is being read, which `BASH_SOURCE` names.
    pub(super) script: [Option<Arg>; 2],
    /// Code ran that may have set any variable.
    pub(super) tainted: bool,
    /// Options by which patterns become other words than those that they fit, where they may be on.
    pub(super) globs: Globs,
    /// `set -e` is on.
    pub(super) errexit: bool,
    /// What is arranged to run at any time also runs in functions and substitutions: `set -T`, `set -E`.
    pub(super) traces: bool,
    /// `set -u` may be on.
    pub(super) nounset: bool,
    /// `set -x` may be on.
    pub(super) traced: bool,
    /// A job was started, so that `$!` is set.
    pub(super) has_job: bool,
    /// Nothing behind this point runs (`exit`, `return`).
    pub(super) dead: bool,
    pub(super) journal: Journal,
}

impl State {
    pub(super) fn new(directory: Option<String>) -> Self {
        Self { directories: vec![directory], previous: vec![None], ..Self::default() }
    }

    /// Changes what is known of a variable.
    fn change(&mut self, name: &str, change: impl FnOnce(&mut Variable)) {
        let variables = Rc::make_mut(&mut self.variables);
        let known = variables.remove_entry(name);
        let (name, mut variable) = known.unwrap_or_else(|| (Rc::from(name), Rc::default()));
        change(Rc::make_mut(&mut variable));
        if *variable != Variable::default() {
            variables.insert(name, variable);
        }
    }

    fn exported_as(&self, name: &str) -> Option<Exported> {
        self.variables.get(name)?.exported
    }

    fn special(&self, name: &str) -> Option<Special> {
        self.variables.get(name)?.special
    }

    /// Switches an option of `set` or `shopt` by its name. Returns whether text is read as before then.
    pub(super) fn switch(&mut self, option: &str, on: bool) -> bool {
        match option {
            "errexit" => self.errexit = on,
            "nounset" => self.nounset = on,
            "xtrace" => self.traced = on,
            "errtrace" | "functrace" => self.traces |= on,
            "allexport" if on => self.export("*", true),
            "allexport" => self.perhaps_exported("*"),
            option => self.globs.switch(option, on),
        }
        // `compat50` and its like read as an earlier release did.
        let is_earlier = on && option.starts_with("compat");
        !is_earlier && !table::UNREAD_OPTIONS.contains(&option)
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)?.value.as_deref().map(Value::in_common)
    }

    /// Returns the values that a variable may have, if it is one of several; none: what it held before the line.
    pub(super) fn choices(&self, name: &str) -> Option<&[Option<Rc<Value>>]> {
        match self.variables.get(name)?.value.as_deref() {
            Some(Value::OneOf(values)) => Some(values),
            _ => None,
        }
    }

    /// Takes a variable for one of the values that it may have.
    pub(super) fn choose(&mut self, name: &str, value: Option<&Rc<Value>>) {
        self.change(name, |variable| variable.value = value.cloned());
    }

    /// Takes a variable that still has the value that was chosen for what it was `before`.
    pub(super) fn choose_again(&mut self, name: &str, chosen: Option<&Rc<Value>>, before: &Self) {
        let now = self.variables.get(name).and_then(|variable| variable.value.as_ref());
        let is_chosen = match (now, chosen) {
            (Some(now), Some(chosen)) => Rc::ptr_eq(now, chosen),
            (now, chosen) => now.is_none() && chosen.is_none(),
        };
        if is_chosen {
            let several = before.variables.get(name).and_then(|variable| variable.value.clone());
            self.choose(name, several.as_ref());
        }
    }

    /// Tells the values of a variable no longer apart, where a turn of a loop, which began with `entry`, has added to them.
    pub(super) fn widen(&mut self, entry: &Self) {
        for (name, variable) in Rc::make_mut(&mut self.variables) {
            let Some(value @ Value::OneOf(_)) = variable.value.as_deref() else { continue };
            if entry.variables.get(name) != Some(variable) {
                let value = Some(Rc::new(value.in_common().clone()));
                Rc::make_mut(variable).value = value;
            }
        }
    }

    /// Returns whether a variable holds what it did before the line.
    pub(super) fn is_inherited(&self, name: &str) -> bool {
        self.variable(name).is_none() && !self.tainted
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        let value = match self.special(name) {
            None => value,
            Some(Special::Number) => self.evaluated(name, &value),
            Some(Special::Element) if matches!(value, Value::Array(_)) => value,
            Some(Special::Element | Special::Changed) => Value::Unknown,
            Some(Special::Reference) => {
                // Whichever it stands for is set.
                self.forget();
                self.tainted = true;
                Value::Unknown
            }
        };
        if self.is_full() && !self.variables.contains_key(name) {
            self.tainted = true;
            return;
        }
        let value = if table::OWN_VARIABLES.contains(&name) { Value::Unknown } else { value };
        let is_element = self.variables.get(name).is_some_and(|it| it.is_array())
            && !matches!(value, Value::Array(_) | Value::Unset);
        if is_element {
            self.stays_array(name);
        }
        // By `set -a`, what is set is exported, whatever sets it (bash manual, 4.3.1).
        if self.exports_all() {
            self.export_as(name, Some(Exported::Yes));
        }
        self.put(name, if is_element { Value::Unknown } else { value });
    }

    /// Returns what a variable holds that evaluates what is assigned to it. Where that fails, the line ends.
    fn evaluated(&mut self, name: &str, value: &Value) -> Value {
        match value {
            // Each element is evaluated; what is unset is no number any more.
            Value::Array(_) | Value::Unset => {
                self.mark(name, Special::Changed);
                Value::Unknown
            }
            Value::Word(Arg::Known(_) | Arg::Glob(_)) | Value::PerhapsNumber => Value::Number,
            value if value.is_number() => Value::Number,
            _ => Value::Unknown,
        }
    }

    /// Notes that what is assigned to a variable may be evaluated.
    pub(super) fn may_evaluate(&mut self, name: &str) {
        self.change(name, |variable| variable.evaluates = true);
    }

    /// Returns whether what is assigned to a variable may be evaluated.
    pub(super) fn evaluates(&self, name: &str) -> bool {
        self.variables.get(name).is_some_and(|variable| variable.evaluates)
    }

    /// Returns whether a variable may stand for another.
    pub(super) fn may_refer(&self, name: &str) -> bool {
        self.special(name) == Some(Special::Reference)
    }

    /// Notes that what is assigned to a variable may be kept as it is.
    pub(super) fn may_keep_text(&mut self, name: &str) {
        if self.special(name) == Some(Special::Number) {
            self.mark(name, Special::Changed);
        }
    }

    /// Notes that a variable is an array, or may be one.
    pub(super) fn stays_array(&mut self, name: &str) {
        self.mark(name, Special::Element);
    }

    fn put(&mut self, name: &str, value: Value) {
        let value = if value.is_large() { Value::Unknown } else { value };
        self.put_shared(name, Some(Rc::new(value)));
    }

    /// Makes this the value of a variable; none: it is what it was before the line.
    fn put_shared(&mut self, name: &str, value: Option<Rc<Value>>) {
        self.journal.note_variable(name);
        self.change(name, |variable| variable.value = value);
    }

    /// Returns what variables are here.
    pub(super) fn values<'a>(&self, names: impl Iterator<Item = &'a str>) -> Values {
        let known = |name| self.variables.get(name).cloned().unwrap_or_default();
        let variables = names.map(|name| (Rc::from(name), known(name))).collect();
        Values { variables, secrets: Rc::clone(&self.secrets) }
    }

    /// Makes variables what they were.
    pub(super) fn put_back(&mut self, before: &Values) {
        for (name, before) in &before.variables {
            self.put_shared(name, before.value.clone());
            self.export_as(name, before.exported);
        }
        self.secrets = Rc::clone(&before.secrets);
    }

    /// Gives variables to what runs in this shell, as they are now; where it unsets one, the one behind it shows. Returns them.
    pub(super) fn lend<'a>(&mut self, names: impl Iterator<Item = &'a str> + Clone) -> Values {
        for name in names.clone() {
            self.export(name, true);
            self.mark(name, Special::Changed);
        }
        self.values(names)
    }

    /// Makes variables what they were `before`, where they are still what was `lent`. Others were set meanwhile, or the command keeps
    /// what it was given.
    pub(super) fn take_back(&mut self, before: &Values, lent: &Values, keeps: bool) {
        for ((name, before), (_, lent)) in before.variables.iter().zip(&lent.variables) {
            let now = self.variables.get(name).cloned().unwrap_or_default();
            if now.holds_what(lent) && !keeps {
                self.put_shared(name, before.value.clone());
                self.export_as(name, before.exported);
                if before.special.is_none() {
                    self.change(name, |variable| variable.special = None);
                }
            } else {
                self.set(name, Value::Unknown);
                self.perhaps_exported(name);
            }
        }
    }

    fn export_as(&mut self, name: &str, exported: Option<Exported>) {
        if self.exported_as(name) != exported {
            self.attributes += 1;
            self.change(name, |variable| variable.exported = exported);
        }
    }

    /// Notes that a variable will not hold what is assigned to it.
    pub(super) fn mark(&mut self, name: &str, how: Special) {
        self.attributes += 1;
        self.change(name, |variable| {
            variable.special = match variable.special {
                None => Some(how),
                before => Special::with(before, Some(how)),
            };
        });
    }

    /// Returns whether nothing may be assigned to a variable.
    pub(super) fn may_refuse(&self, name: &str) -> bool {
        self.special(name).is_some_and(|how| how >= Special::Changed)
            || table::OWN_VARIABLES.contains(&name)
    }

    /// Notes that what leads from `before` to `after` may happen anywhere from here on. Returns whether all of it is noted: it is
    /// not where more is changed than variables, or any of them.
    pub(super) fn changes_at_any_time(&mut self, before: &Self, after: &Self) -> bool {
        // What is set to what it was is set none the less, which shows in where it is kept.
        let nothing = Rc::default();
        let is_set = |name: &&Rc<str>| {
            let known = |state: &Self| Rc::clone(state.variables.get(*name).unwrap_or(&nothing));
            !known(after).holds_what(&known(before))
        };
        let names = after.variables.keys().chain(before.variables.keys());
        let names: Vec<Rc<str>> = names.filter(is_set).cloned().collect();
        for name in names {
            self.mark(&name, Special::Changed);
            self.set(&name, Value::Unknown);
        }
        let have_same_words = match (&before.positional, &after.positional) {
            (Some(was), Some(are)) => Rc::ptr_eq(was, are),
            (was, are) => was.is_none() && are.is_none(),
        };
        have_same_words
            && before.directories == after.directories
            && before.previous == after.previous
            && before.tainted == after.tainted
            && Rc::ptr_eq(&before.functions, &after.functions)
            && Rc::ptr_eq(&before.shadowed, &after.shadowed)
            && before.attributes == after.attributes
    }

    /// Returns whether there are so many variables that others are not noted: any that is not there may hold anything.
    pub(super) fn is_full(&self) -> bool {
        self.variables.len() >= VARIABLES
    }

    /// Drops what was set here: the variable is what it was before the line.
    fn drop_variable(&mut self, name: &str) {
        self.put_shared(name, None);
    }

    /// Notes that programs get a variable, or no longer do.
    pub(super) fn export(&mut self, name: &str, given: bool) {
        let exported = if given { Exported::Yes } else { Exported::No };
        self.attributes += 1;
        self.change(name, |variable| variable.exported = Some(exported));
    }

    /// Returns whether programs get what is set from here on.
    fn exports_all(&self) -> bool {
        self.exported_as("*") == Some(Exported::Yes)
    }

    /// Notes that a variable of a function is gone: programs get the one that it hid, if they did before.
    pub(super) fn no_longer_hides(&mut self, name: &str) {
        if self.may_export(name) {
            self.perhaps_exported(name);
        }
    }

    /// Returns whether the line may give a variable, or a function by its [`function_key`], to programs.
    fn may_export(&self, name: &str) -> bool {
        self.exported_as(name).is_some_and(|how| how != Exported::No)
    }

    /// Notes that programs may get a variable.
    pub(super) fn perhaps_exported(&mut self, name: &str) {
        self.export_as(name, Some(Exported::Perhaps));
    }

    /// Returns the names of variables that programs may get from here on, whatever the shell itself was given.
    pub(super) fn exported(&self) -> impl Iterator<Item = &str> {
        let given = self.variables.keys().map(Rc::as_ref).filter(|name| self.may_export(name));
        given.filter(|name| *name != "*" && !name.ends_with("()"))
    }

    /// Returns those of them that the line set, with what they hold.
    pub(super) fn exported_words(&self) -> Vec<(String, Arg)> {
        let word = |name: &str| Some((name.to_owned(), self.variable(name)?.word()));
        self.exported().filter_map(word).collect()
    }

    /// Becomes what a shell knows that is started from here: of the variables, those that it gets.
    pub(super) fn enter_program(&mut self, inherited: impl Fn(&str) -> bool) {
        // What was there before `set -a` is not given by that.
        let all = self.exported_as("*").map(|_| Exported::Perhaps);
        if !self.functions.is_empty() {
            let exported = |name: &str| all.is_some() || self.may_export(&function_key(name));
            let functions = self.functions.iter().filter(|(name, _)| exported(name));
            let functions =
                functions.map(|(name, bodies)| (Rc::clone(name), Rc::clone(bodies))).collect();
            self.functions = Rc::new(functions);
        }
        let set = self.variables.iter().filter(|(_, variable)| variable.value.is_some());
        let names: Vec<Rc<str>> = set.map(|(name, _)| Rc::clone(name)).collect();
        for name in names {
            let given = if inherited(&name) { Some(Exported::Yes) } else { all };
            let given = self.exported_as(&name).or(given).unwrap_or(Exported::No);
            // Of a variable without a value, programs get the one that it hides.
            let value = self.variables.get(&name).and_then(|variable| variable.value.as_ref());
            let is_another = value.is_some_and(|value| value.may_be_kept_back());
            if given == Exported::No && !inherited(&name) {
                self.drop_variable(&name);
            } else if given != Exported::Yes || is_another {
                self.may_keep_text(&name);
                self.set(&name, Value::Unknown);
            }
        }
        let variables = Rc::make_mut(&mut self.variables).values_mut();
        for variable in variables.filter(|it| it.special.is_some() || it.evaluates) {
            let variable = Rc::make_mut(variable);
            (variable.special, variable.evaluates) = (None, false);
        }
        // Only some shells take them over, and not always.
        self.unsure = Rc::new(self.functions.keys().cloned().collect());
        self.script = [None, None];
        self.locals = Rc::default();
        self.globals = Rc::default();
        self.previous = vec![None];
        self.globs = Globs::default();
        (self.errexit, self.traces) = (false, false);
        (self.nounset, self.traced, self.has_job) = (false, false, false);
    }

    /// Makes a variable one of the function that runs.
    pub(super) fn localise(&mut self, name: &str) {
        if !self.locals.contains_key(name) {
            let outside = self.variables.get(name).cloned().unwrap_or_default();
            if outside.is_array() {
                self.put(name, Value::Unset);
            }
            self.may_keep_text(name);
            Rc::make_mut(&mut self.locals).insert(Rc::from(name), outside);
        }
    }

    /// Returns whether a variable is one of the function that runs.
    pub(super) fn is_local(&self, name: &str) -> bool {
        self.locals.contains_key(name)
    }

    /// Returns whether a function of those that run, so many deep, may have its own variable of that name.
    pub(super) fn may_hide(&self, name: &str, depth: usize) -> bool {
        depth > 1 || self.locals.contains_key(name)
    }

    /// Notes that the variable of no function is set, and perhaps not the one that is seen here.
    pub(super) fn set_global(&mut self, name: &str) {
        Rc::make_mut(&mut self.globals).insert(name.to_owned());
    }

    /// Begins a function that has no variables of its own yet; returns those of the one that called it.
    pub(super) fn enter_function(&mut self) -> Locals {
        Locals(std::mem::take(&mut self.locals))
    }

    /// Ends a function: its variables are what they were before.
    pub(super) fn leave_function(&mut self, outer: &Locals) {
        let locals = std::mem::replace(&mut self.locals, Rc::clone(&outer.0));
        for (name, before) in locals.iter() {
            let is_set = self.globals.contains(&**name);
            if is_set && self.exported_as(name) != before.exported {
                self.perhaps_exported(name);
            } else {
                self.export_as(name, before.exported);
            }
            let value = if is_set { Some(&Value::Unknown) } else { before.value.as_deref() };
            self.drop_variable(name);
            // What is evaluated, the function's own variable was.
            if is_set {
                self.may_keep_text(name);
            } else {
                self.change(name, |variable| {
                    variable.evaluates = before.evaluates;
                    if variable.special == Some(Special::Number) {
                        variable.special = before.special;
                    }
                });
            }
            if let Some(value) = value {
                self.set(name, value.clone());
            }
        }
    }

    /// Notes that a variable now holds output of this command.
    pub(super) fn set_origin(&mut self, name: &str, command: usize) {
        Rc::make_mut(&mut self.origins).entry(name.to_owned()).or_default().push(command);
    }

    /// Forgets which variables hold output of the commands from this one on.
    pub(super) fn drop_origins(&mut self, first: usize) {
        if self.origins.values().flatten().any(|command| *command >= first) {
            for commands in Rc::make_mut(&mut self.origins).values_mut() {
                commands.retain(|command| *command < first);
            }
        }
    }

    /// Returns the commands whose output a variable may hold.
    pub(super) fn origins(&self, name: &str) -> &[usize] {
        self.origins.get(name).map_or(&[], Vec::as_slice)
    }

    /// Forgets every value: code that is not known may have set them.
    pub(super) fn taint(&mut self) {
        self.forget();
        self.tainted = true;
    }

    /// Forgets what the line set.
    pub(super) fn forget(&mut self) {
        self.journal.note(|changes| changes.all = true);
        let unknown = Rc::new(Value::Unknown);
        for variable in Rc::make_mut(&mut self.variables).values_mut() {
            if variable.value.is_some() {
                Rc::make_mut(variable).value = Some(Rc::clone(&unknown));
            }
            if variable.special == Some(Special::Number) {
                Rc::make_mut(variable).special = Some(Special::Changed);
            }
        }
    }

    pub(super) fn functions(&self, name: &str) -> Option<&Vec<Rc<Command>>> {
        self.functions.get(name).map(Rc::as_ref)
    }

    /// Returns whether a name means the program or builtin that is called so.
    pub(super) fn is_free(&self, name: &str) -> bool {
        !self.functions.contains_key(name) && !self.is_shadowed(name)
    }

    pub(super) fn define(&mut self, name: &str, body: Rc<Command>) {
        self.journal.note(|changes| changes.functions = true);
        Rc::make_mut(&mut self.functions).insert(Rc::from(name), Rc::new(vec![body]));
        self.be_sure(name);
    }

    /// Returns whether a function that is known may not be there.
    pub(super) fn is_unsure(&self, name: &str) -> bool {
        self.unsure.contains(name)
    }

    fn be_sure(&mut self, name: &str) {
        if self.is_unsure(name) {
            Rc::make_mut(&mut self.unsure).remove(name);
        }
    }

    pub(super) fn undefine(&mut self, name: &str) {
        // Also where there is none: a trap that takes one away is told by it, see `changes_at_any_time`.
        self.journal.note(|changes| changes.functions = true);
        Rc::make_mut(&mut self.functions).remove(name);
        self.be_sure(name);
    }

    /// Notes that a function, if there is one, may have gone.
    pub(super) fn doubt(&mut self, name: &str) {
        if self.functions.contains_key(name) {
            Rc::make_mut(&mut self.unsure).insert(Rc::from(name));
        }
    }

    pub(super) fn shadow(&mut self, name: &str) {
        if !self.is_shadowed(name) {
            Rc::make_mut(&mut self.shadowed).insert(name.to_owned());
        }
    }

    pub(super) fn is_shadowed(&self, name: &str) -> bool {
        self.shadowed.contains(name)
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
            let nothing = Variable::default();
            let ours = Rc::make_mut(&mut self.variables);
            for (_, own) in ours.iter_mut().filter(|it| !other.variables.contains_key(it.0)) {
                *own = Rc::new(own.or(&nothing));
            }
            for (name, theirs) in other.variables.iter() {
                let own = ours.entry(Rc::clone(name)).or_default();
                if !Rc::ptr_eq(own, theirs) {
                    *own = Rc::new(own.or(theirs));
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
            let theirs = other.secrets.iter().map(|(name, of)| (Rc::clone(name), Rc::clone(of)));
            Rc::make_mut(&mut self.secrets).extend(theirs);
        }
        unite(&mut self.unsure, &other.unsure);
        unite(&mut self.shadowed, &other.shadowed);
        unite(&mut self.globals, &other.globals);
        self.merge_functions(other);
        if !Rc::ptr_eq(&self.locals, &other.locals) {
            // Whether it is the function's own is not known, so neither is what it is behind it.
            let names = self.locals.keys().chain(other.locals.keys());
            let differs = |name: &&Rc<str>| self.locals.get(*name) != other.locals.get(*name);
            let unsure: Vec<Rc<str>> = names.filter(differs).cloned().collect();
            let value = Some(Rc::new(Value::Unknown));
            let exported = Some(Exported::Perhaps);
            let unknown = Rc::new(Variable { value, exported, ..Variable::default() });
            let unsure = unsure.into_iter().map(|name| (name, Rc::clone(&unknown)));
            Rc::make_mut(&mut self.locals).extend(unsure);
        }
        join(&mut self.directories, &other.directories);
        // More than a few ways are not told apart; those that are known still count.
        if self.directories.len() > 4 {
            self.lose_directory();
        }
        join(&mut self.previous, &other.previous);
        if self.previous.len() > 4 {
            self.previous = vec![None];
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        self.tainted |= other.tainted;
        self.globs = self.globs.or(other.globs);
        self.errexit &= other.errexit;
        self.traces |= other.traces;
        self.nounset |= other.nounset;
        self.traced |= other.traced;
        self.has_job &= other.has_job;
    }

    /// Adds the functions of another way; what is only known on one of them may not be there.
    fn merge_functions(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.functions, &other.functions) {
            return;
        }
        let (here, there) = (&self.functions, &other.functions);
        let only_here = here.keys().filter(|name| !there.contains_key(*name));
        let only_there = there.keys().filter(|name| !here.contains_key(*name));
        Rc::make_mut(&mut self.unsure).extend(only_here.chain(only_there).cloned());
        let ours = Rc::make_mut(&mut self.functions);
        for (name, bodies) in other.functions.iter() {
            let known = ours.entry(Rc::clone(name)).or_insert_with(|| Rc::clone(bodies));
            for body in bodies.iter() {
                if Rc::ptr_eq(known, bodies) || known.iter().any(|seen| is_same(seen, body)) {
                    continue;
                }
                if known.len() >= BODIES {
                    Rc::make_mut(&mut self.shadowed).insert(name.to_string());
                    break;
                }
                Rc::make_mut(known).push(Rc::clone(body));
            }
        }
    }

    /// Leaves each directory in once: after `cd /tmp` all that were possible are one, and that does not make them many.
    pub(super) fn tell_directories_once(&mut self) {
        let directories = std::mem::take(&mut self.directories);
        join(&mut self.directories, &directories);
    }

    /// Forgets where this may be, beyond the first few places.
    pub(super) fn lose_directory(&mut self) {
        self.directories.retain(Option::is_some);
        self.directories.truncate(4);
        self.directories.push(None);
        self.previous = vec![None];
    }

    /// Returns whether nothing that matters for reading differs.
    pub(super) fn same(&self, other: &Self) -> bool {
        is_same(&self.variables, &other.variables)
            && is_same(&self.secrets, &other.secrets)
            && is_same(&self.functions, &other.functions)
            && is_same(&self.unsure, &other.unsure)
            && is_same(&self.shadowed, &other.shadowed)
            && is_same(&self.locals, &other.locals)
            && is_same(&self.globals, &other.globals)
            && self.directories == other.directories
            && self.previous == other.previous
            && self.positional == other.positional
            && self.script == other.script
            && self.tainted == other.tainted
            && self.globs == other.globs
            && self.errexit == other.errexit
            && self.traces == other.traces
            && self.nounset == other.nounset
            && self.traced == other.traced
            && self.has_job == other.has_job
            && self.dead == other.dead
    }

    /// Returns whether no name means another function or command.
    pub(super) fn has_same_names(&self, other: &Self) -> bool {
        is_same(&self.functions, &other.functions) && is_same(&self.shadowed, &other.shadowed)
    }
}

/// Adds the names that another way has.
fn unite<T: Clone + Eq + Hash>(names: &mut Rc<HashSet<T>>, others: &Rc<HashSet<T>>) {
    if !Rc::ptr_eq(names, others) {
        Rc::make_mut(names).extend(others.iter().cloned());
    }
}

/// Adds what else is possible.
fn join(possible: &mut Vec<Option<String>>, others: &[Option<String>]) {
    for other in others {
        if !possible.contains(other) {
            possible.push(other.clone());
        }
    }
}

/// Returns whether two are equal; most often they are one.
fn is_same<T: PartialEq>(one: &Rc<T>, other: &Rc<T>) -> bool {
    Rc::ptr_eq(one, other) || one == other
}
