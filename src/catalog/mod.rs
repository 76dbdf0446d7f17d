//! argv to what it does: which program and subcommand, which options, what each word means.
//! Knows programs only from data; judges nothing, resolves no path, reads no file.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod beside;
#[cfg(test)]
mod compile;
mod compiled;
mod lookup;
mod operands;
mod options;
pub mod plain;
mod repository;
mod roles;
pub mod schema;
#[cfg(test)]
mod tests;
mod walk;

use crate::model::{Arg, EffectKind, Language, ProgramTrait, Runner};
use compiled::{Blob, Record};
use walk::Walk;

/// What the catalog says about one argv.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own that the catalog says")]
pub struct Interpretation {
    /// The program's name in the catalog.
    pub program: String,
    /// The subcommands in order (`["remote", "add"]`), as written on the line; of an alias, what it stands for.
    pub subcommand: Vec<String>,
    /// The options, in order.
    pub options: Vec<GivenOption>,
    /// The operands, in order, without subcommands: index into argv, and role.
    pub operands: Vec<(usize, String)>,
    /// What it does, with targets as they stand in argv.
    pub touches: Vec<Touch>,
    /// Commands and code that it carries.
    pub carried: Vec<Carried>,
    /// What is not known of it. Not empty means: not Low.
    pub unknown: Vec<UnknownPart>,
    /// Directory that relative operands are below (`git -C DIR`), in order.
    pub enters: Vec<Arg>,
    /// Whether what it starts gets its standard input as it is, or nothing. Others may give it a terminal, a pipe or a file.
    pub passes_input: bool,
    /// Whether what it starts gets its whole environment. Others may take some of it away, or all.
    pub passes_environment: bool,
    /// Variables that it sets for what it starts.
    pub sets: Vec<String>,
    /// Whether it takes data from standard input where no file to read is named; others do so where a word says it.
    pub reads_input: bool,
    /// Whether it works in the git repository around its directory, whose hooks and settings run programs.
    pub in_repository: bool,
    /// What it is like, each with the word of argv that says so; none for what it always is.
    pub traits: Vec<(ProgramTrait, Option<usize>)>,
    /// Whether it ends though what it reads does not: it takes so much and no more.
    pub is_bounded: bool,
    /// Whether an option makes it do nothing at all, but show something: `--help`, without an operand.
    pub only_shows: bool,
    /// Files below the directory of its repository that it opens in an editor.
    pub edits: Vec<String>,
    /// Words of which what is there, or what stands beside them, decides what they name.
    pub named: Vec<(usize, Named)>,
    /// Words that are to be plain, or are handed to the workspace's own code.
    pub plain: Vec<PlainWord>,
}

/// What a word may name of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A revision, or a path that is read; two that are alone may be any two files.
    Compared,
    /// A revision, or where there is none of this name a path whose changes are lost.
    RevisionOrPath,
}

impl Interpretation {
    /// Returns the options that have one of these spellings, in order.
    #[must_use]
    pub fn given(&self, spellings: &[&str]) -> impl DoubleEndedIterator<Item = &GivenOption> {
        let is_one = |option: &&GivenOption| {
            option.spellings.iter().any(|spelling| spellings.contains(&spelling.as_str()))
        };
        self.options.iter().filter(is_one)
    }

    /// Returns whether it is like this.
    #[must_use]
    pub fn is(&self, one: ProgramTrait) -> bool {
        self.traits.iter().any(|(own, _)| *own == one)
    }

    /// Returns the words that are its operands, each once for each of its roles.
    #[must_use]
    pub fn words<'a>(&self, argv: &'a [Arg]) -> impl DoubleEndedIterator<Item = &'a Arg> {
        self.operands.iter().filter_map(|(index, _)| argv.get(*index))
    }

    /// Returns the value of the option that is given last of those with one of these spellings.
    #[must_use]
    pub fn value(&self, spellings: &[&str]) -> Option<&Arg> {
        self.given(spellings).next_back()?.value.as_ref()
    }

    /// Returns whether one of these options is given.
    #[must_use]
    pub fn gives(&self, spellings: &[&str]) -> bool {
        self.given(spellings).next().is_some()
    }
}

/// A word that is only known to do no harm if it names no guarded place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainWord {
    /// The word.
    pub arg: Arg,
    /// Where it stands.
    pub index: usize,
    /// Whether the workspace's own code gets it, to which it may also name what every machine has.
    pub is_passed: bool,
}

/// An option as it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenOption {
    /// Every spelling of it in the catalog, so that `-f`, `--force` and `--forc` are one.
    pub spellings: Vec<String>,
    /// Its value, if it took one; the last, if it took several.
    pub value: Option<Arg>,
    /// The word of argv in which it stands.
    pub index: usize,
    /// One past the last word that belongs to it: `index + 1`, or behind its values.
    pub end: usize,
}

/// An effect whose target is a word of argv.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// What is done.
    pub kind: EffectKind,
    /// To what: a word, or the value inside one (`--output=FILE`). None: no target.
    pub target: Option<Arg>,
    /// The word of argv that says so; none for what the command always does.
    pub index: Option<usize>,
}

/// A command or code that a program carries and runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Carried {
    /// Words of argv are a command of their own.
    Argv {
        /// First word.
        start: usize,
        /// One past the last word.
        end: usize,
        /// Words that the program adds behind them or replaces `{}` by.
        more: MoreWords,
        /// Where it runs.
        place: Place,
    },
    /// A command line in one word that is split at spaces, not by a shell (`exec` role), or one program name.
    Program {
        /// The word or value.
        text: Arg,
        /// Where it stands.
        index: usize,
        /// Words that the program adds behind it.
        more: MoreWords,
    },
    /// Shell text in words `start..end`, joined by spaces.
    Shell {
        /// The words or the value.
        words: Vec<Arg>,
        /// Where the first stands.
        index: usize,
        /// Where it runs.
        place: Place,
        /// Words that the program adds behind it.
        more: MoreWords,
    },
    /// Code in one word.
    Code {
        /// The code.
        text: Arg,
        /// Its language.
        language: Language,
        /// Where it stands.
        index: usize,
    },
    /// A file of code; `-` and the like may be standard input.
    Script {
        /// The file.
        file: Arg,
        /// Its language.
        language: Language,
        /// Where it stands.
        index: usize,
    },
    /// Code from standard input.
    Input {
        /// Its language.
        language: Language,
    },
    /// A task of the workspace, which some file describes.
    Task {
        /// By what it is found.
        runner: Runner,
        /// Its name and where that stands; none: the subcommand names it, or it is what is run where nothing is named.
        name: Option<(Arg, usize)>,
    },
    /// A variable set for what is run.
    Environment {
        /// Its name, if known.
        name: Option<String>,
        /// Its value.
        value: Arg,
        /// Where it stands.
        index: usize,
    },
}

/// Where carried code runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// On this machine.
    Here,
    /// On another machine, or in a container.
    Elsewhere,
}

/// What a carrier does to the words of the command that it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoreWords {
    /// Nothing.
    None,
    /// Appends words that are not known (`xargs`).
    Appended,
    /// Replaces `{}` by words that are not known (`find -exec`).
    Replaced,
}

/// Something of an argv that the catalog does not know.
#[derive(Clone, Debug, PartialEq)]
pub struct UnknownPart {
    /// The word of argv; none if the program itself is not known.
    pub index: Option<usize>,
    /// What it is.
    pub what: UnknownWhat,
}

/// The kinds of things that the catalog may not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnknownWhat {
    /// The program.
    Program,
    /// The subcommand.
    Subcommand,
    /// An option, or an abbreviation that fits several.
    Option,
    /// An operand with no role, or a keyword.
    Operand,
    /// A value that is not one of those known to be harmless.
    Value,
    /// A word that is to be plain and has the form of something else: `;`, `@FILE`, an URL, a place elsewhere.
    Foreign,
    /// A word that may or may not be an option: unknown, or a pattern that can match a name that begins with a dash.
    MaybeOption,
}

/// A compiled catalog.
#[derive(Clone, Copy)]
struct Catalog<'c>(Blob<'c>);

/// What the build script made of `rules/programs`.
static EMBEDDED: [u8; include_bytes!(concat!(env!("OUT_DIR"), "/catalog.bin")).len()] =
    *include_bytes!(concat!(env!("OUT_DIR"), "/catalog.bin"));

impl<'c> Catalog<'c> {
    fn program(self, name: &str) -> Option<Record<'c>> {
        let header = self.0.header()?;
        let mut globs = (0..header.globs.len).map_while(|i| self.0.entry(header.globs, i));
        let at = self.0.find(header.names, name).or_else(|| {
            globs.find(|(pattern, _)| compiled::matches(pattern, name)).map(|(_, at)| at)
        })?;
        self.0.record(at)
    }

    fn programs(self) -> impl Iterator<Item = Program<'c>> {
        let header = self.0.header().unwrap_or_default();
        [header.names, header.globs]
            .into_iter()
            .flat_map(move |table| (0..table.len).map_while(move |i| self.0.entry(table, i)))
            .filter_map(move |(name, at)| Some((name, self.0.record(at)?)))
            .filter(|(name, record)| *name == record.name)
            .map(|(name, record)| Program { name, summary: record.summary })
    }

    /// Follows subcommands as far as they are names of the catalog.
    fn is_complete(self, program: &str, subcommands: &[String]) -> bool {
        let Some(mut record) = self.program(program) else { return false };
        for name in subcommands {
            let globs =
                || record.sub_globs.iter().find(|(pattern, _)| compiled::matches(pattern, name));
            let at = self.0.find(record.sub, name).or_else(|| globs().map(|(_, at)| *at));
            match at.and_then(|at| self.0.record(at)) {
                Some(sub) => record = sub,
                None => return false,
            }
        }
        // What is named by anything is no subcommand that was left out, but an operand.
        let is_operand = |at: u32| self.0.record(at).is_some_and(|sub: Record| sub.named.is_some());
        record.sub.len == 0 && record.sub_globs.iter().all(|(_, at)| is_operand(*at))
    }

    fn interpret(self, argv: &[Arg], one: &[usize]) -> Interpretation {
        let name = argv.first().and_then(Arg::known);
        match name.and_then(|name| self.program(name)) {
            Some(program) => Walk::new(self.0, program, argv, one).interpretation(),
            None => Interpretation {
                unknown: vec![UnknownPart { index: None, what: UnknownWhat::Program }],
                ..Interpretation::default()
            },
        }
    }
}

/// A program of the catalog, for lists that people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program<'c> {
    /// Its name.
    pub name: &'c str,
    /// What it is; may be empty.
    pub summary: &'c str,
}

/// Returns the programs of the catalog by name, each once.
pub fn programs() -> impl Iterator<Item = Program<'static>> {
    Catalog(Blob(&EMBEDDED)).programs()
}

/// Returns whether these words say which command it is: a program of the catalog that has no subcommands, or one with
/// subcommands down to the last. `git` alone says nothing of what will be done.
#[must_use]
pub fn is_complete(program: &str, subcommands: &[String]) -> bool {
    Catalog(Blob(&EMBEDDED)).is_complete(program, subcommands)
}

/// Interprets `argv`; `argv[0]` is the program's name without directory. Patterns stand for one word or more, those at `one` for one.
/// If it names no program of the catalog, the answer is one [`UnknownWhat::Program`] and nothing else.
#[must_use]
pub fn interpret(argv: &[Arg], one: &[usize]) -> Interpretation {
    Catalog(Blob(&EMBEDDED)).interpret(argv, one)
}
