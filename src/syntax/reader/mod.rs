//! The reader proper: a hand-written descent over bytes that follows what bash 5.2 does, not what POSIX leaves open.
//! It reads one text; what it means, and whether a second parser agrees, is decided elsewhere.

mod ansi;
mod arithmetic;
mod array;
mod balance;
mod braces;
mod case;
mod compound;
mod condition;
mod cursor;
mod dollar;
mod function;
mod glob;
mod here;
mod keyword;
mod list;
mod loops;
mod parameter;
mod parts;
mod qualifiers;
mod quoted;
mod redirect;
mod simple;
mod tilde;
mod unit;
mod word;

pub(in crate::syntax) use ansi::decode as unescaped;
pub(in crate::syntax) use keyword::is_reserved;
pub(in crate::syntax) use redirect::delimiter;
pub use unit::Unit;
pub(in crate::syntax) use unit::first_unit;

use std::collections::HashMap;

use super::fill;
use super::limits::{MAX_BYTES, MAX_DEPTH, MAX_NODES, MAX_STEPS};
use super::script::{HereDocument, Script};
use crate::model::{Opaque, Reason, Span};
use crate::syntax::dialect::{Construct, Dialect};

/// What was read as scripts inside other text that had to be rewritten first (backslashes in backticks, tabs in
/// bodies), by the place where each starts.
pub(super) type Texts = HashMap<usize, String>;

/// Why reading stopped.
#[derive(Debug)]
pub(super) struct Stop {
    reason: Reason,
    /// The text ended first: more of it may be what bash would take.
    unfinished: bool,
}

type Read<T> = Result<T, Stop>;

/// A text as it was read.
pub(super) struct Whole {
    pub(super) script: Script,
    pub(super) texts: Texts,
    /// Where something stands that only bash knows and the tree does not show.
    pub(super) extensions: Vec<(Construct, Span)>,
}

/// Reads text as bash does, alone: no second parser is asked.
pub(super) fn read(text: &[u8]) -> Whole {
    read_for(text, Dialect::Bash)
}

/// Reads text as bash does, with what a shell of this kind adds to words.
pub(super) fn read_for(text: &[u8], dialect: Dialect) -> Whole {
    let whole = Span::new(0, text.len());
    if text.len() > MAX_BYTES {
        let opaque = vec![Opaque { reason: Reason::TooLong, span: whole }];
        let script = Script { span: whole, statements: Vec::new(), opaque };
        return Whole { script, texts: Texts::new(), extensions: Vec::new() };
    }
    let nul = text.iter().position(|byte| *byte == 0);
    let end = nul.unwrap_or(text.len());
    let mut reader = Reader::new(&text[..end], Origin::Shift(0));
    reader.found.qualifies = dialect == Dialect::Zsh;
    let statements = reader.program();
    if nul.is_some() {
        reader
            .found
            .opaque
            .push(Opaque { reason: Reason::NulByte, span: Span::new(end, whole.end) });
    }
    let Found { mut opaque, bodies, texts, extensions, .. } = reader.found;
    let mut script = Script { span: whole, statements, opaque: Vec::new() };
    fill::here_documents(&mut script, bodies);
    opaque.sort_by_key(|it| it.span);
    opaque.dedup();
    script.opaque = opaque;
    Whole { script, texts, extensions }
}

/// Where the bytes of a text stand in the command line.
#[derive(Clone, Debug)]
enum Origin {
    /// All moved by the same distance.
    Shift(usize),
    /// Each its own way, with one entry more for the end: text inside backticks, and bodies without their tabs.
    Each(Vec<usize>),
}

/// What is counted against the limits, over all texts of one command line.
#[derive(Debug, Default)]
struct Meter {
    depth: u32,
    nodes: u32,
    steps: u64,
}

/// What was found on the way and belongs to the whole command line.
#[derive(Debug, Default)]
struct Found {
    opaque: Vec<Opaque>,
    /// Bodies of here-documents by the place where their redirection starts.
    bodies: Vec<(usize, HereDocument)>,
    texts: Texts,
    extensions: Vec<(Construct, Span)>,
    /// Whether `shopt -s extglob` was read, so that patterns like `!(a)` may be on.
    extended_globs: bool,
    /// Whether a pattern may end with qualifiers, as zsh has them.
    qualifies: bool,
}

/// A here-document that was announced and whose body has not come yet.
#[derive(Debug)]
struct Pending {
    redirect: usize,
    delimiter: Vec<u8>,
    quoted: bool,
    tabs: bool,
}

/// One text being read. A text inside another (backticks, bodies) gets a reader of its own that shares the rest.
#[derive(Debug)]
struct Reader<'a> {
    /// The text, cut at the end of what is read now.
    text: &'a [u8],
    position: usize,
    origin: Origin,
    meter: Meter,
    found: Found,
    pending: Vec<Pending>,
    /// How many `$(` are open in this text: a here-document may then end at `)`.
    substitutions: u32,
    /// Whether the substitution that is being read holds a here-document.
    here_document: bool,
    /// Whether a reserved word may follow at once: after a compound command without redirections.
    closed: bool,
    /// Whether a here-document's body was read to the end of this text, without the line that ends it.
    body_is_open: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8], origin: Origin) -> Self {
        Self {
            text,
            position: 0,
            origin,
            meter: Meter::default(),
            found: Found::default(),
            pending: Vec::new(),
            substitutions: 0,
            here_document: false,
            closed: false,
            body_is_open: false,
        }
    }

    /// Reads another text with the same limits and findings.
    fn apart<T>(
        &mut self,
        text: &[u8],
        origin: Origin,
        read: impl FnOnce(&mut Reader<'_>) -> T,
    ) -> T {
        let mut inner = Reader::new(text, origin);
        std::mem::swap(&mut inner.meter, &mut self.meter);
        std::mem::swap(&mut inner.found, &mut self.found);
        let value = read(&mut inner);
        std::mem::swap(&mut inner.meter, &mut self.meter);
        std::mem::swap(&mut inner.found, &mut self.found);
        value
    }

    /// Reads the part of this text up to `end` as if nothing came after it.
    fn until<T>(&mut self, end: usize, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let whole = self.text;
        self.text = &whole[..end];
        let value = read(self);
        self.text = whole;
        value
    }

    /// Reads something that lies one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.meter.depth >= MAX_DEPTH {
            return Err(limit(Reason::TooDeep));
        }
        self.meter.depth += 1;
        let value = read(self);
        self.meter.depth -= 1;
        value
    }

    /// Counts a node of the tree.
    fn node(&mut self) -> Read<()> {
        self.meter.nodes += 1;
        if self.meter.nodes > MAX_NODES {
            return Err(limit(Reason::TooManyParts));
        }
        self.steps(1)
    }

    /// Counts bytes that were looked at.
    fn steps(&mut self, count: usize) -> Read<()> {
        self.meter.steps += count as u64;
        if self.meter.steps > MAX_STEPS {
            return Err(limit(Reason::TooSlow));
        }
        Ok(())
    }

    /// Returns the span of this text's bytes in the command line.
    fn span(&self, start: usize, end: usize) -> Span {
        match &self.origin {
            Origin::Shift(by) => Span::new(start + by, end + by),
            Origin::Each(places) => Span::new(places[start], places[end]),
        }
    }

    /// Keeps the text of a script between two places if the command line does not hold it as it is.
    fn keep_text(&mut self, start: usize, end: usize) {
        if let Origin::Each(_) = self.origin {
            let text = String::from_utf8_lossy(&self.text[start..end]).into_owned();
            self.found.texts.insert(self.span(start, end).start, text);
        }
    }

    /// Notes what stands here, which not every shell knows and the tree does not show.
    fn extension(&mut self, construct: Construct, start: usize, end: usize) {
        let span = self.span(start, end);
        self.found.extensions.push((construct, span));
    }

    /// Notes what could not be known, and goes on.
    fn note(&mut self, reason: Reason, span: Span) {
        self.found.opaque.push(Opaque { reason, span });
    }
}

/// Returns the error for text that bash would refuse.
fn refused(what: impl Into<String>) -> Stop {
    Stop { reason: Reason::Syntax(what.into()), unfinished: false }
}

/// Returns the error for text that ends where bash would read on.
fn unfinished(what: impl Into<String>) -> Stop {
    Stop { reason: Reason::Syntax(what.into()), unfinished: true }
}

/// Returns the error for text that is over a limit.
const fn limit(reason: Reason) -> Stop {
    Stop { reason, unfinished: false }
}
