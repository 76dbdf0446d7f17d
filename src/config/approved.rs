//! The files of the rules that guarded-sh writes among the owner's: when a person says «always», or `allow`, `ask` and `deny`; and whole files of the
//! owner's, as a person writes them on the page.
//!
//! Adds whole rules at its end and takes them out again; what a person wrote there by hand stays byte for byte. Nothing is put
//! in place that would not load, examples included. What the rules say is not decided here.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use super::error::{FileKind, Invalid};
use super::rules::{Directory, Read};
use super::{CacheUse, Error, LoadRequest, file};
use crate::rules::{self, Author, Authority, Layer, Pack};
use crate::sys::Replacement;

/// Letters of the name of a file of rules at most.
const LONGEST_NAME: usize = 64;

/// Stands, behind the day, in the first line of the comment above a rule.
pub const SAID: &str = ": a person said ";

/// A file of such rules, and the pack that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Book {
    /// What a person said yes to for good.
    Approved,
    /// What a person wants to be asked about, or refused, whatever else says.
    Stricter,
}

impl Book {
    const ALL: [Self; 2] = [Self::Stricter, Self::Approved];

    /// The pack, with which the ids of its rules begin.
    #[must_use]
    pub const fn pack(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Stricter => "stricter",
        }
    }

    /// What its rules are.
    const fn summary(self) -> &'static str {
        match self {
            Self::Approved => "What a person said yes to for good",
            Self::Stricter => "What a person wants to be asked about or refused",
        }
    }

    /// What stands in a new file before its first rule.
    fn header(self) -> String {
        let (pack, summary) = (self.pack(), self.summary());
        format!(
            "# {summary}: written by guarded-sh. Whoever owns this file may change or remove rules;\n\
             # `guarded-sh rules undo` takes the last one out again.\n\
             pack = \"{pack}\"\nsummary = \"{summary}\"\n{}",
            // What was said of all is not hidden by what was said of some, nor the other way round.
            if self == Self::Stricter { "every = true\n" } else { "" }
        )
    }
}

/// A rule that could be added, or a file of rules that could be put in place, checked as it will be when it is loaded.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    before: Option<String>,
    after: String,
    /// Where the rule begins in `after`.
    at: usize,
    /// The owner's rules with this one.
    layer: Layer,
}

/// A rule that was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// Its id.
    pub id: String,
    /// Its text, with the comment above it.
    pub text: String,
    /// The file that it was in.
    pub path: PathBuf,
}

/// Returns the file of such rules.
#[must_use]
pub fn path(request: &LoadRequest<'_>, book: Book) -> Option<PathBuf> {
    Some(request.places.settings()?.join("rules").join(format!("{}.toml", book.pack())))
}

/// Returns the owner's file of rules of this name, `NAME.toml`.
pub fn file_of(request: &LoadRequest<'_>, name: &str) -> Result<PathBuf, Error> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_letter) {
        return Err(Error::Name { name: name.to_owned() });
    }
    let settings = request.places.settings().ok_or(Error::NoHome { uid: request.uid })?;
    Ok(settings.join("rules").join(format!("{name}.toml")))
}

/// Reads a file of the owner's rules as it is when it is loaded; none if there is no such file.
pub fn read_file(request: &LoadRequest<'_>, name: &str) -> Result<Option<String>, Error> {
    read(&file_of(request, name)?, request)
}

impl Draft {
    /// Puts `text` in the place of the owner's file of rules of this name, in memory.
    pub fn of_file(request: &LoadRequest<'_>, name: &str, text: &str) -> Result<Self, Error> {
        let path = file_of(request, name)?;
        let before = read(&path, request)?;
        let layer = compiled(&path, text, request)?;
        Ok(Self { path, before, after: text.to_owned(), at: 0, layer })
    }

    /// Adds to the file, in memory, the rule that `write` makes: the text of one `[[rule]]`, with its comment, for an id that
    /// begins with `base` and is not taken.
    pub fn new(
        request: &LoadRequest<'_>,
        book: Book,
        base: &str,
        write: impl FnOnce(&str) -> String,
    ) -> Result<Self, Error> {
        let pack = book.pack();
        let path = path(request, book).ok_or(Error::NoHome { uid: request.uid })?;
        let before = read(&path, request)?;
        let ids = ids(&path, before.as_deref(), pack)?;
        let is_free = |id: &String| !ids.contains(id);
        let numbered = (2u32..).map(|number| format!("{pack}.{base}.{number}"));
        let id = std::iter::once(format!("{pack}.{base}")).chain(numbered).find(is_free);
        let mut after = before.clone().unwrap_or_else(|| book.header());
        let at = after.len() + 1;
        // One newline, whatever stands before it, so that taking the rule out leaves what was there.
        after.push('\n');
        after.push_str(&write(&id.unwrap_or_default()));
        let layer = compiled(&path, &after, request)?;
        Ok(Self { path, before, after, at, layer })
    }

    /// Returns the text of the rule.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.after[self.at..]
    }

    /// Returns the file that it will be in.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what the file says now; none if it is not there.
    #[must_use]
    pub fn before(&self) -> Option<&str> {
        self.before.as_deref()
    }

    /// Splits off the owner's rules as they will be, to judge by.
    pub fn take_layer(&mut self) -> Layer {
        std::mem::replace(
            &mut self.layer,
            Layer::new("none", Box::new(Vec::new()), Authority::TightenOnly),
        )
    }

    /// Puts the file in place. If it is not what it was when the rule was drafted, nothing is changed.
    pub fn keep(self, request: &LoadRequest<'_>) -> Result<(), Error> {
        let _lock = lock(&self.path)?;
        if read(&self.path, request)? != self.before {
            return Err(Error::Changed { path: self.path });
        }
        // Other files of the directory may have changed too, and with them what this one may say.
        compiled(&self.path, &self.after, request)?;
        replace(&self.path, &self.after)
    }
}

/// Takes out the last rule of the file that changed last, or the one with this id.
pub fn undo(request: &LoadRequest<'_>, id: Option<&str>) -> Result<Undone, Error> {
    let is_of = |book: &Book| {
        let rest = id.and_then(|id| id.strip_prefix(book.pack()));
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let changed = |book: &Book| path(request, *book)?.metadata().ok()?.modified().ok();
    let book = match Book::ALL.into_iter().find(is_of) {
        Some(book) => book,
        None => Book::ALL.into_iter().max_by_key(changed).unwrap_or(Book::Approved),
    };
    let path = path(request, book).ok_or(Error::NoHome { uid: request.uid })?;
    let nothing = |path: &Path, id: Option<&str>| Error::NotSaid {
        path: path.to_owned(),
        id: id.map(str::to_owned),
    };
    if !path.exists() {
        return Err(nothing(&path, id));
    }
    let _lock = lock(&path)?;
    let Some(before) = read(&path, request)? else { return Err(nothing(&path, id)) };
    let pack = parsed(&path, &before)?;
    let found = match id {
        Some(id) => pack.rules.iter().position(|rule| rule.rule.id == id),
        None => pack.rules.len().checked_sub(1),
    };
    let Some(number) = found else { return Err(nothing(&path, id)) };
    let rule = &pack.rules[number];
    let id = rule.rule.id.clone();
    let unclear = || Error::NotAlone { path: path.clone(), id: id.clone() };
    let (start, end) = block(&before, rule.span.start).ok_or_else(unclear)?;
    let after = [&before[..start], &before[end..]].concat();
    let text = before[start..end].trim_start_matches('\n').to_owned();
    // Whatever the text looks like: exactly this rule must be gone, and all others must be as they were.
    let is_alone = rules::read(&after, Author::Owner).is_ok_and(|left| {
        let others = pack.rules.iter().enumerate().filter(|(at, _)| *at != number);
        left.name == pack.name
            && others
                .map(|(_, rule)| (&rule.rule, &rule.examples))
                .eq(left.rules.iter().map(|rule| (&rule.rule, &rule.examples)))
    });
    if !is_alone {
        return Err(unclear());
    }
    if after == book.header() {
        std::fs::remove_file(&path)
            .map_err(|source| Error::Write { path: path.clone(), source })?;
    } else {
        replace(&path, &after)?;
    }
    Ok(Undone { id, text, path })
}

/// Returns the bytes of the rule that holds the byte `inside`: from the newline before its comment to that before the next one's.
fn block(text: &str, inside: usize) -> Option<(usize, usize)> {
    let is_head = |line: &str| line.trim_end() == "[[rule]]";
    let is_first = |line: &str| line.starts_with("# 2") && line.contains(SAID);
    let mut heads = Vec::new();
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push((at, line));
        at += line.len();
    }
    for (number, (_, line)) in lines.iter().enumerate() {
        if is_head(line) {
            let comments =
                lines[..number].iter().rev().take_while(|(_, line)| line.starts_with('#'));
            let comment = comments.clone().position(|(_, line)| is_first(line));
            let comment = comment.map_or_else(|| comments.count(), |at| at + 1);
            // The newline that ends the line above: an empty line, or the end of a last line that had none.
            heads.push(lines[number - comment].0.checked_sub(1)?);
        }
    }
    let start = heads.iter().rposition(|start| *start <= inside)?;
    let end = heads.get(start + 1).copied().unwrap_or(text.len());
    Some((heads[start], end))
}

fn read(path: &Path, request: &LoadRequest<'_>) -> Result<Option<String>, Error> {
    let Some(text) = file::read(path, file::LARGEST_RULES)? else { return Ok(None) };
    file::require_ours(path, &text.metadata, request.uid)?;
    Ok(Some(text.content))
}

fn parsed(path: &Path, text: &str) -> Result<Pack, Error> {
    rules::read(text, Author::Owner).map_err(|problems| {
        let (path, text) = (path.to_owned(), text.to_owned());
        Error::Invalid(Invalid { path, text, problems, what: FileKind::Rules })
    })
}

fn ids(path: &Path, text: Option<&str>, name: &'static str) -> Result<Vec<String>, Error> {
    let Some(text) = text else { return Ok(Vec::new()) };
    let pack = parsed(path, text)?;
    if pack.name != name {
        let path = path.to_owned();
        return Err(Error::OtherPack { path, name: pack.name, wanted: name });
    }
    Ok(pack.rules.into_iter().map(|rule| rule.rule.id).collect())
}

/// Reads, checks and compiles the owner's rules with `text` in place of the file, as loading them does.
fn compiled(path: &Path, text: &str, request: &LoadRequest<'_>) -> Result<Layer, Error> {
    let directory = Directory {
        path: path.parent().unwrap_or(path),
        uid: request.uid,
        guarded: true,
        cache: None,
        cache_use: CacheUse::Rebuild,
        check: request.check,
    };
    let mut files = directory.files()?;
    files.retain(|read| read.path != path);
    files.push(Read { path: path.to_owned(), text: text.to_owned() });
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let bytes = directory.compile(&files)?;
    Ok(Layer::new(directory.path.display().to_string(), Box::new(bytes), Authority::Owner))
}

fn lock(path: &Path) -> Result<Flock<std::fs::File>, Error> {
    let failed = |source: io::Error| Error::Write { path: path.to_owned(), source };
    let directory = path.parent().unwrap_or(path);
    DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let lock = options.open(directory.join(".approved.lock")).map_err(failed)?;
    Flock::lock(lock, FlockArg::LockExclusive).map_err(|(_, errno)| failed(errno.into()))
}

/// Whoever keeps their settings elsewhere and a link here keeps the link.
fn replace(path: &Path, text: &str) -> Result<(), Error> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Replacement::write_like(&real, text.as_bytes())
        .and_then(Replacement::synced)
        .and_then(Replacement::put)
        .map_err(|source| Error::Write { path: path.to_owned(), source })
}
