//! What a call does with the arguments that it gets.

use super::table::{Act, At, Deed, Form, Gift, Place, Reach};
use super::value::{Value, at_home, is_open, within};
use super::walk::Reader;
use crate::embedded::HIDDEN;
use crate::embedded::{self, NoModules};
use crate::model::{Arg, EffectKind, Language, TargetKind};

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// What the method is called on.
    pub(super) own: Option<Value>,
    pub(super) by_position: Vec<Value>,
    pub(super) named: Vec<(String, Value)>,
    /// More may follow that are not known.
    pub(super) open: bool,
}

impl Given {
    /// Arguments of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self { open: true, ..Self::default() }
    }

    /// One argument.
    pub(super) fn of(value: Value) -> Self {
        Self { by_position: vec![value], ..Self::default() }
    }

    fn at(&self, place: &Place) -> Option<Value> {
        match place.at {
            At::Own => Some(self.own.clone().unwrap_or(Value::Any)),
            At::From(first) if self.open => {
                let _ = first;
                Some(Value::Any)
            }
            At::From(first) => {
                Some(Value::List(self.by_position.get(first..).unwrap_or_default().to_vec()))
            }
            At::Index(at) => self
                .by_position
                .get(at)
                .or_else(|| {
                    let named = self.named.iter().find(|(name, _)| place.names.contains(name));
                    named.map(|(_, value)| value)
                })
                .cloned()
                .or_else(|| self.open.then_some(Value::Any)),
        }
    }

    /// Whether a shell is asked for.
    fn shell(&self) -> Option<&Value> {
        self.named.iter().find(|(name, _)| name == "shell").map(|(_, value)| value)
    }

    fn texts(&self, place: &Place) -> Vec<Arg> {
        let texts = self.own_texts(place);
        match place.reach {
            Reach::Itself => texts,
            Reach::Beginning => texts.iter().map(beginning).collect(),
            Reach::Above => texts.iter().flat_map(above).collect(),
            Reach::Below => texts.iter().flat_map(below).collect(),
        }
    }

    fn own_texts(&self, place: &Place) -> Vec<Arg> {
        match self.at(place) {
            Some(Value::Number) => Vec::new(),
            Some(Value::List(all)) if matches!(place.at, At::From(_)) => {
                let named = all.iter().filter(|value| **value != Value::Number);
                named.flat_map(Value::texts).collect()
            }
            Some(value) => value.texts(),
            None if place.optional => Vec::new(),
            None => vec![Arg::Unknown],
        }
    }

    /// Whether all that is given is something of which the acts tell what it means.
    fn is_covered_by(&self, acts: &[Act]) -> bool {
        let covered: Vec<&Place> = acts.iter().flat_map(Act::places).collect();
        let with = acts.iter().filter_map(|act| match act {
            Act::With(names) => Some(names),
            _ => None,
        });
        let with: Vec<&String> = with.flatten().collect();
        let fits = |at: usize| {
            with.iter().any(|word| word.parse() == Ok(at))
                || covered.iter().any(|place| match place.at {
                    At::Index(index) => index == at,
                    At::From(first) => at >= first,
                    At::Own => false,
                })
        };
        let is_named = |name: &String| {
            with.contains(&name)
                || covered.iter().any(|place| place.names.iter().any(|given| given == name))
        };
        !self.open
            && (0..self.by_position.len()).all(fits)
            && self.named.iter().all(|(name, _)| is_named(name))
    }
}

impl Reader<'_> {
    /// A value is handed on to something that may do with it whatever it can.
    pub(super) fn escape(&mut self, value: &Value) {
        match value {
            Value::Named(path) => match self.table.callable(path) {
                Some(acts) => self.apply(acts, &Given::unknown()),
                None => self.unlisted(),
            },
            Value::Method(of, name) => {
                let given = Given { own: Some((**of).clone()), ..Given::unknown() };
                self.apply_all(&self.methods(of, name).unwrap_or_default(), &given);
            }
            Value::Made(kind, _) if self.table.is_kept(kind) => self.unlisted(),
            Value::Made(kind, _) => {
                let acts = self.table.escape(kind);
                if !acts.is_empty() {
                    self.apply(acts, &Given::unknown());
                }
            }
            Value::OneOf(all) => {
                for one in all {
                    self.escape(one);
                }
            }
            // A module as a value could be used under any name.
            Value::Local | Value::Unlisted => self.unlisted(),
            Value::Any
            | Value::Plain
            | Value::Text(_)
            | Value::Number
            | Value::Flag(_)
            | Value::List(_)
            | Value::Many(_)
            | Value::Function => {}
        }
    }

    /// Does what one of several callables does: all of it.
    pub(super) fn apply_all(&mut self, all: &[&[Act]], given: &Given) {
        for acts in all {
            let count = acts.iter().find_map(|act| match act {
                Act::Count(count) => Some(*count),
                _ => None,
            });
            let fits = given.open || count.is_none_or(|count| count == given.by_position.len());
            if fits || all.len() == 1 {
                self.apply(acts, given);
            }
        }
    }

    /// Does what a callable does.
    pub(super) fn apply(&mut self, acts: &[Act], given: &Given) {
        let does = acts.iter().any(|act| {
            !matches!(act, Act::Gives(_) | Act::Is(_) | Act::Count(_) | Act::With(_) | Act::Looks)
                && !matches!(act, Act::Effect(EffectKind::Build, None) | Act::Does(Deed::Calls, _))
        });
        if does && !given.is_covered_by(acts) {
            self.unlisted();
        }
        for act in acts {
            self.act(act, given);
        }
    }

    fn act(&mut self, act: &Act, given: &Given) {
        match act {
            Act::Effect(kind, None) => self.effect(*kind, None),
            Act::Effect(kind, Some(at)) => {
                // Nothing is what the file holds then.
                let is_emptied = *kind == EffectKind::Write
                    && given.by_position.iter().any(|value| value.known() == Some(""));
                for text in given.texts(at) {
                    if is_emptied {
                        self.effect(EffectKind::Empty, Some(text.clone()));
                    }
                    self.effect(*kind, Some(text));
                }
            }
            Act::Opaque => self.found.commands.push(None),
            Act::Does(Deed::Shell, at) => self.shell(&given.texts(at)),
            Act::Does(Deed::Argv, at) => match given.at(at) {
                Some(value) => self.argv(&value),
                None => self.found.commands.push(None),
            },
            Act::Does(Deed::Run, at) => self.run(at, given),
            Act::Spawn(program, arguments) => self.spawn(program, arguments, given),
            Act::Does(Deed::System, at) => match given.at(at) {
                Some(Value::List(words)) if words.len() > 1 => self.argv(&Value::List(words)),
                _ => self.shell(&given.texts(at)),
            },
            Act::Open(path, mode) => {
                let mode = given.at(mode);
                for text in given.texts(path) {
                    self.open(text, mode.as_ref());
                }
            }
            Act::OpenPipe(path, mode) => self.open_pipe(path, mode, given),
            Act::Does(Deed::Variable, at) => {
                for text in given.texts(at) {
                    if text.known().is_none_or(crate::variables::holds_secret) {
                        self.effect(EffectKind::Disclose, None);
                    }
                }
            }
            Act::Sql(dialect, at) => {
                for text in given.texts(at) {
                    let read = |text| {
                        embedded::read(text, Language::Sql(*dialect), self.home, &mut NoModules)
                    };
                    match text.known().and_then(read) {
                        Some(found) => {
                            self.found.effects.extend(found.effects);
                            self.found.commands.extend(found.commands);
                            self.found.unread |= found.unread;
                        }
                        None => self.effect(EffectKind::DatabaseChange, None),
                    }
                }
            }
            Act::Does(Deed::Opens, at) => {
                for text in given.texts(at) {
                    self.opened(text);
                }
            }
            Act::Does(Deed::Calls, at) => {
                let counts = self.table.known_calls || self.table.named_calls;
                if counts && let Some(value) = given.at(at) {
                    self.called(&value);
                }
            }
            Act::Does(Deed::Module | Deed::Loads, at) => self.load(&given.texts(at)),
            Act::Does(Deed::Beside, at) => {
                for text in given.texts(at) {
                    if text.known().is_none_or(|name| self.links.get(name).is_none()) {
                        self.found.commands.push(None);
                    }
                }
            }
            Act::Count(_) | Act::With(_) | Act::Gives(_) | Act::Is(_) | Act::Looks => {}
        }
    }

    fn load(&mut self, texts: &[Arg]) {
        for text in texts {
            if text.known().is_some_and(|name| self.links.get(name).is_some()) {
                continue;
            }
            match text.known().and_then(|name| self.table.module(bare(name))) {
                Some(acts) => self.apply(acts, &Given::default()),
                None if is_data_file(text) => {
                    self.effect(EffectKind::Build, None);
                    if text.prefix().starts_with(['.', '/']) {
                        self.effect(EffectKind::Read, Some(text.clone()));
                    }
                }
                None => self.unlisted(),
            }
        }
    }

    fn effect(&mut self, kind: EffectKind, target: Option<Arg>) {
        // Functions for files may take addresses too.
        if let Some((scheme, rest)) = target.as_ref().and_then(|at| at.prefix().split_once("://"))
            && kind.target_kind() == TargetKind::Path
        {
            match (scheme, rest) {
                ("php", "stdin" | "stdout" | "stderr" | "memory" | "temp" | "output") => return,
                ("http" | "https" | "ftp", _) => {
                    let kind =
                        if kind == EffectKind::Read { EffectKind::Fetch } else { EffectKind::Send };
                    self.found.effects.push((kind, target.clone()));
                }
                ("file", _) => {}
                _ => self.unlisted(),
            }
        }
        let effect = (kind, target);
        if !self.found.effects.contains(&effect) {
            self.found.effects.push(effect);
        }
    }

    fn shell(&mut self, texts: &[Arg]) {
        for text in texts {
            self.found.commands.push(text.known().map(str::to_owned));
        }
    }

    fn argv(&mut self, value: &Value) {
        let words = match value {
            Value::List(all) => all.iter().map(one_word).collect(),
            Value::Text(text) => vec![text.clone()],
            _ => Vec::new(),
        };
        match words.first().and_then(Arg::known) {
            Some(_) => self.found.argvs.push(words),
            None => self.found.commands.push(None),
        }
    }

    fn spawn(&mut self, program: &Place, arguments: &Place, given: &Given) {
        let mut words = vec![given.at(program).unwrap_or(Value::Any)];
        match given.at(arguments) {
            Some(Value::List(more)) => words.extend(more),
            None => {}
            Some(_) => words.push(Value::Any),
        }
        match given.shell() {
            None | Some(Value::Flag(false)) => self.argv(&Value::List(words)),
            Some(_) => {
                let words: Option<Vec<&str>> = words.iter().map(Value::known).collect();
                self.found.commands.push(words.map(|words| words.join(" ")));
            }
        }
    }

    fn run(&mut self, at: &Place, given: &Given) {
        match (given.shell(), given.at(at)) {
            (Some(Value::Flag(true)), Some(value)) => self.shell(&value.texts()),
            (None | Some(Value::Flag(false)), Some(value)) => self.argv(&value),
            _ => self.found.commands.push(None),
        }
    }

    fn open(&mut self, path: Arg, mode: Option<&Value>) {
        let kind = match mode.map(|mode| mode.known()) {
            None => EffectKind::Read,
            Some(Some(mode)) if mode.starts_with('w') => return self.opened(path),
            Some(Some(mode)) if mode.contains(['w', 'x', '+']) => EffectKind::Write,
            Some(Some(mode)) if mode.contains('a') || mode == ">>" => EffectKind::Append,
            Some(Some(mode)) if mode.contains('>') => EffectKind::Write,
            Some(Some(mode)) if mode.contains('|') => return self.found.commands.push(None),
            Some(Some(_)) => EffectKind::Read,
            // A mode that is not known may be any.
            Some(None) => {
                self.effect(EffectKind::Read, Some(path.clone()));
                if path.known().is_some() {
                    return self.opened(path);
                }
                EffectKind::Write
            }
        };
        self.effect(kind, Some(path));
    }

    /// A file is opened to be filled: where nothing fills it, it is empty then.
    fn opened(&mut self, path: Arg) {
        if !self.fills {
            self.effect(EffectKind::Empty, Some(path.clone()));
        }
        self.effect(EffectKind::Write, Some(path));
    }

    fn open_pipe(&mut self, path: &Place, mode: &Place, given: &Given) {
        for text in given.texts(path) {
            match text.known().map(str::trim) {
                Some(known) if known.starts_with('|') || known.ends_with('|') => {
                    let command = known.trim_matches('|').to_owned();
                    self.found.commands.push(Some(command));
                }
                Some(_) => self.open(text, given.at(mode).as_ref()),
                None if text.prefix().starts_with(['.', '/']) => {
                    self.open(text, given.at(mode).as_ref());
                }
                None => self.found.commands.push(None),
            }
        }
    }

    /// What is given as a function is one of the program's own, or listed as harmless.
    fn called(&mut self, value: &Value) {
        match value {
            Value::Text(name) if self.table.named_calls => self.called_by_name(name.known()),
            Value::Function
            | Value::Plain
            | Value::Number
            | Value::Flag(_)
            | Value::Text(_)
            | Value::Made(..)
            | Value::Named(_) => {}
            Value::Method(of, name) => {
                if self.methods(of, name).is_none() || self.may_hold_any(name) {
                    self.found.commands.push(None);
                }
            }
            Value::Any
            | Value::List(_)
            | Value::OneOf(_)
            | Value::Many(_)
            | Value::Local
            | Value::Unlisted => self.found.commands.push(None),
        }
    }

    fn called_by_name(&mut self, name: Option<&str>) {
        let Some(name) = name else { return self.found.commands.push(None) };
        // `:+`
        if !name.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
            return;
        }
        if let Some(acts) = self.table.callable(name) {
            self.apply(acts, &Given::unknown());
        } else if self.table.is_never(name) || self.table.methods(None, name).is_empty() {
            self.found.commands.push(None);
        }
    }

    /// Returns what a call gives.
    pub(super) fn gift(&self, acts: &[Act], given: &Given) -> Value {
        let gift = acts.iter().find_map(|act| match act {
            Act::Gives(gift) => Some(gift),
            _ => None,
        });
        if let Some(gift) = gift {
            return self.given_as(gift, given);
        }
        for act in acts {
            match act {
                Act::Does(Deed::Variable, at)
                    if given.texts(at) == [Arg::Known("HOME".to_owned())] =>
                {
                    return self.home.map_or(Value::Any, Value::text);
                }
                Act::Does(Deed::Module, at) => {
                    return match given.at(at).as_ref().and_then(Value::known) {
                        Some(name) if self.links.get(name).is_some() => Value::Local,
                        Some(name) if self.table.module(bare(name)).is_some() => {
                            Value::Named(bare(name).to_owned())
                        }
                        Some(name) if is_data_file(&Arg::Known(name.to_owned())) => Value::Plain,
                        _ => Value::Unlisted,
                    };
                }
                _ => {}
            }
        }
        Value::Any
    }

    /// What a listing gives: the names that begin with a dot as well, which `*` passes over.
    fn listed(&self, names: Value) -> Value {
        let hidden = |names: &Arg| match names {
            Arg::Glob(names) => {
                let above = names.trim_end_matches('*');
                Arg::Glob(format!("{above}{HIDDEN}"))
            }
            other => other.clone(),
        };
        if self.picks { names } else { names.or_each(hidden) }
    }

    fn given_as(&self, gift: &Gift, given: &Given) -> Value {
        let of = gift.of.as_ref().and_then(|at| given.at(at));
        let directory = || match (&gift.of, &of) {
            (Some(_), Some(of)) => of.clone(),
            (Some(_), None) => Value::text("."),
            (None, _) => Value::Any,
        };
        let paths = || given.by_position.iter().map(plain_text);
        let path = |path: Option<Value>| path.unwrap_or_else(|| Value::text("."));
        let value = match gift.form {
            Form::Unknown => Value::Text(Arg::Unknown),
            Form::Same => of.unwrap_or(Value::Text(Arg::Unknown)),
            Form::Join | Form::Chain if given.open => Value::Text(Arg::Unknown),
            Form::Chain => path(paths().reduce(|path, next| path.joined(&next.changed(relative)))),
            Form::Join => path(paths().reduce(|path, next| path.joined(&next))),
            Form::HomeDir => self.home.map_or(Value::Any, Value::text),
            Form::Pattern => directory().changed(|text| match text {
                Arg::Known(pattern) => Arg::Glob(pattern.clone()),
                other => other.clone(),
            }),
            Form::Home => directory().changed(|text| at_home(text, self.home)),
            Form::Parent => directory().changed(parent),
            Form::Inside => self.listed(directory().changed(|text| within(text, "*"))),
            Form::Below => directory().changed(|text| within(text, "**")),
            Form::Found | Form::FoundBelow => {
                let pattern = given.by_position.first().and_then(Value::known);
                let says = |name: &&str| name.contains(|c: char| !"*?/[]".contains(c));
                let pattern = pattern.filter(says).map_or("**".to_owned(), |pattern| {
                    let is_below = gift.form == Form::FoundBelow;
                    if is_below { format!("**/{pattern}") } else { pattern.to_owned() }
                });
                let found = directory().changed(|text| within(text, &pattern));
                if pattern == "**" { self.listed(found) } else { found }
            }
            Form::Leaf => self.listed(Value::Text(Arg::Glob("*".to_owned()))),
            Form::Walk => {
                let leaf = self.listed(Value::Text(Arg::Glob("*".to_owned())));
                let leaf = || Value::Many(Box::new(leaf.clone()));
                let root = directory().or_each(|text| within(text, "**"));
                return Value::Many(Box::new(Value::List(vec![root, leaf(), leaf()])));
            }
            Form::Words => {
                return match directory().known() {
                    Some(text) if given.by_position.is_empty() => {
                        Value::List(text.split_whitespace().map(Value::text).collect())
                    }
                    _ => Value::Any,
                };
            }
        };
        let value = match &gift.kind {
            Some(kind) => Value::Made(kind.clone(), Box::new(plain_text(&value))),
            None if gift.form == Form::Unknown => Value::Any,
            None => value,
        };
        if gift.many { Value::Many(Box::new(value)) } else { value }
    }
}

/// A path without the slash in front.
fn relative(path: &Arg) -> Arg {
    match path {
        Arg::Known(text) => Arg::Known(text.trim_start_matches('/').to_owned()),
        Arg::Glob(text) => Arg::Glob(text.trim_start_matches('/').to_owned()),
        other => other.clone(),
    }
}

/// The directory of a path, by its name alone. The working directory may be meant by its whole name, which has a directory.
fn parent(path: &Arg) -> Arg {
    let (Arg::Known(text) | Arg::Glob(text)) = path else { return Arg::Unknown };
    let parent = match text.rsplit_once('/') {
        None if text == "." => "..",
        None if text == ".." => "../..",
        Some((_, "" | "." | "..")) => return Arg::Unknown,
        Some(("", _)) => "/",
        Some((parent, _)) if parent.ends_with('/') => return Arg::Unknown,
        Some((parent, _)) => parent,
        None => ".",
    };
    match path {
        Arg::Known(_) => Arg::Known(parent.to_owned()),
        _ if parent.contains("**") => Arg::Unknown,
        _ => Arg::Glob(parent.to_owned()),
    }
}

/// Names that begin with a text.
fn beginning(text: &Arg) -> Arg {
    match text {
        Arg::Known(text) if !is_open(text) => Arg::Glob(format!("{text}*")),
        Arg::Known(_) | Arg::Glob(_) | Arg::Unknown | Arg::Many => Arg::Unknown,
        Arg::Prefix(text) => Arg::Prefix(text.clone()),
    }
}

/// A path and the directories above it that it names.
fn above(path: &Arg) -> Vec<Arg> {
    let (Arg::Known(text) | Arg::Glob(text)) = path else { return vec![path.clone()] };
    let slashes = text.match_indices('/').map(|(at, _)| &text[..at]).filter(|it| !it.is_empty());
    let is_known = matches!(path, Arg::Known(_));
    let each = |text: &str| {
        if is_known { Arg::Known(text.to_owned()) } else { Arg::Glob(text.to_owned()) }
    };
    slashes.chain([text.as_str()]).map(each).collect()
}

/// A path, and what stands below it if it is a directory.
fn below(path: &Arg) -> Vec<Arg> {
    let all = path.pattern().map(|text| Arg::Glob(format!("{}/**", text.trim_end_matches('/'))));
    [path.clone()].into_iter().chain(all).collect()
}

/// The name of a module without the scheme of Node's own.
fn bare(name: &str) -> &str {
    name.strip_prefix("node:").unwrap_or(name)
}

/// Whether what is loaded is a file of data.
fn is_data_file(name: &Arg) -> bool {
    let extension = name.known().and_then(|name| std::path::Path::new(name).extension());
    extension.is_some_and(|extension| extension == "json")
}

/// The text that a value is made of.
fn plain_text(value: &Value) -> Value {
    match value {
        Value::Made(_, of) => (**of).clone(),
        Value::Text(_) | Value::OneOf(_) => value.clone(),
        _ => Value::Text(Arg::Unknown),
    }
}

/// One word of an argv; any number of them where it is not known.
fn one_word(value: &Value) -> Arg {
    match value.texts().as_slice() {
        [Arg::Known(text)] => Arg::Known(text.clone()),
        [Arg::Prefix(text)] if !is_open(text) => Arg::Prefix(text.clone()),
        _ => Arg::Many,
    }
}
