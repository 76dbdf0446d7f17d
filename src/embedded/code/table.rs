//! What the callables of a language do, as `rules/inner/LANGUAGE.toml` says. Parsed when the first program in it is met.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};

use crate::model::{Dialect, EffectKind};

/// One thing that a callable does, or says about its call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Act {
    /// This effect, on what stands at the place.
    Effect(EffectKind, Option<Place>),
    /// What it runs is only known when it runs.
    Opaque,
    /// Does this with an argument.
    Does(Deed, Place),
    /// Runs a program with a list of arguments; a shell with both where `shell` is true.
    Spawn(Place, Place),
    /// Opens a file as its mode says.
    Open(Place, Place),
    /// Opens a file as its mode says, where text that begins or ends with `|` runs a program.
    OpenPipe(Place, Place),
    /// Runs SQL of this kind.
    Sql(Dialect, Place),
    /// Only looks at its arguments, and hands none of them on.
    Looks,
    /// Only holds for this many arguments by position.
    Count(usize),
    /// Arguments by name that it may be given besides those that it reads.
    With(Vec<String>),
    /// What the call gives.
    Gives(Gift),
    /// What the name itself stands for.
    Is(String),
}

/// What is done with one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Deed {
    /// Runs shell text.
    Shell,
    /// Runs a program with its arguments: a list, or all arguments from here.
    Argv,
    /// Runs a program, or shell text where `shell` is true.
    Run,
    /// Runs a program where it gets several arguments, shell text where it gets one.
    System,
    /// Reads a variable of the environment.
    Variable,
    /// Calls what it is given.
    Calls,
    /// Loads the module of this name, and gives it.
    Module,
    /// Loads the library of this name.
    Loads,
    /// Loads the file of this name beside the program.
    Beside,
    /// Opens a file to fill it, as a mode that begins with `w` does.
    Opens,
}

impl Act {
    /// Whether it does nothing by itself.
    pub(super) const fn is_harmless(&self) -> bool {
        matches!(
            self,
            Self::Gives(_)
                | Self::Does(Deed::Calls, _)
                | Self::Looks
                | Self::Is(_)
                | Self::Count(_)
        )
    }

    /// Returns the arguments of which it tells what is done with them.
    pub(super) fn places(&self) -> Vec<&Place> {
        match self {
            Self::Effect(_, at) => at.iter().collect(),
            Self::Does(_, at) | Self::Sql(_, at) => vec![at],
            Self::Spawn(one, other) | Self::Open(one, other) | Self::OpenPipe(one, other) => {
                vec![one, other]
            }
            Self::Opaque
            | Self::Looks
            | Self::Count(_)
            | Self::With(_)
            | Self::Gives(_)
            | Self::Is(_) => Vec::new(),
        }
    }
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) at: At,
    /// The names by which it may be given.
    pub(super) names: Vec<String>,
    /// Where it is not given, nothing is done to it.
    pub(super) optional: bool,
    /// What of it is meant, where it is a path.
    pub(super) reach: Reach,
}

/// What is meant by a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The path itself.
    Itself,
    /// A path that begins so.
    Beginning,
    /// The path and each directory above it that it names.
    Above,
    /// The path, and what stands below it if it is a directory.
    Below,
}

/// Where an argument stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// By position.
    Index(usize),
    /// All from this position on.
    From(usize),
    /// What the method is called on.
    Own,
}

/// What a call gives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Gift {
    /// Its type; none for text and for what stays as it is.
    pub(super) kind: Option<String>,
    /// A collection of such things.
    pub(super) many: bool,
    pub(super) form: Form,
    pub(super) of: Option<Place>,
}

/// How the text of a gift follows from the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Form {
    /// Nothing is known of it.
    #[serde(skip)]
    Unknown,
    /// The argument itself.
    Same,
    /// All arguments, joined as paths.
    Join,
    /// All arguments, one below the other even where one is absolute.
    Chain,
    /// The argument with the home for `~`.
    Home,
    /// The directory of the path.
    Parent,
    /// A name in the directory.
    Inside,
    /// Any path below the directory.
    Below,
    /// The home directory.
    HomeDir,
    /// The argument as a pattern.
    Pattern,
    /// What a pattern finds in the directory.
    Found,
    /// What a pattern finds anywhere below the directory.
    FoundBelow,
    /// A plain name, without directory.
    Leaf,
    /// Each directory below with the names in it.
    Walk,
    /// Its words.
    Words,
}

/// What a language's callables do.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a line of a sheet")]
pub(super) struct Table {
    /// By name, members of modules joined with dots.
    callables: HashMap<String, Vec<Act>>,
    modules: HashMap<String, Vec<Act>>,
    /// Methods and attributes by type.
    types: HashMap<String, HashMap<String, Vec<Act>>>,
    escapes: HashMap<String, Vec<Act>>,
    /// Names that a program must not define or use, whatever it makes of them.
    never: HashSet<String>,
    /// Names of members that the language calls by itself: a program must not define them.
    hooks: HashSet<String>,
    /// Modules that need not be loaded.
    given: HashSet<String>,
    /// Parts of the names by which a program fills a file that it has opened.
    fills: Vec<String>,
    /// Parts of the names by which a program picks some of the names that it lists.
    picks: Vec<String>,
    /// Whether members may be reached by names that are computed.
    pub(super) computed_members: bool,
    /// Whether only functions of the program, and what is listed, are called or given to be called.
    pub(super) known_calls: bool,
    /// Whether text can be changed where it is, so that a name may not stand for what it was given.
    pub(super) mutable_text: bool,
    /// Whether a function may be given by its name, as text.
    pub(super) named_calls: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a line of a sheet")]
struct Sheet {
    #[serde(default)]
    never: String,
    #[serde(default)]
    hooks: String,
    #[serde(default)]
    given: String,
    #[serde(default)]
    fills: String,
    #[serde(default)]
    picks: String,
    #[serde(default)]
    computed_members: bool,
    #[serde(default)]
    named_calls: bool,
    #[serde(default)]
    known_calls: bool,
    #[serde(default)]
    mutable_text: bool,
    #[serde(default)]
    names: BTreeMap<String, Words>,
    #[serde(default)]
    module: BTreeMap<String, BTreeMap<String, Words>>,
    #[serde(default)]
    r#type: BTreeMap<String, BTreeMap<String, Words>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    One(String),
    Several(Vec<String>),
}

/// The key for what happens when a module is loaded, or a thing of a type is handed on.
const ITSELF: &str = "@";

impl Table {
    /// Reads a sheet.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let sheet: Sheet = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut table = Self {
            never: sheet.never.split_whitespace().map(str::to_owned).collect(),
            hooks: sheet.hooks.split_whitespace().map(str::to_owned).collect(),
            given: sheet.given.split_whitespace().map(str::to_owned).collect(),
            fills: sheet.fills.split_whitespace().map(str::to_owned).collect(),
            picks: sheet.picks.split_whitespace().map(str::to_owned).collect(),
            computed_members: sheet.computed_members,
            named_calls: sheet.named_calls,
            known_calls: sheet.known_calls,
            mutable_text: sheet.mutable_text,
            ..Self::default()
        };
        for (name, acts) in rows(sheet.names)? {
            add(&mut table.callables, name, acts)?;
        }
        for (module, members) in sheet.module {
            let mut loading = Vec::new();
            for (name, acts) in rows(members)? {
                if name == ITSELF {
                    loading = acts;
                } else {
                    add(&mut table.callables, format!("{module}.{name}"), acts)?;
                }
            }
            add(&mut table.modules, module, loading)?;
        }
        for (kind, members) in sheet.r#type {
            let mut methods = HashMap::new();
            for (name, acts) in rows(members)? {
                if name == ITSELF {
                    table.escapes.insert(kind.clone(), acts);
                } else {
                    add(&mut methods, name, acts)?;
                }
            }
            table.types.insert(kind, methods);
        }
        Ok(table)
    }

    /// Returns what a name or member of a module does, if it is listed.
    pub(super) fn callable(&self, path: &str) -> Option<&[Act]> {
        self.callables.get(path).map(Vec::as_slice)
    }

    /// Returns what loading a module does, if it is listed.
    pub(super) fn module(&self, path: &str) -> Option<&[Act]> {
        self.modules.get(path).map(Vec::as_slice)
    }

    /// Returns what a method or attribute of a type does; of any type, where it is not known.
    pub(super) fn methods(&self, kind: Option<&str>, name: &str) -> Vec<&[Act]> {
        let Some(kind) = kind else {
            // What is told when it is handed on is never met without its type.
            let types = self.types.iter().filter(|(kind, _)| self.escape(kind).is_empty());
            return types.filter_map(|(_, all)| all.get(name)).map(Vec::as_slice).collect();
        };
        self.types.get(kind).and_then(|all| all.get(name)).into_iter().map(Vec::as_slice).collect()
    }

    /// Returns whether a module of this name is listed, or one in it.
    pub(super) fn lists(&self, name: &str) -> bool {
        let is_it = |path: &String| {
            path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.modules.contains_key(name) || self.modules.keys().any(is_it)
    }

    /// Returns whether a program may put something into a file that it opens.
    pub(super) fn fills(&self, text: &str) -> bool {
        // A parameter that comes first says what is opened (`open(file="x")`), not where text goes (`print("x", file=f)`).
        let is_first = |at: usize, part: &str| part.ends_with('=') && text[..at].ends_with('(');
        let fills =
            |part: &String| text.match_indices(part.as_str()).any(|(at, _)| !is_first(at, part));
        self.fills.is_empty() || self.fills.iter().any(fills)
    }

    /// Returns whether a program may pick some of the names that it lists.
    pub(super) fn picks(&self, text: &str) -> bool {
        self.picks.iter().any(|part| text.contains(part.as_str()))
    }

    /// Returns whether a callable does this with an argument.
    pub(super) fn does(&self, name: &str, wanted: Deed) -> bool {
        let is_it = |act: &Act| matches!(act, Act::Does(deed, _) if *deed == wanted);
        self.callable(name).is_some_and(|acts| acts.iter().any(is_it))
    }

    /// Returns what it means that a thing of a type is handed on.
    pub(super) fn escape(&self, kind: &str) -> &[Act] {
        self.escapes.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Whether things of a type are only read where it is known that they are.
    pub(super) fn is_kept(&self, kind: &str) -> bool {
        self.escape(kind).contains(&Act::Opaque)
    }

    /// Whether a module is there without being loaded.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.given.contains(name)
    }

    /// Whether the language calls members of this name by itself.
    pub(super) fn is_hook(&self, name: &str) -> bool {
        self.hooks.contains(name)
    }

    /// Whether a module that is there without being loaded does something.
    pub(super) fn does_something(&self, module: &str) -> bool {
        self.callables.iter().any(|(path, acts)| {
            path.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'))
                && !acts.iter().all(Act::is_harmless)
        })
    }

    /// Whether a program that has this name is not read.
    pub(super) fn is_never(&self, name: &str) -> bool {
        self.never.contains(name)
    }
}

fn add(all: &mut HashMap<String, Vec<Act>>, name: String, acts: Vec<Act>) -> Result<(), String> {
    if all.contains_key(&name) {
        return Err(format!("'{name}' stands twice"));
    }
    all.insert(name, acts);
    Ok(())
}

fn rows(rows: BTreeMap<String, Words>) -> Result<Vec<(String, Vec<Act>)>, String> {
    let mut read = Vec::new();
    for (names, words) in rows {
        let words = match words {
            Words::One(word) => vec![word],
            Words::Several(words) => words,
        };
        let acts = words.iter().filter(|word| *word != "nothing").map(|word| act(word));
        let acts =
            acts.collect::<Option<Vec<_>>>().ok_or_else(|| format!("'{names}': {words:?}"))?;
        if !takes_all_along(&acts) {
            return Err(format!("'{names}' moves, and says nothing of what is below (`/`)"));
        }
        read.extend(names.split_whitespace().map(|name| (name.to_owned(), acts.clone())));
    }
    Ok(read)
}

/// Whether what moves counts what is below a directory at its new place, too.
fn takes_all_along(acts: &[Act]) -> bool {
    let moves = |act: &Act| matches!(act, Act::Effect(EffectKind::Move, Some(_)));
    let forgets = |act: &Act| match act {
        Act::Effect(EffectKind::Write, Some(at)) => at.reach != Reach::Below,
        _ => false,
    };
    !(acts.iter().any(moves) && acts.iter().any(forgets))
}

fn act(text: &str) -> Option<Act> {
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(match words.as_slice() {
        ["opaque"] => Act::Opaque,
        ["looks"] => Act::Looks,
        ["spawn", at, arguments] => Act::Spawn(place(at)?, place(arguments)?),
        ["open", at, mode] => Act::Open(place(at)?, place(mode)?),
        ["open-pipe", at, mode] => Act::OpenPipe(place(at)?, place(mode)?),
        ["sql", at] => Act::Sql(Dialect::Any, place(at)?),
        ["sqlite", at] => Act::Sql(Dialect::Sqlite, place(at)?),
        ["postgresql", at] => Act::Sql(Dialect::PostgreSql, place(at)?),
        ["mysql", at] => Act::Sql(Dialect::MySql, place(at)?),
        ["duckdb", at] => Act::Sql(Dialect::DuckDb, place(at)?),
        ["count", count] => Act::Count(count.parse().ok()?),
        ["with", names @ ..] => Act::With(names.iter().map(|name| (*name).to_owned()).collect()),
        ["is", kind] => Act::Is((*kind).to_owned()),
        ["gives", rest @ ..] => Act::Gives(gift(rest)?),
        [kind] => Act::Effect(named(kind)?, None),
        [word, at] => match named(word) {
            Some(deed) => Act::Does(deed, place(at)?),
            None => Act::Effect(named(word)?, Some(place(at)?)),
        },
        _ => return None,
    })
}

/// Returns what a word names.
fn named<'w, T: Deserialize<'w>>(word: &'w str) -> Option<T> {
    let word: StrDeserializer<'_, WordError> = word.into_deserializer();
    T::deserialize(word).ok()
}

/// `0`, `0|name|name`, `0|name?`, `0...`, `self`.
fn place(text: &str) -> Option<Place> {
    let reaches = [('*', Reach::Beginning), ('^', Reach::Above), ('/', Reach::Below)];
    let (text, reach) = reaches
        .into_iter()
        .find_map(|(sign, reach)| Some((text.strip_suffix(sign)?, reach)))
        .unwrap_or((text, Reach::Itself));
    let (text, optional) = match text.strip_suffix('?') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let mut names = text.split('|').map(str::to_owned);
    let at = names.next()?;
    let at = at.as_str();
    let at = match (at, at.strip_suffix("...")) {
        ("self", _) => At::Own,
        (_, Some(first)) => At::From(first.parse().ok()?),
        (at, None) => At::Index(at.parse().ok()?),
    };
    Some(Place { at, names: names.collect(), optional, reach })
}

/// `[many] TYPE [FORM [PLACE]]`, where the type `text` is text.
fn gift(words: &[&str]) -> Option<Gift> {
    let (many, words) = match words {
        ["many", rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (kind, form, of) = match words {
        [kind] => (*kind, Form::Unknown, None),
        [kind, form] => (*kind, named(form)?, None),
        [kind, form, at] => (*kind, named(form)?, Some(place(at)?)),
        _ => return None,
    };
    Some(Gift { kind: (kind != "text").then(|| kind.to_owned()), many, form, of })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_with_a_fault_is_not_read() {
        for sheet in [
            "[names]\n'a' = 'deletes 0'",
            "[names]\n'a' = 'delete x'",
            "[names]\n'a a' = 'nothing'",
            "[names]\n'a' = 'gives text sideways 0'",
            "[name]\n'a' = 'nothing'",
            "[names]\n'a' = ['move 0', 'write 1']",
        ] {
            assert!(Table::read(sheet).is_err(), "{sheet}");
        }
    }
}
