//! A directory of rules to a layer: from the cache while its files are unchanged, else read, checked and compiled.
//! Judges no line itself: whether examples hold is asked of the caller.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::cache::{self, Cached, Source, Sources};
use super::error::{FileKind, Invalid};
use super::{Error, file, trust};
use crate::rules::source::Problem;
use crate::rules::{
    self, Author, Authority, Entry, Examples, Layer, Pack, Recommendation, RuleSet,
};
use crate::sys::Stamp;

/// The most files of rules in a directory.
const MOST_FILES: usize = 10_000;

/// Says whether a rule agrees with its examples, by judging them with the rules given.
pub type ExampleCheck<'c> = dyn Fn(&RuleSet, &Entry, &Examples) -> Result<(), ExampleError> + 'c;

/// A rule does not do what it says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExampleError {
    /// It does not fire where it says that it does.
    #[error("does not fire on its example in `matches`: {line} ({why})")]
    Missed {
        /// The example.
        line: String,
        /// Why it does not.
        why: String,
    },
    /// It fires where it says that it does not.
    #[error("fires on its example in `passes`: {line}")]
    Fired {
        /// The example.
        line: String,
    },
    /// Its query cannot be compiled.
    #[error("bad query: {message}")]
    Query {
        /// What is wrong with it.
        message: String,
    },
}

/// Whether compiled rules on disk may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheUse {
    /// They are, while their sources are unchanged.
    #[default]
    Use,
    /// They are made anew: after damage was found.
    Rebuild,
}

/// Says what rules may do, given each file with the digest of its content.
pub(super) type AuthorityOf<'a> = dyn Fn(&[(PathBuf, String)]) -> Authority + 'a;

/// A directory of rules, and what there is to load it with.
pub(super) struct Directory<'d> {
    pub path: &'d Path,
    pub uid: u32,
    /// Whether others may be able to write it: not where its rules may loosen.
    pub guarded: bool,
    /// Where compiled rules are kept, if anywhere.
    pub cache: Option<&'d Path>,
    pub cache_use: CacheUse,
    pub check: &'d ExampleCheck<'d>,
}

/// What a directory gives.
pub(super) struct Loaded {
    pub layer: Layer,
    /// The SHA-256 of each file, by the files' names.
    pub digests: Vec<String>,
    /// Why the compiled rules could not be kept, if so.
    pub unkept: Option<std::io::Error>,
    /// Rules that do not do what their examples say.
    pub wrong: Vec<Wrong>,
}

/// A rule that does not do what one of its examples says. It stays in force where it asks or refuses, and allows nothing: one wrong example of
/// a team's rules, or a catalog that changes under them, must not refuse every line on every machine.
pub(super) struct Wrong {
    pub path: PathBuf,
    pub line: u32,
    /// What is told about it.
    pub message: String,
}

/// Stands behind the reason of such a rule.
const DOUBTFUL: &str = " (by a rule that does not hold its own examples: `guarded-sh rules lint`)";

/// A file of rules as it was read.
pub(super) struct Read {
    pub path: PathBuf,
    pub text: String,
}

impl Directory<'_> {
    /// Loads the rules; none if there is no such directory.
    pub(super) fn load(&self, authority: &AuthorityOf<'_>) -> Result<Option<Loaded>, Error> {
        let metadata = match std::fs::metadata(self.path) {
            Ok(metadata) => metadata,
            Err(error) if file::is_absent(&error) => return Ok(None),
            Err(source) => return Err(Error::Read { path: self.path.to_owned(), source }),
        };
        let stamp = Stamp::of(&metadata);
        let name = self.path.display().to_string();
        let cached = self.cache.map(|cache| cache::path_of(self.path, cache));
        let known = cached.as_deref().filter(|_| self.cache_use == CacheUse::Use);
        let known = known.and_then(|path| Cached::open(path, self.uid));
        let known = match known {
            Some(known) if known.sources.are_unchanged(self.path, stamp) => {
                let authority = authority(&self.listed(&known.sources));
                let digests = known.sources.digests();
                match known.layer(&name, authority) {
                    Some(layer) => {
                        let (unkept, wrong) = (None, Vec::new());
                        return Ok(Some(Loaded { layer, digests, unkept, wrong }));
                    }
                    None => None,
                }
            }
            changed_or_none => changed_or_none,
        };
        if self.guarded {
            file::require_ours(self.path, &metadata, self.uid)?;
        }
        // Taken before anything is read: what changes from here on is later than this.
        let now = SystemTime::now();
        let (read, sources): (Vec<Read>, Vec<Source>) = self.read()?.into_iter().unzip();
        let sources = Sources::new(stamp, sources, now);
        let authority = authority(&self.listed(&sources));
        let same = known.filter(|known| known.sources.have_content_of(&sources));
        let reused = same.and_then(|known| known.rules()).filter(|bytes| {
            Layer::new(name.as_str(), Box::new(bytes.clone()), authority).header().is_ok()
        });
        let (bytes, wrong) = match reused {
            Some(bytes) => (bytes, Vec::new()),
            None => self.compile_what_holds(&read)?,
        };
        // What is wrong is told each time, so it is found each time.
        let kept = cached.filter(|_| wrong.is_empty());
        let unkept = kept.and_then(|path| cache::keep(&path, &sources, &bytes).err());
        let layer = Layer::new(name, Box::new(bytes), authority);
        Ok(Some(Loaded { layer, digests: sources.digests(), unkept, wrong }))
    }

    fn listed(&self, sources: &Sources) -> Vec<(PathBuf, String)> {
        let file = |source: &Source| (self.path.join(&source.name), source.digest.clone());
        sources.files.iter().map(file).collect()
    }

    fn read(&self) -> Result<Vec<(Read, Source)>, Error> {
        let failed = |source| Error::Read { path: self.path.to_owned(), source };
        let mut names = Vec::new();
        for entry in std::fs::read_dir(self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let Some(name) = name.to_str() else { continue };
            // Hidden files are what editors leave behind.
            if Path::new(name).extension().is_some_and(|e| e == "toml") && !name.starts_with('.') {
                names.push(name.to_owned());
            }
            if names.len() > MOST_FILES {
                return Err(Error::TooManyRules { path: self.path.to_owned() });
            }
        }
        names.sort();
        names.into_iter().map(|name| self.read_file(name)).collect()
    }

    fn read_file(&self, name: String) -> Result<(Read, Source), Error> {
        let path = self.path.join(&name);
        let text = file::read(&path, file::LARGEST_RULES)?.ok_or_else(|| Error::Read {
            path: path.clone(),
            source: std::io::ErrorKind::NotFound.into(),
        })?;
        if self.guarded {
            file::require_ours(&path, &text.metadata, self.uid)?;
        }
        let digest = trust::digest(&text.content);
        let source = Source { name, stamp: Stamp::of(&text.metadata), digest };
        Ok((Read { path, text: text.content }, source))
    }

    /// Reads the files; none where there is no directory.
    pub(super) fn files(&self) -> Result<Vec<Read>, Error> {
        match std::fs::metadata(self.path) {
            Ok(metadata) => file::require_ours(self.path, &metadata, self.uid)?,
            Err(error) if file::is_absent(&error) => return Ok(Vec::new()),
            Err(source) => return Err(Error::Read { path: self.path.to_owned(), source }),
        }
        Ok(self.read()?.into_iter().map(|(read, _)| read).collect())
    }

    /// Compiles rules, every example of which holds.
    pub(super) fn compile(&self, files: &[Read]) -> Result<Vec<u8>, Error> {
        let packs = packs(files)?;
        let (bytes, set) = self.encoded(&packs)?;
        let packs: Vec<Pack> = packs.into_iter().map(|(pack, _)| pack).collect();
        match check_examples(files, &packs, &set, self.check).into_iter().next() {
            Some(error) => Err(error),
            None => Ok(bytes),
        }
    }

    /// Compiles rules without those that allow what their examples do not say.
    fn compile_what_holds(&self, files: &[Read]) -> Result<(Vec<u8>, Vec<Wrong>), Error> {
        let mut packs = packs(files)?;
        let (bytes, set) = self.encoded(&packs)?;
        let alone: Vec<Pack> = packs.iter().map(|(pack, _)| pack.clone()).collect();
        let found = wrong_examples(&alone, &set, self.check);
        if found.is_empty() {
            return Ok((bytes, Vec::new()));
        }
        if found.iter().any(|(_, _, error)| matches!(error, ExampleError::Query { .. })) {
            return self.compile(files).map(|bytes| (bytes, Vec::new()));
        }
        let mut wrong = Vec::new();
        // From behind, so that what is before keeps its place.
        for (file, number, error) in found.into_iter().rev() {
            let rules = &mut packs[file].0.rules;
            let rule = &mut rules[number];
            let loosens =
                matches!(rule.rule.recommend, Recommendation::Allow | Recommendation::Approve);
            let then =
                if loosens { "it allows nothing until it does" } else { "it stays in force" };
            let message = format!("rule {}: {error}; {then}", rule.rule.id);
            wrong.push(Wrong { path: files[file].path.clone(), line: rule.line, message });
            if loosens {
                rules.remove(number);
            } else {
                rule.rule.reason.push_str(DOUBTFUL);
            }
        }
        wrong.reverse();
        let (bytes, _) = self.encoded(&packs)?;
        Ok((bytes, wrong))
    }

    /// Returns packs as they are stored, and with them and the built-in rules what lines are judged by.
    fn encoded(&self, packs: &[(Pack, Option<String>)]) -> Result<(Vec<u8>, RuleSet), Error> {
        let too_many = |_| Error::TooManyRules { path: self.path.to_owned() };
        let bytes = rules::compile(packs).map_err(too_many)?;
        let name = self.path.display().to_string();
        let layer = Layer::new(name, Box::new(bytes.clone()), Authority::Owner);
        Ok((bytes, RuleSet::builtin().with_layer(layer)))
    }
}

/// Reads files of rules, each with its name.
fn packs(files: &[Read]) -> Result<Vec<(Pack, Option<String>)>, Error> {
    let mut taken = built_in_ids();
    let pack = |read: &Read| {
        let pack = check(read, &mut taken).map_err(|problems| invalid(read, problems))?;
        Ok((pack, Some(read.path.display().to_string())))
    };
    files.iter().map(pack).collect()
}

/// Returns which rules of these packs do not do what their examples say: the places of pack and rule, the first wrong example.
fn wrong_examples(
    packs: &[Pack],
    set: &RuleSet,
    check: &ExampleCheck<'_>,
) -> Vec<(usize, usize, ExampleError)> {
    // What was encoded a moment ago, in memory, is not damaged, and comes back in the same order.
    let all = set.all().unwrap_or_default();
    let mut own = all.iter().filter(|(entry, _)| entry.pack.origin != rules::Origin::BuiltIn);
    let mut wrong = Vec::new();
    for (number, pack) in packs.iter().enumerate() {
        for (place, (entry, examples)) in (0..pack.rules.len()).zip(own.by_ref()) {
            let error = check(set, entry, examples).err();
            wrong.extend(error.map(|error| (number, place, error)));
        }
    }
    wrong
}

/// Judges the examples of packs, each read from the file in its place; `set` holds the built-in rules and these alone.
pub(super) fn check_examples<'r>(
    files: impl IntoIterator<Item = &'r Read>,
    packs: &[Pack],
    set: &RuleSet,
    check: &ExampleCheck<'_>,
) -> Vec<Error> {
    let wrong = wrong_examples(packs, set, check);
    let told = files.into_iter().enumerate().filter_map(|(number, read)| {
        let of_file = wrong.iter().filter(|(file, _, _)| *file == number);
        let problems = of_file.map(|(file, place, error)| {
            let rule = &packs[*file].rules[*place];
            let span = match (error, &rule.pattern) {
                (ExampleError::Query { .. }, Some(query)) => query.clone(),
                _ => rule.span.clone(),
            };
            Problem::new(span, error.to_string()).of_rule(&rule.rule.id)
        });
        let problems: Vec<Problem> = problems.collect();
        (!problems.is_empty()).then(|| invalid(read, problems))
    });
    told.collect()
}

/// Reads and checks a file without its examples.
pub(super) fn check(
    read: &Read,
    taken: &mut HashMap<String, String>,
) -> Result<Pack, Vec<Problem>> {
    let pack = rules::read(&read.text, Author::Owner)?;
    let mut problems = rules::check_text(&pack);
    for rule in &pack.rules {
        let id = &rule.rule.id;
        if let Some(by) = taken.insert(id.clone(), read.path.display().to_string()) {
            let message = format!("id '{id}' is taken by a rule in {by}");
            problems.push(Problem::new(rule.span.clone(), message).of_rule(id));
        }
    }
    if problems.is_empty() { Ok(pack) } else { Err(problems) }
}

pub(super) fn built_in_ids() -> HashMap<String, String> {
    let all = RuleSet::builtin().all().unwrap_or_default();
    all.iter().map(|(e, _)| (e.rule.id.clone(), "guarded-sh itself".to_owned())).collect()
}

pub(super) fn invalid(read: &Read, problems: Vec<Problem>) -> Error {
    let (path, text) = (read.path.clone(), read.text.clone());
    Error::Invalid(Invalid { path, text, problems, what: FileKind::Rules })
}
