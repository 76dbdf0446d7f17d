//! What the shell would know at a point of the line: variables, directory, functions.
//! Where two ways lead to a point, what differs between them is not known there.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::journal::Journal;
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

/// What `shopt` says of patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Globs {
    /// One that fits nothing becomes no word, fits in other cases, or fits names with a dot in front: `nullglob`,
    /// `nocaseglob`, `dotglob`.
    pub(super) open: u8,
    /// `!(…)` and its like are patterns, also in the values of variables: `extglob`.
    pub(super) extended: bool,
    /// What `${x/…}` replaces may be in other cases: `nocasematch`.
    pub(super) any_case: bool,
    /// `**` goes down into directories: `globstar`.
    pub(super) deep: bool,
}

impl Globs {
    /// Notes that an option is on or off; returns whether it is one of those.
    pub(super) fn switch(&mut self, option: &str, on: bool) -> bool {
        let bit = match option {
            "nullglob" => 1,
            "nocaseglob" => 2,
            "dotglob" => 4,
            "extglob" => {
                self.extended = on;
                return true;
            }
            "globstar" => {
                self.deep = on;
                return true;
            }
            "nocasematch" => {
                self.any_case = on;
                return true;
            }
            _ => return false,
        };
        self.open = if on { self.open | bit } else { self.open & !bit };
        true
    }

    const fn or(self, other: Self) -> Self {
        Self {
            open: self.open | other.open,
            extended: self.extended || other.extended,
            any_case: self.any_case || other.any_case,
            deep: self.deep || other.deep,
        }
    }
}

/// What becomes of what is assigned to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Special {
    /// A single value may become an element of an array, of which programs get none.
    Element,
    /// Something else, or nothing.
    Changed,
    /// Another variable gets it.
    Reference,
}

/// A variable at a point of the line.
struct Kept {
    name: Rc<str>,
    value: Option<Rc<Value>>,
    exported: Option<Exported>,
    special: Option<Special>,
}

/// What some variables are at a point of the line.
pub(super) struct Values {
    names: Vec<Kept>,
    origins: Rc<HashMap<String, Vec<usize>>>,
    secrets: Rc<HashMap<Rc<str>, Rc<str>>>,
}

/// What a variable of a function is outside of it.
#[derive(Clone, Debug, PartialEq)]
struct Outside {
    value: Option<Value>,
    exported: Option<Exported>,
}

/// The variables of a function that called another.
pub(super) struct Locals(Rc<HashMap<String, Outside>>);

/// Variables, directory and functions at one point of the line.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own about the shell")]
pub(super) struct State {
    variables: Names<Value>,
    /// The commands whose output a variable holds, by index into the plan.
    origins: Rc<HashMap<String, Vec<usize>>>,
    /// Variables that hold a secret, and the one that it comes from.
    pub(super) secrets: Rc<HashMap<Rc<str>, Rc<str>>>,
    functions: Names<Vec<Rc<Command>>>,
    shadowed: Rc<HashSet<String>>,
    /// Functions that may not be there.
    unsure: Rc<HashSet<Rc<str>>>,
    /// Variables of the function that runs, and what they were before it.
    locals: Rc<HashMap<String, Outside>>,
    /// Variables of no function that were set while one may have had its own of that name (`declare -g`).
    globals: Rc<HashSet<String>>,
    /// Variables whose values are not what is assigned (`declare -i`, `readonly`), and those that stand for another (`declare -n`).
    special: Rc<HashMap<String, Special>>,
    /// Variables that programs get from here on, or surely do not; `*` stands for all.
    exported: Rc<HashMap<String, Exported>>,
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
        Self {
            variables: Rc::default(),
            origins: Rc::default(),
            secrets: Rc::default(),
            functions: Rc::default(),
            shadowed: Rc::default(),
            unsure: Rc::default(),
            locals: Rc::default(),
            globals: Rc::default(),
            special: Rc::default(),
            exported: Rc::default(),
            directories: vec![directory],
            previous: vec![None],
            positional: None,
            script: [None, None],
            tainted: false,
            globs: Globs::default(),
            errexit: false,
            traces: false,
            nounset: false,
            traced: false,
            has_job: false,
            dead: false,
            journal: Journal::default(),
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.get(name).map(Rc::as_ref)
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        let value = match self.special.get(name) {
            None => value,
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
        let value = if is_bashs_own(name) { Value::Unknown } else { value };
        let is_element = matches!(self.variable(name), Some(Value::Array(_)))
            && !matches!(value, Value::Array(_) | Value::Unset);
        if is_element {
            self.stays_array(name);
        }
        self.put(name, if is_element { Value::Unknown } else { value });
    }

    /// Notes that a variable is an array, or may be one.
    pub(super) fn stays_array(&mut self, name: &str) {
        self.mark(name, Special::Element);
    }

    fn put(&mut self, name: &str, value: Value) {
        let value = if value.is_large() { Value::Unknown } else { value };
        let name: Rc<str> = Rc::from(name);
        self.journal.note_variable(&name);
        Rc::make_mut(&mut self.variables).insert(name, Rc::new(value));
    }

    /// Returns what variables are here.
    pub(super) fn values<'a>(&self, names: impl Iterator<Item = &'a str>) -> Values {
        let kept = |name: &'a str| Kept {
            name: Rc::from(name),
            value: self.variables.get(name).cloned(),
            exported: self.exported.get(name).copied(),
            special: self.special.get(name).copied(),
        };
        let names = names.map(kept).collect();
        Values { names, origins: Rc::clone(&self.origins), secrets: Rc::clone(&self.secrets) }
    }

    /// Makes variables what they were.
    pub(super) fn put_back(&mut self, before: &Values) {
        for kept in &before.names {
            self.put_back_one(kept);
        }
        self.origins = Rc::clone(&before.origins);
        self.secrets = Rc::clone(&before.secrets);
    }

    fn put_back_one(&mut self, kept: &Kept) {
        match &kept.value {
            Some(value) => {
                self.journal.note_variable(&kept.name);
                let variables = Rc::make_mut(&mut self.variables);
                variables.insert(Rc::clone(&kept.name), Rc::clone(value));
            }
            None => self.drop_variable(&kept.name),
        }
        self.export_as(&kept.name, kept.exported);
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
        for (before, lent) in before.names.iter().zip(&lent.names) {
            let name = &before.name;
            let is_lent = match (self.variables.get(name), &lent.value) {
                (Some(now), Some(lent)) => Rc::ptr_eq(now, lent),
                (now, lent) => now.is_none() && lent.is_none(),
            };
            if is_lent && !keeps {
                self.put_back_one(before);
                if before.special.is_none() {
                    Rc::make_mut(&mut self.special).remove(&**name);
                }
            } else {
                self.set(name, Value::Unknown);
                self.export_as(name, Some(Exported::Perhaps));
            }
        }
    }

    fn export_as(&mut self, name: &str, exported: Option<Exported>) {
        if self.exported.get(name).copied() == exported {
            return;
        }
        let all = Rc::make_mut(&mut self.exported);
        match exported {
            Some(exported) => drop(all.insert(name.to_owned(), exported)),
            None => drop(all.remove(name)),
        }
    }

    /// Notes that a variable will not hold what is assigned to it.
    pub(super) fn mark(&mut self, name: &str, how: Special) {
        let known = Rc::make_mut(&mut self.special).entry(name.to_owned()).or_insert(how);
        *known = how.max(*known);
    }

    /// Returns whether nothing may be assigned to a variable.
    pub(super) fn may_refuse(&self, name: &str) -> bool {
        self.special.get(name).is_some_and(|how| *how != Special::Element) || is_bashs_own(name)
    }

    /// Notes that what leads from `before` to `after` may happen anywhere from here on. Returns whether all of it is noted: it is
    /// not where more is changed than variables, or any of them.
    pub(super) fn changes_at_any_time(&mut self, before: &Self, after: &Self) -> bool {
        // What is set to what it was is set none the less, which shows in where it is kept.
        let is_set = |name: &&Rc<str>| {
            let (was, is) = (before.variables.get(*name), after.variables.get(*name));
            !matches!((was, is), (Some(was), Some(is)) if Rc::ptr_eq(was, is))
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
            && Rc::ptr_eq(&before.special, &after.special)
            && Rc::ptr_eq(&before.exported, &after.exported)
    }

    /// Returns whether there are so many variables that others are not noted: any that is not there may hold anything.
    pub(super) fn is_full(&self) -> bool {
        self.variables.len() >= VARIABLES
    }

    /// Drops what was set here: the variable is what it was before the line.
    fn drop_variable(&mut self, name: &str) {
        self.journal.note_variable(name);
        Rc::make_mut(&mut self.variables).remove(name);
    }

    /// Notes that programs get a variable, or no longer do.
    pub(super) fn export(&mut self, name: &str, given: bool) {
        let exported = if given { Exported::Yes } else { Exported::No };
        Rc::make_mut(&mut self.exported).insert(name.to_owned(), exported);
    }

    /// Returns whether programs get what is set from here on.
    pub(super) fn exports_all(&self) -> bool {
        self.exported.get("*") == Some(&Exported::Yes)
    }

    /// Notes that a variable of a function is gone: programs get the one that it hid, if they did before.
    pub(super) fn no_longer_hides(&mut self, name: &str) {
        if self.exported.get(name).is_some_and(|how| *how != Exported::No) {
            self.perhaps_exported(name);
        }
    }

    /// Notes that programs may get a variable.
    pub(super) fn perhaps_exported(&mut self, name: &str) {
        self.export_as(name, Some(Exported::Perhaps));
    }

    /// Returns the names of variables that programs may get from here on, whatever the shell itself was given.
    pub(super) fn exported(&self) -> impl Iterator<Item = &str> {
        let given = self.exported.iter().filter(|(_, how)| **how != Exported::No);
        given.map(|(name, _)| name.as_str()).filter(|name| *name != "*" && !name.ends_with("()"))
    }

    /// Becomes what a shell knows that is started from here: of the variables, those that it gets.
    pub(super) fn enter_program(&mut self, inherited: impl Fn(&str) -> bool) {
        // What was there before `set -a` is not given by that.
        let all = self.exported.get("*").map(|_| Exported::Perhaps);
        if !self.functions.is_empty() {
            let exported = |name: &str| {
                all.is_some()
                    || self
                        .exported
                        .get(&function_key(name))
                        .is_some_and(|how| *how != Exported::No)
            };
            let functions = self.functions.iter().filter(|(name, _)| exported(name));
            let functions =
                functions.map(|(name, bodies)| (Rc::clone(name), Rc::clone(bodies))).collect();
            self.functions = Rc::new(functions);
        }
        let names: Vec<Rc<str>> = self.variables.keys().cloned().collect();
        for name in names {
            let given = if inherited(&name) { Some(Exported::Yes) } else { all };
            let given = self.exported.get(&*name).copied().or(given).unwrap_or(Exported::No);
            // Of a variable without a value, programs get the one that it hides.
            let is_another = matches!(self.variable(&name), Some(Value::Array(_) | Value::Unset));
            if given == Exported::No && !inherited(&name) {
                self.drop_variable(&name);
            } else if given != Exported::Yes || is_another {
                self.set(&name, Value::Unknown);
            }
        }
        // Only some shells take them over, and not always.
        self.unsure = Rc::new(self.functions.keys().cloned().collect());
        self.script = [None, None];
        self.special = Rc::default();
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
            let value = self.variable(name).cloned();
            let exported = self.exported.get(name).copied();
            if matches!(value, Some(Value::Array(_))) {
                self.put(name, Value::Unset);
            }
            let outside = Outside { value, exported };
            Rc::make_mut(&mut self.locals).insert(name.to_owned(), outside);
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
            let set = self.globals.contains(name).then_some(Value::Unknown);
            if set.is_none() || self.exported.get(name).copied() == before.exported {
                self.export_as(name, before.exported);
            } else {
                self.perhaps_exported(name);
            }
            match set.as_ref().or(before.value.as_ref()) {
                Some(value) => {
                    self.drop_variable(name);
                    self.set(name, value.clone());
                }
                None => self.drop_variable(name),
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
        for value in Rc::make_mut(&mut self.variables).values_mut() {
            *value = Rc::clone(&unknown);
        }
    }

    pub(super) fn functions(&self, name: &str) -> Option<&Vec<Rc<Command>>> {
        self.functions.get(name).map(Rc::as_ref)
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
            let unknown = Rc::new(Value::Unknown);
            let is_array = |value: &Value| matches!(value, Value::Array(_));
            let mut arrays: Vec<Rc<str>> = Vec::new();
            let ours = Rc::make_mut(&mut self.variables);
            for (name, value) in other.variables.iter() {
                let own = ours.get(name).map(Rc::as_ref);
                if own.map_or(is_array(value), |own| is_array(own) != is_array(value)) {
                    arrays.push(Rc::clone(name));
                }
                match ours.get_mut(name) {
                    Some(own) if Rc::ptr_eq(own, value) => {}
                    Some(own) => *own = Rc::new(own.or(value)),
                    None => drop(ours.insert(Rc::clone(name), Rc::clone(&unknown))),
                }
            }
            for (name, value) in ours.iter_mut() {
                if !other.variables.contains_key(name) {
                    if is_array(value) {
                        arrays.push(Rc::clone(name));
                    }
                    *value = Rc::clone(&unknown);
                }
            }
            for name in arrays {
                self.stays_array(&name);
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
        if !Rc::ptr_eq(&self.unsure, &other.unsure) {
            Rc::make_mut(&mut self.unsure).extend(other.unsure.iter().cloned());
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            let (here, there) = (&self.functions, &other.functions);
            let names = here.keys().chain(there.keys());
            let unsure =
                names.filter(|name| !here.contains_key(*name) || !there.contains_key(*name));
            let unsure: Vec<Rc<str>> = unsure.cloned().collect();
            if !unsure.is_empty() {
                Rc::make_mut(&mut self.unsure).extend(unsure);
            }
            let ours = Rc::make_mut(&mut self.functions);
            let mut many = Vec::new();
            for (name, bodies) in other.functions.iter() {
                let known = ours.entry(Rc::clone(name)).or_insert_with(|| Rc::clone(bodies));
                if Rc::ptr_eq(known, bodies) {
                    continue;
                }
                for body in bodies.iter() {
                    if known.iter().any(|seen| is_same(seen, body)) {
                        continue;
                    }
                    if known.len() >= BODIES {
                        many.push(Rc::clone(name));
                        break;
                    }
                    Rc::make_mut(known).push(Rc::clone(body));
                }
            }
            for name in many {
                self.shadow(&name);
            }
        }
        if !Rc::ptr_eq(&self.shadowed, &other.shadowed) {
            for name in other.shadowed.iter() {
                self.shadow(name);
            }
        }
        if !Rc::ptr_eq(&self.locals, &other.locals) && self.locals != other.locals {
            // Whether it is the function's own is not known, so neither is what it is behind it.
            let names = self.locals.keys().chain(other.locals.keys());
            let differs = |name: &&String| self.locals.get(*name) != other.locals.get(*name);
            let unsure: Vec<String> = names.filter(differs).cloned().collect();
            let locals = Rc::make_mut(&mut self.locals);
            for name in unsure {
                let exported = Some(Exported::Perhaps);
                locals.insert(name, Outside { value: Some(Value::Unknown), exported });
            }
        }
        if !Rc::ptr_eq(&self.globals, &other.globals) {
            Rc::make_mut(&mut self.globals).extend(other.globals.iter().cloned());
        }
        if !Rc::ptr_eq(&self.special, &other.special) {
            for (name, how) in other.special.iter() {
                self.mark(name, *how);
            }
        }
        if !Rc::ptr_eq(&self.exported, &other.exported) && self.exported != other.exported {
            let names = self.exported.keys().chain(other.exported.keys());
            let differs = |name: &&String| self.exported.get(*name) != other.exported.get(*name);
            let unsure: Vec<String> = names.filter(differs).cloned().collect();
            let exported = Rc::make_mut(&mut self.exported);
            exported.extend(unsure.into_iter().map(|name| (name, Exported::Perhaps)));
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

    /// Leaves each directory in once: after `cd /tmp` all that were possible are one, and that does not make them many.
    pub(super) fn tell_directories_once(&mut self) {
        let mut at = 1;
        while at < self.directories.len() {
            if self.directories[..at].contains(&self.directories[at]) {
                self.directories.remove(at);
            } else {
                at += 1;
            }
        }
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
            && is_same(&self.special, &other.special)
            && is_same(&self.exported, &other.exported)
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

/// Adds what else is possible.
fn join(possible: &mut Vec<Option<String>>, others: &[Option<String>]) {
    for other in others {
        if !possible.contains(other) {
            possible.push(other.clone());
        }
    }
}

/// Returns whether bash says itself what a variable holds, whatever is assigned to it (bash manual, 5.2).
fn is_bashs_own(name: &str) -> bool {
    const NAMES: &str = "BASHPID BASH_ARGC BASH_ARGV BASH_ARGV0 BASH_COMMAND BASH_LINENO BASH_SOURCE BASH_SUBSHELL \
        BASH_VERSINFO DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HISTCMD LINENO \
        PIPESTATUS PPID RANDOM SECONDS SRANDOM UID _";
    NAMES.split(' ').any(|own| own == name)
}

/// Returns whether two are equal; most often they are one.
fn is_same<T: PartialEq>(one: &Rc<T>, other: &Rc<T>) -> bool {
    Rc::ptr_eq(one, other) || one == other
}
