//! The walk over a program: each piece once, in any order.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use super::effects::Given;
use super::link::{DEFAULT, Link, Links};
use super::scope::{Scope, Site};
use super::table::{Act, Form, Gift, Table};
use super::value::Value;
use crate::embedded::Found;
use crate::model::Arg;
use crate::syntax::{Argument, Bound, Code, Held};

/// Reads one program.
pub(super) struct Reader<'a> {
    pub(super) table: &'a Table,
    pub(super) scope: Scope<'a>,
    pub(super) home: Option<&'a str>,
    pub(super) links: &'a Links,
    /// Whether something may be put into the files that it opens.
    pub(super) fills: bool,
    /// Whether it may leave out some of the names that it lists.
    pub(super) picks: bool,
    pub(super) found: Found,
    /// Values of names; any, while one is being found out.
    known: RefCell<HashMap<&'a str, Value>>,
    depth: Cell<u32>,
}

/// How many names stand for one another in a row. What is longer hides something, and would not fit on the stack.
const MAX_CHAIN: u32 = 40;

impl<'a> Reader<'a> {
    pub(super) fn new(
        table: &'a Table,
        code: &'a Code,
        links: &'a Links,
        home: Option<&'a str>,
        text: &str,
    ) -> Self {
        let scope = Scope::of(code, links);
        Self {
            table,
            scope,
            home,
            links,
            fills: table.fills(text) || !links.is_empty(),
            picks: table.picks(text),
            found: Found::default(),
            known: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    pub(super) fn read(mut self, code: &'a Code) -> Found {
        self.names();
        self.used(code);
        self.found
    }

    /// A name of the language that does something must not get another meaning: which of both holds where is not known.
    fn names(&mut self) {
        let shadows = self.scope.names.keys().any(|name| {
            let is_listed = self.table.callable(name).is_some() || self.table.is_given(name);
            if !is_listed {
                return self.table.is_never(name);
            }
            let is_same = matches!(self.name(name), Value::Named(path) if path == *name);
            self.table.is_never(name)
                || (!is_same && self.table.callable(name).is_some_and(|acts| !is_harmless(acts)))
                || (!is_same && self.table.is_given(name) && self.table.does_something(name))
        });
        let own = self.scope.own.keys();
        let own = own.copied().any(|name| self.table.is_never(name) || self.table.is_hook(name));
        if shadows || own {
            self.unlisted();
        }
    }

    pub(super) fn unlisted(&mut self) {
        self.found.unread = true;
    }

    /// Walks code whose value is used for something.
    pub(super) fn used(&mut self, code: &'a Code) {
        self.walk(code);
        let value = self.value(code);
        self.escape(&value);
    }

    /// Walks code. What its value may do is left to the caller.
    fn walk(&mut self, code: &'a Code) {
        match code {
            Code::Text(_) | Code::Number | Code::Flag(_) | Code::Data | Code::Own(..) => {}
            Code::Joined(_)
            | Code::List(_)
            | Code::Record(_)
            | Code::Parts(_)
            | Code::Slash(..)
            | Code::Function(..) => {
                for one in code.pieces() {
                    self.used(one);
                }
            }
            Code::Computed(all) => {
                for one in all {
                    self.looked_at(one);
                }
            }
            Code::After(before, last) => {
                for one in before {
                    self.used(one);
                }
                self.walk(last);
            }
            Code::Name(_) => {
                if self.value(code) == Value::Unlisted {
                    self.unlisted();
                }
            }
            Code::Member(object, name) => {
                self.walk(object);
                self.any_member(object, name);
                match self.value(code) {
                    Value::Unlisted => self.unlisted(),
                    Value::Method(of, name) if !self.may_look_at(&of, &name) => self.unlisted(),
                    _ => {}
                }
            }
            Code::Index(object, key) => {
                self.walk(object);
                self.used(key);
                self.index(object, key);
            }
            Code::Call(callee, arguments) => self.call(callee, arguments),
            Code::Bind(target, bound) => self.bind(target, bound),
            Code::Import { path, name } => self.import(path, name),
        }
    }

    fn call(&mut self, callee: &'a Code, arguments: &'a [Argument]) {
        let function = self.value(callee);
        if matches!(callee, Code::Name(_) | Code::Member(..)) {
            self.walk(callee);
        } else {
            self.used(callee);
        }
        let looks = self.looks(&function);
        for argument in arguments {
            if looks && argument.name.is_none() && !argument.spread {
                self.looked_at(&argument.value);
            } else {
                self.used(&argument.value);
            }
        }
        let given = self.given(arguments);
        match function {
            Value::Named(path) => match self.table.callable(&path) {
                Some(acts) => self.apply(acts, &given),
                None => self.unlisted(),
            },
            Value::Method(of, name) => match self.methods(&of, &name) {
                Some(all) => {
                    if self.may_hold_any(&name) {
                        self.found.commands.push(None);
                    }
                    let given = Given { own: Some(*of), ..given };
                    self.apply_all(&all, &given);
                }
                None => self.unlisted(),
            },
            Value::Function => {}
            // `module.exports = function`: what all modules give is the program's own.
            Value::Local
                if self.table.known_calls
                    && self.scope.own.contains_key("exports")
                    && !self.may_hold_any("exports") => {}
            Value::Local => self.unlisted(),
            // Every capability in it was counted where it was named.
            Value::Text(name) if self.table.named_calls => match name.known() {
                Some(name) => match self.table.callable(&name.to_ascii_lowercase()) {
                    Some(acts) => self.apply(acts, &given),
                    None => self.found.commands.push(None),
                },
                None => self.found.commands.push(None),
            },
            _ if !self.table.known_calls => {}
            _ => self.found.commands.push(None),
        }
    }

    /// Whether a function only looks at what it gets.
    fn looks(&self, function: &Value) -> bool {
        match function {
            Value::Named(path) => {
                self.table.callable(path).is_some_and(|acts| acts.contains(&Act::Looks))
            }
            Value::Method(of, name) => self.methods(of, name).is_some_and(|all| {
                !all.is_empty() && all.iter().all(|acts| acts.contains(&Act::Looks))
            }),
            _ => false,
        }
    }

    /// Walks code whose value is looked at, and not handed on. What looking tells is told.
    fn looked_at(&mut self, code: &'a Code) {
        self.walk(code);
        match self.value(code) {
            Value::Named(_) | Value::Method(..) => {}
            Value::Made(kind, _) if self.table.is_kept(&kind) => {}
            value => self.escape(&value),
        }
    }

    /// Whether a member may be looked at, but not called.
    fn may_look_at(&self, of: &Value, name: &str) -> bool {
        if !self.table.known_calls {
            return self.methods(of, name).is_some();
        }
        let is_fixed = matches!(of, Value::Made(kind, _) if !self.table.escape(kind).is_empty());
        !self.table.is_never(name) && (!is_fixed || self.methods(of, name).is_some())
    }

    /// Whether a member of the program's own may hold a function that is not.
    pub(super) fn may_hold_any(&self, name: &str) -> bool {
        let may = |held: &Held| match held {
            Held::Function | Held::Data => false,
            Held::Named(name) => {
                let known = self.scope.names.get_key_value(name.as_str());
                !known.is_some_and(|(name, _)| {
                    matches!(self.name(name), Value::Function | Value::Plain | Value::Text(_))
                })
            }
            Held::Unknown => true,
        };
        self.table.known_calls && self.scope.own.get(name).is_some_and(|held| held.iter().any(may))
    }

    /// Returns what any member does of a type whose members have any name: `process.env.HOME`.
    fn any_member_acts(&self, kind: &str, name: &str) -> Option<&'a [Act]> {
        let is_any = !is_hidden(name) && self.table.methods(Some(kind), name).is_empty();
        is_any.then(|| self.table.methods(Some(kind), "*").pop()).flatten()
    }

    fn any_member(&mut self, object: &'a Code, name: &str) {
        if let Value::Made(kind, _) = self.value(object)
            && let Some(acts) = self.any_member_acts(&kind, name)
        {
            self.apply(acts, &Given::of(Value::text(name)));
        }
    }

    /// Returns what it does to take an element of a value, if that is listed.
    fn element_acts(&self, of: &Value) -> Option<&'a [Act]> {
        match of {
            Value::Made(kind, _) => self.table.methods(Some(kind), "[]").pop(),
            Value::Named(path) => self.table.callable(&format!("{path}.[]")),
            _ => None,
        }
    }

    fn index(&mut self, object: &'a Code, key: &'a Code) {
        let of = self.value(object);
        if let Some(acts) = self.element_acts(&of) {
            return self.apply(acts, &Given::of(self.value(key)));
        }
        self.escape(&of);
        // `object["name"]` may be a member.
        if self.table.computed_members
            && let Some(name) = self.value(key).known().map(str::to_owned)
            && self.table.is_never(&name)
        {
            self.unlisted();
        }
    }

    fn bind(&mut self, target: &'a Code, bound: &'a Bound) {
        match (target, bound) {
            (Code::Name(name), Bound::Whole(value)) if self.is_tracked(name) => self.walk(value),
            (_, Bound::Whole(value)) => self.used(value),
            (_, Bound::Element(value)) => self.looked_at(value),
            (_, Bound::Unknown) => {}
        }
        self.target(target, bound);
    }

    fn target(&mut self, target: &'a Code, bound: &'a Bound) {
        match target {
            Code::Name(_) => {}
            Code::List(targets) => {
                for target in targets {
                    self.target(target, bound);
                }
            }
            Code::Member(object, name) => {
                self.walk(object);
                let of = self.value(object);
                if self.is_fixed(&of) || self.table.is_never(name) || is_hidden(name) {
                    self.unlisted();
                }
            }
            Code::Index(object, key) => {
                self.walk(object);
                self.used(key);
                if self.is_fixed(&self.value(object)) {
                    self.unlisted();
                }
                // Under a name that is not known it could be called unseen.
                let is_known = matches!(bound, Bound::Whole(value)
                    if matches!(Held::of(value), Held::Function | Held::Data)
                        || matches!(self.value(value), Value::Text(_) | Value::Plain));
                if self.table.computed_members && !is_known {
                    self.unlisted();
                }
            }
            other => self.used(other),
        }
    }

    /// Whether what a value holds is not the program's to change.
    fn is_fixed(&self, of: &Value) -> bool {
        match of {
            Value::Named(_) | Value::Local | Value::Unlisted => true,
            Value::Made(kind, _) => !self.table.escape(kind).is_empty(),
            _ => false,
        }
    }

    fn import(&mut self, path: &'a str, name: &'a str) {
        if let Some(link) = self.links.get(path) {
            if !self.is_linked(link, path, name) {
                self.unlisted();
            }
            // Under a name that stands for something else too it would not be seen.
            if let (Link::Member(member), Value::Any) = (link, self.known_name(name))
                && member != name
            {
                let value = self.local_member(member);
                self.escape(&value);
            }
            return;
        }
        self.found.modules.extend(path.split('.').next().map(str::to_owned));
        let loaded = match self.table.module(path) {
            Some(acts) => Some(acts),
            None if self.table.callable(path).is_some() => {
                path.rsplit_once('.').and_then(|(module, _)| self.table.module(module))
            }
            None => None,
        };
        let Some(loaded) = loaded else { return self.unlisted() };
        self.apply(loaded, &Given::default());
        if !name.is_empty() && self.name(name) == Value::Any {
            self.escape(&Value::Named(path.to_owned()));
        }
    }

    fn known_name(&self, name: &'a str) -> Value {
        if name.is_empty() { Value::Plain } else { self.name(name) }
    }

    /// Whether it is clear what is got of a module of the program's own.
    fn is_linked(&self, link: &'a Link, path: &'a str, name: &str) -> bool {
        match link {
            Link::Module => name.is_empty() || !self.is_ambiguous(path),
            Link::Member(member) => match member.as_str() {
                "*" => true,
                DEFAULT => self.scope.names.contains_key(DEFAULT) != self.gives_all_at_once(),
                member => !matches!(self.member_of(Value::Local, member), Value::Unlisted),
            },
        }
    }

    /// Whether the last name of a module's path is the name of something else besides.
    fn is_ambiguous(&self, path: &str) -> bool {
        let leaf = path.rsplit('.').next().unwrap_or(path);
        let sites = self.scope.names.get(leaf).into_iter().flatten();
        sites.copied().any(|site| match site {
            Site::Import(path) => self.links.get(path) != Some(&Link::Module),
            _ => true,
        })
    }

    /// Whether a module says by `exports` what it gives.
    fn gives_all_at_once(&self) -> bool {
        ["exports", "module"].iter().any(|name| self.scope.uses.contains_key(name))
    }

    /// What a module of the program's own has by a name.
    fn local_member(&self, name: &str) -> Value {
        if is_hidden(name) || self.table.is_never(name) {
            return Value::Unlisted;
        }
        let of = || Value::Method(Box::new(Value::Any), name.to_owned());
        let is_own = self.table.known_calls && self.scope.own.contains_key(name);
        match self.scope.names.get_key_value(name) {
            Some(_) if self.links.has_module(name) && self.is_ambiguous(name) => Value::Unlisted,
            Some((name, _)) => match self.name(name) {
                known @ (Value::Named(_) | Value::Method(..) | Value::Unlisted) => known,
                _ if is_own && self.may_hold_any(name) => Value::Unlisted,
                _ if is_own => of(),
                known => known,
            },
            None if is_own => of(),
            None if self.links.has_module(name) => Value::Local,
            None => Value::Unlisted,
        }
    }

    /// A name that stands for one value all over the program.
    fn is_tracked(&self, name: &str) -> bool {
        self.scope.names.get(name).is_some_and(|sites| sites.len() == 1)
    }

    /// Returns what a name stands for.
    fn name(&self, name: &'a str) -> Value {
        let Some(sites) = self.scope.names.get(name) else {
            return match self.table.callable(name) {
                Some(acts) => named(name, acts),
                None if self.table.is_given(name) => Value::Named(name.to_owned()),
                None => Value::Unlisted,
            };
        };
        if let Some(known) = self.known.borrow().get(name) {
            return known.clone();
        }
        if self.depth.get() >= MAX_CHAIN {
            return Value::Unlisted;
        }
        self.depth.set(self.depth.get() + 1);
        self.known.borrow_mut().insert(name, Value::Any);
        let mut sites = sites.clone();
        sites.retain(|site| !self.is_same_of_module(*site, name));
        let value = match sites.as_slice() {
            [] if self.scope.own.contains_key(name) => {
                Value::Method(Box::new(Value::Any), name.to_owned())
            }
            [] => Value::Unlisted,
            [one] => self.site(*one, name),
            several => {
                let first = self.site(several[0], name);
                let is_same = matches!(first, Value::Named(_) | Value::Function)
                    && several.iter().all(|site| self.site(*site, name) == first);
                if is_same { first } else { Value::Any }
            }
        };
        self.depth.set(self.depth.get() - 1);
        self.known.borrow_mut().insert(name, value.clone());
        value
    }

    /// Whether a name gets what a module of the program's own has by the same name: `const { a } = require('./b')`.
    fn is_same_of_module(&self, site: Site<'a>, name: &str) -> bool {
        matches!(site, Site::Whole(Code::Member(object, member))
            if member == name && self.value(object) == Value::Local)
    }

    fn site(&self, site: Site<'a>, name: &str) -> Value {
        let value = match site {
            Site::Whole(value) => self.value(value),
            Site::Element(value) => self.value(value).element(),
            Site::Part(bound, at) => {
                let whole = match bound {
                    Bound::Whole(value) => self.value(value),
                    Bound::Element(value) => self.value(value).element(),
                    Bound::Unknown => Value::Any,
                };
                match whole {
                    Value::List(parts) => parts.get(at).cloned().unwrap_or(Value::Any),
                    _ => Value::Any,
                }
            }
            Site::Import(path) => match self.links.get(path) {
                Some(Link::Module) => Value::Local,
                Some(Link::Member(member)) if member == DEFAULT => {
                    match self.scope.names.get_key_value(DEFAULT) {
                        Some((name, _)) => self.name(name),
                        None => Value::Local,
                    }
                }
                Some(Link::Member(member)) => self.local_member(member),
                None => self.member(path),
            },
            Site::Unknown => Value::Any,
        };
        match value {
            // A list may be changed between one mention and the next.
            Value::List(_) | Value::OneOf(_)
                if self.scope.uses.get(name).copied().unwrap_or(0) > 1
                    && !matches!(site, Site::Element(_) | Site::Part(..)) =>
            {
                Value::Any
            }
            Value::Text(_) if self.table.mutable_text && !self.scope.is_only_given(name) => {
                Value::Text(Arg::Unknown)
            }
            // Counted where it was named, since it is one of several.
            Value::Named(_) | Value::Method(..)
                if !matches!(site, Site::Whole(_) | Site::Import(_)) =>
            {
                Value::Any
            }
            value => value,
        }
    }

    /// What a listed name, or a member of a module, stands for.
    fn member(&self, path: &str) -> Value {
        match self.table.callable(path) {
            Some(acts) => named(path, acts),
            None if self.table.module(path).is_some() => Value::Named(path.to_owned()),
            None => Value::Unlisted,
        }
    }

    /// Returns what is known of the value of code.
    pub(super) fn value(&self, code: &'a Code) -> Value {
        match code {
            Code::Text(text) => Value::text(text.as_str()),
            Code::Number => Value::Number,
            Code::Flag(flag) => Value::Flag(*flag),
            Code::Data => Value::Plain,
            Code::Joined(all) => match all.as_slice() {
                [] => Value::text(""),
                [first, rest @ ..] => rest
                    .iter()
                    .fold(self.value(first), |text, next| text.concatenated(&self.value(next))),
            },
            Code::List(all) => Value::List(all.iter().map(|one| self.value(one)).collect()),
            Code::Name(name) => self.name(name),
            Code::Member(object, name) => self.member_of(self.value(object), name),
            Code::Index(object, key) => match self.value(object) {
                Value::Many(element) => *element,
                of => match self.element_acts(&of) {
                    Some(acts) => self.gift(acts, &Given::of(self.value(key))),
                    None => Value::Any,
                },
            },
            Code::Slash(one, other) => match (self.value(one), self.value(other)) {
                (Value::Made(kind, of), other) => Value::Made(kind, Box::new(of.joined(&other))),
                (one, Value::Made(kind, of)) => Value::Made(kind, Box::new(one.joined(&of))),
                _ => Value::Any,
            },
            Code::Call(callee, arguments) => {
                let given = self.given(arguments);
                match self.value(callee) {
                    Value::Named(path) => match self.table.callable(&path) {
                        Some(acts) => self.gift(acts, &given),
                        None => Value::Any,
                    },
                    Value::Method(of, name) => {
                        let acts = self.methods(&of, &name).unwrap_or_default();
                        let given = Given { own: Some(*of), ..given };
                        match acts.as_slice() {
                            [acts] => self.gift(acts, &given),
                            _ => Value::Any,
                        }
                    }
                    _ => Value::Any,
                }
            }
            Code::Function(..) => Value::Function,
            Code::Record(_) | Code::Computed(_) => Value::Plain,
            Code::After(_, last) => self.value(last),
            Code::Parts(all) => match all.as_slice() {
                [one] => self.value(one),
                [] => Value::Plain,
                _ => Value::Any,
            },
            Code::Bind(..) | Code::Import { .. } | Code::Own(..) => Value::Plain,
        }
    }

    fn member_of(&self, object: Value, name: &str) -> Value {
        match object {
            Value::Named(path) => {
                let full = format!("{path}.{name}");
                let is_module = self.table.module(&path).is_some();
                match self.member(&full) {
                    // What every module has.
                    Value::Unlisted
                        if is_module && !self.table.methods(Some("module"), name).is_empty() =>
                    {
                        Value::Plain
                    }
                    // A method of a type that is named: `str.lower`.
                    Value::Unlisted => {
                        let acts = self.table.callable(&path);
                        match acts.map(|acts| self.gift(acts, &Given::unknown())) {
                            Some(Value::Made(kind, _)) => {
                                let of = Value::Made(kind, Box::new(Value::Any));
                                Value::Method(Box::new(of), name.to_owned())
                            }
                            _ => Value::Unlisted,
                        }
                    }
                    value => value,
                }
            }
            Value::Unlisted => Value::Unlisted,
            Value::Local => self.local_member(name),
            Value::Made(kind, of) => {
                if let Some(acts) = self.any_member_acts(&kind, name) {
                    return self.gift(acts, &Given::of(Value::text(name)));
                }
                let own = Value::Made(kind, of);
                match self.methods(&own, name).unwrap_or_default().as_slice() {
                    // A member that is a path, not a way to one.
                    [[act @ Act::Gives(Gift { form: Form::Parent, .. })]] => {
                        let given = Given { own: Some(own), ..Given::default() };
                        self.gift(std::slice::from_ref(act), &given)
                    }
                    _ => Value::Method(Box::new(own), name.to_owned()),
                }
            }
            other => Value::Method(Box::new(other), name.to_owned()),
        }
    }

    /// What a method of a value does: of one type if that is known, else of every type that has it. None: not listed.
    pub(super) fn methods(&self, of: &Value, name: &str) -> Option<Vec<&'a [Act]>> {
        if self.table.is_never(name) {
            return None;
        }
        let kind = kind(of);
        let methods = self.table.methods(kind, name);
        let is_own = kind.is_none() && !is_hidden(name) && self.scope.own.contains_key(name);
        (is_own || !methods.is_empty()).then_some(methods)
    }

    /// The arguments of a call, as far as they are known.
    pub(super) fn given(&self, arguments: &'a [Argument]) -> Given {
        let mut given = Given::default();
        for argument in arguments {
            match &argument.name {
                _ if argument.spread => given.open = true,
                Some(name) => given.named.push((name.clone(), self.value(&argument.value))),
                None if given.open => {}
                None => given.by_position.push(self.value(&argument.value)),
            }
        }
        given
    }
}

fn named(path: &str, acts: &[Act]) -> Value {
    for act in acts {
        if let Act::Is(kind) = act {
            return match kind.as_str() {
                kind if kind.starts_with("text:") => Value::text(&kind["text:".len()..]),
                kind => Value::Made(kind.to_owned(), Box::new(Value::Text(Arg::Unknown))),
            };
        }
    }
    Value::Named(path.to_owned())
}

/// The type of a value, if it is known.
fn kind(of: &Value) -> Option<&str> {
    match of {
        Value::Made(kind, _) => Some(kind),
        Value::Text(_) | Value::Number | Value::Flag(_) | Value::List(_) | Value::Many(_) => {
            Some("data")
        }
        Value::OneOf(all) => {
            let first = all.first().and_then(kind)?;
            all.iter().all(|one| kind(one) == Some(first)).then_some(first)
        }
        Value::Any
        | Value::Plain
        | Value::Named(_)
        | Value::Method(..)
        | Value::Function
        | Value::Local
        | Value::Unlisted => None,
    }
}

/// Names in double underscores mean something to the language itself.
fn is_hidden(name: &str) -> bool {
    name.starts_with("__")
}

fn is_harmless(acts: &[Act]) -> bool {
    acts.iter().all(Act::is_harmless)
}
