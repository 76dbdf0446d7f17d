//! The modules of its own that a program loads: their code is read as if it stood in the program.
//!
//! A name that means two things means nothing, in one file or in several; so whatever a module gives is what its name means
//! anywhere. What else could stand behind a name is not known. Which file a module is, whoever knows the files says.

use std::collections::{BTreeMap, BTreeSet};

use super::table::{Deed, Table};
use crate::embedded::Modules;
use crate::model::Language;
use crate::syntax::{Code, parse_code};

/// The name of what a module gives where no name is asked for.
pub(super) const DEFAULT: &str = "*default*";

/// What of a module is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// All of it.
    Module,
    /// A member; `*` for all members by their names.
    Member(String),
}

/// What a program asks for that its own modules have, by the words with which it asks.
#[derive(Debug, Default)]
pub(super) struct Links(BTreeMap<String, Link>);

impl Links {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, wanted: &str) -> Option<&Link> {
        self.0.get(wanted)
    }

    /// Whether a module has this name, as the last part of a dotted one.
    pub(super) fn has_module(&self, name: &str) -> bool {
        let mut modules = self.0.iter().filter(|(_, link)| **link == Link::Module);
        modules.any(|(path, _)| !path.contains('/') && path.rsplit('.').next() == Some(name))
    }
}

/// Reads a program with the modules of its own; none if the program itself is not read.
pub(super) fn link(
    text: &str,
    language: Language,
    table: &Table,
    modules: &mut dyn Modules,
) -> Option<(Code, Links)> {
    let file = modules.file();
    let mut program = vec![parse_code(text, language, file.as_deref())?];
    let mut files = vec![file];
    let mut links = BTreeMap::new();
    let mut missing = BTreeSet::new();
    let mut at = 0;
    while let Some(code) = program.get(at) {
        let mut wanted = BTreeSet::new();
        collect(code, language, table, &mut wanted);
        for wanted in wanted {
            let (module, member) = match (language, wanted.split_once(':')) {
                (Language::JavaScript, Some((module, member))) => (module, Some(member)),
                _ => (wanted.as_str(), None),
            };
            let found = modules.find(module, files[at].as_deref()).and_then(|found| {
                let read = found.files.iter().map(|(path, text)| {
                    parse_code(text, language, Some(path)).map(|code| (path.clone(), code))
                });
                Some((found.member, read.collect::<Option<Vec<_>>>()?))
            });
            let Some((rest, read)) = found else {
                missing.insert(wanted);
                continue;
            };
            for (path, code) in read {
                program.push(code);
                files.push(Some(path));
            }
            let member = rest.or_else(|| member.map(str::to_owned));
            let link = member.map_or(Link::Module, Link::Member);
            if language == Language::Python && !wanted.starts_with('.') && link == Link::Module {
                let dots = wanted.match_indices('.').map(|(at, _)| wanted[..at].to_owned());
                links.extend(dots.map(|path| (path, Link::Module)));
            }
            // The same words in another file may ask for something else.
            if links.get(&wanted).is_some_and(|known| *known != link) {
                missing.insert(wanted.clone());
            }
            links.insert(wanted, link);
        }
        at += 1;
    }
    links.retain(|wanted, _| !missing.contains(wanted));
    Some((Code::Parts(program), Links(links)))
}

/// Collects what of a program's words may ask for a module of its own.
fn collect(code: &Code, language: Language, table: &Table, wanted: &mut BTreeSet<String>) {
    match code {
        Code::Import { path, .. } => {
            let is_own = match language {
                Language::Python => !table.lists(path.split('.').next().unwrap_or(path)),
                _ => is_path(path),
            };
            if is_own {
                wanted.insert(path.clone());
            }
        }
        Code::Call(callee, arguments) => {
            if let (Code::Name(function), [argument]) = (&**callee, arguments.as_slice())
                && let Some(text) = text(&argument.value)
            {
                let is_data = std::path::Path::new(text).extension().is_some_and(|it| it == "json");
                let loads = [Deed::Module, Deed::Loads];
                if table.does(function, Deed::Beside)
                    || (loads.iter().any(|deed| table.does(function, *deed))
                        && is_path(text)
                        && !is_data)
                {
                    wanted.insert(text.to_owned());
                }
            }
        }
        _ => {}
    }
    for piece in code.pieces() {
        collect(piece, language, table, wanted);
    }
}

fn is_path(text: &str) -> bool {
    text.starts_with("./") || text.starts_with("../") || text.starts_with('/')
}

/// The text that code plainly is.
fn text(code: &Code) -> Option<&str> {
    match code {
        Code::Text(text) => Some(text),
        Code::Joined(pieces) => match pieces.as_slice() {
            [Code::Text(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}
