//! The names that a program gives to things. One table for the whole program: a name that means two things means nothing.

use std::collections::{BTreeMap, HashMap};

use super::link::{Link, Links};
use crate::syntax::{Bound, Code, Held};

/// One place where a name gets a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Site<'a> {
    /// This value.
    Whole(&'a Code),
    /// Each of its elements.
    Element(&'a Code),
    /// The member at this position of the value, or of each of its elements.
    Part(&'a Bound, usize),
    /// A module or a member of one.
    Import(&'a str),
    /// Something else.
    Unknown,
}

/// All names of a program.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    pub(super) names: BTreeMap<&'a str, Vec<Site<'a>>>,
    /// How often each is mentioned, other than to give it a value.
    pub(super) uses: HashMap<&'a str, usize>,
    /// Of these, those where it is only given to a function, by its name, or put into other text.
    given: HashMap<&'a str, Vec<Option<&'a str>>>,
    /// Members that the program defines itself, and what each may hold.
    pub(super) own: HashMap<&'a str, Vec<Held>>,
    links: Option<&'a Links>,
}

impl<'a> Scope<'a> {
    pub(super) fn of(code: &'a Code, links: &'a Links) -> Self {
        let mut scope = Self { links: Some(links), ..Self::default() };
        scope.collect(code);
        scope
    }

    /// Whether a text of this name is nowhere changed: it is mentioned once, or only given to functions of the language.
    pub(super) fn is_only_given(&self, name: &str) -> bool {
        let uses = self.uses.get(name).copied().unwrap_or(0);
        let given = self.given.get(name).into_iter().flatten();
        let given = given.filter(|function| function.is_none_or(|it| !self.names.contains_key(it)));
        uses <= 1 || given.count() == uses
    }

    fn collect(&mut self, code: &'a Code) {
        match code {
            Code::Text(_)
            | Code::Number
            | Code::Flag(_)
            | Code::Data
            | Code::List(_)
            | Code::Record(_)
            | Code::Computed(_)
            | Code::Parts(_)
            | Code::After(..)
            | Code::Member(..)
            | Code::Index(..)
            | Code::Slash(..) => self.collect_pieces(code),
            Code::Joined(all) => {
                for one in all {
                    if let Code::Name(name) = one {
                        self.given.entry(name).or_default().push(None);
                    }
                }
                self.collect_pieces(code);
            }
            Code::Name(name) => *self.uses.entry(name).or_default() += 1,
            Code::Call(callee, arguments) => {
                let function = match &**callee {
                    Code::Name(function) => Some(function.as_str()),
                    // A module's: constants have capitals.
                    Code::Member(of, _) => match &**of {
                        Code::Name(of) if of.starts_with(|c: char| c.is_ascii_uppercase()) => {
                            Some(of.as_str())
                        }
                        _ => None,
                    },
                    _ => None,
                };
                for argument in arguments {
                    if let (Some(function), Code::Name(name)) = (function, &argument.value) {
                        self.given.entry(name).or_default().push(Some(function));
                    }
                }
                self.collect_pieces(code);
            }
            Code::Bind(target, bound) => {
                match &**bound {
                    Bound::Whole(value) | Bound::Element(value) => self.collect(value),
                    Bound::Unknown => {}
                }
                self.target(target, bound);
            }
            Code::Function(parameters, body) => {
                for name in parameters {
                    self.bind(name, Site::Unknown);
                }
                self.collect(body);
            }
            // A member that keeps its name is what the module has by this name.
            Code::Import { path, name }
                if matches!(self.links.and_then(|links| links.get(path)),
                    Some(Link::Member(member)) if member == name) => {}
            Code::Import { path, name } => self.bind(name, Site::Import(path)),
            Code::Own(name, held) => self.own.entry(name).or_default().push(held.clone()),
        }
    }

    fn collect_pieces(&mut self, code: &'a Code) {
        for piece in code.pieces() {
            self.collect(piece);
        }
    }

    fn target(&mut self, target: &'a Code, bound: &'a Bound) {
        match target {
            Code::Name(name) => self.bind(
                name,
                match bound {
                    Bound::Whole(value) => Site::Whole(value),
                    Bound::Element(value) => Site::Element(value),
                    Bound::Unknown => Site::Unknown,
                },
            ),
            Code::Member(object, name) => {
                let held = match bound {
                    Bound::Whole(value) => Held::of(value),
                    Bound::Element(_) | Bound::Unknown => Held::Unknown,
                };
                self.own.entry(name).or_default().push(held);
                self.collect(object);
            }
            Code::List(targets) => {
                for (at, target) in targets.iter().enumerate() {
                    match target {
                        Code::Name(name) => self.bind(name, Site::Part(bound, at)),
                        other => self.target(other, &Bound::Unknown),
                    }
                }
            }
            other => self.collect(other),
        }
    }

    fn bind(&mut self, name: &'a str, site: Site<'a>) {
        self.names.entry(name).or_default().push(site);
    }
}
