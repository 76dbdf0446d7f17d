//! The compiled catalog: one block of bytes in which a name leads to one record, and only that record is decoded.
//! Shared by the build script, which writes it; it holds no meaning of its own.

use serde::{Deserialize, Serialize};

use crate::catalog::schema::Style;
use crate::model::{EffectKind, Language, ProgramTrait, Runner};

/// What a word of an argv is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Any text, never run, opened or sent.
    Text,
    /// The name of a database or the like, or an address that says where it is.
    Service,
    /// Any text, handed to code of the workspace's own.
    Passed,
    /// A plain word: a name, a number, a short setting. What has the form of something else is not known.
    Inert,
    /// Known to exist, not known to be harmless.
    Unknown,
    /// A directory that the program works in.
    Enter,
    /// A path that is made and not replaced.
    Create,
    /// A path that is written, where `-` is standard output.
    Output,
    /// What the paths begin with that are written.
    Prefix,
    /// A path that is made, with letters for each `X` at its end.
    Template,
    /// What is opened by the program that its owner has for its kind: a file, or an address.
    Opened,
    /// What a program of version control asks or is sent to, and what is done there: a name that it knows, a URL, or a path.
    Repository(EffectKind),
    /// A revision, or a path, of a repository: what it names is read.
    Revision,
    /// The same, where two words alone may be any two files.
    Compared,
    /// A revision, or paths whose changes are lost: what is there decides.
    RevisionOrPath,
    /// Paths as git writes them, to which this is done.
    Pathspec(EffectKind),
    /// `[+]FROM:TO`, by which branches here become what is elsewhere.
    Refspec,
    /// The same, as if each had its `+`.
    ForcedRefspec,
    /// Text that is handed on, or the name of a file that is: `@FILE`, `NAME=@FILE`, `file://FILE`.
    Content,
    /// A mode or owner. What reads as a path instead is one: the mode was left out.
    Mode,
    /// A file or directory of code that is read and run: tests.
    Tests,
    /// What this effect is done to.
    Effect(EffectKind),
    /// A program, or a command line that is split at spaces.
    Exec,
    /// The same, with more words behind it that are not known.
    ExecAppended,
    /// This word and all that follow are a command.
    Argv,
    /// The same, up to `;` or `+`.
    ArgvUntil,
    /// The same, with more words behind it.
    ArgvAppended,
    /// This word and all that follow are a command that is run in a container.
    ArgvInside,
    /// This word and all that follow are a command, or a task of the workspace.
    Tool,
    /// The same, or a script of the package.
    PackageTool,
    /// The name of the subcommand and all that follow are a command.
    ArgvItself,
    /// Shell text in one word.
    Shell,
    /// Shell text in one word, with more words behind it that are not known.
    ShellAppended,
    /// Shell text in this word and all that follow.
    ShellRest,
    /// The same, run on another machine.
    RemoteShellRest,
    /// A file of code.
    Script(Language),
    /// Code.
    Code(Language),
    /// `NAME=VALUE`.
    Assignment,
    /// The name of a task.
    Task(Runner),
}

impl Role {
    /// Returns whether nothing is done to what a word of this role names.
    #[must_use]
    pub const fn is_inert(self) -> bool {
        matches!(self, Self::Inert | Self::Text | Self::Passed)
    }

    /// Returns whether the role takes this word and all that follow.
    #[must_use]
    pub const fn is_rest(self) -> bool {
        matches!(
            self,
            Self::Argv
                | Self::ArgvAppended
                | Self::ArgvInside
                | Self::Tool
                | Self::PackageTool
                | Self::ArgvItself
                | Self::ShellRest
                | Self::RemoteShellRest
        )
    }
}

/// Something done without a word of argv as target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deed {
    /// An effect.
    Effect(EffectKind),
    /// Runs what comes on standard input.
    Input(Language),
    /// Runs the task that the subcommand names, or the one that is run where none is named.
    Task(Runner),
}

/// A place for operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot<'a> {
    /// The role as written, without `...`.
    pub text: &'a str,
    /// The role.
    pub role: Role,
    /// Whether it takes all that the others leave.
    pub repeats: bool,
}

/// What an option takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Takes {
    /// Nothing.
    Flag,
    /// A value.
    Value(Role),
    /// A value only when attached.
    Optional(Role),
    /// Several values.
    Several(Vec<Role>),
}

/// An option.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice<'a> {
    /// Every spelling, separated by spaces.
    pub spellings: &'a str,
    /// What it takes.
    pub takes: Takes,
    /// What else it means, for the few options that mean more than their value.
    #[serde(borrow)]
    pub more: Option<Meaning<'a>>,
}

/// What is done to names that are made of a name which fits a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beside<'a> {
    /// The pattern; what its `*` stands for is the stem.
    pub name: &'a str,
    /// What is done, and to what: the first `*` is the stem, `{}` the option's value.
    #[serde(borrow)]
    pub made: Vec<(EffectKind, &'a str)>,
}

/// Programs that an option makes a command start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Starts<'a> {
    /// The pattern of the option's value.
    pub value: &'a str,
    /// The programs, each with its words.
    #[serde(borrow)]
    pub programs: Vec<&'a str>,
}

/// What an option means beyond its value; the fields are those of [`crate::catalog::schema::OptionSpec`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are the schema's, which documents them")]
pub struct Meaning<'a> {
    #[serde(borrow)]
    pub values: Vec<&'a str>,
    pub otherwise: Role,
    pub effects: Vec<Deed>,
    pub here: Vec<Deed>,
    pub traits: Vec<ProgramTrait>,
    pub without: Vec<ProgramTrait>,
    pub instead: Option<Vec<Deed>>,
    #[serde(borrow)]
    pub operands: Option<Vec<Slot<'a>>>,
    #[serde(borrow)]
    pub beside: Option<Vec<Beside<'a>>>,
    #[serde(borrow)]
    pub starts: Vec<Starts<'a>>,
    pub fills: &'a str,
    pub stops: bool,
}

/// Names in order, each with the place of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Where it begins.
    pub at: u32,
    /// How many names it holds.
    pub len: u32,
}

/// The worst that options can do, for words that may turn out to be one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harm {
    /// One does more than take a harmless value.
    pub any: bool,
    /// One changes, runs or sends something.
    pub acting: bool,
    /// One with a value does, so that a word may hold both.
    pub acting_with_value: bool,
}

/// Options by spelling.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choices<'a> {
    /// Spellings without `*`; of the style `single-dash` all with one dash.
    pub names: Table,
    /// Spellings with `*`, the longest first.
    #[serde(borrow)]
    pub globs: Vec<(&'a str, u32)>,
    /// The option `-NUM`.
    pub minus_number: Option<u32>,
    /// The option `+NUM`.
    pub plus_number: Option<u32>,
    /// The worst that they can do.
    pub harm: Harm,
}

impl Choices<'_> {
    /// Returns whether there is no option.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.len == 0
            && self.globs.is_empty()
            && self.minus_number.is_none()
            && self.plus_number.is_none()
    }
}

/// An operand `KEY=VALUE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keyword<'a> {
    /// The key; may hold `*`.
    pub key: &'a str,
    /// The role of the value as written.
    pub text: &'a str,
    /// The role of the value.
    pub role: Role,
}

/// A program or subcommand; the fields are those of [`crate::catalog::schema::Command`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are the schema's, which documents them")]
#[allow(clippy::struct_excessive_bools, reason = "each is a field of the data")]
pub struct Record<'a> {
    pub name: &'a str,
    /// Of a subcommand: names that stand for `name`, where those of the key stand for themselves.
    #[serde(borrow)]
    pub aliases: Vec<&'a str>,
    pub summary: &'a str,
    pub style: Style,
    pub exact: bool,
    pub help: bool,
    pub stops: bool,
    pub named: Option<Role>,
    pub passes_input: bool,
    pub passes_environment: bool,
    #[serde(borrow)]
    pub sets: Vec<&'a str>,
    pub reads_input: bool,
    pub in_repository: bool,
    pub traits: Vec<ProgramTrait>,
    #[serde(borrow)]
    pub bounds: Vec<&'a str>,
    #[serde(borrow)]
    pub endless: Vec<&'a str>,
    #[serde(borrow)]
    pub edits: Vec<&'a str>,
    pub effects: Vec<Deed>,
    #[serde(borrow)]
    pub operands: Vec<Slot<'a>>,
    #[serde(borrow)]
    pub beside: Vec<Beside<'a>>,
    pub bare: Vec<Deed>,
    pub here: Vec<Deed>,
    #[serde(borrow)]
    pub options: Choices<'a>,
    #[serde(borrow)]
    pub shared: Choices<'a>,
    #[serde(borrow)]
    pub keywords: Vec<Keyword<'a>>,
    #[serde(borrow)]
    pub handed: Vec<Keyword<'a>>,
    /// Subcommands by exact name.
    pub sub: Table,
    /// Subcommands by pattern, the longest first.
    #[serde(borrow)]
    pub sub_globs: Vec<(&'a str, u32)>,
}

/// Where the programs' names stand: the first bytes of the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Names without `*`.
    pub names: Table,
    /// Names with `*`, the longest first.
    pub globs: Table,
}

/// The compiled catalog.
#[derive(Clone, Copy, Debug)]
pub struct Blob<'a>(pub &'a [u8]);

impl<'a> Blob<'a> {
    /// Bytes of one entry of a [`Table`]: where the name stands, its length, where the record stands.
    pub const ENTRY: usize = 12;

    fn number(self, at: usize) -> Option<u32> {
        let bytes = self.0.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Returns the header.
    #[must_use]
    pub fn header(self) -> Option<Header> {
        Some(Header {
            names: Table { at: self.number(0)?, len: self.number(4)? },
            globs: Table { at: self.number(8)?, len: self.number(12)? },
        })
    }

    /// Returns the name and the record's place of one entry.
    #[must_use]
    pub fn entry(self, table: Table, index: u32) -> Option<(&'a str, u32)> {
        let (name, record) = self.bytes(table, index)?;
        Some((std::str::from_utf8(name).ok()?, record))
    }

    fn bytes(self, table: Table, index: u32) -> Option<(&'a [u8], u32)> {
        if index >= table.len {
            return None;
        }
        let at = table.at as usize + index as usize * Self::ENTRY;
        let start = self.number(at)? as usize;
        let end = start + self.number(at + 4)? as usize;
        Some((self.0.get(start..end)?, self.number(at + 8)?))
    }

    /// Returns the entries from the first whose name is not less than `name`.
    pub fn from(self, table: Table, name: &str) -> impl Iterator<Item = (&'a str, u32)> {
        let (mut low, mut high) = (0, table.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.bytes(table, middle).is_some_and(|(found, _)| found < name.as_bytes()) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low..table.len).map_while(move |index| self.entry(table, index))
    }

    /// Returns the record's place for exactly this name.
    #[must_use]
    pub fn find(self, table: Table, name: &str) -> Option<u32> {
        let (found, at) = self.from(table, name).next()?;
        (found == name).then_some(at)
    }

    /// Decodes the program or subcommand at `at`.
    #[must_use]
    pub fn record(self, at: u32) -> Option<Record<'a>> {
        postcard::from_bytes(self.0.get(at as usize..)?).ok()
    }

    /// Decodes the option at `at`.
    #[must_use]
    pub fn choice(self, at: u32) -> Option<Choice<'a>> {
        postcard::from_bytes(self.0.get(at as usize..)?).ok()
    }
}

/// Returns whether `text` matches `pattern`, in which `*` stands for any text. Nothing else is special: spellings
/// hold slashes, brackets and braces, which the globs of paths give a meaning.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    let mut pieces = rest.split('*');
    let Some(tail) = pieces.next_back() else {
        return true;
    };
    for piece in pieces {
        let Some(at) = text.find(piece) else {
            return false;
        };
        text = &text[at + piece.len()..];
    }
    text.ends_with(tail)
}
